"""One expression for each path, whatever it is used for.

A value across a relation is what the person may view of the related object, else it is withheld: showing,
filtering, searching, sorting, grouping and summing all go through here, so that none of them is an oracle for
another (design, section 4).
"""

from __future__ import annotations

import datetime as dt
import unicodedata
import uuid
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    DateTimeField,
    F,
    Func,
    GenericIPAddressField,
    Q,
    TextField,
    UUIDField,
    Value,
    When,
)
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
                closed |= Q(**{f"{relation}__isnull": False}) & ~Q(**{f"{relation}__in": viewable})
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


class Written(Func):
    """An identifier or a network address as it is written, alike on every database."""

    arity = 1
    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """SQLite holds an identifier without its hyphens."""
        is_plain = not isinstance(self.get_source_expressions()[0].output_field, UUIDField)
        template = "%(expressions)s" if is_plain else "read_targets_uuid(%(expressions)s)"
        return self.as_sql(compiler, connection, template=template, **extra)

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """PostgreSQL would write an address with its network."""
        is_address = isinstance(self.get_source_expressions()[0].output_field, GenericIPAddressField)
        template = "HOST(%(expressions)s)" if is_address else "(%(expressions)s)::text"
        return self.as_sql(compiler, connection, template=template, **extra)


def written(name: str, path: ListPath) -> Combinable:
    """The value that the query holds under `name`, as text."""
    return F(name) if path.is_text else Written(name)


def within_calendar(name: str, zone: dt.tzinfo) -> Combinable:
    """A moment for a function of local time: one that has none, as it would be in the year 10,000, on the last day.

    *For ever* is often stored as the calendar's last moment, and databases and Python fail to convert it eastward.
    """
    last = dt.datetime.max.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=zone)
    if last.utcoffset() <= dt.timedelta(0):  # type: ignore[operator]  # a zone always has an offset
        return F(name)
    last = last.astimezone(dt.UTC)
    return Case(When(Q(**{f"{name}__gte": last}), then=Value(last)), default=F(name), output_field=DateTimeField())


class Folded(Func):
    """Text as it is compared in a search: composed (NFC) and in capitals, alike on every database.

    SQLite knows the capitals of ASCII alone and no normal forms, so a function of ours does it there. PostgreSQL knows
    those of its locale, which may be none, unless it is told to take Unicode's (from version 17 on).
    """

    arity = 1
    output_field = TextField()

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # type: ignore[override]  # extra has the rest
        extra.setdefault("template", "UPPER(%(expressions)s)")
        return super().as_sql(compiler, connection, **extra)

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Fold as Python does."""
        return self.as_sql(compiler, connection, template="read_targets_fold(%(expressions)s)", **extra)

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Fold by Unicode's own rules where the server has them."""
        has_unicode = connection.pg_version >= 17_00_00
        collation = ' COLLATE "pg_c_utf8"' if has_unicode else ""
        return self.as_sql(compiler, connection, template=f"UPPER(NORMALIZE(%(expressions)s){collation})", **extra)


def folded(text: str) -> Combinable:
    """`text` folded by the database itself, so that it agrees with the column whatever its rules are."""
    return Folded(Value(text, output_field=TextField()))


def fold(text: str | None) -> str | None:
    """Return `text` composed and in capitals, letter by letter: a letter whose capital is two (`ß`) stays itself."""
    if text is None:
        return None
    composed = unicodedata.normalize("NFC", str(text))
    capitals = composed.upper()
    if len(capitals) == len(composed):
        return capitals
    return "".join(letter.upper() if len(letter.upper()) == 1 else letter for letter in composed)


def _hyphened(digits: str | None) -> str | None:
    return None if digits is None else str(uuid.UUID(digits))


def add_fold(sender: Any, connection: Any, **kwargs: Any) -> None:
    """Give a new SQLite connection the functions that `Folded` and `Written` call."""
    if connection.vendor == "sqlite":
        connection.connection.create_function("read_targets_fold", 1, fold, deterministic=True)
        connection.connection.create_function("read_targets_uuid", 1, _hyphened, deterministic=True)
