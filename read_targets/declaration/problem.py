"""Something that is wrong with a declaration, said so that the admin who reads it can put it right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from django.utils.translation import gettext as _

MOST_NAMED = 20
"""Choices that a hint names; a model may have hundreds of fields."""

Part = Literal["", "columns", "goals", "criteria", "parameters"]


@dataclass(frozen=True)
class Problem:
    """What is wrong (`message`), and what would fit (`hint`), in the language that was active.

    `field` is the field of the target, or of row number `row` of its `part`; empty where it is no one field, and
    `row` None where it is no one row. `name` is what that row is called, for a reader who does not see the form.
    """

    field: str
    message: str
    hint: str = ""
    part: Part = ""
    row: int | None = None
    name: str = ""

    @property
    def is_of_screen(self) -> bool:
        """Whether only the screen's tool is concerned, and the list can still be queried."""
        return self.part == "parameters" or (not self.part and self.field == "screen")

    @property
    def said(self) -> str:
        """Message and hint as one text."""
        return f"{self.message} {self.hint}".strip()

    @property
    def place(self) -> str:
        """Which row has it, to begin a sentence with; empty where it is the target itself."""
        parts = {
            "columns": _("column"),
            "goals": _("goal"),
            "criteria": _("condition"),
            "parameters": _("screen parameter"),
        }
        part = parts.get(self.part)
        return f"{part} {self.name}: " if part and self.name else ""

    def __str__(self) -> str:
        return f"{self.place}{self.said}"


@dataclass(frozen=True)
class Row:
    """A row of a declaration, for the problems found in it."""

    part: Part
    number: int
    name: str

    def problem(self, field: str, message: str, hint: str = "") -> Problem:
        """Return a problem in one field of the row."""
        return Problem(field, message, hint, self.part, self.number, self.name)


def listed(names: Iterable[str], wanted: str = "") -> str:
    """Return names as a list to read; of many, those most like `wanted` come first and the number of others last."""
    found = list(dict.fromkeys(names))
    if len(found) > MOST_NAMED:
        near = get_close_matches(wanted, found, MOST_NAMED // 2, 0.4)
        found = list(dict.fromkeys([*near, *found]))
    said = ", ".join(found[:MOST_NAMED])
    left = len(found) - MOST_NAMED
    return _("%(names)s and %(number)d more") % {"names": said, "number": left} if left > 0 else said
