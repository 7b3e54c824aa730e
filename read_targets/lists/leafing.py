"""Leafing through a list as a person does: page by page, with the total, and a number that each page is called by."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from .access import Access
from .definition import ListDefinition
from .engine import ask
from .paging import END, Cursor, Page, can_page, page_of
from .question import Question


@dataclass(frozen=True)
class Leaf:
    """A page called `number`, of `size` rows at most, and how many rows there were at `counted_at` (since 1970)."""

    page: Page
    number: int
    size: int
    total: int
    counted_at: float
    is_counted_now: bool

    @property
    def last(self) -> int:
        """The number of the last page, as far as it is known."""
        least = self.number + self.page.is_after if self.page.rows else 1
        return max(1, -(-self.total // self.size), least)

    @property
    def back(self) -> int:
        """The number of the page before this one."""
        return max(1, min(self.number - 1, self.last))

    def carried(self, cursor: Cursor | None) -> Cursor | None:
        """The cursor with the total on it, for the page that it leads to."""
        return cursor and replace(cursor, total=self.total, counted_at=self.counted_at)


def read_leaf(definition: ListDefinition, question: Question, access: Access, *, number: int, size: int) -> Leaf:
    """Read the page of `size` rows that `question` places by a cursor, or without one the page of that number.

    All of it is one snapshot, and `question` says the conditions and the order. Who turns a page is told the total that
    the page before it said, for some minutes: counting a long list anew takes longer than reading a page of it.
    """
    place = question.after or question.before
    told = place.good_total if place else None

    def size_of(total: int) -> int:
        # The last page begins where it does when the list is leafed through from the first.
        return (total - 1) % size + 1 if question.before == END and total else size

    asked = replace(
        question,
        offset=0 if place else (number - 1) * size,
        places=can_page(definition, question.order),
        limit=lambda counted: size_of(counted if told is None else told) + 1,
        count=told is None,
    )
    answer = ask(definition, asked, access)
    total = (answer.total or 0) if told is None else told
    counted_at = place.counted_at if place and told is not None else time.time()
    return Leaf(page_of(answer.rows, size_of(total), asked), number, size, total, counted_at, told is None)
