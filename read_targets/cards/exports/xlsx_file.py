"""A list as XLSX: numbers as numbers, days as days, and digits beyond what a spreadsheet keeps as text.

Written row by row in constant memory. The last sheet says what the file is.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from xlsxwriter import Workbook

from .columns import Column, as_they_are, each, exact_float, is_risky
from .sheet import Sheet

MOST_ROWS = 1_048_576
"""Rows of a sheet, its head among them."""

LONGEST_TEXT = 32_767
"""Characters of a cell."""

LONGEST_NAME = 31
"""Characters of a sheet's name."""

FIRST_DAY = dt.date(1900, 3, 1)
"""The first day on which spreadsheets count days as the calendar does."""

_EPOCH = dt.date(1899, 12, 30).toordinal()
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")

Write = Callable[[Any, int, int, Any], None]


class Book:
    """A workbook being written, and what of its cells was cut."""

    def __init__(self, sheet: Sheet, path: Path) -> None:
        self.sheet = sheet
        self.book = Workbook(path, {"constant_memory": True, "tmpdir": str(path.parent)})
        self.book.use_zip64()
        self.bold = self.book.add_format({"bold": True})
        self.text = self.book.add_format({"num_format": "@"})
        # The spreadsheet's own mark of a text: it stays one when somebody edits the cell.
        self.marked = self.book.add_format({"quote_prefix": True})
        self.formats = [self.book.add_format({"num_format": number_format(column)}) for column in sheet.columns]
        self.cut = 0
        self.page: Any = None

    def add_page(self) -> None:
        """Begin a sheet of rows, with its head frozen."""
        number = len(self.book.worksheets()) + 1
        self.page = self.book.add_worksheet(sheet_name(self.sheet.title, number))
        self.page.freeze_panes(1, 0)
        for at, (head, column) in enumerate(zip(self.sheet.heads, self.sheet.columns, strict=True)):
            self.page.set_column(at, at, max(12, min(40, len(head) + 2)) if not column.is_text else 24)
            self.page.write_string(0, at, head, self.bold)

    def write_text(self, row: int, at: int, value: str, form: Any = None) -> None:
        """Write a text that is one, whatever it begins with."""
        if len(value) > LONGEST_TEXT:
            value = value[: LONGEST_TEXT - 1] + "…"
            self.cut += 1
        self.page.write_string(row, at, value, self.marked if form is None and is_risky(value) else form)

    def add_note(self, facts: Sequence[tuple[str, str]]) -> None:
        """Add the sheet that says what the file is, and end it."""
        self.page = self.book.add_worksheet(sheet_name(_("About"), 0))
        self.page.set_column(0, 0, 20)
        self.page.set_column(1, 1, 100)
        for row, (name, said) in enumerate(facts):
            self.page.write_string(row, 0, name, self.bold)
            self.write_text(row, 1, said)


def write_xlsx(sheet: Sheet, path: Path, wrote: Callable[[Sequence[tuple[Any, ...]]], None]) -> int:
    """Write the sheet to `path`, and return how many rows it has; `wrote` is told of each batch."""
    book = Book(sheet, path)
    converts = [xlsx_column(column) for column in sheet.columns]
    rows = withheld = 0
    at = MOST_ROWS
    for batch in sheet.stream.batches:
        values = list(zip(*batch, strict=True))
        cells = [convert(values[place]) for convert, place in zip(converts, sheet.places, strict=True)]
        flags = [None if flag is None else values[flag] for flag in sheet.flags]
        withheld += sum(sum(map(bool, flag)) for flag in flags if flag is not None)
        for number in range(len(batch)):
            if at == MOST_ROWS:
                book.add_page()
                at = 1
            _write_row(book, at, number, cells, flags)
            at += 1
        rows += len(batch)
        wrote(batch)
    if not rows:
        book.add_page()
    book.add_note(sheet.closing_facts(rows, withheld, book.cut))
    book.book.close()
    return rows


def _write_row(book: Book, row: int, number: int, cells: list[Any], flags: list[Any]) -> None:
    page = book.page
    for at, column in enumerate(cells):
        flag, value = flags[at], column[number]
        if flag is not None and flag[number]:
            page.write_string(row, at, book.sheet.withheld)
        elif value is None:
            continue
        elif isinstance(value, bool):
            page.write_boolean(row, at, value)
        elif not isinstance(value, str):
            page.write_number(row, at, value, book.formats[at])
        else:
            book.write_text(row, at, value, None if book.sheet.columns[at].is_text else book.text)


def xlsx_column(column: Column) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return how the values of a column are written: as numbers where that keeps them, else as text."""
    if column.is_text:
        return column.texts()
    if column.path.kind == "boolean":
        return column.truths()
    if column.path.kind in ("number", "integer"):
        numbers, exact = column.numbers(), each(exact_float)
        return exact if numbers is as_they_are else lambda values: exact(numbers(values))
    if column.path.is_moment:
        return each(lambda value: moment_number(column.moment(value), column.zone))
    return each(day_number)


def day_number(value: Any) -> float | str:
    """Return a day as spreadsheets count it, or, before they count right, as text."""
    day = dt.date.fromisoformat(value) if isinstance(value, str) else value
    return float(day.toordinal() - _EPOCH) if day >= FIRST_DAY else str(day)


def moment_number(at: dt.datetime, zone: dt.tzinfo) -> float | str:
    """Return a moment by the clock of `zone` as spreadsheets count it, or, before they count right, as text."""
    try:
        local = at.astimezone(zone) if at.tzinfo else at
    except OverflowError:
        # "For ever" is often stored as the calendar's last moment; east of it there is no local time left.
        local = at
    if local.date() < FIRST_DAY:
        return local.isoformat()
    since = local.hour * 3_600 + local.minute * 60 + local.second + local.microsecond / 1_000_000
    return local.date().toordinal() - _EPOCH + since / 86_400


def number_format(column: Column) -> str:
    """Return how a spreadsheet shows the numbers of a column."""
    if column.path.kind == "date":
        return "yyyy-mm-dd hh:mm:ss" if column.path.is_moment else "yyyy-mm-dd"
    if column.path.kind == "integer":
        return "0"
    return "0." + "0" * column.path.scale if column.path.scale else "General" if column.path.scale is None else "0"


def sheet_name(title: str, number: int) -> str:
    """Return a name that a sheet may have; the number stands behind those of all but the first."""
    behind = f" {number}" if number > 1 else ""
    name = _NOT_IN_NAMES.sub(" ", title).strip("' ")[: LONGEST_NAME - len(behind)].strip("' ") or "1"
    return name + behind
