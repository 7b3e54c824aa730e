"""Figures that keep every digit, as they come from the database.

SQLite holds decimals as binary floats, and a float sum over a million rows is off by cents. A decimal of up to 15
digits survives the float, so it is turned into whole units of its last digit row by row and those are summed.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db.models import Aggregate, BigIntegerField, DecimalField, Field, Func

from .definition import ListPath
from .values import WIDE

FITS_ONE_SUM = 12
"""Digits up to which nine million largest values still fit SQLite's 64-bit sum."""

_SPLIT = 10**9


class Raw(Field):
    """A value as the driver gives it: converting every group's figures costs more than computing them."""


class Month(Func):
    """The month of a day as `YYYY-MM`, or the whole day where the database has no quick way to say it."""

    arity = 1
    output_field = Raw()
    template = "%(expressions)s"

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """A day is a text there."""
        return self.as_sql(compiler, connection, template="substr(%(expressions)s, 1, 7)", **extra)

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Written in the same letters."""
        return self.as_sql(compiler, connection, template="to_char(%(expressions)s, 'YYYY-MM')", **extra)


class ExactSum(Aggregate):
    """The sum of a decimal or integer column: on SQLite in whole units of the last digit, elsewhere as it is."""

    function = "SUM"
    name = "ExactSum"

    def __init__(self, expression: Any, *, path: ListPath) -> None:
        self._path = path
        super().__init__(expression, output_field=Raw())

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        """Sum whole units, in two halves where one 64-bit sum could overflow."""
        sql, params = compiler.compile(self.source_expressions[0])
        scale = self._path.scale
        units = f"CAST(ROUND({sql} * 1{'0' * scale}) AS INTEGER)" if scale else f"({sql})"
        if is_split(self._path):
            return f"SUM({units} / {_SPLIT}) || ':' || SUM({units} %% {_SPLIT})", (*params, *params)
        return f"SUM({units})", tuple(params)


def is_split(path: ListPath) -> bool:
    """Whether SQLite sums the column in two halves."""
    one = path.field
    return isinstance(one, BigIntegerField) or (isinstance(one, DecimalField) and (one.max_digits or 0) > FITS_ONE_SUM)


def joined_halves(raw: Any) -> Any:
    """Return a sum that came in two halves as one number of units; any other as it is."""
    if isinstance(raw, str):
        high, low = raw.split(":")
        return int(high) * _SPLIT + int(low)
    return raw


def exact_sum(raw: Any, path: ListPath, vendor: str) -> Any:
    """Return a raw sum as the exact number that it stands for: Decimal at the column's scale, or int."""
    if raw is None or path.scale is None:
        return raw
    if path.kind == "integer":
        return int(raw)
    return Decimal(raw).scaleb(-path.scale, WIDE) if vendor == "sqlite" else at_scale(raw, path)


def at_scale(raw: Any, path: ListPath) -> Any:
    """Return a raw value of a number column at the column's scale."""
    if raw is None or path.scale is None or path.kind == "integer":
        return raw
    number = Decimal(repr(raw)) if isinstance(raw, float) else Decimal(raw)
    return number.quantize(Decimal(1).scaleb(-path.scale), context=WIDE)
