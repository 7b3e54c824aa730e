"""A statement that Django compiles once and that is then asked with other values.

Building a small query and compiling it costs Django several times what the database takes to answer it, and every call
asks the same handful: who calls, what do they hold, which targets may they query.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.db import connections, router
from django.db.models import CharField, Field, IntegerField, Model, QuerySet, TextField, UUIDField

from .compiled import Compiled, compiled

_FIRST = -770_077_000
"""Stand-ins count down from here: no key is negative, and no constant of a statement of ours is that number."""


class Statement:
    """The statement of a query that differs from call to call in single values alone.

    `build` gives the queryset, one of tuples, for a value of each of `fields`, under their names. Some of what it
    builds takes plain values alone, so that stand-ins are among the parameters and tell where values come in.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], **fields: Field[Any, Any]) -> None:
        self._build = build
        self._fields = {name: _own(field) for name, field in fields.items()}
        self._stand_ins = {name: _stand_in(one, number) for number, (name, one) in enumerate(self._fields.items())}
        self._compiled: dict[str, Compiled] = {}
        self._model: type[Model] | None = None

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """Return the rows for these values, one for each field."""
        if self._model is None:
            self._model = self._build(**self._stand_ins).model
        using = router.db_for_read(self._model)
        return self._of(using).rows(self._held(using, values))

    def sql(self, using: str, **values: Any) -> tuple[str, list[Any]]:
        """Return the statement for the database `using` and its parameters, to stand within another."""
        statement = self._of(using)
        return statement.sql, statement.filled(self._held(using, values))

    def _held(self, using: str, values: dict[str, Any]) -> dict[str, Any]:
        connection = connections[using]
        return {name: one.get_db_prep_value(values[name], connection) for name, one in self._fields.items()}

    def _of(self, using: str) -> Compiled:
        if using not in self._compiled:
            names = {held: name for name, held in self._held(using, self._stand_ins).items()}
            found = compiled(self._build(**self._stand_ins).using(using), names)
            if found is None or {name for name, _ in found.parameters} - {None} != set(names.values()):
                raise ValueError(f"Of {sorted(names.values())} not all stand in the statement: {found}")
            self._compiled[using] = found
        return self._compiled[using]


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
