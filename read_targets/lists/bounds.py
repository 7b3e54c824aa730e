"""What the reading of one call may take: how long, and only while somebody still waits for it.

Nothing of this holds outside of `bounded`: an application's own screens ask a list for as long as they like. Inside, a
snapshot is stopped, by the database itself, when the call's time is over, when its caller hangs up, and when a reading
that turned out long is given no room. It is stopped only while it is within its own snapshot, so that whatever the
connection is used for next meets nothing of it.
"""

from __future__ import annotations

import logging
import math
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from django.db import DatabaseError

from . import watch

logger = logging.getLogger(__name__)

OPERATIONS = 20_000
"""Operations of SQLite's machine, about a millisecond, between two looks at the clock."""

RENEWED_AFTER = 0.25
"""Seconds after which a statement is given what is left of the time anew: until then that costs no round trip."""

CANCEL_SECONDS = 5.0
"""How long telling PostgreSQL to end a statement may take: it goes over a connection of its own."""


class Stopped(Exception):
    """A reading that was stopped before it had an answer. Its words are for whoever asked."""


class TooSlow(Stopped):
    """It took longer than a reading may."""

    def __init__(self) -> None:
        super().__init__("Reading the list took longer than it may: ask for less of it.")


class CallerLeft(Stopped):
    """Whoever asked hung up."""

    def __init__(self) -> None:
        super().__init__("The caller hung up before the list was read.")


class TooManyReads(Stopped):
    """It turned out long, and as many long ones of the same person are being read already."""

    def __init__(self) -> None:
        super().__init__("Too many long readings of this person at once: wait for one to end.")


class Room(Protocol):
    """Where a reading that turned out long must find a place. Both are called in a thread of the watch."""

    after: float
    """Seconds after which a reading is long."""

    def take(self) -> bool:
        """Take a place; False where there is none."""

    def give_back(self) -> None:
        """Give the place back."""


class Bound:
    """The reading of one call. It reads in one thread; others may stop it."""

    def __init__(self, seconds: float | None, room: Room | None = None) -> None:
        self.began = time.monotonic()
        self.until = None if seconds is None else self.began + seconds
        self.room = room
        self.reason: Stopped | None = None
        self._lock = Lock()
        self._inside: tuple[Any, Any] | None = None
        self._asked_room = False
        self._has_room = False
        self._is_over = False
        self._statement_began = self.began
        self._told_at = 0.0
        self._own_seconds = 0.0

    def stop(self, reason: Stopped) -> None:
        """Let the reading end for that reason, at once where it is within its snapshot; the first reason stands."""
        with self._lock:
            if self.reason is None and not self._is_over:
                self.reason = reason
                if self._inside is not None:
                    _cancel(*self._inside)

    def check(self) -> None:
        """Raises Stopped where the reading may not go on."""
        if self.reason is not None:
            raise self.reason
        if self._is_late():
            raise TooSlow

    def holds(self, connection: Any) -> bool:
        """Whether the snapshot that is open on the connection is this reading's."""
        return self._inside is not None and self._inside[0] is connection

    def opening(self, connection: Any) -> str:
        """Return what PostgreSQL is told as the snapshot opens: how long a statement may take. Empty without a limit.

        A limit that the site set for the connection itself stands where it is the shorter.
        """
        self.check()
        self._own_seconds = _own_seconds(connection)
        return "" if self.until is None else f"; {self._limit()}"

    @contextmanager
    def within(self, connection: Any) -> Iterator[None]:
        """What is read inside can be stopped; raises Stopped where it was. Entered once the transaction is open."""
        driver = connection.connection
        is_sqlite = connection.vendor == "sqlite"
        if is_sqlite:
            driver.set_progress_handler(self._must_end, OPERATIONS)
        with self._lock:
            self._inside = connection, driver
        watch.add(self)
        try:
            with connection.execute_wrapper(self._run), self.telling():
                yield
        finally:
            watch.remove(self)
            # Where somebody is stopping it just now, this waits: what comes next on the connection is not theirs.
            with self._lock:
                self._inside = None
            if is_sqlite and connection.connection is driver:
                driver.set_progress_handler(None, 0)

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Raise Stopped in place of what the database says of a statement that was stopped."""
        try:
            yield
        except DatabaseError as error:
            reason = self._why(error)
            if reason is None:
                raise
            raise reason from error

    def weigh(self) -> None:
        """Find the reading a place where it turned out long, or stop it; called by the watch, over and over."""
        if self.room is None or self._asked_room or time.monotonic() - self.began < self.room.after:
            return
        self._asked_room = True
        if not self.room.take():
            self.stop(TooManyReads())
            return
        with self._lock:
            self._has_room = not self._is_over
        if not self._has_room:
            self.room.give_back()

    def end(self) -> None:
        """Say that nothing more is read."""
        with self._lock:
            self._is_over = True
        if self._has_room and self.room is not None:
            watch.later(self.room.give_back)

    def _run(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """Let a statement have what is left of the time."""
        self.check()
        self._statement_began = time.monotonic()
        connection = context["connection"]
        if connection.vendor == "postgresql" and self.until and self._statement_began > self._told_at + RENEWED_AFTER:
            with connection.connection.cursor() as cursor:
                cursor.execute(self._limit())
        with self.telling():
            return execute(sql, params, many, context)

    def _limit(self) -> str:
        self._told_at = time.monotonic()
        left = max(0.001, (self.until or 0) - self._told_at)
        return f"SET LOCAL statement_timeout = {math.ceil(min(left, self._own_seconds or left) * 1_000)}"

    def _is_late(self) -> bool:
        return self.until is not None and time.monotonic() >= self.until

    def _must_end(self) -> int:
        return int(self.reason is not None or self._is_late())

    def _why(self, error: DatabaseError) -> Stopped | None:
        """Return why the database ended a statement, None where that was not for any of our reasons.

        PostgreSQL says the same of a statement that took too long and of one that an administrator ended; its words
        differ, but are in the server's language.
        """
        cause = error.__cause__
        is_ours = getattr(cause, "sqlstate", None) == "57014" or (
            getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        )
        if not is_ours:
            return None
        if self.reason is not None:
            return self.reason
        own = self._own_seconds and time.monotonic() - self._statement_began >= self._own_seconds
        return TooSlow() if own or self._is_late() else None


class Caller:
    """Whoever waits for an answer, with what is being read for them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._bounds: set[Bound] = set()
        self._is_gone = False

    def add(self, bound: Bound) -> None:
        """Let a reading end when they hang up; one that begins afterwards ends before it has begun."""
        with self._lock:
            self._bounds.add(bound)
            is_gone = self._is_gone
        if is_gone:
            bound.stop(CallerLeft())

    def remove(self, bound: Bound) -> None:
        """The reading is over."""
        with self._lock:
            self._bounds.discard(bound)

    def leave(self) -> tuple[Bound, ...]:
        """They hung up. Return what is being read for them, which is to be stopped."""
        with self._lock:
            self._is_gone = True
            return tuple(self._bounds)


_bound: ContextVar[Bound | None] = ContextVar("read_targets_bound", default=None)
_caller: ContextVar[Caller | None] = ContextVar("read_targets_caller", default=None)
_own: WeakKeyDictionary[Any, float] = WeakKeyDictionary()


@contextmanager
def bounded(seconds: float | None, room: Room | None = None) -> Iterator[None]:
    """What is read inside, in this thread, may take so many seconds in all (None: as long as it takes).

    A snapshot inside raises Stopped where it is ended; its connection is as usable as after any error. `room` is where
    a reading that turns out long must find a place. Within another `bounded`, that one stands.
    """
    if _bound.get() is not None:
        yield
        return
    bound, caller = Bound(seconds, room), _caller.get()
    token = _bound.set(bound)
    if caller is not None:
        caller.add(bound)
    try:
        yield
    finally:
        _bound.reset(token)
        bound.end()
        if caller is not None:
            caller.remove(bound)


def bound_now() -> Bound | None:
    """Return what bounds the reading of this thread, None where nothing does."""
    return _bound.get()


@contextmanager
def called_by(caller: Caller) -> Iterator[None]:
    """What is read inside, in whatever thread this context is carried to, is read for that caller."""
    token = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(token)


def _cancel(connection: Any, driver: Any) -> None:
    """End the statement that runs on the connection; where none runs, nothing happens."""
    try:
        if connection.vendor == "sqlite":
            driver.interrupt()
        elif connection.vendor == "postgresql":
            # Returns when the server has passed it on: one that reads the next statement forgets what came before.
            driver.cancel_safe(timeout=CANCEL_SECONDS)
    except Exception:  # of whichever driver: the statement then goes on until its time is over
        logger.exception("a statement could not be ended")


def _own_seconds(connection: Any) -> float:
    """How long a statement may take on that connection anyway, 0 for any time; asked once of each connection."""
    connection.ensure_connection()
    driver = connection.connection
    if driver not in _own:
        with connection.cursor() as cursor:
            cursor.execute("SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'")
            _own[driver] = cursor.fetchone()[0] / 1_000
    return _own[driver]
