"""A condition on a path, and the SQL it becomes.

Bounds are fitted to the column before they reach the database, in the direction that keeps the answer exact: a
number with more digits than the column has is rounded to the neighbour that selects the same rows, and a day on a
moment becomes the half-open range of that day in the person's zone (design, sections 5.3 and 5.5).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from django.db.models import DecimalField, Q
from django.db.models.lookups import Contains, StartsWith

from .definition import ListPath
from .expressions import Expressions, Folded, fold

_COMPARED = ("number", "integer", "date", "string")
_EVERY = (*_COMPARED, "boolean", "enum")

OPERATORS: dict[str, tuple[str, ...]] = {
    "eq": _EVERY,
    "ne": _EVERY,
    "in": _EVERY,
    "isnull": _EVERY,
    "gt": _COMPARED,
    "gte": _COMPARED,
    "lt": _COMPARED,
    "lte": _COMPARED,
    "contains": ("string", "enum"),
    "startswith": ("string", "enum"),
    "year": ("date",),
    "month": ("date",),
    "period": ("date",),
}
"""Every operator, with the kinds of paths it takes."""

PERIOD = re.compile(r"(?!0000)\d{4}-(0[1-9]|1[0-2])")
NOTHING = Q(pk__in=[])
_WIDE = Context(prec=200)


@dataclass(frozen=True)
class Condition:
    """`path operator value`, the value already of the kind that `argument_kind` names."""

    path: str
    operator: str
    value: Any


def argument_kind(path: ListPath, operator: str) -> str:
    """The kind of value that `operator` takes on `path`."""
    return {"isnull": "boolean", "year": "integer", "month": "integer", "period": "string"}.get(operator, path.kind)


def condition_q(condition: Condition, path: ListPath, name: str, expressions: Expressions, zone: dt.tzinfo) -> Q:
    """Return the condition as a Q on `name`, the alias or lookup under which the query holds the path's value.

    A withheld value fits no condition, not even *is null* or *is not*. Raises ValueError for an operator that the
    path's kind does not take.
    """
    if path.kind not in OPERATORS.get(condition.operator, ()):
        raise ValueError(f"{condition.operator!r} does not go with {path.path!r}, a {path.kind}")
    q = _q(condition.operator, condition.value, path, name, zone)
    closed = expressions.closed(path)
    return q if closed is None else q & ~closed


def text_q(text: str, names: list[str]) -> Q:
    """Every word of `text` stands in at least one of the values named; a word is data, never a pattern."""
    q = Q()
    for word in text.split():
        found = Q()
        for name in names:
            found |= Q(Contains(Folded(name), fold(word)))
        q &= found
    return q


def _q(operator: str, value: Any, path: ListPath, name: str, zone: dt.tzinfo) -> Q:
    if operator == "isnull":
        return Q(**{f"{name}__isnull": value})
    if operator == "ne":
        return Q(**{f"{name}__isnull": True}) | ~_q("eq", value, path, name, zone)
    if operator == "in":
        q = NOTHING
        for one in value:
            q |= _q("eq", one, path, name, zone)
        return q
    if operator == "contains":
        return Q(Contains(Folded(name), fold(value)))
    if operator == "startswith":
        return Q(StartsWith(Folded(name), fold(value)))
    if path.kind == "date":
        return _date_q(operator, value, path, name, zone)
    if path.kind in ("number", "integer"):
        return _number_q(operator, value, path, name)
    return Q(**{_lookup(name, operator): value})


def _lookup(name: str, operator: str) -> str:
    return name if operator == "eq" else f"{name}__{operator}"


def _number_q(operator: str, value: Any, path: ListPath, name: str) -> Q:
    if path.scale is None:
        return Q(**{_lookup(name, operator): float(value)})
    number = Decimal(value)
    rounding = ROUND_CEILING if operator in ("gte", "lt") else ROUND_FLOOR
    fitted = number.quantize(Decimal(1).scaleb(-path.scale), rounding=rounding, context=_WIDE)
    if operator == "eq" and fitted != number:
        return NOTHING
    widest = _widest(path)
    if abs(fitted) > widest:
        reached = operator in (("lt", "lte") if fitted > 0 else ("gt", "gte"))
        return Q(**{f"{name}__isnull": False}) if reached else NOTHING
    return Q(**{_lookup(name, operator): int(fitted) if path.kind == "integer" else fitted})


def _widest(path: ListPath) -> Decimal:
    if isinstance(path.field, DecimalField) and path.field.max_digits is not None:
        return Decimal(10) ** (path.field.max_digits - (path.scale or 0)) - Decimal(1).scaleb(-(path.scale or 0))
    return Decimal(2**63 - 1)


def _date_q(operator: str, value: Any, path: ListPath, name: str, zone: dt.tzinfo) -> Q:
    if operator == "month":
        return Q(**{f"{name}__month": value})
    if operator == "year" and not dt.MINYEAR <= value <= dt.MAXYEAR:
        return NOTHING
    first, last = _days(operator, value)
    if not path.is_moment:
        return _range_q(operator, name, first, last, "lte")
    return _range_q(operator, name, start_of(first, zone), end_of(last, zone), "lt")


def _range_q(operator: str, name: str, start: Any, end: Any, until: str) -> Q:
    after = "gt" if until == "lte" else "gte"
    before = "lte" if until == "lte" else "lt"
    bounds: dict[str, Callable[[], Q]] = {
        "gte": lambda: Q(**{f"{name}__gte": start}),
        "lt": lambda: Q(**{f"{name}__lt": start}),
        "gt": lambda: Q(**{f"{name}__{after}": end}),
        "lte": lambda: Q(**{f"{name}__{before}": end}),
    }
    whole = lambda: Q(**{f"{name}__gte": start, f"{name}__{before}": end})  # noqa: E731
    return bounds.get(operator, whole)()


def _days(operator: str, value: Any) -> tuple[dt.date, dt.date]:
    """The first and the last day that a value on a date stands for."""
    if operator == "year":
        return dt.date(value, 1, 1), dt.date(value, 12, 31)
    if operator == "period":
        year, month = int(value[:4]), int(value[5:])
        following = dt.date(year + month // 12, month % 12 + 1, 1) if (year, month) != (9999, 12) else None
        return dt.date(year, month, 1), (following - dt.timedelta(days=1)) if following else dt.date.max
    return value, value


def days_of(condition: Condition) -> tuple[dt.date | None, dt.date | None]:
    """The first and last day that a condition on a date leaves, None where it leaves that side open."""
    if condition.operator not in ("eq", "gte", "gt", "lte", "lt", "year", "period"):
        return None, None
    first, last = _days(condition.operator, condition.value)
    day = dt.timedelta(days=1)
    return {
        "gte": (first, None),
        "gt": (last + day if last < dt.date.max else last, None),
        "lte": (None, last),
        "lt": (None, first - day if first > dt.date.min else first),
    }.get(condition.operator, (first, last))


def start_of(day: dt.date, zone: dt.tzinfo) -> dt.datetime:
    """The moment at which `day` begins in `zone`; at the calendar's ends, the first moment that there is."""
    if day <= dt.date(1, 1, 2):
        return dt.datetime.min.replace(tzinfo=dt.UTC)
    return dt.datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(dt.UTC)


def end_of(day: dt.date, zone: dt.tzinfo) -> dt.datetime:
    """The moment at which the day after `day` begins in `zone`."""
    if day >= dt.date(9999, 12, 30):
        return dt.datetime.max.replace(tzinfo=dt.UTC)
    return start_of(day + dt.timedelta(days=1), zone)
