"""Statements as Django compiled them, to be asked again and again with other values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import QuerySet

from .given import Given, places_left

Kept = TypeVar("Kept")

MOST_KEPT = 500
"""Statements that are kept of one list: some kilobytes each."""

BATCH = 2_000
"""Rows that are fetched at a time where there may be very many."""


@dataclass(frozen=True)
class Compiled:
    """A statement for one database: its parameters, by name where values come in, and the columns that are converted.

    How they are is asked of the connection each time: it is another for each thread.
    """

    using: str
    sql: str
    parameters: tuple[tuple[str | None, Any], ...]
    columns: Mapping[int, Any]

    def filled(self, held: Mapping[str, Any]) -> list[Any]:
        """Return the parameters, with the values of `held` as the driver takes them."""
        return [held[name] if name is not None else fixed for name, fixed in self.parameters]

    def rows(self, held: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Ask the statement, and return its rows."""
        connection = connections[self.using]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, self.filled(held))
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        if not self.columns:
            return rows
        converters = self._converters(connection)
        return [_converted(row, converters, connection) for row in rows]

    def each(self, held: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        """Ask the statement, and yield its rows, a few thousand at a time in memory; inside of a transaction."""
        connection = connections[self.using]
        converters = self._converters(connection)
        with connection.chunked_cursor() as cursor:
            cursor.execute(self.sql, self.filled(held))
            while rows := cursor.fetchmany(BATCH):
                for row in rows:
                    yield _converted(row, converters, connection) if converters else row

    def _converters(self, connection: Any) -> dict[int, tuple[list[Any], Any]]:
        return {position: (converters_of(one, connection), one) for position, one in self.columns.items()}


def converters_of(column: Any, connection: Any) -> list[Any]:
    """Return how values of the column come from the driver, step by step, as Django's compiler has it."""
    return [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)]


def _converted(row: Any, converters: Mapping[int, tuple[list[Any], Any]], connection: Any) -> tuple[Any, ...]:
    values = list(row)
    for position, (steps, expression) in converters.items():
        for step in steps:
            values[position] = step(values[position], expression, connection)
    return tuple(values)


def compiled(queryset: QuerySet[Any, Any], names: Mapping[Any, str] | None = None) -> Compiled | None:
    """Return the statement of a queryset of tuples; None where Django knows that it gives no row.

    Values come in where the queryset has a `Given`, or a parameter that `names` has a name for.
    """
    using = queryset.db
    compiler = queryset.query.get_compiler(using)
    try:
        with places_left():
            sql, parameters = compiler.as_sql()
    except EmptyResultSet:
        return None
    columns = {position: one for position, (one, *_) in enumerate(compiler.select[: compiler.col_count])}
    converted = {position: one for position, one in columns.items() if converters_of(one, connections[using])}
    named = tuple((_name_of(one, names or {}), one) for one in parameters)
    return Compiled(using, sql, named, converted)


def _name_of(parameter: Any, names: Mapping[Any, str]) -> str | None:
    return parameter.name if isinstance(parameter, Given) else names.get(parameter)


class Known(Generic[Kept]):
    """What was made of each shape of a question, the latest used of them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, shape: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return what was made of `shape`, made now where it was not yet; may be made twice by two at once."""
        with self._lock:
            if shape in self._kept:
                self._kept.move_to_end(shape)
                return self._kept[shape]
        made = make()
        with self._lock:
            self._kept[shape] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return made
