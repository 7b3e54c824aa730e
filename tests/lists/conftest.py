"""The tests' own tables, and a database in which several connections meet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections

from project.demo.drilling.models import RigEvent
from project.demo.ledger.models import CashTransaction, CashTransactionGroupGrant, CashTransactionUserGrant
from read_targets.models import ReadTarget

from .shelf import build_tables


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Add the tests' own tables; a test's rows are rolled back."""
    with django_db_blocker.unblock():
        build_tables()


class Everywhere:
    """A router that sends every model to one database."""

    def __init__(self, alias: str) -> None:
        self.alias = alias

    def db_for_read(self, model: Any, **hints: Any) -> str:
        """Return the one database."""
        return self.alias

    db_for_write = db_for_read

    def allow_relation(self, *objects: Any, **hints: Any) -> bool:
        """They are all in one."""
        return True


WRITTEN = (RigEvent, CashTransaction, CashTransactionUserGrant, CashTransactionGroupGrant)
"""What the tests of snapshots write, the referring ones behind."""


@pytest.fixture
def shared(db: None, tmp_path: Path, settings: Any) -> Iterator[str]:
    """Return the alias of the company's database for connections whose writing is real; all of it is undone at the end.

    SQLite's test database lies in memory, for one writer or reader at a time, so there it is a copy in a file.
    """
    connections.settings["shared"] = dict(connections.settings["default"])
    if connection.vendor == "sqlite":
        path = tmp_path / "shared.sqlite3"
        with closing(sqlite3.connect(path)) as copy:
            connection.connection.backup(copy)
        connections.settings["shared"]["NAME"] = str(path)
    settings.DATABASE_ROUTERS = [Everywhere("shared")]
    # A test is kept off databases that it did not name, unless they are connected already.
    connections["shared"].connect()
    kept = [(model, list(model._base_manager.all())) for model in WRITTEN]
    targets = list(ReadTarget.objects.values_list("pk", flat=True))
    try:
        yield "shared"
    finally:
        if connection.vendor != "sqlite":
            ReadTarget.objects.exclude(pk__in=targets).delete()
            for model, _ in reversed(kept):
                model._base_manager.all()._raw_delete("shared")  # type: ignore[attr-defined]  # deletes without looking
            for model, rows in kept:
                model._base_manager.bulk_create(rows)
            connections["shared"].close_pool()  # type: ignore[attr-defined]  # of the PostgreSQL wrapper alone
        connections["shared"].close()
        del connections["shared"]
        del connections.settings["shared"]
