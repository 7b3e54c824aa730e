"""An order of rows, term by term."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    """One term of an order: a path and its direction. As text `date`, and `-date` for descending."""

    path: str
    descending: bool = False

    def __str__(self) -> str:
        return f"-{self.path}" if self.descending else self.path


def order_of(terms: Iterable[str]) -> tuple[Order, ...]:
    """Return the terms that are written as text."""
    return tuple(Order(term.removeprefix("-").strip(), term.startswith("-")) for term in terms)
