"""One expression for each path, whatever it is used for.

A value across a relation is what the person may view of the related object, else it is withheld: showing,
filtering, searching, sorting, grouping and summing all go through here, so that none of them is an oracle for
another (design, section 4).
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db.models import BooleanField, Case, DateTimeField, F, Q, Value, When
from django.db.models.expressions import Combinable

from .access import Access
from .definition import ListPath


class Expressions:
    """The expressions of a list's paths for one person."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._closed: dict[tuple[Any, ...], Q | None] = {}

    def closed(self, path: ListPath) -> Q | None:
        """The condition under which the path's value is withheld, or None where it never is."""
        if path.hops not in self._closed:
            self._closed[path.hops] = self._closed_across(path)
        return self._closed[path.hops]

    def _closed_across(self, path: ListPath) -> Q | None:
        closed = Q()
        for relation, model in path.hops:
            viewable = self._access.viewable(model)
            if viewable is not None:
                closed |= Q(**{f"{relation}__isnull": False}) & ~Q(**{f"{relation}__in": viewable})
        return closed or None

    def value(self, path: ListPath) -> Combinable:
        """The value of the path, null where it is withheld."""
        closed = self.closed(path)
        if closed is None:
            return F(path.lookup)
        return Case(When(closed, then=Value(None)), default=F(path.lookup), output_field=path.field.clone())

    def withheld(self, path: ListPath) -> Combinable:
        """Whether the value of the path is withheld."""
        closed = self.closed(path)
        if closed is None:
            return Value(False, output_field=BooleanField())
        return Case(When(closed, then=Value(True)), default=Value(False), output_field=BooleanField())


def within_calendar(name: str, zone: dt.tzinfo) -> Combinable:
    """A moment for a function of local time: one that has none, as it would be in the year 10,000, on the last day.

    *For ever* is often stored as the calendar's last moment, and databases and Python fail to convert it eastward.
    """
    last = dt.datetime.max.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=zone)
    if last.utcoffset() <= dt.timedelta(0):  # type: ignore[operator]  # a zone always has an offset
        return F(name)
    last = last.astimezone(dt.UTC)
    return Case(When(Q(**{f"{name}__gte": last}), then=Value(last)), default=F(name), output_field=DateTimeField())
