"""What a list answers: rows, and figures over every permitted row."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from .values import WIDE

MOST_GROUPS = 1_000
"""Groups kept one by one (seed 000's table limit); the others are added up in the rest."""

AVERAGE_DIGITS = 4
"""Digits that an average has beyond its column's own."""


@dataclass(frozen=True)
class Figure:
    """A column summed up: how many values, their sum, least and largest; `withheld` values are in none of them."""

    count: int = 0
    sum: Any = None
    minimum: Any = None
    maximum: Any = None
    scale: int | None = 0
    whole: bool = False
    withheld: int = 0

    def __add__(self, other: Figure) -> Figure:
        if not other.count and not other.withheld:
            return self
        return Figure(
            self.count + other.count,
            _joined(_plus, self.sum, other.sum),
            _joined(min, self.minimum, other.minimum),
            _joined(max, self.maximum, other.maximum),
            None if self.scale is None or other.scale is None else max(self.scale, other.scale),
            other.whole,
            self.withheld + other.withheld,
        )

    @property
    def total(self) -> Any:
        """The sum at the column's scale; of no values, a zero."""
        if self.scale is None:
            return self.sum or 0.0
        if self.whole:
            return self.sum or 0
        total = Decimal(0) if self.sum is None else self.sum
        return total.quantize(Decimal(1).scaleb(-self.scale), context=WIDE)

    @property
    def average(self) -> Any:
        """The mean of the values at the column's scale and four digits more, half to even; None of no values."""
        if not self.count:
            return None
        if self.scale is None:
            return self.sum / self.count
        digits = Decimal(1).scaleb(-(self.scale + AVERAGE_DIGITS))
        return WIDE.divide(Decimal(self.sum), Decimal(self.count)).quantize(digits, ROUND_HALF_EVEN, WIDE)


def _plus(one: Any, two: Any) -> Any:
    """The exact sum; Python's own of two decimals is cut at 28 digits."""
    return WIDE.add(one, two) if isinstance(one, Decimal) or isinstance(two, Decimal) else one + two


def _joined(join: Callable[[Any, Any], Any], one: Any, two: Any) -> Any:
    if one is None:
        return two
    return one if two is None else join(one, two)


@dataclass(frozen=True)
class Group:
    """The rows that share a value. `withheld`: the value is there, but not for this person."""

    key: Any
    withheld: bool
    count: int
    figures: dict[str, Figure]


@dataclass(frozen=True)
class Rest:
    """The groups that are not named one by one."""

    group_count: int
    count: int
    figures: dict[str, Figure]

    def __add__(self, group: Group) -> Rest:
        return Rest(self.group_count + 1, self.count + group.count, added(self.figures, group.figures))


def added(one: dict[str, Figure], two: dict[str, Figure]) -> dict[str, Figure]:
    """Two sets of figures as one."""
    return {path: one[path] + figure if path in one else figure for path, figure in two.items()}


@dataclass(frozen=True)
class Row:
    """One row: its primary key, the value of each path, and the paths whose value is withheld."""

    id: Any
    values: dict[str, Any]
    withheld: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Answer:
    """Rows and figures of one snapshot. `groups` are in the order in which they are told; None: not asked."""

    total: int | None = None
    figures: dict[str, Figure] = field(default_factory=dict)
    groups: list[Group] | None = None
    rest: Rest | None = None
    rows: list[Row] = field(default_factory=list)


def is_last(group: Group) -> tuple[bool, bool]:
    """Null and withheld groups stand behind all others."""
    return group.withheld, group.key is None


def by_key(group: Group) -> Any:
    """The order of months: by their key."""
    return (*is_last(group), "" if group.key is None else group.key)


def by_size(figure: str | None) -> Callable[[Group], Any]:
    """The order of other groups (seed 000): the largest first by the size of a total, else by count; ties by key."""

    def order(group: Group) -> Any:
        size = abs(group.figures[figure].total) if figure else group.count
        return (-size, *is_last(group), "" if group.key is None else group.key)

    return order


def told(
    groups: Iterable[Group], most: int, order: Callable[[Group], Any], *, latest: bool
) -> tuple[list[Group], Rest | None]:
    """Return the `most` groups that are told, in `order`, and the rest added up.

    The first ones by `order`, or for months (`latest`) the last ones: the newest, still in ascending order. Holds no
    more than a few thousand groups at a time, however many come.
    """
    pick = heapq.nlargest if latest else heapq.nsmallest
    kept: list[Group] = []
    rest = Rest(0, 0, {})

    def cut() -> None:
        nonlocal kept, rest
        chosen = pick(most, kept, key=order)
        names = {id(group) for group in chosen}
        for group in kept:
            if id(group) not in names:
                rest += group
        kept = chosen

    for group in groups:
        kept.append(group)
        if len(kept) > most + 4_000:
            cut()
    cut()
    return sorted(kept, key=order), rest if rest.group_count else None
