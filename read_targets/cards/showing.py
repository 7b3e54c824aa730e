"""A workspace version as its page shows it to one person: what was read, less what they may no longer view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..agent.labels import text_of
from .charts import Chart, called, chart_of, size_of
from .models import WorkspaceVersion
from .parts import (
    Cell,
    GroupFigure,
    GroupRow,
    Heading,
    Measure,
    Tile,
    cell_of,
    goal_line,
    group_figures,
    style_of,
    tile_of,
)
from .sources import Review
from .tables import NoSuchPage, Page, page_of, sorted_rows
from .values import Chip, chips_of, exact_number, shown_value

ROWS = "-rows"
"""The measure of a chart that counts rows; no column can be called so."""


@dataclass(frozen=True)
class Shown:
    """One version, reviewed for one person; `query` is what the page's address asks for."""

    version: WorkspaceVersion
    review: Review
    query: Mapping[str, str]

    @property
    def content(self) -> dict[str, Any]:
        """What was stored."""
        return dict(self.version.content)

    @property
    def label(self) -> str:
        """What the rows are, in the site's words."""
        return text_of(self.content.get("label"), self.version.source)

    @property
    def conditions(self) -> list[Chip]:
        """The conditions that were asked for."""
        return chips_of(self.content.get("conditions", []))

    @property
    def bounds(self) -> dict[str, str] | None:
        """The half-open range of moments that the conditions on the date came to, as text."""
        asked = self.content.get("timeRange")
        return {side: shown_value(asked.get(side), "date") for side in ("start", "end")} if asked else None

    @cached_property
    def columns(self) -> list[dict[str, Any]]:
        """The columns as stored, each with its `words` in the person's language."""
        return [{**one, "words": text_of(one.get("label"), one["name"])} for one in self.content.get("columns", [])]

    # What is missing

    @property
    def withheld_rows(self) -> int:
        """Stored rows that the person may no longer view."""
        return len(self.content.get("rows", [])) - len(self._rows)

    @property
    def missing(self) -> list[str]:
        """Everything that the page does not show, in the person's language."""
        said = []
        if self.withheld_rows:
            said.append(
                ngettext(
                    "%(count)s row is withheld: you may no longer view it.",
                    "%(count)s rows are withheld: you may no longer view them.",
                    self.withheld_rows,
                )
                % {"count": exact_number(self.withheld_rows)}
            )
        if not self.review.figures_open:
            said.append(_("The figures are withheld: they are of rows or values that you may no longer view."))
        closed = [one["words"] for one in self.columns if one["name"] in self.review.closed_columns]
        if closed:
            said.append(_("You may no longer view the values of %(columns)s.") % {"columns": ", ".join(closed)})
        return said

    @property
    def omissions(self) -> list[str]:
        """What the reading itself could not cover, as it said so; none where its figures are withheld."""
        return list(self.content.get("omissions", [])) if self.review.figures_open else []

    @property
    def is_bounded(self) -> bool:
        """Whether fewer rows were read than the list has, so that no sum is the list's total."""
        return bool(self.content.get("total") != self._analysed)

    @property
    def is_truncated(self) -> bool:
        """Whether fewer rows were stored than were read, so that sorting those would be no order of the list."""
        return bool(len(self.content.get("rows", [])) < (self.content.get("total") or 0)) or self.is_bounded

    @property
    def of(self) -> str:
        """How many rows there were, as text; empty where that is unknown or withheld."""
        total = self.content.get("total")
        return exact_number(total) if total is not None and self.review.figures_open else ""

    @property
    def analysed(self) -> str:
        """How many rows the figures are of, as text."""
        return exact_number(self._analysed)

    @property
    def stored(self) -> str:
        """How many rows were stored, as text."""
        return exact_number(len(self.content.get("rows", [])))

    @property
    def _analysed(self) -> Any:
        return self.content.get("analysed", self.content.get("total"))

    # Figures

    @property
    def tiles(self) -> list[Tile]:
        """The figures; none where they are withheld."""
        if not self.review.figures_open:
            return []
        total = self.content.get("total")
        of = Chip(_("in the list"), exact_number(total) if total is not None else _("unknown"))
        tiles = [Tile(_("Rows"), self.analysed, "", [of] if self.is_bounded else [])]
        words = {column["name"]: column["words"] for column in self.columns}
        for column in self.columns:
            figure = self.content.get("metrics", {}).get(column["name"])
            if figure is not None:
                goals = [goal_line(one) for one in self.content.get("goals", []) if one["metric"] == column["name"]]
                tiles.append(replace(tile_of(column, figure, words), goals=goals))
        return tiles

    # Groups

    @property
    def group_column(self) -> dict[str, Any] | None:
        """The column that was grouped by, where there are groups that the person may see."""
        name = self.content.get("groupBy")
        if not name or not self.content.get("groups") or not self.review.figures_open:
            return None
        return next((one for one in self.columns if one["name"] == name), None)

    @property
    def figures(self) -> list[GroupFigure]:
        """What the groups are told by, their number of rows aside."""
        return group_figures(self.columns, self.content.get("metrics", {}))

    @property
    def measures(self) -> list[Measure]:
        """What the chart can be drawn by: each figure, and the number of rows."""
        chosen = self._measure
        named = [(one.name, one.words, one.unit) for one in self.figures]
        every = [*named, (ROWS, _("Rows"), "")]
        return [Measure(name, label, unit, self._address(chart=name), name == chosen) for name, label, unit in every]

    @property
    def _measure(self) -> str:
        names = [*(one.name for one in self.figures), ROWS]
        chosen = self.query.get("chart", names[0])
        if chosen not in names:
            raise NoSuchPage(chosen)
        return chosen

    @property
    def measure(self) -> Measure:
        """What the chart is drawn by."""
        return next(one for one in self.measures if one.is_chosen)

    @property
    def chart(self) -> Chart | None:
        """The chart of the groups."""
        column = self.group_column
        if column is None:
            return None
        measure = self._measure
        return chart_of(
            self.content["groups"], self.content.get("rest"), column["kind"], "" if measure == ROWS else measure
        )

    @property
    def group_rows(self) -> list[GroupRow]:
        """The lines of the group table, with the rest and the total."""
        column = self.group_column
        if column is None:
            return []
        lines = [self._group_row(called(one, column["kind"]), one, style_of(one)) for one in self.content["groups"]]
        rest = self.content.get("rest")
        if rest:
            count = rest["groupCount"]
            label = ngettext("%(count)s other group", "%(count)s other groups", count) % {"count": exact_number(count)}
            lines.append(self._group_row(label, rest, "is-rest"))
        return lines

    @property
    def group_total(self) -> GroupRow:
        """The line that all groups together come to."""
        all_rows = {"rowCount": self._analysed, "metrics": self.content.get("metrics", {})}
        return self._group_row(_("All rows read") if self.is_bounded else _("Total"), all_rows, "")

    def _group_row(self, label: str, group: Mapping[str, Any], style: str) -> GroupRow:
        cells = [cell_of("integer", group.get("rowCount"))]
        cells += [cell_of(one.kind, size_of(group, one.name)) for one in self.figures]
        return GroupRow(label, cells, style)

    # Rows

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        permitted = self.review.permitted
        rows = [row for row in self.content.get("rows", []) if str(row.get("id")) in permitted]
        # The order in which they were read may be that of a column that is closed now.
        return sorted(rows, key=lambda row: str(row.get("id"))) if self.review.closed_columns else rows

    @property
    def _row_columns(self) -> list[dict[str, Any]]:
        """The columns of which rows have a value; a ratio may be a figure alone."""
        return [one for one in self.columns if one.get("hasValues", True)]

    @property
    def headings(self) -> list[Heading]:
        """The heads of the rows table: each sorts the stored rows, or where not all are stored has them read again."""
        return [self._heading(one, self._sort) for one in self._row_columns]

    def _heading(self, column: Mapping[str, Any], sort: tuple[str, bool] | None) -> Heading:
        name = column["name"]
        direction = ""
        if sort is not None and sort[0] == name:
            direction = "descending" if sort[1] else "ascending"
        turned = f"-{name}" if direction == "ascending" else name
        address = "" if self.is_truncated else self._address(sort=turned)
        order = turned if self.is_truncated else ""
        return Heading(name, column["words"], column.get("unit", ""), column["kind"], address, order, direction)

    @cached_property
    def _sort(self) -> tuple[str, bool] | None:
        """The column that the rows stand in the order of, and whether downwards: as asked for here, else as read."""
        asked = self.query.get("sort", "")
        if asked and (self.is_truncated or asked.removeprefix("-") not in {one["name"] for one in self._row_columns}):
            raise NoSuchPage(asked)
        term = asked or str(self.version.arguments.get("orderBy", "")).split(",")[0].strip()
        return (term.removeprefix("-"), term.startswith("-")) if term else None

    @cached_property
    def page(self) -> Page:
        """The page of rows that the address asks for; raises NoSuchPage."""
        number = self.query.get("page", "1")
        if not number.isascii() or not number.isdigit() or len(number) > 4:
            raise NoSuchPage(number)
        rows, sort = self._rows, self._sort
        if sort is not None and self.query.get("sort"):
            name, descending = sort
            kind = next(one["kind"] for one in self.columns if one["name"] == name)
            closed = name in self.review.closed_columns
            rows = sorted_rows(rows, kind, name, descending=descending, closed=closed)
        return page_of(rows, int(number))

    @property
    def rows(self) -> list[list[Cell]]:
        """The cells of the page's rows."""
        return [[self._value(row, column) for column in self._row_columns] for row in self.page.rows]

    def _value(self, row: Mapping[str, Any], column: Mapping[str, Any]) -> Cell:
        name, kind = column["name"], column["kind"]
        if name in row.get("withheld", ()) or name in self.review.closed_columns:
            return Cell(kind, "", is_withheld=True)
        return cell_of(kind, row.get(name))

    @property
    def before(self) -> str:
        """The address of the page before this one, empty where there is none."""
        return self._address(page=str(self.page.number - 1)) if self.page.number > 1 else ""

    @property
    def after(self) -> str:
        """The address of the next page, empty where there is none."""
        return self._address(page=str(self.page.number + 1)) if self.page.number < self.page.count else ""

    def _address(self, **changes: str) -> str:
        """This page's query with `changes` in it, and on its first page unless they name one."""
        kept = {name: self.query[name] for name in ("sort", "chart") if self.query.get(name)}
        return f"?{urlencode({**kept, **changes})}"
