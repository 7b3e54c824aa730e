"""Who may query a target: the people who hold the right in whatever way, and whether they may open its list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator

from ..doors import door_of
from ..models import ReadTarget
from ..policies import QUERY
from ..policies.grants import holders, name_field

PEOPLE_A_PAGE = 50


@dataclass(frozen=True)
class Reader:
    """Somebody who may query the target, and whether the list's own door is open to them as well."""

    person: Any
    has_door: bool


def readers_of(target: ReadTarget, number: Any = 1) -> tuple[Page[Any], list[Reader]]:
    """Return the page of that number of all who may query the target, and each of its people with their door.

    Costs the same few statements however many people there are. A number that is no page gives the nearest.
    """
    people = holders(QUERY, target).order_by(name_field())
    page = Paginator(people, PEOPLE_A_PAGE).get_page(number)
    listed = list(page.object_list)
    door = door_of(target)
    through = holders(door).filter(pk__in=[person.pk for person in listed]) if door else people.none()
    opened = set(through.values_list("pk", flat=True))
    return page, [Reader(person, person.pk in opened) for person in listed]
