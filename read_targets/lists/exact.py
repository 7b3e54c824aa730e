"""Sums that keep every digit.

SQLite holds decimals as binary floats, and a float sum over a million rows is off by cents. A decimal of up to 15
digits survives the float, so it is turned into whole units of its last digit row by row and those are summed.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db.models import Aggregate, BigIntegerField, DecimalField, Field

FITS_ONE_SUM = 12
"""Digits up to which nine million largest values still fit SQLite's 64-bit sum."""

_SPLIT = 10**9


class ExactSumField(Field):  # type: ignore[type-arg]  # generic to the type checker alone
    """The type of an exact sum: a Decimal of `scale` digits, an int at scale 0 of an integer column."""

    def __init__(self, scale: int, *, whole: bool) -> None:
        super().__init__()
        self.scale = scale
        self.whole = whole

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """Return the database's answer as the exact number that it stands for."""
        if value is None:
            return None
        if connection.vendor == "sqlite":
            units = _units(value)
            return units if self.whole else Decimal(units).scaleb(-self.scale)
        return int(value) if self.whole else Decimal(value).quantize(Decimal(1).scaleb(-self.scale))


def _units(value: Any) -> int:
    if isinstance(value, str):
        high, low = value.split(":")
        return int(high) * _SPLIT + int(low)
    return int(value)


class ExactSum(Aggregate):
    """The exact sum of a decimal or integer expression; on other columns plain SUM is as exact as they are."""

    function = "SUM"
    name = "ExactSum"

    def __init__(self, expression: Any, *, field: Field[Any, Any], scale: int) -> None:
        self._scale = scale
        wide = isinstance(field, DecimalField) and (field.max_digits or 0) > FITS_ONE_SUM
        self._split = wide or isinstance(field, BigIntegerField)
        whole = not isinstance(field, DecimalField)
        super().__init__(expression, output_field=ExactSumField(scale, whole=whole))

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, list[Any]]:
        """Sum whole units, in two halves where one 64-bit sum could overflow."""
        sql, params = compiler.compile(self.source_expressions[0])
        units = f"CAST(ROUND({sql} * 1{'0' * self._scale}) AS INTEGER)" if self._scale else f"({sql})"
        if self._split:
            return f"SUM({units} / {_SPLIT}) || ':' || SUM({units} % {_SPLIT})", [*params, *params]
        return f"SUM({units})", list(params)
