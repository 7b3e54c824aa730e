"""A statement that Django compiles once and that is then asked with other values.

Building a small query and compiling it costs Django several times what the database takes to answer it, and every call
asks the same handful: who calls, what do they hold, which targets may they query.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connections, router
from django.db.models import CharField, Field, IntegerField, Model, QuerySet, TextField, UUIDField

_FIRST = -770_077_000
"""Stand-ins count down from here: no key is negative, and no constant of a statement of ours is that number."""


@dataclass(frozen=True)
class _Compiled:
    """The statement of one database: its parameters, by name where values come in, and how columns become values."""

    sql: str
    parameters: tuple[tuple[str | None, Any], ...]
    converters: dict[int, tuple[list[Any], Any]]


class Statement:
    """The statement of a query that differs from call to call in single values alone.

    `build` gives the queryset, one of tuples, for a value of each of `fields`, under their names.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], **fields: Field[Any, Any]) -> None:
        self._build = build
        self._fields = {name: _own(field) for name, field in fields.items()}
        self._stand_ins = {name: _stand_in(one, number) for number, (name, one) in enumerate(self._fields.items())}
        self._compiled: dict[str, _Compiled] = {}
        self._model: type[Model] | None = None

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """Return the rows for these values, one for each field."""
        if self._model is None:
            self._model = self._build(**self._stand_ins).model
        using = router.db_for_read(self._model)
        sql, parameters = self.sql(using, **values)
        connection, converters = connections[using], self._compiled[using].converters
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return [_converted(row, converters, connection) for row in rows] if converters else rows

    def sql(self, using: str, **values: Any) -> tuple[str, list[Any]]:
        """Return the statement for the database `using` and its parameters, to stand within another."""
        compiled = self._compiled.get(using)
        if compiled is None:
            compiled = self._compiled[using] = self._compile(using)
        connection = connections[using]
        held = {name: one.get_db_prep_value(values[name], connection) for name, one in self._fields.items()}
        return compiled.sql, [held[name] if name else fixed for name, fixed in compiled.parameters]

    def _compile(self, using: str) -> _Compiled:
        compiler = self._build(**self._stand_ins).query.get_compiler(using)
        sql, parameters = compiler.as_sql()
        connection = connections[using]
        names = {one.get_db_prep_value(self._stand_ins[name], connection): name for name, one in self._fields.items()}
        named = tuple((names.get(one), one) for one in parameters)
        if {name for name, _ in named} - {None} != set(names.values()):
            raise ValueError(f"Of {sorted(names.values())} not all stand in the statement: {sql}")
        return _Compiled(sql, named, compiler.get_converters([column for column, *_ in compiler.select]))


def _own(field: Any) -> Field[Any, Any]:
    """The field that holds the value: of a reference, the field that it refers to."""
    while field.is_relation:
        field = field.target_field
    own: Field[Any, Any] = field
    return own


def _stand_in(field: Field[Any, Any], number: int) -> Any:
    if isinstance(field, IntegerField):
        return _FIRST - number
    if isinstance(field, UUIDField):
        return uuid.UUID(int=-_FIRST + number)
    if isinstance(field, (CharField, TextField)):
        return f"stand-in {number}"
    raise TypeError(f"No value stands in for one of a {type(field).__name__}.")


def _converted(row: Any, converters: dict[int, tuple[list[Any], Any]], connection: Any) -> tuple[Any, ...]:
    values = list(row)
    for position, (steps, expression) in converters.items():
        for step in steps:
            values[position] = step(values[position], expression, connection)
    return tuple(values)
