"""The conditions that a new target is proposed to take, from the kinds of the list's paths (seed 000's one line)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.utils import translation
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext as _

from ..lists import ListDefinition, ListPath
from ..models import RESERVED, Column, Criterion, CriterionFilter, Operator
from .figure_rules import NUMBERS
from .naming import camel, in_every_language, label_of, unused

LONGEST_DESCRIPTION = 200
"""Characters of a condition's description, as the model stores it."""

EXACTLY = "exact"
"""What is said of a text that must be the whole value. Nothing is said where a name says it (docs/decisions/0021)."""

Proposed = tuple[Criterion, tuple[CriterionFilter, ...]]


def conditions_for(
    definition: ListDefinition, names: dict[str, str], columns: Iterable[Column]
) -> tuple[Proposed, ...]:
    """Return the conditions, in the order in which they are proposed. `names` has a name for each path."""
    made = _Maker(definition, names)
    return tuple(made.every(columns))


@dataclass
class _Maker:
    """Conditions being made for one list; every name is given once."""

    definition: ListDefinition
    names: dict[str, str]
    taken: set[str] = field(default_factory=lambda: set(RESERVED))

    def every(self, columns: Iterable[Column]) -> Iterator[Proposed]:
        paths = [self.definition.path(path) for path in _tuple(self.definition.filtered)]
        yield from self._of_date(paths)
        for path in paths:
            if path.kind == "enum":
                yield self._of_enum(path)
        yield from self._of_amount(list(columns))
        for path in paths:
            if path.kind == "boolean":
                yield self._plain(path, "boolean", Operator.EQ, "")
            elif path.kind == "string" and path.hops:
                yield self._plain(path, "string", Operator.EQ, EXACTLY)
            elif path.kind == "string" and path.path not in _tuple(self.definition.searched):
                # What free words do not find must be found by itself.
                operator = Operator.EQ if path.field.max_length else Operator.CONTAINS
                yield self._plain(path, "string", operator, EXACTLY if path.field.max_length else "a part of it")

    def _of_date(self, paths: list[ListPath]) -> Iterator[Proposed]:
        dates = [path for path in paths if path.kind == "date"]
        ordered = (path for one in self.definition.own_order for path in dates if path.path == one.path)
        date = next(ordered, dates[0] if dates else None)
        if date is None:
            yield from self._of_year_and_month(paths)
            return
        # Of the only date there is no need to say which one it is.
        first, last = ("first {label}", "last {label}") if len(dates) > 1 else ("", "last day")
        yield self._make("from", "date", lambda: _("From"), first, date, Operator.GTE)
        yield self._make("to", "date", lambda: _("To"), last, date, Operator.LTE)
        yield self._make("year", "integer", lambda: _("Year"), "", date, Operator.YEAR)
        yield self._make("month", "integer", lambda: _("Month"), "", date, Operator.MONTH, _MONTHS)
        yield self._make("period", "string", lambda: _("Period"), "", date, Operator.PERIOD)

    def _of_year_and_month(self, paths: list[ListPath]) -> Iterator[Proposed]:
        """A list may have no date, but whole numbers for its year and month (seed 000)."""
        whole = {path.path: path for path in paths if path.kind == "integer"}
        if "year" in whole:
            yield self._make("year", "integer", lambda: _("Year"), "", whole["year"], Operator.EQ)
        if "month" in whole:
            yield self._make("month", "integer", lambda: _("Month"), "", whole["month"], Operator.EQ, _MONTHS)

    def _of_enum(self, path: ListPath) -> Proposed:
        with translation.override("en"):
            told = [(str(value), str(label)) for value, label in path.field.flatchoices if value]
        plain = all(camel(label).lower() == camel(value).lower() for value, label in told)
        meanings = "" if plain else "; ".join(f"{value}: {label}" for value, label in told)
        values = {"values": "\n".join(value for value, _label in told)}
        return self._plain(path, "enum", Operator.EQ, meanings, values)

    def _of_amount(self, columns: list[Column]) -> Iterator[Proposed]:
        """The least and the most of `amount`, else of the first total, else of the first number (seed 000)."""
        usable = [one for one in columns if one.kind in NUMBERS and one.list_path in _tuple(self.definition.filtered)]
        ranks: tuple[Callable[[Column], bool], ...] = (
            lambda one: one.name == "amount",
            lambda one: one.total and one.kind == "number",
            lambda one: one.total,
            lambda one: one.kind == "number",
        )
        amount = next((one for is_it in ranks for one in usable if is_it(one)), None)
        if amount is None:
            return
        path, name = self.definition.path(amount.list_path), capfirst(amount.name)
        least = lambda: _("Least %(name)s") % {"name": label_of(self.definition, path)}  # noqa: E731
        most = lambda: _("Most %(name)s") % {"name": label_of(self.definition, path)}  # noqa: E731
        yield self._make(f"min{name}", path.kind, least, "", path, Operator.GTE)
        yield self._make(f"max{name}", path.kind, most, "", path, Operator.LTE)

    def _plain(
        self, path: ListPath, kind: str, operator: str, said: str, facts: dict[str, Any] | None = None
    ) -> Proposed:
        def label() -> str:
            return label_of(self.definition, path)

        return self._make(self.names[path.path], kind, label, said, path, operator, facts)

    def _make(
        self,
        name: str,
        kind: str,
        label: Callable[[], str],
        said: str,
        path: ListPath,
        operator: str,
        facts: dict[str, Any] | None = None,
    ) -> Proposed:
        record = self.definition.model._meta.model_name or ""
        name = unused((name, camel(record, name)), self.taken, "condition")
        self.taken.add(name)
        with translation.override("en"):
            description = said.replace("{label}", label_of(self.definition, path))
        criterion = Criterion(
            name=name,
            kind=kind,
            label=in_every_language(label),
            description=Truncator(description).chars(LONGEST_DESCRIPTION),
            **(facts or {}),
        )
        return criterion, (CriterionFilter(field=path.path, operator=operator),)


_MONTHS = {"minimum": Decimal(1), "maximum": Decimal(12)}


def _tuple(paths: Any) -> tuple[str, ...]:
    """A definition's paths, which are a tuple once it is made."""
    return tuple(paths or ())
