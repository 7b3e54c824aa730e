"""The figures of some columns, asked for in one row of the database and added up over many such rows.

Thousands of day groups become a few months, so the raw numbers are added up as they come and only the sums of them
become exact `Figure`s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import Any

from django.db.models import Case, Count, IntegerField, Max, Min, Q, Sum, When
from django.db.models.expressions import Combinable

from .answer import Figure
from .definition import ListPath
from .exact import ExactSum, Raw, at_scale, exact_sum, is_split, joined_halves
from .values import WIDE


@dataclass
class Tally:
    """The aggregates of a statement, in order, the first of them the number of rows."""

    vendor: str
    paths: list[ListPath] = field(default_factory=list)
    aggregates: dict[str, Any] = field(default_factory=lambda: {"rows": Count("*")})
    _join: list[Callable[[Any, Any], Any]] = field(default_factory=lambda: [add])
    _at: list[dict[str, int]] = field(default_factory=list)
    _halves: list[int] = field(default_factory=list)

    def watch(self, path: ListPath, value: Combinable, closed: Q | None) -> None:
        """Ask for the figures of `path`, whose value is `value`; `closed` is when it is withheld."""
        at: dict[str, int] = {}
        total = Sum(value, output_field=Raw()) if path.scale is None else ExactSum(value, path=path)
        # Python's own sum of two decimals is cut at 28 digits.
        self._ask(at, path, "sum", total, add if path.scale is None or self.vendor == "sqlite" else WIDE.add)
        if self.vendor == "sqlite" and is_split(path):
            self._halves.append(at["sum"])
        self._ask(at, path, "minimum", Min(value, output_field=Raw()), min)
        self._ask(at, path, "maximum", Max(value, output_field=Raw()), max)
        if path.nullable or path.hops:
            self._ask(at, path, "count", Count(value), add)
        if closed is not None:
            self._ask(at, path, "withheld", Count(Case(When(closed, then=1), output_field=IntegerField())), add)
        self.paths.append(path)
        self._at.append(at)

    def _ask(self, at: dict[str, int], path: ListPath, what: str, aggregate: Any, join: Any) -> None:
        at[what] = len(self.aggregates)
        self.aggregates[f"figure{len(self.paths)}_{what}"] = aggregate
        self._join.append(join)

    def read(self, raw: Sequence[Any]) -> list[Any]:
        """Return one row of the aggregates, ready to be added to."""
        row = list(raw)
        for at in self._halves:
            row[at] = joined_halves(row[at])
        return row

    def join(self, row: list[Any], other: Sequence[Any]) -> None:
        """Add a row of the aggregates to `row`."""
        for at, join in enumerate(self._join):
            one, two = row[at], other[at]
            row[at] = two if one is None else one if two is None else join(one, two)

    def nothing(self) -> list[Any]:
        """The row of no rows at all."""
        return [0, *([None] * (len(self._join) - 1))]

    def figures(self, row: Sequence[Any]) -> dict[str, Figure]:
        """Return the exact figures of a row, by path."""
        return {path.path: self._figure(row, path, at) for path, at in zip(self.paths, self._at, strict=True)}

    def _figure(self, row: Sequence[Any], path: ListPath, at: dict[str, int]) -> Figure:
        return Figure(
            count=(row[at["count"]] if "count" in at else row[0]) or 0,
            sum=exact_sum(row[at["sum"]], path, self.vendor),
            minimum=at_scale(row[at["minimum"]], path),
            maximum=at_scale(row[at["maximum"]], path),
            scale=path.scale,
            whole=path.kind == "integer",
            withheld=(row[at["withheld"]] or 0) if "withheld" in at else 0,
        )
