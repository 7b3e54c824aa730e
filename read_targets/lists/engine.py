"""Asking a list: the figures over every permitted row in one statement, the rows in a second.

With groups, the totals are the groups added up, so that the two cannot disagree; a date is grouped by its days in
the database and those are folded into months here, which is several times faster than truncating row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import connections, router
from django.db.models import ExpressionWrapper, F, Q, QuerySet
from django.db.models.expressions import OrderBy
from django.db.models.functions import TruncMonth
from django.utils import timezone

from .access import Access
from .answer import MOST_GROUPS, Answer, Group, Row, by_key, by_size, told
from .conditions import NOTHING, condition_q, text_q
from .definition import ListDefinition, ListPath
from .exact import Month, Raw, at_scale
from .expressions import Expressions, within_calendar
from .question import Order, Question
from .snapshot import snapshot
from .tally import Tally

_Part = tuple[Any, bool, list[Any]]


def ask(definition: ListDefinition, question: Question, access: Access) -> Answer:
    """Return the answer to `question` over the rows of the list that `access` permits, from one snapshot.

    Raises KeyError for a path that the list does not declare for that use, ValueError for a condition or a sum that
    does not go with its path. Runs one statement for the figures and one for the rows, whatever their number.
    """
    using = router.db_for_read(definition.model)
    with snapshot(using), timezone.override(question.zone):
        reading = Reading(definition, question, access, using)
        figured = reading.figured() if question.count or question.figures or question.group_by else Answer()
        limit = question.limit(figured.total or 0) if callable(question.limit) else question.limit
        return replace(figured, rows=reading.rows(limit) if limit else [])


def permitted(
    definition: ListDefinition, access: Access, using: str | None = None, first: int = 0
) -> QuerySet[Any]:
    """Return the rows of the list that the person may view, each once and in no order.

    They are to be read all, or only the `first` so many in some order.
    """
    every = definition.model._base_manager.using(using or router.db_for_read(definition.model))
    if definition.queryset is not None:
        # By key, so that a scope with joins cannot make a row count twice.
        every = every.filter(pk__in=definition.queryset(access.actor).order_by().values("pk"))
    else:
        every = every.all()
    return access.rows(every, first)


def keys_of(definition: ListDefinition, question: Question, access: Access, relation: str = "") -> list[Any]:
    """Return the primary keys of every row that the question selects, ascending.

    With `relation` (a hop of one of the list's paths), the keys of the related objects that the person may view.
    """
    using = router.db_for_read(definition.model)
    with snapshot(using), timezone.override(question.zone):
        rows = Reading(definition, question, access, using).selected()
        if not relation:
            return list(rows.order_by("pk").values_list("pk", flat=True))
        model = next(model for path in definition.paths.values() for hop, model in path.hops if hop == relation)
        viewable = access.viewable(model)
        if viewable is not None:
            rows = rows.filter(**{f"{relation}__in": viewable})
        related = rows.filter(**{f"{relation}__isnull": False}).order_by(f"{relation}__pk")
        return list(related.values_list(f"{relation}__pk", flat=True).distinct())


@dataclass
class Reading:
    """One question being asked: the permitted rows it selects, and the names of its paths in the query."""

    definition: ListDefinition
    question: Question
    access: Access
    using: str

    def __post_init__(self) -> None:
        self.expressions = Expressions(self.access)
        self._names: dict[str, str] = {}
        self._aliases: dict[str, Any] = {}
        self._filters = self._conditions()

    def _name(self, path: ListPath) -> str:
        """The name that stands for the path in the query; a value that may be withheld gets an alias."""
        if path.path not in self._names:
            self._names[path.path] = path.lookup
            if self.expressions.closed(path) is not None:
                self._names[path.path] = name = f"path{len(self._names)}"
                self._aliases[name] = self.expressions.value(path)
        return self._names[path.path]

    def _conditions(self) -> list[Q]:
        question, definition = self.question, self.definition
        found = []
        if question.key is not None:
            found.append(_key_q(definition, question.key))
        for condition in question.conditions:
            if condition.path not in definition.filtered:  # type: ignore[operator]  # a tuple since __post_init__
                raise KeyError(condition.path)
            path = definition.path(condition.path)
            found.append(condition_q(condition, path, self._name(path), self.expressions, question.zone))
        if question.text:
            searched = [definition.path(path) for path in definition.searched]
            found.append(text_q(question.text, [(self._name(path), path) for path in searched]))
        return found

    def selected(self, first: int = 0) -> QuerySet[Any]:
        """The permitted rows that the conditions select, with every name that stands for a path so far.

        They are to be read all, or only the `first` so many in some order.
        """
        # One row is found soonest by its key, whatever it is wanted for.
        first = 1 if self.question.key is not None else first
        rows = permitted(self.definition, self.access, self.using, first)
        return rows.alias(**self._aliases).filter(*self._filters)

    def figured(self) -> Answer:
        tally = Tally(connections[self.using].vendor)
        for one in self.question.figures:
            path = self._allowed(one, "shown")
            if path.kind not in ("number", "integer"):
                raise ValueError(f"{one!r} is a {path.kind}, which has no sum")
            tally.watch(path, self.expressions.value(path), self.expressions.closed(path))
        if self.question.group_by is not None:
            return self._grouped(self._allowed(self.question.group_by, "grouped"), tally)
        row = tally.read(list(self.selected().aggregate(**tally.aggregates).values()))
        return Answer(row[0], tally.figures(row))

    def _grouped(self, path: ListPath, tally: Tally) -> Answer:
        """The groups, and the total added up from them, so that the two cannot disagree."""
        key: Any = F(self._name(path))
        dated = path.kind == "date"
        if path.is_moment:
            key = TruncMonth(within_calendar(self._name(path), self.question.zone), tzinfo=self.question.zone)
        elif dated:
            # An index gives all rows day by day; few rows have nearly as many days, and are told by their months.
            every = self.access.viewable(self.definition.model) is None
            key = ExpressionWrapper(key, output_field=Raw()) if every else Month(key)
        keyed = self.selected().annotate(group_key=key, group_withheld=self.expressions.withheld(path))
        rows = keyed.order_by().values("group_key", "group_withheld").annotate(**tally.aggregates)
        read = rows.values_list("group_key", "group_withheld", *tally.aggregates).iterator(chunk_size=2_000)
        parts = ((key, bool(withheld), tally.read(raw)) for key, withheld, *raw in read)
        total = tally.nothing()

        def groups() -> Iterator[Group]:
            for key, withheld, row in _by_month(parts, tally) if dated else parts:
                tally.join(total, row)
                yield Group(at_scale(key, path), withheld, row[0], tally.figures(row))

        order = by_key if dated else by_size(tally.paths[0].path if tally.paths else None)
        shown, rest = told(groups(), MOST_GROUPS, order, latest=dated)
        return Answer(total[0], tally.figures(total), shown, rest)

    def rows(self, limit: int) -> list[Row]:
        question, definition = self.question, self.definition
        paths = [self._allowed(path, "shown") for path in question.shown or definition.shown or ()]
        ordering = self._ordering()
        names = [self._name(path) for path in paths]
        queryset = self.selected(question.offset + limit)
        flags: dict[Any, str] = {}
        for position, path in enumerate(paths):
            if self.expressions.closed(path) is None:
                continue
            queryset = queryset.annotate(**{f"shown{position}": F(names[position])})
            names[position] = f"shown{position}"
            # Paths across the same relations are withheld together.
            if path.hops not in flags:
                flags[path.hops] = f"withheld{position}"
                queryset = queryset.annotate(**{flags[path.hops]: self.expressions.withheld(path)})
        page = slice(question.offset, question.offset + limit)
        read = queryset.order_by(*ordering).values_list("pk", *names, *flags.values())[page]
        last = len(paths) + 1
        closed = {hops: last + at for at, hops in enumerate(flags)}
        return [
            Row(
                row[0],
                {path.path: at_scale(value, path) for path, value in zip(paths, row[1:last], strict=True)},
                frozenset(path.path for path in paths if path.hops in closed and row[closed[path.hops]]),
            )
            for row in read
        ]

    def _ordering(self) -> list[OrderBy]:
        order = self.question.order or tuple(
            Order(term.removeprefix("-"), term.startswith("-")) for term in self.definition.order
        )
        terms, seen = [], set()
        for term in order:
            path = self.definition.path(term.path)
            if self.question.order and term.path not in self.definition.sorted:  # type: ignore[operator]
                raise KeyError(term.path)
            if term.path not in seen:
                seen.add(term.path)
                nulls = True if path.nullable or path.hops else None
                terms.append(OrderBy(F(self._name(path)), descending=term.descending, nulls_last=nulls))
        # In the direction of the last term, so that one index serves both.
        terms.append(OrderBy(F("pk"), descending=bool(order) and order[-1].descending))
        return terms

    def _allowed(self, path: str, use: str) -> ListPath:
        if path not in getattr(self.definition, use):
            raise KeyError(path)
        return self.definition.path(path)


def _key_q(definition: ListDefinition, key: Any) -> Q:
    try:
        held: Any = definition.model._meta.pk.to_python(key)
        spelt = str(key).lower() if isinstance(held, UUID) else str(key)
    except (ValidationError, ValueError, TypeError, OverflowError):
        return NOTHING
    # A key is what answers write: Python would also read 1_0 as ten, and digits of any script.
    return Q(pk=held) if str(held) == spelt and "\0" not in spelt else NOTHING


def _by_month(days: Iterable[_Part], tally: Tally) -> Iterator[_Part]:
    """Days, or moments at the beginning of their month, as months: the first seven letters of either."""
    months: dict[tuple[str | None, bool], list[Any]] = {}
    for day, withheld, row in days:
        key = (None if day is None else str(day)[:7], withheld)
        if key in months:
            tally.join(months[key], row)
        else:
            months[key] = row
    return ((month, withheld, row) for (month, withheld), row in months.items())
