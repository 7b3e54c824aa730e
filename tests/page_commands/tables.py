"""Every row of every table, to be compared: what a test says has changed nothing, has changed nothing."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db import connection

LOGS = {
    *("read_targets.toolcall", "read_targets.allowance", "sessions.session", "axes.accesslog", "axes.accessattempt"),
    "admin.logentry",
}
"""What is written down of every call and every sign-in, whatever comes of it."""

NOTED = {"read_targets.agenttoken": {"last_used_at"}, "auth.user": {"last_login"}}
"""Columns in which it is noted that there was one."""

Rows = dict[str, dict[Any, tuple[Any, ...]]]


def tables(*without: str) -> Rows:
    """Return the rows of all tables but the logs, and those whose label begins with one of `without`.

    As the database has them, without the models' help, which would cost more than all the rest of a test.
    """
    found: Rows = {}
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            label = model._meta.label_lower
            if label in LOGS or label.startswith(without or ("-",)) or not model._meta.managed or model._meta.proxy:
                continue
            left_out = NOTED.get(label, set())
            fields = [field for field in model._meta.local_concrete_fields if field.attname not in left_out]
            columns = ", ".join(quote(field.column) for field in fields)
            key = next(place for place, field in enumerate(fields) if field.primary_key)
            cursor.execute(f"SELECT {columns} FROM {quote(model._meta.db_table)}")  # noqa: S608  # names of our own
            found[label] = {row[key]: row for row in cursor.fetchall()}
    return found


def differences(before: Rows, after: Rows) -> dict[str, dict[str, Any]]:
    """Return what differs, by table: rows that came, that went, and that changed."""
    found: dict[str, dict[str, Any]] = {}
    for label in before:
        one, two = before[label], after[label]
        if one == two:
            continue
        changed = {key: (one[key], two[key]) for key in one.keys() & two.keys() if one[key] != two[key]}
        found[label] = {"came": two.keys() - one.keys(), "went": one.keys() - two.keys(), "changed": changed}
    return found
