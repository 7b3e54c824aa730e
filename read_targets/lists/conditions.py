"""A condition on a path, and the SQL it becomes.

Bounds are fitted to the column before they reach the database, in the direction that keeps the answer exact: a
number with more digits than the column has is rounded to the neighbour that selects the same rows, and a day on a
moment becomes the half-open range of that day in the person's zone (design, sections 5.3 and 5.5).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import DecimalField, Q, TextField
from django.db.models.functions import ExtractMonth, TruncDate
from django.db.models.lookups import Contains, StartsWith

from .definition import ListPath
from .expressions import within_calendar
from .given import Givens
from .texts import Folded, written
from .values import WIDE

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


@dataclass(frozen=True)
class Condition:
    """`path operator value`, the value already of the kind that `argument_kind` names."""

    path: str
    operator: str
    value: Any


KINDS_TAKEN = {"isnull": "boolean", "year": "integer", "month": "integer", "period": "string"}
"""The kind of value of operators that take another than their path's own."""


def argument_kind(path: ListPath, operator: str) -> str:
    """The kind of value that `operator` takes on `path`."""
    return KINDS_TAKEN.get(operator, path.kind)


def condition_q(condition: Condition, path: ListPath, name: str, given: Givens, zone: dt.tzinfo) -> Q:
    """Return the condition as a Q on `name`, the alias or lookup under which the query holds the path's value.

    Equal ones make equal statements: the value comes in by `given`, where it does not decide how the condition is
    written. Raises ValueError for an operator that the path's kind does not take.
    """
    if path.kind not in OPERATORS.get(condition.operator, ()):
        raise ValueError(f"{condition.operator!r} does not go with {path.path!r}, a {path.kind}")
    return _q(condition.operator, condition.value, path, name, given, zone)


def _q(operator: str, value: Any, path: ListPath, name: str, given: Givens, zone: dt.tzinfo) -> Q:
    if operator == "isnull":
        return Q(**{f"{name}__isnull": value})
    if operator == "ne":
        return Q(**{f"{name}__isnull": True}) | ~_q("eq", value, path, name, given, zone)
    if operator == "in":
        return _one_of(value, path, name, zone)
    if operator == "contains":
        return Q(Contains(Folded(written(name, path)), Folded(given(value, TextField()))))
    if operator == "startswith":
        return Q(StartsWith(Folded(written(name, path)), Folded(given(value, TextField()))))
    if path.kind == "date":
        return _date_q(operator, value, path, name, given, zone)
    if path.kind in ("number", "integer"):
        return _number_q(operator, value, path, name, given)
    if path.is_text:
        return Q(**{_lookup(name, operator): given(value, path.field)})
    if path.kind == "boolean":
        return Q(**{_lookup(name, operator): value})
    if operator == "eq":
        return _one_of([value], path, name, zone)
    return _expression_q(operator, written(name, path), value)


def _lookup(name: str, operator: str) -> str:
    return name if operator == "eq" else f"{name}__{operator}"


def _expression_q(operator: str, expression: Any, value: Any) -> Q:
    lookup: Any = expression.output_field.get_lookup("exact" if operator == "eq" else operator)
    return Q(lookup(expression, value))


def _one_of(values: Iterable[Any], path: ListPath, name: str, zone: dt.tzinfo) -> Q:
    """One `IN` however many values: databases limit how deep *this or that* may nest."""
    if path.is_moment:
        return _expression_q("in", TruncDate(within_calendar(name, zone), tzinfo=zone), list(values))
    held = [fitting for value in values if (fitting := _held(value, path)) is not None]
    return Q(**{f"{name}__in": held}) if held else NOTHING


def _held(value: Any, path: ListPath) -> Any:
    """The value as the column can hold it, None where it can hold none like it."""
    if path.kind in ("number", "integer"):
        if path.scale is None:
            return float(value)
        fitted = _at_scale(value, path.scale, ROUND_FLOOR)
        return _typed(fitted, path) if fitted == value and not _beyond(fitted, path) else None
    if path.kind != "string" or path.is_text:
        return value
    try:
        return path.field.clean(value, None)  # no validator of these fields asks for the row
    except ValidationError:
        return None


def _number_q(operator: str, value: Any, path: ListPath, name: str, given: Givens) -> Q:
    if operator == "eq":
        held = _held(value, path)
        return NOTHING if held is None else Q(**{name: given(held, path.field)})
    if path.scale is None:
        return Q(**{_lookup(name, operator): given(float(value), path.field)})
    fitted = _at_scale(value, path.scale, ROUND_CEILING if operator in ("gte", "lt") else ROUND_FLOOR)
    # Django leaves a bound that the column cannot reach out of the query, and so would let nulls in.
    known = Q(**{f"{name}__isnull": False}) if path.nullable or path.hops else Q()
    if _beyond(fitted, path):
        reached = operator in (("lt", "lte") if fitted > 0 else ("gt", "gte"))
        return Q(**{f"{name}__isnull": False}) if reached else NOTHING
    return known & Q(**{_lookup(name, operator): given(_typed(fitted, path), path.field)})


def _at_scale(value: Any, scale: int, rounding: str) -> Decimal:
    return Decimal(value).quantize(Decimal(1).scaleb(-scale), rounding=rounding, context=WIDE)


def _typed(number: Decimal, path: ListPath) -> int | Decimal:
    return int(number) if path.kind == "integer" else number


def _beyond(number: Decimal, path: ListPath) -> bool:
    """Whether the number lies outside all that the column can hold."""
    if isinstance(path.field, DecimalField) and path.field.max_digits is not None:
        return number.copy_abs() > Decimal("9" * path.field.max_digits).scaleb(-path.field.decimal_places, WIDE)
    return not -(2**63) <= number < 2**63


def _date_q(operator: str, value: Any, path: ListPath, name: str, given: Givens, zone: dt.tzinfo) -> Q:
    if operator == "month":
        if not 1 <= value <= 12:
            return NOTHING
        if path.is_moment:
            return _expression_q("eq", ExtractMonth(within_calendar(name, zone), tzinfo=zone), value)
        return Q(**{f"{name}__month": value})
    if operator == "year" and not dt.MINYEAR <= value <= dt.MAXYEAR:
        return NOTHING
    start: Any
    end: Any
    start, end = _days(operator, value)
    after, until = "gt", "lte"
    if path.is_moment:
        start, end = start_of(start, zone), end_of(end, zone)
        after, until = "gte", "lt"
    if operator in ("gte", "lt"):
        return Q(**{f"{name}__{operator}": given(start, path.field)})
    if operator == "gt":
        return NOTHING if end is None else Q(**{f"{name}__{after}": given(end, path.field)})
    ended = Q(**{f"{name}__isnull": False} if end is None else {f"{name}__{until}": given(end, path.field)})
    return ended if operator == "lte" else ended & Q(**{f"{name}__gte": given(start, path.field)})


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
    """The moment at which `day` begins in `zone`; at the calendar's first day, the first moment that there is."""
    try:
        return dt.datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(dt.UTC)
    except OverflowError:
        return dt.datetime.min.replace(tzinfo=dt.UTC)


def end_of(day: dt.date, zone: dt.tzinfo) -> dt.datetime | None:
    """The moment at which the day after `day` begins in `zone`; None for the calendar's last day, which has no end."""
    return None if day == dt.date.max else start_of(day + dt.timedelta(days=1), zone)
