"""The month in which a moment falls, where the person is."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import F, Func
from django.db.models.functions import TruncMonth

from .exact import Raw
from .expressions import within_calendar

_SURE = "substr({0}, 9, 2) BETWEEN '02' AND '29' AND substr({0}, 6, 5) NOT IN ('02-28', '02-29')"
"""A moment, as SQLite writes it in UTC, that no clock on earth puts into another month: none differs by a day."""


class LocalMonth(Func):
    """The month of the moment under `name` in `zone`; its first seven letters are `YYYY-MM`.

    SQLite knows no zones, and a call of Python for every row takes several times longer than all else. So it is called
    for the moments at either end of a month alone; of others the month is that which is written there.
    """

    output_field = Raw()

    def __init__(self, name: str, zone: dt.tzinfo) -> None:
        self._is_utc = zone in (dt.UTC, ZoneInfo("UTC"))
        super().__init__(F(name), TruncMonth(within_calendar(name, zone), tzinfo=zone))

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # type: ignore[override]  # extra has the rest
        """Let the database convert every moment."""
        return compiler.compile(self.get_source_expressions()[1])

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Convert what needs it; where moments are not kept in UTC, all of them."""
        if connection.timezone_name != "UTC":
            return self.as_sql(compiler, connection)
        (moment, params), (month, converting) = map(compiler.compile, self.get_source_expressions())
        if self._is_utc:
            return f"substr({moment}, 1, 7)", params
        sql = f"substr(CASE WHEN {_SURE.format(moment)} THEN {moment} ELSE {month} END, 1, 7)"
        return sql, (*params, *params, *params, *converting)
