"""The sample company's calendar, and the bulk work on its tables that every story shares."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from django.core.management.color import no_style
from django.db import connection
from django.db.models import Model

LAST_DAY = date(2026, 11, 30)
"""The company's last day: fixed, so that the same company stands there whenever it is built."""

FIRST_DAY = date(2023, 12, 1)
"""Three years before its end."""

DAYS = (LAST_DAY - FIRST_DAY).days + 1

BATCH = 10_000
"""Rows held in memory at a time; the largest companies have a million."""


def day_at(position: int, count: int) -> date:
    """Return the day of the record at `position` of `count` that are spread evenly over the three years."""
    return FIRST_DAY + timedelta(days=position * DAYS // count)


def moment_at(day: date, minute: int) -> datetime:
    """Return the moment `minute` minutes into `day`, in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(minutes=minute)


def insert(rows: Iterable[Model], *, keep: bool = False) -> None:
    """Insert `rows`, all of one model and with their keys set, batch by batch; with `keep`, those not there already."""
    remaining: Iterator[Model] = iter(rows)
    with _without_collector():
        while batch := list(islice(remaining, BATCH)):
            type(batch[0])._default_manager.bulk_create(batch, ignore_conflicts=keep)


def empty(models: Sequence[type[Model]]) -> None:
    """Delete every row of `models`, without loading any, and count keys from 1 again.

    Among `models` must be all whose tables refer to them.
    """
    # PostgreSQL empties no table on which a check of this transaction is still open.
    connection.check_constraints()
    tables = [model._meta.db_table for model in models]
    connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables, reset_sequences=True))


def settle(models: Sequence[type[Model]]) -> None:
    """Let the next key follow those given by hand, and tell the query planner what the tables now hold."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(models)):
            cursor.execute(statement)
        for model in models:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")


@contextmanager
def _without_collector() -> Iterator[None]:
    """Rows refer to each other in no circles; looking for some all the time would take a third of it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
