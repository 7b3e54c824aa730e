"""Groups by month, of days: the database groups by days, which an index may give it in order, and adds these up.

To tell the month of each row costs more than to tell its day, and to add up thousands of days in Python more than to
read ten thousand rows (docs/performance.md).
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import QuerySet

_MONTH = {"postgresql": "to_char({}, 'YYYY-MM')"}
_MONTH_OF_TEXT = "substr({}, 1, 7)"
"""A day begins with its month where it is held as a text, as SQLite does."""


def months_of(days: QuerySet[Any, Any], keys: list[str], added: dict[str, str]) -> list[tuple[Any, ...]]:
    """Return groups by day, with their aggregates, as groups by month.

    `keys` are the columns that make a group, the day first; `added` says in SQL how each of the other columns is added
    up, `{}` standing for it. A month is told as `YYYY-MM`.
    """
    connection = connections[days.db]
    try:
        sql, params = days.values_list(*keys, *added).query.get_compiler(days.db).as_sql()
    except EmptyResultSet:  # nothing can be among them, so the database is not even asked
        return []
    day, *others = map(connection.ops.quote_name, keys)
    month = _MONTH.get(connection.vendor, _MONTH_OF_TEXT).format(day)
    sums = [way.format(connection.ops.quote_name(name)) for name, way in added.items()]
    columns, groups = ", ".join([month, *others, *sums]), ", ".join(str(at + 1) for at in range(len(keys)))
    with connection.cursor() as cursor:
        # Nothing but names of ours and what Django compiled; a value is a parameter.
        cursor.execute(f"SELECT {columns} FROM ({sql}) AS days GROUP BY {groups}", params)  # noqa: S608
        return list(cursor.fetchall())
