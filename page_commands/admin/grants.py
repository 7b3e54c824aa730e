"""Who may run a command: the grants on it, and the people who hold the right in whatever way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.paginator import Page, Paginator
from django.db import models
from guardian.shortcuts import assign_perm, remove_perm
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

from read_targets.policies import grants_on_object, holders, permits

from ..models import AgentCommand
from ..policies import GRANT, RUN

PEOPLE_A_PAGE = 50

MOST_GRANTS = 200
"""Grants on a command that are named one by one; further ones are counted, and still revoked by name."""


@dataclass(frozen=True)
class Runner:
    """Somebody who may run the command, and whether they hold the permission on any of its objects as well."""

    person: Any
    has_object: bool


@dataclass(frozen=True)
class Grant:
    """A grant on one command. `kind` is `person` or `group`, `name` what its holder is found by."""

    kind: str
    name: str


def can_grant(user: Any, command: AgentCommand) -> bool:
    """Whether `user` may say who runs the command."""
    return permits(user, GRANT, command)


def runners_of(command: AgentCommand, number: Any = 1) -> tuple[Page[Any], list[Runner]]:
    """Return the page of that number of all who may run the command, and each of its people with their permission.

    Costs the same few statements however many people there are. A number that is no page gives the nearest.
    """
    people = holders(RUN, command).order_by(name_field())
    page = Paginator(people, PEOPLE_A_PAGE).get_page(number)
    listed = list(page.object_list)
    if not command.input_type:
        return page, [Runner(person, True) for person in listed]
    held = holders(command.input_permission).filter(pk__in=[person.pk for person in listed])
    having = set(held.values_list("pk", flat=True)) if command.input_permission else set()
    return page, [Runner(person, person.pk in having) for person in listed]


def grants_on(command: AgentCommand) -> tuple[list[Grant], int]:
    """Return the first grants on this very command, to groups and to people, and how many there are in all."""
    groups = _grants(get_group_obj_perms_model(command), command).order_by("group__name")
    people = _grants(get_user_obj_perms_model(command), command).order_by(f"user__{name_field()}")
    named = [
        *(Grant("group", name) for name in groups.values_list("group__name", flat=True)[:MOST_GRANTS]),
        *(Grant("person", name) for name in people.values_list(f"user__{name_field()}", flat=True)[:MOST_GRANTS]),
    ]
    return named[:MOST_GRANTS], groups.count() + people.count()


def holder_of(kind: str, name: str) -> Any:
    """Return the person or the group of that name, None where there is none."""
    if "\0" in name:  # a letter that no name has, and that PostgreSQL does not take
        return None
    if kind == "group":
        return Group.objects.filter(name=name).first()
    return get_user_model()._default_manager.filter(**{name_field(): name}).first() if kind == "person" else None


def grant(command: AgentCommand, holder: Any) -> None:
    """Let a person or a group run the command."""
    assign_perm(RUN, holder, command)


def revoke(command: AgentCommand, holder: Any) -> None:
    """Take back the grant on this command; what is held in other ways stays."""
    remove_perm(RUN, holder, command)


def name_field() -> str:
    """The field by which people are named."""
    return str(get_user_model().USERNAME_FIELD)


def _grants(grants: type[models.Model], command: AgentCommand) -> models.QuerySet[Any]:
    codename = RUN.partition(".")[2]
    return grants_on_object(grants, command).filter(permission__codename=codename)
