"""The two transactions of a call: one that reads a snapshot, one that writes what came of it.

They are apart because on SQLite a transaction that has read cannot turn to writing while another writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from .bounds import bound_now

ISOLATION = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


@contextmanager
def snapshot(using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Read everything inside from one consistent state of the database, and write nothing.

    Inside a transaction that is already open, that transaction's isolation stands: a snapshot within a snapshot is
    the same one. `checks` refuses ATOMIC_REQUESTS, under which no call could open its own.

    Inside `bounded` a snapshot of its own has what is left of the call's time; raises Stopped where it was ended.
    """
    connection, bound = connections[using], bound_now()
    if connection.in_atomic_block:
        with bound.telling() if bound is not None and bound.holds(connection) else nullcontext():
            yield
        return
    opening = ""
    if connection.vendor == "postgresql":
        opening = ISOLATION + (bound.opening(connection) if bound is not None else "")
    with _mode(using, None), transaction.atomic(using=using):
        if opening:
            with connection.cursor() as cursor:
                cursor.execute(opening)
        # Left again before the transaction ends, so that its end is never stopped.
        with bound.within(connection) if bound is not None else nullcontext():
            yield


@contextmanager
def writing(using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Write everything inside or nothing; on SQLite the write lock is taken, or waited for, at the start."""
    if connections[using].in_atomic_block:
        with transaction.atomic(using=using):
            yield
        return
    with _mode(using, "IMMEDIATE"), transaction.atomic(using=using):
        yield


@contextmanager
def _mode(using: str, mode: str | None) -> Iterator[None]:
    connection = connections[using]
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    before = connection.transaction_mode  # type: ignore[attr-defined]  # of the SQLite wrapper alone
    connection.transaction_mode = mode  # type: ignore[attr-defined]
    try:
        yield
    finally:
        connection.transaction_mode = before  # type: ignore[attr-defined]
