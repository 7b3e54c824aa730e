"""What a list answers: rows, and figures over every permitted row."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .figure import Figure
from .paging import Cursor

MOST_GROUPS = 1_000
"""Groups kept one by one (seed 000's table limit); the others are added up in the rest."""


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
    """One row: its primary key, the value of each path, the paths whose value is withheld, and where it stands.

    `place` is told only where the question asked for it.
    """

    id: Any
    values: dict[str, Any]
    withheld: frozenset[str] = frozenset()
    place: Cursor | None = field(default=None, compare=False)


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
