"""Reading a list from a replica: when one serves, how far it is behind, and the router that sends the reading there.

Who is calling and what they hold everywhere is asked of the database itself, before; only the grants on single objects
are joined to the rows where those are read. So a replica serves a reading where it is no more than
`REPLICA_MOST_SECONDS` behind, and shows the newest stamp of `stamps`: a grant that was taken back opens nothing any
more. Whatever else is asked, and all that is written, stays with the database itself (docs/decisions/0022).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, router
from django.db.models import Model

from .conf import setting
from .stamps import ONLY, GrantsStamp

logger = logging.getLogger(__name__)

T = TypeVar("T")

AWAY_SECONDS = 5.0
"""How long a replica is not asked again that could not be reached: each time may cost what its timeout is."""

_source: ContextVar[str | None] = ContextVar("read_targets_source", default=None)
_away_until = 0.0


class ReplicaRouter:
    """Sends what is read within `from_replica` to the replica, and nothing else."""

    def db_for_read(self, model: type[Model], **hints: Any) -> str | None:
        """The replica, for what would be read of the default database."""
        alias = _source.get()
        if alias is None:
            return None
        with _reading(None):
            usual: str = router.db_for_read(model, **hints)
        return alias if usual == DEFAULT_DB_ALIAS else usual

    def allow_relation(self, one: Model, other: Model, **hints: Any) -> bool | None:
        """Rows of the replica are rows of the database itself."""
        return True if {one._state.db, other._state.db} <= {DEFAULT_DB_ALIAS, setting("REPLICA")} else None

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        """A replica gets its tables from the database that it follows."""
        return False if db == setting("REPLICA") else None


@dataclass(frozen=True)
class Primary:
    """The database itself: its stamp, how far its log is, and its clock (seconds)."""

    stamp: Any
    position: str
    now: float


@dataclass(frozen=True)
class Replica:
    """A replica: its stamp, whether it has all of the log, and when the newest transaction was done that it has."""

    stamp: Any
    has_all: bool
    newest: float | None


def from_replica(model: type[Model], read: Callable[[], T]) -> tuple[T, int | None]:
    """Return what `read` returns, and how many milliseconds it may be behind (None: the database itself was read).

    `read` reads lists of `model`. It is called within a replica where one serves, and again where that one failed.
    """
    milliseconds = behind_now() if _may_read_elsewhere(model) else None
    if milliseconds is None:
        return read(), None
    try:
        with _reading(setting("REPLICA")):
            return read(), milliseconds
    except DatabaseError as error:
        # It went away, or had to end the reading for what came in from the database that it follows.
        _note_away(error)
    return read(), None


def behind_now() -> int | None:
    """Return how many milliseconds the replica is behind; None where it does not serve."""
    if time.monotonic() < _away_until or connections[DEFAULT_DB_ALIAS].vendor != "postgresql":
        return None
    primary = primary_facts()
    try:
        replica = replica_facts(setting("REPLICA"), primary.position)
    except DatabaseError as error:
        _note_away(error)
        return None
    return None if replica is None else behind(primary, replica)


def behind(primary: Primary, replica: Replica) -> int | None:
    """Return by how many milliseconds at most a replica is behind; None where it does not serve.

    One that has all of the log is not behind, however long nothing has been written. One that does not is behind by no
    more than the age of the newest transaction that it has, by the clock of the database that did it.
    """
    if replica.stamp != primary.stamp:
        return None
    if replica.has_all:
        return 0
    if replica.newest is None:
        return None
    seconds = max(0.0, primary.now - replica.newest)
    return round(seconds * 1_000) if seconds <= setting("REPLICA_MOST_SECONDS") else None


def primary_facts() -> Primary:
    """Ask the database itself."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_OF_PRIMARY, [ONLY])
        stamp, position, now = cursor.fetchone()
    return Primary(stamp, position, float(now))


def replica_facts(alias: str, position: str) -> Replica | None:
    """Ask a replica whether it has all up to that position; None where it is none. Raises DatabaseError."""
    with connections[alias].cursor() as cursor:
        cursor.execute(_OF_REPLICA, [ONLY, position])
        row = cursor.fetchone()
    if row is None:
        return None
    stamp, has_all, newest = row
    return Replica(stamp, bool(has_all), None if newest is None else float(newest))


_STAMP = f'(SELECT stamp FROM "{GrantsStamp._meta.db_table}" WHERE id = %s)'  # noqa: S608  # a name of ours

_OF_PRIMARY = f"SELECT {_STAMP}, pg_current_wal_lsn()::text, extract(epoch FROM clock_timestamp())"  # noqa: S608  # as above

_OF_REPLICA = (
    f"SELECT {_STAMP}, pg_last_wal_replay_lsn() >= %s::pg_lsn, "  # noqa: S608  # as above
    "extract(epoch FROM pg_last_xact_replay_timestamp()) WHERE pg_is_in_recovery()"
)


def _may_read_elsewhere(model: type[Model]) -> bool:
    """Whether a replica is set that holds the model, and nothing is read that is not committed yet."""
    if setting("REPLICA") is None or router.db_for_read(model) != DEFAULT_DB_ALIAS:
        return False
    return not in_transaction()


def in_transaction() -> bool:
    """Whether a transaction is open on the database itself, whose own writes a replica does not have."""
    return connections[DEFAULT_DB_ALIAS].in_atomic_block


@contextmanager
def _reading(alias: str | None) -> Iterator[None]:
    token = _source.set(alias)
    try:
        yield
    finally:
        _source.reset(token)


def _note_away(error: DatabaseError) -> None:
    global _away_until
    _away_until = time.monotonic() + AWAY_SECONDS
    logger.warning("the replica does not serve: %s", type(error).__name__)
