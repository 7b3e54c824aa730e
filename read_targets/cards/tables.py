"""The stored rows of a workspace, sorted and cut into pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.dateparse import parse_datetime

ROWS_A_PAGE = 50


class NoSuchPage(LookupError):
    """A page that the table does not have, or a column that it cannot be sorted by."""


@dataclass(frozen=True)
class Page:
    """Some rows of a table; `first` and `last` are their places in it, counted from one."""

    rows: list[dict[str, Any]]
    number: int
    count: int
    first: int
    last: int
    of: int


def page_of(rows: Sequence[dict[str, Any]], number: int) -> Page:
    """Return page `number` of the rows; raises NoSuchPage. A table without rows has one page."""
    count = max(1, -(-len(rows) // ROWS_A_PAGE))
    if not 1 <= number <= count:
        raise NoSuchPage(str(number))
    start = (number - 1) * ROWS_A_PAGE
    shown = list(rows[start : start + ROWS_A_PAGE])
    return Page(shown, number, count, start + 1 if shown else 0, start + len(shown), len(rows))


def sorted_rows(
    rows: Sequence[dict[str, Any]], kind: str, name: str, *, descending: bool, closed: bool = False
) -> list[dict[str, Any]]:
    """Return the rows in the order of column `name`, as values of `kind`.

    Nulls come last either way, and behind them what is withheld, which `closed` says of the whole column: its values
    must not show in the order. Rows that are alike keep the order in which they were read.
    """

    def rank(row: Mapping[str, Any]) -> int:
        if closed or name in row.get("withheld", ()):
            return 2
        return 1 if row.get(name) is None else 0

    told = sorted((row for row in rows if rank(row) == 0), key=lambda row: _key(row[name], kind), reverse=descending)
    return told + [row for row in rows if rank(row) == 1] + [row for row in rows if rank(row) == 2]


def _key(value: Any, kind: str) -> Any:
    if kind in ("number", "integer"):
        return Decimal(str(value))
    if kind == "boolean":
        return bool(value)
    if kind == "date" and "T" in str(value):
        moment = parse_datetime(str(value))
        # Beside a moment in another offset the written order would be wrong.
        return (moment.timestamp() if moment else 0, str(value))
    return (str(value).casefold(), str(value))
