"""A column summed up exactly, and the basis on which its average stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from operator import add
from typing import Any, Literal

from .values import WIDE

AVERAGE_DIGITS = 4
"""Digits that an average has beyond its column's own, and a ratio beyond its numerator's."""


@dataclass(frozen=True)
class Total:
    """A sum, and how it is written: with `scale` digits behind the point (None: inexact), or `whole`."""

    sum: Any = None
    scale: int | None = 0
    whole: bool = False

    def __add__(self, other: Total) -> Total:
        if other.sum is None:
            return self
        return Total(_joined(_plus, self.sum, other.sum), _finer(self.scale, other.scale), other.whole)

    @property
    def value(self) -> Any:
        """The sum at its scale; of no values, a zero."""
        if self.scale is None:
            return self.sum or 0.0
        if self.whole:
            return self.sum or 0
        total = Decimal(0) if self.sum is None else self.sum
        return total.quantize(Decimal(1).scaleb(-self.scale), context=WIDE)


@dataclass(frozen=True)
class Quotient:
    """One sum over another: a weighted average (`weights`) or a ratio, of the `count` rows that have both its parts.

    `top` is the sum of the values times their weights, or of the numerators; `bottom` that of the weights, or of the
    denominators. `missing` rows are left out since a part is not there, `withheld` of them since it is not for this
    person. The quotient has `scale` digits and four more.
    """

    basis: Literal["weights", "ratio"]
    top: Total
    bottom: Total
    count: int
    missing: int
    withheld: int
    scale: int

    def __add__(self, other: Quotient) -> Quotient:
        return Quotient(
            self.basis,
            self.top + other.top,
            self.bottom + other.bottom,
            self.count + other.count,
            self.missing + other.missing,
            self.withheld + other.withheld,
            max(self.scale, other.scale),
        )

    @property
    def value(self) -> Decimal | None:
        """The quotient, half to even; None where the bottom is zero."""
        return _over(self.top.sum, self.bottom.sum, self.scale) if self.bottom.sum else None


@dataclass(frozen=True)
class Figure:
    """A column summed up: how many values, their sum, least and largest; `withheld` values are in none of them.

    With a `quotient` its average stands on another basis than the rows; a ratio may have no values of its own.
    """

    count: int = 0
    sum: Any = None
    minimum: Any = None
    maximum: Any = None
    scale: int | None = 0
    whole: bool = False
    withheld: int = 0
    quotient: Quotient | None = None
    has_values: bool = True

    def __add__(self, other: Figure) -> Figure:
        if not other.count and not other.withheld and other.quotient is None:
            return self
        return Figure(
            self.count + other.count,
            _joined(_plus, self.sum, other.sum),
            _joined(min, self.minimum, other.minimum),
            _joined(max, self.maximum, other.maximum),
            _finer(self.scale, other.scale),
            (other if other.count else self).whole,
            self.withheld + other.withheld,
            _joined(add, self.quotient, other.quotient),
            other.has_values,
        )

    @property
    def total(self) -> Any:
        """The sum at the column's scale; of no values, a zero."""
        return Total(self.sum, self.scale, self.whole).value

    @property
    def average(self) -> Any:
        """The mean of the values at the column's scale and four digits more, half to even; None of no values."""
        if not self.count:
            return None
        return self.sum / self.count if self.scale is None else _over(self.sum, self.count, self.scale)

    @property
    def basis(self) -> Literal["rows", "weights", "ratio"]:
        """What the column's average counts equally: each value, each unit of a weight, each unit of a denominator."""
        return "rows" if self.quotient is None else self.quotient.basis

    @property
    def on_basis(self) -> Any:
        """The average on the column's own basis; None where there is none."""
        return self.average if self.quotient is None else self.quotient.value

    @property
    def missing_values(self) -> int:
        """Values and parts of them that are there, but in no figure since they are withheld."""
        return self.withheld + (self.quotient.withheld if self.quotient else 0)


def _over(top: Any, bottom: Any, scale: int) -> Decimal:
    """The quotient at `scale` digits and four more, half to even."""
    digits = Decimal(1).scaleb(-(scale + AVERAGE_DIGITS))
    return WIDE.divide(Decimal(top), Decimal(bottom)).quantize(digits, ROUND_HALF_EVEN, WIDE)


def _plus(one: Any, two: Any) -> Any:
    """The exact sum; Python's own of two decimals is cut at 28 digits."""
    return WIDE.add(one, two) if isinstance(one, Decimal) or isinstance(two, Decimal) else one + two


def _finer(one: int | None, two: int | None) -> int | None:
    return None if one is None or two is None else max(one, two)


def _joined(join: Callable[[Any, Any], Any], one: Any, two: Any) -> Any:
    if one is None:
        return two
    return one if two is None else join(one, two)
