"""Who holds a right: the people in whatever way, and the single grants on an object, given and taken back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db.models import Model, Q, QuerySet
from django.db.models.signals import post_delete
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase
from guardian.shortcuts import assign_perm, remove_perm
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

from . import rights_of
from .shapes import is_generic

MOST_GRANTS = 200
"""Grants on an object that are named one by one; further ones are counted, and still revoked by name."""


@dataclass(frozen=True)
class Grant:
    """A grant on one object. `kind` is `person` or `group`, `name` what its holder is found by."""

    kind: str
    name: str


def holders(permission: str, obj: Model | None = None) -> QuerySet[Any]:
    """Return the active people who hold `permission` on `obj`, for an admin who asks *who can*.

    Without an object, those who hold it everywhere or on one object at least.
    """
    people = get_user_model()._base_manager.filter(is_active=True)
    right = rights_of([permission]).get(permission)
    if right is None:
        return people.filter(is_superuser=True)
    key, model = right.key, right.model if obj is None else type(obj)
    own, groups = (
        (grants._base_manager.all() if obj is None else grants_on_object(grants, obj)).filter(permission=key)
        for grants in (get_user_obj_perms_model(model), get_group_obj_perms_model(model))
    )
    return people.filter(
        Q(is_superuser=True)
        | Q(pk__in=people.filter(user_permissions=key).values("pk"))
        | Q(pk__in=people.filter(groups__permissions=key).values("pk"))
        | Q(pk__in=own.values("user"))
        | Q(pk__in=people.filter(Q(groups__in=groups.values("group"))).values("pk"))
    )


def grants_on(obj: Model, permission: str) -> tuple[list[Grant], int]:
    """Return the first grants of the right on this very object, to groups and to people, and how many there are."""
    groups = _granted(get_group_obj_perms_model(obj), obj, permission).order_by("group__name")
    people = _granted(get_user_obj_perms_model(obj), obj, permission).order_by(f"user__{name_field()}")
    named = [
        *(Grant("group", name) for name in groups.values_list("group__name", flat=True)[:MOST_GRANTS]),
        *(Grant("person", name) for name in people.values_list(f"user__{name_field()}", flat=True)[:MOST_GRANTS]),
    ]
    return named[:MOST_GRANTS], groups.count() + people.count()


def holder_of(kind: str, name: str) -> Any:
    """Return the person or the group of that name, None where there is none."""
    if kind == "person":
        return person_of(name)
    return Group.objects.filter(name=name).first() if kind == "group" and "\0" not in name else None


def person_of(name: str) -> Any:
    """Return the person of that user name, None where there is none."""
    if not name or "\0" in name:  # a letter that no name has, and that PostgreSQL does not take
        return None
    return get_user_model()._default_manager.filter(**{name_field(): name}).first()


def grant(permission: str, holder: Any, obj: Model) -> None:
    """Give a person or a group the right on this object."""
    assign_perm(permission, holder, obj)


def revoke(permission: str, holder: Any, obj: Model) -> None:
    """Take back the grant on this object; what is held in other ways stays."""
    remove_perm(permission, holder, obj)


def name_field() -> str:
    """The field by which people are named."""
    return str(get_user_model().USERNAME_FIELD)


def _granted(grants: type[Model], obj: Model, permission: str) -> QuerySet[Any]:
    codename = permission.partition(".")[2]
    return grants_on_object(grants, obj).filter(permission__codename=codename)


def grants_on_object(grants: type[Model], obj: Model) -> QuerySet[Any]:
    """Return the grants of any right on `obj` that a table of grants holds."""
    if not is_generic(grants):
        return grants._base_manager.filter(content_object=obj)
    options = obj._meta
    right = {
        "permission__content_type__app_label": options.app_label,
        "permission__content_type__model": str(options.model_name),
    }
    return grants._base_manager.filter(object_pk=str(obj.pk), **right)


def forget_grants(sender: type[Model], instance: Model, **kwargs: Any) -> None:
    """Take an object's grants with it, which guardian leaves: a new object of the same key would inherit them."""
    for grants in (get_user_obj_perms_model(sender), get_group_obj_perms_model(sender)):
        grants_on_object(grants, instance).delete()


def forget_grants_of(models: Iterable[type[Model]]) -> None:
    """Have the grants on objects of these models go with the objects.

    Where a model has tables of grants of its own, the database sees to it; Django then deletes many objects at once
    without reading them, which it no longer can where it tells us of each.
    """
    for model in models:
        if any(map(is_generic, tables_of(model).values())):
            post_delete.connect(forget_grants, sender=model, dispatch_uid="read_targets.grants")


def slow_grants(model: type[Model]) -> list[type[Model]]:
    """Return those tables of grants on objects of `model` that no index leads through from holder and right to object.

    guardian's own base classes declare it, as a unique constraint; a `Meta` that does not inherit theirs loses it.
    """
    return [table for holder, table in tables_of(model).items() if not _leads_through(table, holder)]


def tables_of(model: type[Model]) -> dict[str, type[Model]]:
    """Return where grants on objects of `model` stand, to people (`user`) and to groups (`group`).

    As guardian finds them, but without asking the database, which may not be there yet.
    """
    found = {"user": get_user_obj_perms_model(), "group": get_group_obj_perms_model()}
    for base, holder in ((UserObjectPermissionBase, "user"), (GroupObjectPermissionBase, "group")):
        for one in model._meta.related_objects:
            if issubclass(one.related_model, base) and not is_generic(one.related_model):
                found[holder] = one.related_model
    return found


def _leads_through(table: type[Model], holder: str) -> bool:
    wanted = {holder, "permission", "object_pk" if is_generic(table) else "content_object"}
    options = table._meta
    indexed = [*options.unique_together, *(index.fields for index in options.indexes)]
    indexed += [one.fields for one in options.total_unique_constraints]
    return any(set(fields[:3]) == wanted for fields in indexed)
