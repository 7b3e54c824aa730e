"""The figures of some columns, asked for in one row of the database and added up over many such rows.

The raw numbers are added up as they come, and only the sums of them become exact `Figure`s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import Any, Literal, NamedTuple

from django.db.models import Case, Count, IntegerField, Max, Min, Q, Sum, When
from django.db.models.expressions import Combinable
from django.db.models.lookups import IsNull

from .definition import ListPath
from .exact import SPLIT, ExactSum, Raw, at_scale, exact_sum, is_whole, scale_of, shifts_of
from .figure import Figure, Quotient, Total
from .question import Measure
from .values import WIDE


class Number(NamedTuple):
    """A number path as one person may see it: its value, which is null where it is `closed` to them."""

    path: ListPath
    value: Combinable
    closed: Q | None

    @property
    def is_there(self) -> Q:
        """The condition under which there is a value, and the person may see it."""
        return Q(IsNull(self.value, False))

    @property
    def may_be_null(self) -> bool:
        """Whether there are rows without a value."""
        return self.path.nullable or bool(self.path.hops)


class Way(NamedTuple):
    """How the aggregates of two groups become that of both: in Python, and as SQL."""

    join: Callable[[Any, Any], Any]
    sql: str


COUNTED = Way(add, "CAST(SUM({}) AS BIGINT)")
SUMMED = Way(add, "SUM({})")
# Python's own sum of two decimals is cut at 28 digits.
SUMMED_WIDE = Way(WIDE.add, "SUM({})")
LEAST, LARGEST = Way(min, "MIN({})"), Way(max, "MAX({})")


class Part(NamedTuple):
    """Where a sum stands in a row of the aggregates, or a part of it that is so many powers of `SPLIT` worth."""

    at: int
    shift: int = 0


@dataclass(frozen=True)
class Places:
    """Where the values of one path stand in a row of the aggregates; None where nothing had to be asked."""

    path: ListPath
    sum: tuple[Part, ...]
    minimum: int
    maximum: int
    count: int
    withheld: int | None


@dataclass(frozen=True)
class QuotientPlaces:
    """Where the parts of a quotient stand in a row of the aggregates."""

    basis: Literal["weights", "ratio"]
    top: tuple[ListPath, ...]
    bottom: ListPath
    top_sum: tuple[Part, ...]
    bottom_sum: tuple[Part, ...]
    count: int
    withheld: int | None


@dataclass
class Tally:
    """The aggregates of a statement, in order, the first of them the number of rows."""

    vendor: str
    ranking: str | None = None
    aggregates: dict[str, Any] = field(default_factory=lambda: {"rows": Count("*")})
    ways: list[Way] = field(default_factory=lambda: [COUNTED])
    _watched: list[tuple[str, Places | None, QuotientPlaces | None]] = field(default_factory=list)

    def watch(self, measure: Measure, numbers: Mapping[str, Number]) -> None:
        """Ask for the figures of `measure`; `numbers` are those of its paths.

        Raises ValueError for a weight or a part of a ratio whose column is inexact.
        """
        own = self._places(numbers[measure.path]) if measure.path else None
        quotient = None
        if measure.basis != "rows":
            top, bottom = (numbers[path] for path in measure.parts)
            if scale_of([top.path, bottom.path]) is None:
                raise ValueError(f"{measure.key!r} cannot stand on {measure.basis}: its numbers are inexact")
            quotient = self._quotient_places(measure.basis, top, bottom, own)
        if self.ranking is None and own and measure.ranks:
            self.ranking = measure.key
        self._watched.append((measure.key, own, quotient))

    def _places(self, one: Number) -> Places:
        return Places(
            one.path,
            self._sum(one.value, paths=[one.path]),
            self._ask(Min(one.value, output_field=Raw()), LEAST),
            self._ask(Max(one.value, output_field=Raw()), LARGEST),
            self._ask(Count(one.value), COUNTED) if one.may_be_null else 0,
            None if one.closed is None else self._count(one.closed),
        )

    def _quotient_places(
        self, basis: Literal["weights", "ratio"], top: Number, bottom: Number, own: Places | None
    ) -> QuotientPlaces:
        """Both sums are of the rows that have both parts; a weight counts as withheld only where it has a value."""
        nullable = [one for one in (top, bottom) if one.may_be_null]
        both = Q(*(one.is_there for one in nullable))

        def kept(one: Number) -> Combinable:
            return Case(When(both, then=one.value), output_field=one.path.field.clone()) if nullable else one.value

        closed = [one.closed for one in (top, bottom) if one.closed is not None]
        withheld: Q | None = Q(*closed, _connector=Q.OR) if closed else None
        if basis == "weights":
            withheld = None if bottom.closed is None else bottom.closed & top.is_there
            top_sum = self._sum(top.value, bottom.value, paths=[top.path, bottom.path])
        else:
            top_sum = self._sum(kept(top), paths=[top.path])
        return QuotientPlaces(
            basis,
            (top.path, bottom.path) if basis == "weights" else (top.path,),
            bottom.path,
            top_sum,
            self._sum(kept(bottom), paths=[bottom.path]),
            self._count(both) if nullable else 0,
            None if withheld is None else self._count(withheld),
        )

    def _sum(self, *factors: Combinable, paths: Sequence[ListPath]) -> tuple[Part, ...]:
        if scale_of(paths) is None:
            return (Part(self._ask(Sum(factors[0], output_field=Raw()), SUMMED)),)
        if self.vendor != "sqlite":
            return (Part(self._ask(ExactSum(*factors, paths=paths), SUMMED_WIDE)),)
        return tuple(
            Part(self._ask(ExactSum(*factors, paths=paths, part=part), SUMMED), shift)
            for part, shift in enumerate(shifts_of(paths))
        )

    def _count(self, condition: Q) -> int:
        return self._ask(Count(Case(When(condition, then=1), output_field=IntegerField())), COUNTED)

    def _ask(self, aggregate: Any, way: Way) -> int:
        at = len(self.aggregates)
        self.aggregates[f"figure{at}"] = aggregate
        self.ways.append(way)
        return at

    @property
    def added(self) -> dict[str, str]:
        """How the database adds up the aggregates of several groups, by the names of the aggregates."""
        return {name: way.sql for name, way in zip(self.aggregates, self.ways, strict=True)}

    def join(self, row: list[Any], other: Sequence[Any]) -> None:
        """Add a row of the aggregates to `row`."""
        for at, way in enumerate(self.ways):
            one, two = row[at], other[at]
            row[at] = two if one is None else one if two is None else way.join(one, two)

    def nothing(self) -> list[Any]:
        """The row of no rows at all."""
        return [0, *([None] * (len(self.ways) - 1))]

    def figures(self, row: Sequence[Any]) -> dict[str, Figure]:
        """Return the exact figures of a row, by what the answer calls them."""
        return {key: self._figure(row, own, quotient) for key, own, quotient in self._watched}

    def _figure(self, row: Sequence[Any], own: Places | None, at: QuotientPlaces | None) -> Figure:
        if own is None:
            return Figure(quotient=self._quotient(row, at, row[0]), has_values=False)
        path = own.path
        count = row[own.count] or 0
        return Figure(
            count=count,
            sum=exact_sum(_whole(row, own.sum), [path], self.vendor),
            minimum=at_scale(row[own.minimum], path),
            maximum=at_scale(row[own.maximum], path),
            scale=path.scale,
            whole=path.kind == "integer",
            withheld=0 if own.withheld is None else row[own.withheld] or 0,
            quotient=self._quotient(row, at, count if at and at.basis == "weights" else row[0]),
        )

    def _quotient(self, row: Sequence[Any], at: QuotientPlaces | None, candidates: int) -> Quotient | None:
        """The quotient, of so many rows that could have been in it: those with a value, or for a ratio all."""
        if at is None:
            return None
        count = row[at.count] or 0
        bottom = [at.bottom]
        return Quotient(
            basis=at.basis,
            top=Total(exact_sum(_whole(row, at.top_sum), at.top, self.vendor), scale_of(at.top), is_whole(at.top)),
            bottom=Total(
                exact_sum(_whole(row, at.bottom_sum), bottom, self.vendor), scale_of(bottom), is_whole(bottom)
            ),
            count=count,
            missing=candidates - count,
            withheld=0 if at.withheld is None else row[at.withheld] or 0,
            scale=at.top[0].scale or 0,
        )


def _whole(row: Sequence[Any], parts: Sequence[Part]) -> Any:
    """Return a sum put together from its parts; None of no rows."""
    if len(parts) == 1 or row[parts[0].at] is None:
        return row[parts[0].at]
    return sum(row[part.at] * SPLIT**part.shift for part in parts)
