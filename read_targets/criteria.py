"""A target's conditions: the arguments an agent may set, and the conditions of the list that they become."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from .lists import Argument, Condition
from .lists.conditions import PERIOD, days_of
from .models import RESERVED, Criterion, ReadTarget

LIMITS = {"year": (Decimal(1), Decimal(9999)), "month": (Decimal(1), Decimal(12))}
"""The values that an operator takes, whatever the condition lets through."""

NOT_CONDITIONS = frozenset(RESERVED) - {"id", "text"}
"""Arguments of a target's tools that select no rows."""

KEY = Argument("id", "string", is_trimmed=True)


def arguments_of(target: ReadTarget) -> tuple[Argument, ...]:
    """Return the conditions that an agent may set: the record's `id`, those declared, and `text` where it searches."""
    declared = tuple(argument_of(criterion) for criterion in target.criteria.all())
    if not target.search_hint:
        return (KEY, *declared)
    return (KEY, *declared, Argument("text", "string", f"in {target.search_hint}", is_trimmed=True))


def argument_of(criterion: Criterion) -> Argument:
    """Return one declared condition as an argument; what its filters cannot take does not fit either."""
    operators = {one.operator for one in criterion.filters.all()}
    least, most = next((limits for name, limits in LIMITS.items() if name in operators), (None, None))
    return Argument(
        criterion.name,
        criterion.kind,
        criterion.description,
        tuple(criterion.value_list),
        least if criterion.minimum is None else criterion.minimum,
        most if criterion.maximum is None else criterion.maximum,
        *((PERIOD.pattern, "YYYY-MM") if "period" in operators else (criterion.pattern, "")),
        tells_limits=(criterion.minimum, criterion.maximum) != (None, None),
    )


def conditions_of(target: ReadTarget, values: Mapping[str, Any]) -> tuple[Condition, ...]:
    """Return the conditions of the list that the values, as they were read, stand for."""
    return tuple(
        Condition(one.field, one.operator, values[criterion.name])
        for criterion in target.criteria.all()
        if criterion.name in values
        for one in criterion.filters.all()
    )


def with_months(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Return the conditions, a year and a month on the same date as the one period that they are."""
    months = {one.path: one.value for one in conditions if one.operator == "month"}
    years = {one.path for one in conditions if one.operator == "year"}
    return tuple(
        Condition(one.path, "period", f"{one.value:04}-{months[one.path]:02}")
        if one.operator == "year" and one.path in months
        else one
        for one in conditions
        if not (one.operator == "month" and one.path in years)
    )


@dataclass(frozen=True)
class Days:
    """The first and the last day that the conditions leave, None where a side is open."""

    first: dt.date | None
    last: dt.date | None

    def bounds(self, zone: dt.tzinfo) -> tuple[str | None, str | None]:
        """The days as a half-open range of moments in `zone`, ISO 8601."""
        start = _midnight(self.first, zone) if self.first else None
        end = _midnight(self.last + dt.timedelta(days=1), zone) if self.last and self.last < dt.date.max else None
        return start, end


def _midnight(day: dt.date, zone: dt.tzinfo) -> str:
    return dt.datetime(day.year, day.month, day.day, tzinfo=zone).isoformat()


def days_asked(conditions: tuple[Condition, ...]) -> Days | None:
    """Return the days that conditions on the first date among them leave, or None where none bounds a date."""
    by_path: dict[str, list[tuple[dt.date | None, dt.date | None]]] = {}
    for one in with_months(conditions):
        if one.operator in ("year", "period") or isinstance(one.value, dt.date):
            days = days_of(one)
            if days != (None, None):
                by_path.setdefault(one.path, []).append(days)
    if not by_path:
        return None
    days_of_first = next(iter(by_path.values()))
    firsts = [first for first, _ in days_of_first if first is not None]
    lasts = [last for _, last in days_of_first if last is not None]
    return Days(max(firsts, default=None), min(lasts, default=None))
