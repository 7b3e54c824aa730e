"""The people of the sample company, and what each of them may view."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

from project.demo.drilling.models import ConnectionRun, RigEvent, Well
from project.demo.factory.models import Conversation, GitConnection, Project, Tenant
from project.demo.ledger.models import Account, CashTransaction, ExchangeRate
from read_targets.policies import permitted

from .loading import insert

NAMES = ("admin", "analyst", "clerk", "guest")
"""Everybody; the password of each is their name, which only the demo's settings let be."""

CLERKS = "ledger-clerks"


def hire() -> dict[str, User]:
    """Return the people by name; whoever is not there yet is made."""
    people = {}
    for name in NAMES:
        person, is_new = User.objects.get_or_create(username=name)
        if is_new:
            person.is_staff = person.is_superuser = name == "admin"
            person.set_password(name)
            person.save()
        people[name] = person
    group, _ = Group.objects.get_or_create(name=CLERKS)
    people["clerk"].groups.add(group)
    return people


def entitle(people: dict[str, User]) -> None:
    """Grant the people what they may view of the company's records, which hold no grants yet.

    The analyst views the whole ledger. The clerk views single records: of the transactions a few in person and more
    through a group, some of them twice; accounts, wells and tenants only in part, so that rows refer to what is
    withheld. The guest views nothing.
    """
    _allow(people["analyst"], Account, CashTransaction, ExchangeRate)
    clerk, clerks = people["clerk"], Group.objects.get(name=CLERKS)
    _grant(clerk, CashTransaction, _every(100, CashTransaction))
    _grant(clerks, CashTransaction, _every(30, CashTransaction))
    _grant(clerk, Account, _every(2, Account))
    _allow(clerk, ConnectionRun, RigEvent)
    _grant(clerk, Well, _every(3, Well))
    _grant(clerk, Tenant, _every(2, Tenant))
    _grant(clerks, Project, _every(3, Project))
    _grant(clerks, GitConnection, _every(4, GitConnection))
    _grant(clerk, Conversation, _every(5, Conversation))


def empower(people: dict[str, User]) -> None:
    """Grant the clerk what page commands need that do more than show; nobody else gets any of it.

    They may change every conversation that they may view, and every second such project.
    """
    clerk = people["clerk"]
    conversations = permitted(clerk, "factory.view_conversation", Conversation.objects.all())
    projects = permitted(clerk, "factory.view_project", Project.objects.order_by("pk"))
    _grant(clerk, Conversation, conversations.values_list("pk", flat=True), "change")
    _grant(clerk, Project, list(projects.values_list("pk", flat=True))[::2], "change")
    clerk.user_permissions.add(_permission(GitConnection, "add"))


def _every(step: int, model: type[Model]) -> list[Any]:
    """The keys of every `step`th record."""
    return list(model._default_manager.order_by("pk").values_list("pk", flat=True))[::step]


def _allow(person: User, *models: type[Model]) -> None:
    person.user_permissions.add(*(_permission(model) for model in models))


def _permission(model: type[Model], action: str = "view") -> Permission:
    kind = ContentType.objects.get_for_model(model)
    return Permission.objects.get(content_type=kind, codename=f"{action}_{model._meta.model_name}")


def _grant(holder: User | Group, model: type[Model], keys: Iterable[Any], action: str = "view") -> None:
    """Grant `holder` a right on the records with `keys`: in bulk, which django-guardian offers only with look-ups.

    A grant that is there already stays.
    """
    permission = _permission(model, action)
    is_person = isinstance(holder, User)
    grants = (get_user_obj_perms_model if is_person else get_group_obj_perms_model)(model)
    common: dict[str, Any] = {"permission": permission, "user" if is_person else "group": holder}
    is_generic = grants.objects.is_generic()
    if is_generic:
        common["content_type"] = permission.content_type
    of_object = "object_pk" if is_generic else "content_object_id"
    insert((grants(**common, **{of_object: str(key) if is_generic else key}) for key in keys), keep=True)
