"""What a query tool answers, as SQL by hand: in every shape that is known, of which the fastest is taken."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import OperationalError, connection

from read_targets.policies import right_of

from .company import GROUPS, PEOPLE, TABLE, VIEW, Case

GIVEN_UP_MS = 4_000
"""Milliseconds after which a shape is not the fastest."""

FIGURES = {
    "sqlite": "COUNT(*), SUM(CAST(ROUND(t.amount * 100) AS INTEGER)), MIN(t.amount), MAX(t.amount)",
    "postgresql": "COUNT(*), SUM(t.amount), MIN(t.amount), MAX(t.amount)",
}
MONTH = {"sqlite": "substr(t.date, 1, 7)", "postgresql": "to_char(t.date, 'YYYY-MM')"}
COLUMNS = (
    f"SELECT t.id, t.date, a.name, t.counterparty, t.flow, t.amount, t.status, t.memo FROM {TABLE} t "  # noqa: S608
    "JOIN ledger_account a ON a.id = t.account_id"
)


def best_by_hand(case: Case) -> Callable[[], None]:
    """Return the fastest statements for a person's rights, month groups and the first 20 rows, in one transaction."""
    vendor, wheres = connection.vendor, shapes(case, case.person)
    groups = [
        f"SELECT {key}, {FIGURES[vendor]} FROM {TABLE} t {where} GROUP BY 1"  # noqa: S608  # constants of ours
        for where in wheres
        for key in (MONTH[vendor], "t.date")
    ]
    firsts = [f"{COLUMNS} {where} ORDER BY t.date DESC, t.id DESC LIMIT 20" for where in wheres]
    best = [min(statements, key=seconds_of) for statements in (groups, firsts)]

    def run() -> None:
        fetch("BEGIN")
        for statement in best:
            fetch(statement)
        fetch("COMMIT")

    return run


def shapes(case: Case, person: User) -> list[str]:
    """Return the conditions that select the person's rows, in each shape that is known."""
    right = right_of(VIEW)
    held = []
    if case.own:
        held.append((PEOPLE, f"user_id = {person.pk}"))
    if case.groups:
        keys = ", ".join(str(key) for key in person.groups.values_list("pk", flat=True))
        held.append((GROUPS, f"group_id IN ({keys})"))
    if not held:
        return [""]
    granted = [f"FROM {table} g WHERE {who} AND permission_id = {right}" for table, who in held]
    every = [f"SELECT content_object_id {one}" for one in granted]
    each = [f"SELECT 1 {one} AND g.content_object_id = t.id" for one in granted]
    return [
        f"WHERE t.id IN ({' UNION '.join(every)})",
        f"WHERE {' OR '.join(f't.id IN ({one})' for one in every)}",
        f"WHERE {' OR '.join(f'EXISTS ({one})' for one in each)}",
        f"WHERE COALESCE({', '.join(f'({one} LIMIT 1)' for one in each)}, 0) = 1",
    ]


def fetch(statement: str) -> None:
    """Run a statement and read all that it gives."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        if cursor.description:
            cursor.fetchall()


def seconds_of(statement: str) -> float:
    """Return the seconds of the better of two runs; infinite where one takes too long to be the fastest."""
    times = []
    for _ in range(2):
        began = time.perf_counter()
        try:
            with _given_up():
                fetch(statement)
        except OperationalError:
            return float("inf")
        times.append(time.perf_counter() - began)
    return min(times)


class _given_up:
    """Ends a statement that takes too long, on either database."""

    def __enter__(self) -> None:
        until = time.perf_counter() + GIVEN_UP_MS / 1000
        if connection.vendor == "postgresql":
            fetch(f"SET statement_timeout = {GIVEN_UP_MS}")
        else:
            connection.connection.set_progress_handler(lambda: time.perf_counter() > until, 100_000)

    def __exit__(self, *raised: object) -> None:
        if connection.vendor == "postgresql":
            fetch("SET statement_timeout = 0")
        else:
            connection.connection.set_progress_handler(None, 0)
