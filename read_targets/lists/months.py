"""Groups by month, of days: the database groups by days, which an index may give it in order, and adds these up.

To tell the month of each row costs more than to tell its day, and to add up thousands of days in Python more than to
read ten thousand rows (docs/performance.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db import connections

from .compiled import Compiled

_MONTH = {"postgresql": "to_char({}, 'YYYY-MM')"}
_MONTH_OF_TEXT = "substr({}, 1, 7)"
"""A day begins with its month where it is held as a text, as SQLite does."""


def by_month(days: Compiled, keys: Sequence[str], added: Mapping[str, str]) -> Compiled:
    """Return the statement that gives groups by day, with their aggregates, as one that gives groups by month.

    `keys` are the columns that make a group, the day first; `added` says in SQL how each of the others is added up,
    `{}` standing for it. A month is told as `YYYY-MM`.
    """
    connection = connections[days.using]
    day, *others = map(connection.ops.quote_name, keys)
    month = _MONTH.get(connection.vendor, _MONTH_OF_TEXT).format(day)
    sums = [way.format(connection.ops.quote_name(name)) for name, way in added.items()]
    columns, groups = ", ".join([month, *others, *sums]), ", ".join(str(at + 1) for at in range(len(keys)))
    # Nothing but names of ours and what Django compiled; a value is a parameter.
    return replace(days, sql=f"SELECT {columns} FROM ({days.sql}) AS days GROUP BY {groups}")  # noqa: S608
