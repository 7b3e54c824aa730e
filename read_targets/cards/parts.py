"""The parts of a workspace page, as its templates draw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from .values import Chip, shown_value


@dataclass(frozen=True)
class Heading:
    """The head of a column: its words, and how a click on it sorts."""

    name: str
    label: str
    unit: str
    kind: str
    address: str = ""
    order: str = ""
    direction: str = ""


@dataclass(frozen=True)
class Cell:
    """One value of a row or a group, as text; `raw` is how it is stored."""

    kind: str
    text: str
    raw: Any = None
    is_null: bool = False
    is_withheld: bool = False


@dataclass(frozen=True)
class Tile:
    """A figure over all rows, and others of the same column."""

    label: str
    value: str
    unit: str
    details: list[Chip]


@dataclass(frozen=True)
class GroupRow:
    """A line of the group table."""

    label: str
    cells: list[Cell]
    style: str = ""


@dataclass(frozen=True)
class Measure:
    """What the chart can be drawn by."""

    name: str
    label: str
    unit: str
    address: str
    is_chosen: bool


def tile_of(column: Mapping[str, Any], figure: Mapping[str, Any]) -> Tile:
    """Return a column's figure as a tile: its sum, and the others beside it."""
    kind = column["kind"]
    named = [
        (_("average"), figure.get("average"), "number"),
        (_("smallest"), figure.get("min"), kind),
        (_("largest"), figure.get("max"), kind),
        (pgettext("how many", "values"), figure.get("count"), "integer"),
    ]
    details = [Chip(label, shown_value(value, kind) or _("none")) for label, value, kind in named]
    return Tile(column["words"], shown_value(figure.get("sum"), kind), column.get("unit", ""), details)


def cell_of(kind: str, value: Any) -> Cell:
    """Return a stored value as a cell."""
    return Cell(kind, shown_value(value, kind), value, is_null=value is None)


def style_of(group: Mapping[str, Any]) -> str:
    """Return how a group is drawn that has no value to show."""
    return "is-withheld" if group.get("withheld") else "is-null" if group.get("key") is None else ""
