"""The whole list as a stream: every row, in order, in constant memory, its values as the driver gives them.

Converting a value by Django's own ways costs more than reading it. Whoever writes a million rows converts column by
column instead, and knows once, not for each value, what a column needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import router
from django.db.models import DecimalField, F, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from .access import Access
from .definition import ListDefinition, ListPath
from .paging import ordering, raw
from .question import Question
from .selection import Selection

BATCH = 2_000
"""Rows that are fetched, and handed on, at a time."""


@dataclass(frozen=True)
class Stream:
    """Batches of rows, each row a tuple: its key, the value of each path, then whether some values are withheld.

    `flags` are the places in a row that say so, by the path.
    """

    paths: tuple[ListPath, ...]
    batches: Iterator[list[tuple[Any, ...]]]
    flags: dict[str, int]


def stream(definition: ListDefinition, question: Question, access: Access) -> Stream:
    """Return every row that `question` selects, in its order; read them inside of a snapshot, or they are of many.

    A value is what the driver gives, but on PostgreSQL a decimal is its digits, as text. A field with a conversion of
    its own (`from_db_value`) has that done. Raises KeyError and ValueError as `ask` does.
    """
    using = router.db_for_read(definition.model)
    selection = Selection(definition, question, access, using)
    paths, terms = selection.shown(), selection.terms()
    queryset, names, withheld = selection.named(paths)
    values = {f"streamed{at}": _streamed(path, name) for at, (path, name) in enumerate(zip(paths, names, strict=True))}
    told = {f"told{at}": raw(name) for at, name in enumerate(withheld.values())}
    read = queryset.annotate(streamed_key=raw("pk"), **values, **told).order_by(*ordering(terms))
    rows = read.values_list("streamed_key", *values, *told).iterator(chunk_size=BATCH)
    first = len(paths) + 1
    places = {hops: first + at for at, hops in enumerate(withheld)}
    flags = {path.path: places[path.hops] for path in paths if path.hops in places}
    return Stream(tuple(paths), iter(lambda: list(islice(rows, BATCH)), []), flags)


def is_raw(path: ListPath) -> bool:
    """Whether the value of the path is streamed as the database holds it."""
    return not hasattr(path.field, "from_db_value")


def _streamed(path: ListPath, name: str) -> Combinable:
    """The value that the query holds under `name`, in the form in which it is streamed."""
    if not is_raw(path):
        return F(name)
    return Digits(name) if isinstance(path.field, DecimalField) else raw(name)


class Digits(Cast):
    """A decimal as text, where the database knows its digits: making an object of each costs more."""

    def __init__(self, name: str) -> None:
        super().__init__(raw(name), TextField())

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """A decimal is a float there, and its text would have other digits."""
        return compiler.compile(self.get_source_expressions()[0])
