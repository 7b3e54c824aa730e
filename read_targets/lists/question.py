"""What is asked of a list."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .conditions import Condition


@dataclass(frozen=True)
class Order:
    """One term of an order: a path and its direction."""

    path: str
    descending: bool = False


@dataclass(frozen=True)
class Question:
    """Which rows of a list, in which order, and which figures over all of them.

    `key` names one record by its primary key; `text` is searched word by word; `shown` are the paths of the rows
    (None: all that the list shows), `limit` of them, which may depend on how many rows there are; `figures` are the
    number paths summarised; `zone` decides where a day begins.
    """

    conditions: tuple[Condition, ...] = ()
    text: str = ""
    key: Any = None
    order: tuple[Order, ...] = ()
    shown: tuple[str, ...] | None = None
    offset: int = 0
    limit: int | Callable[[int], int] = 0
    figures: tuple[str, ...] = ()
    group_by: str | None = None
    zone: dt.tzinfo = dt.UTC
    count: bool = True
