"""Statements and lists that take long, on either database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet

from read_targets.lists import get_list


def count_to(many: int) -> str:
    """A statement that counts so far, and says how far it came."""
    if connection.vendor == "postgresql":
        return f"SELECT count(*)::int FROM generate_series(1, {many:d})"  # noqa: S608  # a number of ours
    counting = f"SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {many:d}"  # noqa: S608  # as above
    return f"WITH RECURSIVE n(x) AS ({counting}) SELECT count(*) FROM n"  # noqa: S608  # as above


FOR_EVER = "SELECT pg_sleep(60)::text" if connection.vendor == "postgresql" else count_to(10**12)
"""A statement of one value that is not there before anybody loses patience."""


def slow_rows(model: type[Model]) -> QuerySet[Any]:
    """Rows of a model that are not there before anybody loses patience."""
    return model._base_manager.extra(where=[f"({FOR_EVER}) IS NOT NULL"])  # noqa: S610  # a constant


@contextmanager
def slow_list(name: str = "cashTransactions") -> Iterator[None]:
    """Let a list take for ever, whoever reads it."""
    definition = get_list(name)

    # Whoever holds the definition, as a GraphQL field does, is to read slowly.
    kept = definition.queryset
    object.__setattr__(definition, "queryset", lambda actor: slow_rows(definition.model))
    try:
        yield
    finally:
        object.__setattr__(definition, "queryset", kept)
