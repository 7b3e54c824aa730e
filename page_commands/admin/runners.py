"""Who may run a command: the people who hold the right in whatever way, and whether they may on some object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator

from read_targets.policies.grants import holders, name_field

from ..models import AgentCommand
from ..policies import RUN

PEOPLE_A_PAGE = 50


@dataclass(frozen=True)
class Runner:
    """Somebody who may run the command, and whether they hold the permission on any of its objects as well."""

    person: Any
    has_object: bool


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
