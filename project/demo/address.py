"""The address of a list screen, read: what it asks for, or what in it does not fit."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from read_targets.lists import Condition, ListDefinition, Order, Question, Unreadable, read_value
from read_targets.lists.paging import Cursor, UnfittingCursor, cursor_text, read_cursor, scope_of

from .fields import Field, fields_of

MOST_PAGES = 1_000_000

PLACES = ("page", "after", "before")
"""The arguments that say where in the list one is."""


@dataclass
class Address:
    """What the query of an address asks of a list.

    An empty argument is one that is not set. An argument that cannot be read, is not known or comes twice is a
    problem, said in `problems` with what would fit; nothing is guessed and nothing passed over. `holder` is the key of
    the person: a page that begins behind a row, or ends before one, is theirs alone to turn to.
    """

    definition: ListDefinition
    query: QueryDict
    holder: Any
    conditions: list[Condition] = field(default_factory=list)
    text: str = ""
    order: tuple[Order, ...] = ()
    page: int = 1
    after: Cursor | None = None
    before: Cursor | None = None
    problems: list[str] = field(default_factory=list)
    fields: dict[str, Field] = field(init=False)

    def __post_init__(self) -> None:
        self.fields = fields_of(self.definition)
        for name, texts in self.query.lists():
            given = [text for text in texts if text]
            if len(given) > 1:
                self.problems.append(_("“%(name)s” is there more than once.") % {"name": name})
            elif given:
                self._read(name, given[0])
        if self.query.get("month") and not self.query.get("year"):
            self.problems.append(_("“month” goes only together with “year”."))
        if not self.problems:
            self._find_place()

    @property
    def question(self) -> Question:
        """What is asked of the list, and at which place."""
        return Question(
            conditions=tuple(self.conditions),
            text=self.text,
            order=self.order,
            after=self.after,
            before=self.before,
        )

    def turned(self, **changes: str | int) -> str:
        """Return this address's query with `changes` in it, and on its first page unless they say another."""
        query = self.query.copy()
        for name in PLACES:
            query.pop(name, None)
        for name, value in changes.items():
            query[name] = str(value)
        return f"?{query.urlencode()}"

    def turned_to(self, page: int, **cursor: Cursor | None) -> str:
        """Return this address's query for the page that is called `page`, `after` one cursor or `before` another.

        Where there is no cursor, or none that fits in an address, the number alone finds the page, if more slowly.
        """
        scope = scope_of(self.definition, self.question, self.holder)
        told = {name: cursor_text(one, scope) for name, one in cursor.items() if one}
        return self.turned(page=page, **{name: text for name, text in told.items() if text})

    def _find_place(self) -> None:
        """Read the cursor, which fits only what is asked besides it."""
        scope = scope_of(self.definition, self.question, self.holder)
        for name in ("after", "before"):
            if not self.query.get(name):
                continue
            try:
                setattr(self, name, read_cursor(str(self.query[name]), scope))
            except UnfittingCursor:
                said = _("“%(name)s” is of another list, of other conditions, or not yours; begin with the first page.")
                self.problems.append(said % {"name": name})
        if self.after and self.before:
            self.problems.append(_("A page begins “after” a row or ends “before” one, not both."))

    def _read(self, name: str, text: str) -> None:
        try:
            if name in ("after", "before"):
                return  # what it fits is known only when all else is read
            if name == "page":
                self.page = read_value("integer", text, minimum=Decimal(1), maximum=Decimal(MOST_PAGES))
            elif name == "sort":
                path = read_value("enum", text.removeprefix("-"), values=tuple(self.definition.sorted or ()))
                self.order = (Order(path, descending=text.startswith("-")),)
            elif name == "search" and self.definition.searched:
                self.text = read_value("string", text)
            elif name in self.fields:
                self.conditions.append(self.fields[name].condition(text))
            else:
                raise Unreadable("unknown", values=[*conditions_taken(self.definition), "sort", "page"])
        except Unreadable as unreadable:
            self.problems.append(_explained(name, unreadable))


def conditions_taken(definition: ListDefinition) -> list[str]:
    """Return the names of the query arguments by which the list's screen can be narrowed down."""
    return [*fields_of(definition), *(["search"] if definition.searched else [])]


def _explained(name: str, unreadable: Unreadable) -> str:
    """Say which argument does not fit, and what would."""
    facts = unreadable.facts
    said = {**facts, "name": name, "values": ", ".join(facts.get("values", ()))}
    match facts["code"]:
        case "unknown":
            return _("This list knows no “%(name)s”; it knows %(values)s.") % said
        case "not_one_of":
            return _("“%(name)s” is one of %(values)s.") % said
        case "not_a_date":
            return _("“%(name)s” is a day of the calendar, written as YYYY-MM-DD.") % said
        case "not_a_number":
            return _("“%(name)s” is a number, written as 1234.50.") % said
        case "not_an_integer":
            return _("“%(name)s” is a whole number.") % said
        case "too_small" | "too_large" if "minimum" in facts and "maximum" in facts:
            return _("“%(name)s” lies between %(minimum)s and %(maximum)s.") % said
        case _:
            return _("“%(name)s” cannot be read: it is too long, or holds what is no text.") % said
