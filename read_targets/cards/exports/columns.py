"""Values of a list as files hold them, converted column by column: what a column needs is known once."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import connections, router
from django.db.models import DecimalField, UUIDField

from ...lists import ListDefinition, ListPath, plain
from ...lists.exact import FLOAT_DIGITS, at_scale
from ...lists.streaming import is_raw

Values = Sequence[Any]
Convert = Callable[[Values], Values]
"""Converts the values of one column in some rows; nulls stay None."""

RISKY = frozenset("=+-@\t\r\n＝＋－＠")
"""Letters with which a text that is opened in a spreadsheet becomes a formula."""

BLANK = " \u00a0\u3000\ufeff\u200b"
_SUSPECT = RISKY | frozenset(BLANK)


def is_risky(text: str) -> bool:
    """Whether a spreadsheet may take the text for a formula."""
    return text.lstrip(BLANK)[:1] in RISKY


def neutral(text: str) -> str:
    """Return the text as no spreadsheet takes it for a formula: with an apostrophe in front where it could."""
    return f"'{text}" if is_risky(text) else text


def neutral_texts(values: Values) -> Values:
    """Neutralise the texts of a column."""
    suspect = _SUSPECT
    return [one if one is None or one[:1] not in suspect else neutral(one) for one in values]


@dataclass(frozen=True)
class Column:
    """A column of a stream: its path, and the zone and form in which the database gives its values."""

    path: ListPath
    zone: dt.tzinfo
    held_zone: dt.tzinfo | None
    vendor: str

    @property
    def is_text(self) -> bool:
        """Whether its values are words, not numbers, days or truths."""
        return self.path.kind in ("string", "enum")

    @property
    def digits(self) -> int:
        """Digits that a value may have; many where that is not known."""
        one = self.path.field
        return (one.max_digits or 1_000) if isinstance(one, DecimalField) else 1_000

    def numbers(self) -> Convert:
        """Decimals, integers and floats as the exact text of their digits, or as they are where that is exact."""
        path = self.path
        if path.kind == "integer":
            return as_they_are
        if path.scale is None:
            return each(lambda number: number if math.isfinite(number) else None)
        if is_raw(path) and self.vendor == "postgresql":
            return as_they_are  # text already
        if is_raw(path) and self.vendor == "sqlite" and self.digits <= FLOAT_DIGITS:
            form = f"%.{path.scale}f"
            # A zero more makes no negative zero.
            return lambda values: [None if one is None else form % (one + 0.0) for one in values]
        return each(lambda number: plain(at_scale(number, path)))

    def moment(self, value: Any) -> dt.datetime:
        """A moment with its zone, whether it came as the text that SQLite holds or as an object."""
        at = dt.datetime.fromisoformat(value) if isinstance(value, str) else value
        return at.replace(tzinfo=self.held_zone) if at.tzinfo is None else at

    def moments(self) -> Convert:
        """Moments in the person's zone, as ISO 8601."""
        return each(lambda value: plain(self.moment(value), self.zone))

    def days(self) -> Convert:
        """Days as ISO 8601."""
        return each(str)

    def truths(self) -> Convert:
        """Truths as booleans, which SQLite holds as numbers."""
        return each(bool)

    def texts(self) -> Convert:
        """Words as they are; identifiers and addresses as they are written."""
        if self.path.is_text:
            return as_they_are if is_raw(self.path) else each(str)
        if isinstance(self.path.field, UUIDField):
            return each(lambda value: str(value if isinstance(value, uuid.UUID) else uuid.UUID(value)))
        return each(str)


def as_they_are(values: Values) -> Values:
    """Return the values."""
    return values


def each(convert: Callable[[Any], Any]) -> Convert:
    """Convert each value that is not null."""
    return lambda values: [None if one is None else convert(one) for one in values]


def csv_column(column: Column) -> Convert:
    """Return how the values of a column are written as CSV: numbers exactly, texts neutralised."""
    if column.is_text:
        texts = column.texts()
        return neutral_texts if texts is as_they_are else lambda values: neutral_texts(texts(values))
    if column.path.kind in ("number", "integer"):
        return column.numbers()
    if column.path.kind == "boolean":
        return each(lambda value: "true" if value else "false")
    return column.moments() if column.path.is_moment else column.days()


def columns_of(definition: ListDefinition, paths: Sequence[ListPath], zone: dt.tzinfo) -> list[Column]:
    """Return the columns of a stream of these paths."""
    connection = connections[router.db_for_read(definition.model)]
    return [Column(path, zone, connection.timezone, connection.vendor) for path in paths]


def fits_a_float(digits: str) -> bool:
    """Whether a number, written in digits, is the same as a binary float."""
    return len(digits.lstrip("-").replace(".", "").lstrip("0")) <= FLOAT_DIGITS


def exact_float(value: Any) -> float | str:
    """Return a number as a float where that keeps each of its digits, else the digits."""
    if isinstance(value, float):
        return value
    digits = str(value)
    return float(digits) if fits_a_float(digits) and Decimal(digits).is_finite() else digits
