"""Asking a list: the figures over every permitted row in one statement, the rows in a second.

With groups, the totals are the groups added up, so that the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import connections, router
from django.db.models import ExpressionWrapper, F, Q, QuerySet
from django.utils import timezone

from .access import Access
from .answer import MOST_GROUPS, Answer, Group, Row, by_key, by_size, told
from .conditions import NOTHING, condition_q
from .definition import ListDefinition, ListPath
from .exact import Raw, at_scale
from .expressions import Expressions
from .local_months import LocalMonth
from .months import months_of
from .paging import Cursor, Term, page_rows, raw
from .question import Question
from .search import Search
from .snapshot import snapshot
from .tally import Number, Tally

FEW = ("boolean", "enum", "date")
"""The kinds of values of which there are few groups."""


def ask(definition: ListDefinition, question: Question, access: Access) -> Answer:
    """Return the answer to `question` over the rows of the list that `access` permits, from one snapshot.

    Raises KeyError for a path that the list does not declare for that use, ValueError for a condition or a sum that
    does not go with its path. Runs one statement for the figures and one for the rows, whatever their number.
    """
    using = router.db_for_read(definition.model)
    with snapshot(using), timezone.override(question.zone):
        reading = Reading(definition, question, access, using)
        figured = reading.figured() if question.count or question.figures or question.group_by else Answer()
        reading.total = figured.total
        limit = question.limit(figured.total or 0) if callable(question.limit) else question.limit
        return replace(figured, rows=reading.rows(limit) if limit else [])


def permitted(definition: ListDefinition, access: Access, using: str | None = None, first: int = 0) -> QuerySet[Any]:
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


def reads_everything(definition: ListDefinition, access: Access) -> bool:
    """Whether the person of `access` reads every row that there is."""
    return definition.queryset is None and access.viewable(definition.model) is None


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
        self._search = Search(self.definition, self.question.text, self.access, self.using)
        self.total: int | None = None

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
        return found

    def selected(self, first: int = 0) -> QuerySet[Any]:
        """The permitted rows that the conditions select, with every name that stands for a path so far.

        They are to be read all, or only the `first` so many in some order.
        """
        # One row is found soonest by its key, whatever it is wanted for.
        first = 1 if self.question.key is not None else first
        rows = permitted(self.definition, self.access, self.using, first or self._search.few)
        if self._aliases:
            rows = rows.alias(**self._aliases)
        filters = list(filter(None, (*self._filters, self._search.found(first, self.total))))
        return rows.filter(*filters) if filters else rows

    def figured(self) -> Answer:
        tally = Tally(connections[self.using].vendor)
        for measure in self.question.measures:
            # A ratio alone may be a figure without values of its own.
            own = () if measure.basis == "ratio" and not measure.path else (measure.path,)
            tally.watch(measure, {path: self._number(path) for path in (*own, *measure.parts)})
        if self.question.group_by is not None:
            return self._grouped(self._allowed(self.question.group_by, "grouped"), tally)
        row = list(self.selected().aggregate(**tally.aggregates).values())
        return Answer(row[0], tally.figures(row))

    def _number(self, name: str) -> Number:
        path = self._allowed(name, "shown")
        if path.kind not in ("number", "integer"):
            raise ValueError(f"{name!r} is a {path.kind}, which has no sum")
        return Number(path, self.expressions.value(path), self.expressions.closed(path))

    def _grouped(self, path: ListPath, tally: Tally) -> Answer:
        """The groups, and the total added up from them, so that the two cannot disagree."""
        keys = ["group_key", "group_withheld"]
        key: Any = F(self._name(path))
        by_day = path.kind == "date" and not path.is_moment
        if path.is_moment:
            key = LocalMonth(self._name(path), self.question.zone)
        elif by_day:
            key = ExpressionWrapper(key, output_field=Raw())
        keyed = self.selected().annotate(group_key=key, group_withheld=self.expressions.withheld(path))
        grouped = keyed.order_by().values(*keys).annotate(**tally.aggregates)
        rows = grouped.values_list(*keys, *tally.aggregates)
        read: Iterable[Any] = rows
        if by_day:
            read = months_of(grouped, keys, tally.added)
        elif path.kind not in FEW:
            # As many groups as rows, perhaps: a few at a time, though PostgreSQL works with one process then.
            read = rows.iterator(chunk_size=2_000)
        total = tally.nothing()

        def groups() -> Iterator[Group]:
            for key, withheld, *row in read:
                tally.join(total, row)
                key = str(key)[:7] if path.is_moment and key is not None else at_scale(key, path)
                yield Group(key, bool(withheld), row[0], tally.figures(row))

        dated = path.kind == "date"
        order = by_key if dated else by_size(tally.ranking)
        shown, rest = told(groups(), MOST_GROUPS, order, latest=dated)
        return Answer(total[0], tally.figures(total), shown, rest)

    def rows(self, limit: int) -> list[Row]:
        question = self.question
        paths, terms = self.shown(), self.terms()
        queryset, names, flags = self.named(paths, question.offset + limit)
        places = {f"place{at}": raw(term.name) for at, term in enumerate(terms)} if question.places else {}
        read = page_rows(queryset.annotate(**places), terms, question, limit, ["pk", *names, *flags.values(), *places])
        last = len(paths) + 1
        closed = {hops: last + at for at, hops in enumerate(flags)}
        hidden = [(path.path, closed[path.hops]) for path in paths if path.hops in closed]
        names = [path.path for path in paths]
        decimals = [path for path in paths if path.kind == "number" and path.scale is not None]
        found = []
        for row in read:
            values = dict(zip(names, row[1:last], strict=True))
            for path in decimals:
                values[path.path] = at_scale(values[path.path], path)
            withheld = frozenset(name for name, at in hidden if row[at])
            found.append(Row(row[0], values, withheld, Cursor(row[-len(terms) : -1], row[-1]) if places else None))
        return found

    def shown(self) -> list[ListPath]:
        """The paths of the rows."""
        return [self._allowed(path, "shown") for path in self.question.shown or self.definition.shown or ()]

    def named(self, paths: list[ListPath], first: int = 0) -> tuple[QuerySet[Any], list[str], dict[Any, str]]:
        """The selected rows; the names of the paths' values in them; and by relations, of whether those are withheld.

        They are to be read all, or only the `first` so many in the order of the question.
        """
        self.terms()  # they too give the query names, which must be there when it is made
        names = [self._name(path) for path in paths]
        queryset = self.selected(first)
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
        return queryset, names, flags

    def terms(self) -> list[Term]:
        """The order of the rows, total: its last term is the key."""
        order = self.question.order or self.definition.own_order
        terms, seen = [], set()
        for term in order:
            path = self.definition.path(term.path)
            if self.question.order and term.path not in self.definition.sorted:  # type: ignore[operator]
                raise KeyError(term.path)
            if term.path not in seen:
                seen.add(term.path)
                terms.append(Term(self._name(path), term.descending, path.nullable or bool(path.hops)))
        # In the direction of the last term, so that one index serves both.
        terms.append(Term("pk", bool(order) and order[-1].descending))
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
