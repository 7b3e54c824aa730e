"""The hub of this process: it hears that tabs have something to fetch, and tells the streams of their browsers.

On PostgreSQL one thread listens on a connection of its own; elsewhere it looks into the outbox for new rows. It lives
as long as there are streams, and a little longer. What rings while its connection is lost is found when there is one
again, by a look at the sessions themselves; on PostgreSQL they are looked at every two seconds besides. Only a sign-out
is not found that way: a stream that missed it rings for nobody, and is not opened again when its time is over.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connection, transaction
from django.db.models import Max

from .models import Effect, PageSession
from .rings import CHANNEL, Ring, ring_in

logger = logging.getLogger(__name__)

LOOK_EVERY = 0.05
"""Seconds between two looks into the outbox, where nobody can tell us of it."""

GLANCE_EVERY = 0.015
"""Seconds between two glances on SQLite at whether anything was written at all, which cost next to nothing."""

RECHECK_EVERY = 2.0
"""Seconds between two looks at the sessions, on PostgreSQL; also how long a hub without streams stays awake."""

MOST_STREAMS = 5
"""Streams of one sign-in in this process: its tabs share one, and the others are left over or somebody's mischief."""

NAME = "page_commands hub"
"""What PostgreSQL's list of connections calls a hub's own."""

REOPEN_AFTER = 1.0
"""Seconds before a lost connection is opened anew."""


class Ear:
    """What one stream hears: of each session the newest number, since it last listened. Used in its own event loop.

    `is_over`: its browser has signed out. `is_cut`: it must make room for another stream of its browser.
    """

    def __init__(self, browser: str) -> None:
        self.browser = browser
        self.is_over = False
        self.is_cut = False
        self._loop = asyncio.get_running_loop()
        self._heard = asyncio.Event()
        self._rings: dict[str, int] = {}

    def pass_on(self, ring: Ring) -> None:
        """Let the stream hear a ring; from any thread."""
        self._wake(partial(self._note, ring))

    def cut(self) -> None:
        """Let the stream end; from any thread."""
        self._wake(self._end)

    async def listen(self, seconds: float) -> dict[str, int]:
        """Return the rings since the last time, at the latest after `seconds`, then none."""
        try:
            async with asyncio.timeout(seconds):
                await self._heard.wait()
        except TimeoutError:
            return {}
        self._heard.clear()
        rings, self._rings = self._rings, {}
        return rings

    def _note(self, ring: Ring) -> None:
        self._rings[ring.session] = max(ring.seq, self._rings.get(ring.session, 0))
        self.is_over = self.is_over or ring.is_end
        self._heard.set()

    def _end(self) -> None:
        self.is_cut = True
        self._heard.set()

    def _wake(self, tell: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(tell)
        except RuntimeError:
            logger.debug("a stream's event loop is closed already")


class Hub:
    """The ears of this process, by their browsers, and the thread that hears for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ears: dict[str, list[Ear]] = {}
        self._known: dict[str, dict[str, int]] = {}
        self._thread: threading.Thread | None = None

    @contextmanager
    def ear(self, browser: str) -> Iterator[Ear]:
        """Hear what rings for a browser, as long as the block runs; needs a running event loop.

        Where the browser has `MOST_STREAMS` already, the oldest of them ends.
        """
        ear = Ear(browser)
        with self._lock:
            ears = self._ears.setdefault(browser, [])
            ears.append(ear)
            for oldest in ears[:-MOST_STREAMS]:
                ears.remove(oldest)
                oldest.cut()
            self._known.setdefault(browser, {})
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="page-commands-hub", daemon=True)
                self._thread.start()
        try:
            yield ear
        finally:
            with self._lock:
                ears = self._ears.get(browser, [])
                if ear in ears:  # it may have been cut
                    ears.remove(ear)
                    if not ears:
                        del self._ears[browser], self._known[browser]

    def hear(self, ring: Ring) -> None:
        """Tell the streams of the ring's browser, once for each number; from any thread."""
        with self._lock:
            known = self._known.get(ring.browser)
            if known is None or (known.get(ring.session, 0) >= ring.seq and not ring.is_end):
                return
            known[ring.session] = max(ring.seq, known.get(ring.session, 0))
            ears = list(self._ears[ring.browser])
        for ear in ears:
            ear.pass_on(ring)

    def browsers(self) -> list[str]:
        """Return the browsers that have a stream here."""
        with self._lock:
            return list(self._ears)

    def recheck(self, using: Any = connection) -> None:
        """Ring for every open session of our browsers; what is known already is not told again.

        `using` is the connection that is asked, since the hub's own is none of those that Django hands out.
        """
        browsers = self.browsers()
        if not browsers:
            return
        sessions = PageSession.objects.filter(browser__in=browsers, ended_at=None, last_seq__gt=0)
        with using.cursor() as cursor:
            cursor.execute(*sessions.values_list("browser", "pk", "last_seq").query.sql_with_params())
            found = cursor.fetchall()
        for browser, key, seq in found:
            self.hear(Ring(browser, str(UUID(str(key))), seq))

    def _run(self) -> None:
        while self._is_needed():
            try:
                self._hear_for_a_while()
            except DatabaseError:
                # The streams stay, and what rings meanwhile is found when the connection is there again.
                logger.warning("the hub lost its connection and opens another", exc_info=True)
                time.sleep(REOPEN_AFTER)
            except Exception:  # whatever it is, streams must not stay deaf because of it
                logger.exception("the hub broke and starts again")
                time.sleep(REOPEN_AFTER)
            finally:
                connection.close()

    def _is_needed(self) -> bool:
        with self._lock:
            if not self._ears:
                self._thread = None
            return bool(self._ears)

    def _hear_for_a_while(self) -> None:
        """Hear until nobody has listened for a while; raises DatabaseError where the connection is lost."""
        if connection.vendor == "postgresql":
            self._listen()
        else:
            self._look()

    def _listen(self) -> None:
        # Not one of Django's own: those come from a pool, of which this would hold one for ever, or wait for one.
        own: Any = connection.copy()
        own.settings_dict["OPTIONS"].pop("pool", None)
        own.settings_dict["OPTIONS"]["application_name"] = NAME
        try:
            own.connect()
            with own.cursor() as cursor:
                cursor.execute(f"LISTEN {CHANNEL}")
            while self.browsers():
                self.recheck(own)
                with own.wrap_database_errors:
                    for notify in own.connection.notifies(timeout=RECHECK_EVERY):
                        ring = ring_in(notify.payload)
                        if ring is not None:
                            self.hear(ring)
        finally:
            own.close()

    def _look(self) -> None:
        # In this order: what is written in between is found at the next look.
        written = _written()
        newest = _newest_effect()
        self.recheck()
        idle_until = time.monotonic() + RECHECK_EVERY
        while time.monotonic() < idle_until:
            time.sleep(LOOK_EVERY if written is None else GLANCE_EVERY)
            if self.browsers():
                idle_until = time.monotonic() + RECHECK_EVERY
            before, written = written, _written()
            if written is not None and written == before:
                continue
            found = _newest_effect()
            if found > newest:
                self._ring_for_effects(newest)
                newest = found

    def _ring_for_effects(self, after: int) -> None:
        effects = Effect.objects.filter(pk__gt=after, session__browser__in=self.browsers()).order_by("pk")
        for browser, key, seq, kind, payload in effects.values_list(
            "session__browser", "session_id", "seq", "kind", "payload"
        ):
            is_end = kind == Effect.Kind.ENDED and bool(payload.get("signed_out"))
            self.hear(Ring(browser, str(key), seq, is_end))


def _written() -> int | None:
    """What changes once anybody else has written to the database, None where it cannot say so."""
    if connection.vendor != "sqlite":
        return None
    with connection.cursor() as cursor:
        version: int = cursor.execute("PRAGMA data_version").fetchone()[0]
    return version


def _newest_effect() -> int:
    return Effect.objects.aggregate(newest=Max("pk"))["newest"] or 0


hub = Hub()
"""The hub of this process."""


def ring_for(session: PageSession, *, is_end: bool = False) -> None:
    """Ring for the newest effect of `session` when the transaction commits; nothing is heard of one rolled back.

    On PostgreSQL it is heard in every process, by a NOTIFY inside the transaction; elsewhere in this one, and others
    find the effect in the outbox.
    """
    ring = Ring(session.browser, str(session.pk), session.last_seq, is_end)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, ring.written()])
    else:
        transaction.on_commit(partial(hub.hear, ring), robust=True)
