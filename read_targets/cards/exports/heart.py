"""The beat of an export that is being written: it renews the lease, tells how far it is, and hears of being ended.

It beats in a thread with a connection of its own, since the one that reads the list stays within one snapshot, and
since the database may take minutes to sort a list before it gives the first row.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import OperationalError, connections, router
from django.utils import timezone

from .models import Export

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=2)
"""How long an export whose worker is silent is taken to be at work."""

EVERY = 1.0
"""Seconds between two beats."""


class Ended(Exception):
    """The export is no longer this worker's to write: its person ended it, or its lease was over."""


class Heart:
    """The beat of one run of an export."""

    def __init__(self, export: Export) -> None:
        self.export = export
        self.total: int | None = None
        self.written = 0
        self.is_over = False
        self.stopped = threading.Event()
        self._beat_at = time.monotonic()
        self._by_thread = False

    def wrote(self, rows: int) -> None:
        """So many rows more are written; raises Ended."""
        self.written += rows
        if not self._by_thread and time.monotonic() - self._beat_at >= EVERY:
            self.beat()
        if self.is_over:
            raise Ended

    def beat(self) -> None:
        """Renew the lease and tell how far it is, where the export is still this run's."""
        self._beat_at = time.monotonic()
        told = {"rows_total": self.total, "rows_written": self.written}
        try:
            self.is_over = not self.export.in_this_run().update(lease_until=timezone.now() + LEASE, **told)
        except OperationalError:
            # Somebody else writes for longer than we wait; the lease is long enough to miss some beats.
            logger.warning("the export %s could not say how far it is", self.export.pk)

    def beat_on(self) -> None:
        """Beat until it is stopped."""
        try:
            while not self.stopped.wait(EVERY):
                self.beat()
        finally:
            connections.close_all()  # of this thread alone


@contextmanager
def beating(export: Export) -> Iterator[Heart]:
    """Beat for as long as what is inside takes; in a transaction that is open already, no thread could see the row."""
    heart = Heart(export)
    if connections[router.db_for_write(Export)].in_atomic_block:
        yield heart
        return
    heart._by_thread = True
    thread = threading.Thread(target=heart.beat_on, name=f"export-{export.pk}", daemon=True)
    thread.start()
    try:
        yield heart
    finally:
        heart.stopped.set()
        thread.join()
