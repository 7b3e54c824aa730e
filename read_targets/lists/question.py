"""What is asked of a list."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from .conditions import Condition
from .order import Order
from .paging import Cursor

Basis = Literal["rows", "weights", "ratio"]
"""What an average counts equally: each value, each unit of a weight, or each unit of a denominator."""


@dataclass(frozen=True)
class Measure:
    """A figure that is asked for: the values of `path`, and the basis on which their average stands.

    `rows`: of every value. `weights`: of every value as often as `weight` says. `ratio`: the sum of `numerator` over
    the sum of `denominator`, which need no values of their own, so that `path` may be empty. `name` is what the
    answer calls it, the path unless it is given. By the sum of the first that `ranks`, groups are told largest first.
    """

    path: str = ""
    basis: Basis = "rows"
    weight: str = ""
    numerator: str = ""
    denominator: str = ""
    name: str = ""
    ranks: bool = True

    @property
    def key(self) -> str:
        """What the answer calls it."""
        return self.name or self.path

    @property
    def parts(self) -> tuple[str, ...]:
        """The paths of what its quotient is made of, the top first; none on the basis of rows."""
        return {"rows": (), "weights": (self.path, self.weight), "ratio": (self.numerator, self.denominator)}[
            self.basis
        ]


@dataclass(frozen=True)
class Question:
    """Which rows of a list, in which order, and which figures over all of them.

    `key` names one record by its primary key; `text` is searched word by word; `shown` are the paths of the rows
    (None: all that the list shows), `limit` of them, which may depend on how many rows there are; `figures` are what
    is summed up, a path alone on the basis of rows; `zone` decides where a day begins. Instead of after `offset`
    rows, they begin behind the row that `after` stands for, or end before that of `before`; `places` asks for the
    cursor of each.
    """

    conditions: tuple[Condition, ...] = ()
    text: str = ""
    key: Any = None
    order: tuple[Order, ...] = ()
    shown: tuple[str, ...] | None = None
    offset: int = 0
    after: Cursor | None = None
    before: Cursor | None = None
    places: bool = False
    limit: int | Callable[[int], int] = 0
    figures: tuple[Measure | str, ...] = ()
    group_by: str | None = None
    zone: dt.tzinfo = dt.UTC
    count: bool = True

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The figures, each with its basis."""
        return tuple(Measure(one) if isinstance(one, str) else one for one in self.figures)
