"""The figures of a list of another shape, added up row by row in Python from what was read of it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, cast

from .lists import Figure, Quotient, Total
from .lists.values import WIDE
from .models import Column

NOTHING = Total()

Number = Decimal | int
"""A value of a number column, as it was read."""


def no_figures(columns: tuple[Column, ...]) -> dict[str, Figure]:
    """Return the figures of no rows."""
    kinds = {column.name: column.kind for column in columns}
    found = {}
    for column in columns:
        if column.has_figure:
            top, bottom = (Total(whole=kinds.get(name) == "integer") for name in _parts(column) or ("", ""))
            quotient = None if column.basis == "rows" else _nothing(column, top, bottom)
            whole = column.kind == "integer"
            found[column.name] = Figure(whole=whole, quotient=quotient, has_values=column.has_values)
    return found


def figures_of(columns: tuple[Column, ...], row: Mapping[str, Any]) -> dict[str, Figure]:
    """Return the figures of one row, whose values are by column."""
    return {column.name: _figure(column, row) for column in columns if column.has_figure}


def _figure(column: Column, row: Mapping[str, Any]) -> Figure:
    value, quotient = row.get(column.name), _quotient(column, row)
    if value is None:
        return Figure(quotient=quotient, has_values=column.has_values)
    whole = isinstance(value, int)
    return Figure(1, value, value, value, scale=_scale(value), whole=whole, quotient=quotient)


def _quotient(column: Column, row: Mapping[str, Any]) -> Quotient | None:
    if column.basis == "rows":
        return None
    top, bottom = (row.get(name) for name in _parts(column))
    if top is None or bottom is None:
        # A weight without a value is missed by nobody.
        return _nothing(column, missing=0 if column.basis == "weights" and top is None else 1)
    scale = _scale(top)
    if column.basis == "weights":
        is_whole = isinstance(top, int) and isinstance(bottom, int)
        top = top * bottom if is_whole else WIDE.multiply(top, bottom)
    return Quotient(_basis(column), _total(top), _total(bottom), count=1, missing=0, withheld=0, scale=scale)


def _nothing(column: Column, top: Total = NOTHING, bottom: Total = NOTHING, missing: int = 0) -> Quotient:
    return Quotient(_basis(column), top, bottom, count=0, missing=missing, withheld=0, scale=0)


def _parts(column: Column) -> tuple[str, ...]:
    """The columns of the quotient's top and bottom; none on the basis of rows."""
    names = tuple(column.parts.values())
    return (column.name, *names) if column.basis == "weights" else names


def _basis(column: Column) -> Literal["weights", "ratio"]:
    return cast(Literal["weights", "ratio"], column.basis)


def _total(value: Number) -> Total:
    return Total(value, _scale(value), isinstance(value, int))


def _scale(value: Number) -> int:
    return 0 if isinstance(value, int) else max(0, -int(value.as_tuple().exponent))
