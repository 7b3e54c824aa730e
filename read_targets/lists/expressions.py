"""One expression for each path, whatever it is used for.

A value across a relation is what the person may view of the related object, else it is withheld: showing,
filtering, searching, sorting, grouping and summing all go through here, so that none of them is an oracle for
another (design, section 4).
"""

from __future__ import annotations

import unicodedata
from typing import Any

from django.db.models import BooleanField, Case, F, Func, Q, TextField, Value, When
from django.db.models.expressions import Combinable

from .access import Access
from .definition import ListPath


class Expressions:
    """The expressions of a list's paths for one person."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def closed(self, path: ListPath) -> Q | None:
        """The condition under which the path's value is withheld, or None where it never is."""
        closed = Q()
        for relation, model in path.hops:
            viewable = self._access.viewable(model)
            if viewable is not None:
                closed |= Q(**{f"{relation}__isnull": False}) & ~Q(**{f"{relation}__in": viewable.values("pk")})
        return closed or None

    def value(self, path: ListPath) -> Combinable:
        """The value of the path, null where it is withheld."""
        closed = self.closed(path)
        if closed is None:
            return F(path.lookup)
        return Case(When(closed, then=Value(None)), default=F(path.lookup), output_field=path.field.clone())

    def withheld(self, path: ListPath) -> Combinable:
        """Whether the value of the path is withheld."""
        closed = self.closed(path)
        if closed is None:
            return Value(False, output_field=BooleanField())
        return Case(When(closed, then=Value(True)), default=Value(False), output_field=BooleanField())


class Folded(Func):
    """Text as it is compared in a search: composed (NFC) and in capitals, alike on every database.

    SQLite knows the capitals of ASCII alone and no normal forms, so a function of ours does it there.
    """

    arity = 1
    output_field = TextField()

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        template = "read_targets_fold(%(expressions)s)" if connection.vendor == "sqlite" else self._template(connection)
        return super().as_sql(compiler, connection, template=template, **extra)

    @staticmethod
    def _template(connection: Any) -> str:
        return "UPPER(NORMALIZE(%(expressions)s))" if connection.vendor == "postgresql" else "UPPER(%(expressions)s)"


def fold(text: str | None) -> str | None:
    """Return `text` composed and in capitals, letter by letter: a letter whose capital is two (`ß`) stays itself."""
    if text is None:
        return None
    composed = unicodedata.normalize("NFC", str(text))
    capitals = composed.upper()
    if len(capitals) == len(composed):
        return capitals
    return "".join(letter.upper() if len(letter.upper()) == 1 else letter for letter in composed)


def add_fold(sender: Any, connection: Any, **kwargs: Any) -> None:
    """Give a new SQLite connection the `read_targets_fold` function that `Folded` calls."""
    if connection.vendor == "sqlite":
        connection.connection.create_function("read_targets_fold", 1, fold, deterministic=True)
