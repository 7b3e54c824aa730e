"""Values that come into a statement when it is asked, so that it is compiled once for all questions of its shape."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db.models import Expression, Field

_leaving_places: ContextVar[bool] = ContextVar("leaving_places", default=False)


class Given(Expression):
    """A value of a question, under a name that no other value of it has.

    To Django it is an expression of the field that it is compared with, so that no value decides how a statement is
    written. Two are alike when they have the same name: then so are the statements around them.
    """

    def __init__(self, name: str, value: Any, field: Field[Any, Any]) -> None:
        super().__init__(output_field=field)
        self.name, self.value = name, value

    @property
    def identity(self) -> tuple[Any, ...]:
        """What makes two of them alike."""
        return (type(self), self.name)

    def held(self, connection: Any) -> Any:
        """Return the value as the driver takes it."""
        return self.output_field.get_db_prep_value(self.value, connection)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        """Write a parameter: the value, or where a statement is compiled for later, itself."""
        return "%s", [self if _leaving_places.get() else self.held(connection)]


class Givens:
    """The values of one question, in the order in which they are given."""

    def __init__(self) -> None:
        self._all: list[Given] = []

    def __call__(self, value: Any, field: Field[Any, Any]) -> Given:
        """Return `value`, to be compared with values of `field`."""
        given = Given(f"given{len(self._all)}", value, field)
        self._all.append(given)
        return given

    def held(self, connection: Any) -> dict[str, Any]:
        """Return every value as the driver takes it, by name."""
        return {given.name: given.held(connection) for given in self._all}


@contextmanager
def places_left() -> Iterator[None]:
    """Compile inside with each `Given` itself among the parameters."""
    before = _leaving_places.set(True)
    try:
        yield
    finally:
        _leaving_places.reset(before)
