"""The kinds of values a list knows: read from an argument, written as JSON.

Reading follows seed 000: a value that does not fit is refused with a code and what would fit, never guessed at.
Writing is exact: a decimal is a string with every digit, and so is an integer beyond 2**53 (design, section 5.3).
"""

from __future__ import annotations

import datetime as dt
import math
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from typing import Any

KINDS = ("string", "number", "integer", "boolean", "date", "enum")

LONGEST_STRING = 1_000
"""Characters a string argument may have; the largest identifiers and search words fit easily."""

MOST_DIGITS = 40
"""Digits a number may have before or after its point; wider than any column that a database compares exactly."""

SAFE_INTEGER = 2**53

WIDE = Context(prec=200)
"""Arithmetic wide enough for any sum of any column."""
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d{1,3})?")
_INTEGER = re.compile(r"[+-]?\d+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Unreadable(ValueError):
    """A value that does not fit; `facts` is the entry of `params` in the answer: a code and what would fit."""

    def __init__(self, code: str, **facts: Any) -> None:
        super().__init__(code)
        self.facts: dict[str, Any] = {"code": code, **facts}


@dataclass(frozen=True)
class Argument:
    """A named value that may be given: its kind, what it means, and what fits.

    `form` says in words what `pattern` asks for: `YYYY-MM`. Of a trimmed text, blanks around it are no part. That one
    is `required` is for whoever reads several to enforce. Limits that everybody knows, as of a year, need not be told.
    """

    name: str
    kind: str
    description: str = ""
    values: tuple[str, ...] = ()
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    pattern: str = ""
    form: str = ""
    is_trimmed: bool = False
    required: bool = False
    tells_limits: bool = True

    def read(self, raw: Any) -> Any:
        """Return `raw` as a value of this kind: str, Decimal, int, bool or date; None where it is not set.

        Null and the empty string mean *not set* (seed 000). A number may come as a string of plain digits, since
        answers write exact decimals so. Raises Unreadable with a code and what would fit.
        """
        if self.is_trimmed and isinstance(raw, str):
            raw = raw.strip()
        if raw is None or raw == "":
            return None
        return read_value(
            self.kind,
            raw,
            values=self.values,
            minimum=self.minimum,
            maximum=self.maximum,
            pattern=self.pattern,
            form=self.form,
        )


def read_value(
    kind: str,
    raw: Any,
    *,
    values: Sequence[str] = (),
    minimum: Decimal | None = None,
    maximum: Decimal | None = None,
    pattern: str = "",
    form: str = "",
) -> Any:
    """Return `raw` as a value of `kind`; `values` are those of an enum. Raises Unreadable."""
    value = _READERS[kind](raw)
    if kind == "enum" and value not in values:
        raise Unreadable("not_one_of", type="enum", values=list(values))
    if kind == "string" and pattern and not re.fullmatch(pattern, value):
        raise Unreadable("pattern_mismatch", type="string", format=form or pattern)
    if minimum is not None and value < minimum:
        raise Unreadable("too_small", type=kind, **_limits(minimum, maximum))
    if maximum is not None and value > maximum:
        raise Unreadable("too_large", type=kind, **_limits(minimum, maximum))
    return value


def _limits(minimum: Decimal | None, maximum: Decimal | None) -> dict[str, Any]:
    limits = {"minimum": minimum, "maximum": maximum}
    return {name: plain_number(value) for name, value in limits.items() if value is not None}


def plain_number(value: Decimal) -> int | float:
    """A limit as the JSON number that schemas want; limits are small and written by people."""
    return int(value) if value == value.to_integral_value() else float(value)


def _read_string(raw: Any) -> str:
    if not isinstance(raw, str):
        raise Unreadable("not_a_string", type="string")
    if len(raw) > LONGEST_STRING:
        raise Unreadable("too_long", type="string", maximum=LONGEST_STRING)
    if "\0" in raw or any("\ud800" <= character <= "\udfff" for character in raw):
        raise Unreadable("not_text", type="string")
    return raw


def _read_number(raw: Any) -> Decimal:
    if isinstance(raw, bool) or not isinstance(raw, (int, float, Decimal, str)):
        raise Unreadable("not_a_number", type="number")
    if isinstance(raw, str):
        if len(raw) > 3 * MOST_DIGITS or not raw.isascii() or not _NUMBER.fullmatch(raw.strip()):
            raise Unreadable("not_a_number", type="number")
        raw = raw.strip()
    if isinstance(raw, float) and not math.isfinite(raw):
        raise Unreadable("not_a_number", type="number")
    if isinstance(raw, int) and raw.bit_length() > 4 * MOST_DIGITS:
        raise Unreadable("too_large", type="number")
    try:
        number = Decimal(repr(raw) if isinstance(raw, float) else raw)
    except InvalidOperation:
        raise Unreadable("not_a_number", type="number") from None
    if not number.is_finite():
        raise Unreadable("not_a_number", type="number")
    if number.adjusted() >= MOST_DIGITS:
        raise Unreadable("too_large", type="number")
    if number.as_tuple().exponent < -MOST_DIGITS:  # type: ignore[operator]  # finite, so the exponent is an int
        raise Unreadable("too_many_decimals", type="number")
    return number


def _read_integer(raw: Any) -> int:
    if isinstance(raw, str) and not _INTEGER.fullmatch(raw.strip()):
        raise Unreadable("not_an_integer", type="integer")
    try:
        number = _read_number(raw)
    except Unreadable as unreadable:
        code = unreadable.facts["code"]
        raise Unreadable("not_an_integer" if code == "not_a_number" else code, type="integer") from None
    if number != number.to_integral_value():
        raise Unreadable("not_an_integer", type="integer")
    return int(number)


def _read_boolean(raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    if raw in ("true", "false"):
        return bool(raw == "true")
    raise Unreadable("not_a_boolean", type="boolean")


def _read_date(raw: Any) -> dt.date:
    refusal = Unreadable("not_a_date", type="date", format="YYYY-MM-DD")
    if not isinstance(raw, str) or not raw.isascii() or not _DATE.fullmatch(raw.strip()):
        raise refusal
    try:
        return dt.date.fromisoformat(raw.strip())
    except ValueError:
        raise refusal from None


_READERS: dict[str, Callable[[Any], Any]] = {
    "string": _read_string,
    "enum": _read_string,
    "number": _read_number,
    "integer": _read_integer,
    "boolean": _read_boolean,
    "date": _read_date,
}


def plain(value: Any, zone: dt.tzinfo | None = None) -> Any:
    """Return a database value as exact JSON; a moment is written in `zone`."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= SAFE_INTEGER else str(value)
    if isinstance(value, Decimal):
        return format(value + 0 if value.is_zero() else value, "f")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dt.datetime):
        return _in_zone(value, zone).isoformat()
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    return str(value)


def _in_zone(moment: dt.datetime, zone: dt.tzinfo | None) -> dt.datetime:
    try:
        return moment.astimezone(zone) if zone and moment.tzinfo else moment
    except OverflowError:
        # "For ever" is often stored as the calendar's last moment; east of it there is no local time left.
        return moment
