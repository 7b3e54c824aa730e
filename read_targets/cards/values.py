"""Stored values in a person's words: every digit kept, only written as their language writes it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import formats
from django.utils.translation import gettext as _

from ..agent.labels import text_of

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_MONTH = re.compile(r"\d{4}-\d{2}")


def exact_number(value: Any) -> str:
    """Return a number, or a string of one, with its digits grouped as the active language does; no digit is changed.

    What is no plain number comes back as it is written.
    """
    text = str(value)
    if isinstance(value, bool) or not _NUMBER.fullmatch(text):
        return text
    # As a string it never becomes a float on the way.
    return str(formats.number_format(text, force_grouping=True))


def shown_value(value: Any, kind: str) -> str:
    """Return a stored value of a column's `kind` as text; empty for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if kind in ("number", "integer"):
        return exact_number(value)
    return _shown_date(str(value)) if kind == "date" else str(value)


def _shown_date(text: str) -> str:
    try:
        if _MONTH.fullmatch(text):
            return formats.date_format(dt.date.fromisoformat(f"{text}-01"), "YEAR_MONTH_FORMAT")
        if "T" in text:
            # In the zone in which it was read, which the page names.
            return formats.date_format(dt.datetime.fromisoformat(text), "DATETIME_FORMAT")
        return formats.date_format(dt.date.fromisoformat(text), "DATE_FORMAT")
    except ValueError:
        return text


@dataclass(frozen=True)
class Chip:
    """A condition as it was asked: what it is called, and the value it was given."""

    label: str
    value: str


_OURS = {"id": lambda: _("record"), "text": lambda: _("words")}


def chips_of(conditions: Iterable[Mapping[str, Any]]) -> list[Chip]:
    """Return stored conditions, each with its `name`, `label` and `value`, and perhaps its `kind`."""
    return [Chip(_called(one), shown_value(one.get("value"), _kind_of(one))) for one in conditions]


def _called(condition: Mapping[str, Any]) -> str:
    name = str(condition.get("name", ""))
    own = _OURS[name]() if name in _OURS else name
    return text_of(condition.get("label"), own)


def _kind_of(condition: Mapping[str, Any]) -> str:
    kind = str(condition.get("kind") or "string")
    # A year or a month is no amount: its digits are not grouped.
    return "string" if kind == "integer" else kind
