"""Who may query a target: the grants on it, and the people who hold the right in whatever way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.paginator import Page, Paginator
from django.db import models
from guardian.shortcuts import assign_perm, remove_perm
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

from ..doors import door_of
from ..models import ReadTarget
from ..policies import GRANT, QUERY, grants_on_object, holders, permits

PEOPLE_A_PAGE = 50

MOST_GRANTS = 200
"""Grants on a target that are named one by one; further ones are counted, and still revoked by name."""


@dataclass(frozen=True)
class Reader:
    """Somebody who may query the target, and whether the list's own door is open to them as well."""

    person: Any
    has_door: bool


@dataclass(frozen=True)
class Grant:
    """A grant on one target. `kind` is `person` or `group`, `name` what its holder is found by."""

    kind: str
    name: str


def can_grant(user: Any, target: ReadTarget) -> bool:
    """Whether `user` may say who queries the target."""
    return permits(user, GRANT, target)


def readers_of(target: ReadTarget, number: Any = 1) -> tuple[Page[Any], list[Reader]]:
    """Return the page of that number of all who may query the target, and each of its people with their door.

    Costs the same few statements however many people there are. A number that is no page gives the nearest.
    """
    people = holders(QUERY, target).order_by(get_user_model().USERNAME_FIELD)
    page = Paginator(people, PEOPLE_A_PAGE).get_page(number)
    listed = list(page.object_list)
    door = door_of(target)
    through = holders(door).filter(pk__in=[person.pk for person in listed]) if door else people.none()
    opened = set(through.values_list("pk", flat=True))
    return page, [Reader(person, person.pk in opened) for person in listed]


def grants_on(target: ReadTarget) -> tuple[list[Grant], int]:
    """Return the first grants on this very target, to groups and to people, and how many there are in all."""
    groups = _grants(get_group_obj_perms_model(target), target).order_by("group__name")
    people = _grants(get_user_obj_perms_model(target), target).order_by(f"user__{_name_field()}")
    named = [
        *(Grant("group", name) for name in groups.values_list("group__name", flat=True)[:MOST_GRANTS]),
        *(Grant("person", name) for name in people.values_list(f"user__{_name_field()}", flat=True)[:MOST_GRANTS]),
    ]
    return named[:MOST_GRANTS], groups.count() + people.count()


def holder_of(kind: str, name: str) -> Any:
    """Return the person or the group of that name, None where there is none."""
    if "\0" in name:  # a letter that no name has, and that PostgreSQL does not take
        return None
    if kind == "group":
        return Group.objects.filter(name=name).first()
    return get_user_model()._default_manager.filter(**{_name_field(): name}).first() if kind == "person" else None


def grant(target: ReadTarget, holder: Any) -> None:
    """Let a person or a group query the target."""
    assign_perm(QUERY, holder, target)


def revoke(target: ReadTarget, holder: Any) -> None:
    """Take back the grant on this target; what is held in other ways stays."""
    remove_perm(QUERY, holder, target)


def _grants(grants: type[models.Model], target: ReadTarget) -> models.QuerySet[Any]:
    codename = QUERY.partition(".")[2]
    return grants_on_object(grants, target).filter(permission__codename=codename)


def _name_field() -> str:
    return str(get_user_model().USERNAME_FIELD)
