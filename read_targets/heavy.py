"""What one call may read for a person: for so long, and of what turns out long so many at once.

Only a reading that has run for `HEAVY_AFTER_MS` takes a place, so a quick one writes nothing. The places stand in the
database, where every process sees them: one row for each, taken by one statement, free again when it is given back or
when its time is over, whatever became of its holder (docs/decisions/0017).
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connections, router
from django.db.models import QuerySet

from .agent.models import HeavyRead
from .conf import setting
from .lists.bounds import bounded

LONGER = 5.0
"""Seconds that a place is held at most after the reading must have ended."""

LONGEST = 3_600.0
"""Seconds that a place is held at most where a reading may take any time."""

PATIENCE = 0.1
"""Seconds that taking a place waits on SQLite for whoever writes there. What cannot be counted then goes on."""

REMEMBERED = 2.0
"""Seconds for which a person who was refused a place is asked at once whether there is one."""

_refused: dict[Any, float] = {}


@contextmanager
def one_call(user: Any) -> Iterator[None]:
    """What is read inside is read for one call of this person; raises Stopped where that takes too long or too much."""
    seconds, at_once = setting("READ_SECONDS"), setting("READS_AT_ONCE")
    with bounded(seconds, Place(user.pk, at_once, seconds) if at_once and user.pk is not None else None):
        yield


class Place:
    """A place among a person's long readings."""

    def __init__(self, user_id: Any, at_once: int, seconds: float | None) -> None:
        self.user_id = user_id
        self.at_once = at_once
        self.seconds = LONGEST if seconds is None else seconds + LONGER
        self.holder = ""
        self.after = setting("HEAVY_AFTER_MS") / 1_000
        if _refused and _refused.get(user_id, 0.0) > time.monotonic():
            self.after = 0.0

    def take(self) -> bool:
        """Take a place that is free; False where all are held."""
        now = _now()
        try:
            with _connection() as connection:
                held = _held(connection, self.user_id, now)
                free = (place for place in range(self.at_once) if place not in held)
                if any(self._take(connection, place, now) for place in free):
                    return True
        except OperationalError:
            if connections[_alias()].vendor != "sqlite":
                raise
            return True
        _remember(self.user_id)
        return False

    def give_back(self) -> None:
        """Give the place back, where it was not taken by others after its time."""
        if self.holder:
            table, quote = HeavyRead._meta.db_table, connections[_alias()].ops.quote_name
            with _connection() as connection, connection.cursor() as cursor:
                statement = f"DELETE FROM {quote(table)} WHERE {quote('holder')} = %s"  # noqa: S608  # names of our own
                cursor.execute(statement, [self.holder])

    def _take(self, connection: Any, place: int, now: int) -> bool:
        """Take this very place where it is free, in one statement."""
        quote = connection.ops.quote_name
        table, user, at, holder, until = map(
            quote, (HeavyRead._meta.db_table, "user_id", "place", "holder", "expires_at")
        )
        statement = (
            f"INSERT INTO {table} ({user}, {at}, {holder}, {until}) VALUES (%s, %s, %s, %s) "  # noqa: S608  # as above
            f"ON CONFLICT ({user}, {at}) DO UPDATE SET {holder} = excluded.{holder}, {until} = excluded.{until} "
            f"WHERE {table}.{until} <= %s RETURNING {at}"
        )
        mine = uuid.uuid4().hex
        person = HeavyRead._meta.get_field("user").get_db_prep_save(self.user_id, connection)
        with connection.cursor() as cursor:
            cursor.execute(statement, [person, place, mine, now + int(self.seconds * 1_000_000), now])
            if cursor.fetchone() is None:
                return False
        self.holder = mine
        return True


def free_places() -> QuerySet[HeavyRead]:
    """The places that were held past their time."""
    return HeavyRead.objects.using(_alias()).filter(expires_at__lte=_now())


def _held(connection: Any, user_id: Any, now: int) -> set[int]:
    quote = connection.ops.quote_name
    person = HeavyRead._meta.get_field("user").get_db_prep_save(user_id, connection)
    statement = (
        f"SELECT {quote('place')} FROM {quote(HeavyRead._meta.db_table)} "  # noqa: S608  # names of our own, quoted
        f"WHERE {quote('user_id')} = %s AND {quote('expires_at')} > %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [person, now])
        return {place for (place,) in cursor.fetchall()}


@contextmanager
def _connection() -> Iterator[Any]:
    """A connection for the watch alone: where readings hold all that a pool has, they are counted all the same."""
    connection = connections[_alias()].copy()
    options = connection.settings_dict["OPTIONS"]
    options.pop("pool", None)
    if connection.vendor == "sqlite":
        options["timeout"] = PATIENCE
    connection.connect()
    try:
        yield connection
    finally:
        connection.close()


def _remember(user_id: Any) -> None:
    now = time.monotonic()
    for one in [one for one, until in _refused.items() if until <= now]:
        del _refused[one]
    _refused[user_id] = now + REMEMBERED


def _alias() -> str:
    return router.db_for_write(HeavyRead)


def _now() -> int:
    return time.time_ns() // 1_000
