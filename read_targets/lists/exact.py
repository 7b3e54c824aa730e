"""Figures that keep every digit, as they come from the database.

SQLite holds decimals as binary floats, and a float sum over a million rows is off by cents. A decimal of up to 15
digits survives the float, so it is turned into whole units of its last digit row by row and those are summed. Its
integers have 64 bits: what would not fit is summed in parts, and the parts are put together in Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Aggregate, BigIntegerField, DecimalField, Field, SmallIntegerField

from .definition import ListPath
from .values import WIDE

FITS_ONE_SUM = 12
"""Digits up to which nine million largest values still fit SQLite's 64-bit sum."""

FITS_ONE_PRODUCT = 18
"""Digits up to which a product fits a 64-bit integer; beyond it SQLite would go on with floats, unsaid."""

FLOAT_DIGITS = 15
"""Digits that a binary float keeps: what SQLite holds decimals in, and spreadsheets numbers."""

SPLIT = 10**9
"""By which a value, or what is summed, is split in two."""


class Raw(Field):
    """A value as the driver gives it: converting every group's figures costs more than computing them."""


class _Units(NamedTuple):
    """A whole number in SQL, and how many digits it has at most."""

    sql: str
    params: tuple[Any, ...]
    digits: int

    def half(self, sign: str) -> _Units:
        """What is above the split (`/`), or below it (`%`); the sign of either is that of the number."""
        digits = max(self.digits - 9, 0) if sign == "/" else 9
        return _Units(f"({self.sql} {sign.replace('%', '%%')} {SPLIT})", self.params, digits)


class ExactSum(Aggregate):
    """The sum of a decimal or integer column, or of two such columns multiplied row by row.

    On SQLite in whole units of the last digit, elsewhere as it is. What SQLite sums in parts, it sums one at a time:
    `part` says which of those that `shifts_of` tells.
    """

    function = "SUM"
    name = "ExactSum"
    arg_joiner = " * "

    def __init__(self, *factors: Any, paths: Sequence[ListPath], part: int = 0) -> None:
        self._paths = tuple(paths)
        self._part = part
        super().__init__(*factors, output_field=Raw())

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Multiply as decimals, which are as wide as they need to be; integers would overflow."""
        return self.as_sql(compiler, connection, arg_joiner="::numeric * ", **extra)

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        """Sum whole units, or that part of them."""
        factors = []
        for path, expression in zip(self._paths, self.source_expressions, strict=False):
            sql, params = compiler.compile(expression)
            whole = f"CAST(ROUND({sql} * 1{'0' * path.scale}) AS INTEGER)" if path.scale else f"({sql})"
            factors.append(_Units(whole, tuple(params), digits_of(path)))
        _shift, units = list(_parts(factors))[self._part]
        return f"SUM({units.sql})", units.params


def shifts_of(paths: Sequence[ListPath]) -> tuple[int, ...]:
    """Return, for each part in which SQLite sums the product of these columns, the power of `SPLIT` it stands for."""
    return tuple(shift for shift, _units in _parts([_Units("", (), digits_of(path)) for path in paths]))


def digits_of(path: ListPath) -> int:
    """Return how many digits a number of the column has at most, its point left out; no more than 64 bits hold."""
    one = path.field
    if isinstance(one, DecimalField):
        return min(one.max_digits or 19, 19)
    return 19 if isinstance(one, BigIntegerField) else 5 if isinstance(one, SmallIntegerField) else 10


def _parts(factors: Sequence[_Units]) -> Iterator[tuple[int, _Units]]:
    """What is summed one by one for the sum of a product: each with the power of `SPLIT` that it stands for."""
    for shift, units in _products(factors):
        if units.digits <= FITS_ONE_SUM:
            yield shift, units
        else:
            yield shift + 1, units.half("/")
            yield shift, units.half("%")


def _products(factors: Sequence[_Units]) -> Iterator[tuple[int, _Units]]:
    """The product of `factors` as one or several that each fit an integer; they add up to it."""
    digits = sum(one.digits for one in factors)
    if len(factors) == 1 or digits <= FITS_ONE_PRODUCT:
        yield 0, _Units(" * ".join(one.sql for one in factors), tuple(p for one in factors for p in one.params), digits)
        return
    widest, *others = sorted(factors, key=lambda one: -one.digits)
    for shift, sign in ((1, "/"), (0, "%")):
        for more, units in _products([widest.half(sign), *others]):
            yield shift + more, units


def exact_sum(raw: Any, paths: Sequence[ListPath], vendor: str) -> Any:
    """Return a raw sum of these columns' product as the exact number that it stands for: Decimal at scale, or int."""
    scale = scale_of(paths)
    if raw is None or scale is None:
        return raw
    if is_whole(paths):
        return int(raw)
    if vendor == "sqlite":
        return Decimal(raw).scaleb(-scale, WIDE)
    return Decimal(raw).quantize(Decimal(1).scaleb(-scale), context=WIDE)


def scale_of(paths: Sequence[ListPath]) -> int | None:
    """Return the digits behind the point of the columns' product; None where one of them is inexact."""
    scales = [path.scale for path in paths]
    return None if None in scales else sum(scale or 0 for scale in scales)


def is_whole(paths: Sequence[ListPath]) -> bool:
    """Whether the columns' product is an integer."""
    return all(path.kind == "integer" for path in paths)


def at_scale(raw: Any, path: ListPath) -> Any:
    """Return a raw value of a number column at the column's scale."""
    if raw is None or path.scale is None or path.kind == "integer":
        return raw
    number = Decimal(repr(raw)) if isinstance(raw, float) else Decimal(raw)
    return number.quantize(Decimal(1).scaleb(-path.scale), context=WIDE)
