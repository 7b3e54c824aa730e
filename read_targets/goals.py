"""What the averages of a target's columns should come to, held against what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from .lists import Figure
from .lists.values import WIDE
from .models import Goal


@dataclass(frozen=True)
class Judged:
    """A goal and the average that it is about, on the basis of the column; None where there is no average.

    The average is the one that is told, at its stated scale, so that nobody finds a goal met whose figures say
    otherwise.
    """

    goal: Goal
    actual: Any

    @property
    def target(self) -> Decimal:
        """The goal's number, without zeros at its end."""
        value = Decimal(self.goal.value)
        return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()

    @property
    def delta(self) -> Decimal | None:
        """By how much the average is above the goal; negative below it."""
        return None if self.actual is None else WIDE.subtract(_exact(self.actual), self.target)

    @property
    def is_met(self) -> bool | None:
        """Whether the average is on the good side of the goal, or at it."""
        if self.delta is None:
            return None
        return bool(self.delta >= 0 if self.goal.direction == Goal.Direction.HIGHER else self.delta <= 0)


def judged(goals: Iterable[Goal], figures: Mapping[str, Figure]) -> list[Judged]:
    """Return the goals whose columns have a figure, each with that column's average on its own basis."""
    return [Judged(goal, figures[goal.column].on_basis) for goal in goals if goal.column in figures]


def _exact(number: Any) -> Decimal:
    """A column of floats has a float for its average."""
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
