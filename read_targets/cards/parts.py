"""The parts of a workspace page, as its templates draw them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from ..agent.labels import text_of
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
class GoalLine:
    """A goal of a figure: what it asks for, what came of it, and the style of that."""

    label: str
    target: str
    verdict: str
    style: str


@dataclass(frozen=True)
class Tile:
    """A figure over all rows, what it stands on, others of the same column, and its goals."""

    label: str
    value: str
    unit: str
    details: list[Chip]
    basis: str = ""
    goals: list[GoalLine] = field(default_factory=list)


@dataclass(frozen=True)
class GroupFigure:
    """A figure by which groups are told: `name` stands for it in an address, and for what a chart measures."""

    name: str
    words: str
    unit: str
    kind: str


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


ON_BASIS = {"rows": "average", "weights": "weightedAverage", "ratio": "ratio"}
"""The name of the average on each basis, as it is stored."""


def tile_of(column: Mapping[str, Any], figure: Mapping[str, Any], words: Mapping[str, str]) -> Tile:
    """Return a column's figure as a tile; `words` is what people call each column.

    On the basis of rows it tells the sum first, on another one the average, and what that is made of.
    """
    basis, kind = figure.get("averageBasis", "rows"), column["kind"]
    own = [
        (_("smallest"), figure.get("min"), kind),
        (_("largest"), figure.get("max"), kind),
        (pgettext("how many", "values"), figure.get("count"), "integer"),
    ]
    if basis == "rows":
        details = _details([(_("average"), figure.get("average"), "number"), *own])
        return Tile(column["words"], shown_value(figure.get("sum"), kind), column.get("unit", ""), details)
    if basis == "weights":
        weight = words.get(figure["weightField"], figure["weightField"])
        said = _("average, weighted by %(weight)s") % {"weight": weight}
        made = [(weight, figure["weightTotal"], "number")]
        missing = (_("values without a weight"), figure["missingWeightCount"])
    else:
        top, bottom = (words.get(figure[name], figure[name]) for name in ("numeratorField", "denominatorField"))
        said = _("%(numerator)s to %(denominator)s") % {"numerator": top, "denominator": bottom}
        made = [(top, figure["numeratorTotal"], "number"), (bottom, figure["denominatorTotal"], "number")]
        missing = (_("rows without a part"), figure["missingPartCount"])
    if missing[1]:
        made.append((*missing, "integer"))
    if column.get("total"):
        made.append((_("sum"), figure.get("sum"), kind))
    value = shown_value(figure[ON_BASIS[basis]], "number") or _("none")
    details = _details([*made, *(own if "count" in figure else ())])
    return Tile(column["words"], value, column.get("unit", ""), details, said)


def _details(named: Iterable[tuple[str, Any, str]]) -> list[Chip]:
    return [Chip(label, shown_value(value, kind) or _("none")) for label, value, kind in named]


def goal_line(goal: Mapping[str, Any]) -> GoalLine:
    """Return a stored goal as a tile tells it; on the basis of rows it says that the average is meant."""
    number = {"number": shown_value(goal["target"], "number")}
    is_higher = goal["direction"] == "higher_is_better"
    target = _("at least %(number)s") % number if is_higher else _("at most %(number)s") % number
    if goal["figure"] == "average":
        target = _("%(target)s on average") % {"target": target}
    label = text_of(goal.get("label"), _("goal"))
    if goal.get("source"):
        label = f"{label} ({goal['source']})"
    if goal["isMet"] is None:
        return GoalLine(label, target, _("nothing to compare"), "")
    verdict, style = (_("met"), "is-met") if goal["isMet"] else (_("not met"), "is-missed")
    return GoalLine(label, target, verdict, style)


def group_figures(columns: Iterable[Mapping[str, Any]], metrics: Mapping[str, Any]) -> list[GroupFigure]:
    """Return what groups are told by: the sum of each total, and each average on another basis than the rows."""
    found = []
    for column in columns:
        metric = metrics.get(column["name"])
        if metric is None:
            continue
        name, words, unit = column["name"], column["words"], column.get("unit", "")
        basis = metric.get("averageBasis", "rows")
        is_summed = basis == "rows" or column.get("total")
        if is_summed:
            found.append(GroupFigure(name, words, unit, column["kind"]))
        if basis != "rows":
            said = _("%(column)s, average") % {"column": words} if is_summed else words
            found.append(GroupFigure(f"{name}-{ON_BASIS[basis]}", said, unit, "number"))
    return found


def cell_of(kind: str, value: Any) -> Cell:
    """Return a stored value as a cell."""
    return Cell(kind, shown_value(value, kind), value, is_null=value is None)


def style_of(group: Mapping[str, Any]) -> str:
    """Return how a group is drawn that has no value to show."""
    return "is-withheld" if group.get("withheld") else "is-null" if group.get("key") is None else ""
