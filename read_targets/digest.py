"""What a reading is wished to be, and what it comes to: figures, groups and rows under the target's own names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .lists import Figure, Group, Order, Quotient, Rest, order_of
from .models import Column

WORKSPACE_ROWS = 1_000
"""Rows that a workspace holds (seed 000's table limit), and that a list of another shape is read to."""

MODEL_ROWS = 20
"""Rows that the model is shown (seed 000)."""

MODEL_GROUPS = 50
"""Groups that the model is shown (seed 000)."""


Keep = Literal["never", "long", "always"]


@dataclass(frozen=True)
class Wish:
    """How a reading is wanted: grouped by a column, ordered by columns, with so many rows, to be kept or not.

    What is kept goes on a workspace: it is read with as many rows as that holds, and with what the rights to it can
    be checked by later. `long`: only where there are more rows than the model is shown.
    """

    group_by: str | None = None
    order: tuple[Order, ...] = ()
    limit: int = MODEL_ROWS
    keep: Keep = "never"

    def keeps(self, rows: int) -> bool:
        """Whether a result of so many rows is kept."""
        return self.keep == "always" or (self.keep == "long" and rows > MODEL_ROWS)


def order_terms(order_by: str) -> tuple[Order, ...]:
    """Return the terms of an order as agents write it: `-amount, date`; whatever columns they name."""
    return order_of(filter(None, (part.strip() for part in order_by.split(","))))


@dataclass(frozen=True)
class Stamp:
    """What the rights to a reading can be checked by later: the keys behind it, and of the related objects.

    `row_keys` None: the person held the list's right everywhere. A relation of None likewise; else its objects' keys.
    """

    row_keys: bytes | None
    relations: dict[str, list[Any] | None]


@dataclass(frozen=True)
class Digest:
    """What was read: figures and groups over `analysed` rows, which are all (`total`) or what a foreign list gave."""

    total: int | None
    analysed: int
    columns: tuple[Column, ...]
    figures: dict[str, Figure]
    rows: list[dict[str, Any]]
    groups: list[Group] | None = None
    rest: Rest | None = None
    omissions: list[str] = field(default_factory=list)
    stamp: Stamp | None = None
    behind_ms: int | None = None
    """By how much the replica may have been behind that was read; None where it was the database itself."""

    @property
    def row_columns(self) -> tuple[Column, ...]:
        """The columns of which rows have a value; a ratio may be a figure alone."""
        return tuple(column for column in self.columns if column.has_values)

    @property
    def is_complete(self) -> bool:
        """Whether the figures cover all that was asked for."""
        return self.total == self.analysed and not any(figure.missing_values for figure in self.figures.values())


def omissions_of(columns: Iterable[Column], figures: Mapping[str, Figure]) -> Iterator[str]:
    """Name what is in none of the figures, and the averages that there are not."""
    for column in columns:
        figure = figures.get(column.name)
        if figure is None:
            continue
        if figure.withheld:
            yield f"{column.name}: {figure.withheld} values withheld, in no figure"
        if figure.quotient is not None:
            yield from _of_quotient(column, figure.quotient)


def _of_quotient(column: Column, quotient: Quotient) -> Iterator[str]:
    name, parts = column.name, " or ".join(column.parts.values())
    rows, average = ("values", "weighted average") if quotient.basis == "weights" else ("rows", "ratio")
    if quotient.missing:
        withheld = f" ({quotient.withheld} withheld)" if quotient.withheld else ""
        yield f"{name}: {quotient.missing} {rows} without {parts}{withheld}, not in the {average}"
    if quotient.count and quotient.value is None:
        yield f"{name}: no {average}, since {[*column.parts.values()][-1]} comes to 0"
