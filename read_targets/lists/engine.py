"""Asking a list: the figures over every permitted row in one statement, the rows in a second.

With groups, the totals are the groups added up, so that the two cannot disagree; a date is grouped by its days in
the database and those are folded into months here, which is several times faster than truncating row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import router
from django.db.models import Case, Count, F, IntegerField, Max, Min, Q, QuerySet, Sum, When
from django.db.models.expressions import OrderBy
from django.db.models.functions import TruncMonth
from django.utils import timezone

from .access import Access
from .answer import MOST_GROUPS, Answer, Figure, Group, Row, added, by_key, by_size, told
from .conditions import NOTHING, condition_q, text_q
from .definition import ListDefinition, ListPath
from .exact import ExactSum
from .expressions import Expressions
from .question import Order, Question
from .snapshot import snapshot


def ask(definition: ListDefinition, question: Question, access: Access) -> Answer:
    """Return the answer to `question` over the rows of the list that `access` permits, from one snapshot.

    Raises KeyError for a path that the list does not declare, ValueError for a condition that does not go with its
    path. Runs one statement for the figures and one for the rows, whatever their number.
    """
    using = router.db_for_read(definition.model)
    with snapshot(using), timezone.override(question.zone):
        reading = _Reading(definition, question, access, using)
        figured = reading.figured() if question.count or question.figures or question.group_by else Answer()
        return replace(figured, rows=reading.rows() if question.limit else [])


def permitted(definition: ListDefinition, access: Access, using: str | None = None) -> QuerySet[Any]:
    """Return the rows of the list that the person may view, each once and in no order."""
    every = definition.model._base_manager.using(using or router.db_for_read(definition.model))
    if definition.queryset is not None:
        # By key, so that a scope with joins cannot make a row count twice.
        every = every.filter(pk__in=definition.queryset(access.actor).order_by().values("pk"))
    else:
        every = every.all()
    return access.rows(every)


def keys_of(definition: ListDefinition, question: Question, access: Access, relation: str = "") -> list[Any]:
    """Return the primary keys of every row that the question selects, ascending.

    With `relation` (a hop of one of the list's paths), the keys of the related objects that the person may view.
    """
    using = router.db_for_read(definition.model)
    with snapshot(using), timezone.override(question.zone):
        rows = _Reading(definition, question, access, using).selected()
        if not relation:
            return list(rows.order_by("pk").values_list("pk", flat=True))
        model = next(model for path in definition.paths.values() for hop, model in path.hops if hop == relation)
        viewable = access.viewable(model)
        if viewable is not None:
            rows = rows.filter(**{f"{relation}__in": viewable.values("pk")})
        related = rows.filter(**{f"{relation}__isnull": False}).order_by(f"{relation}__pk")
        return list(related.values_list(f"{relation}__pk", flat=True).distinct())


@dataclass
class _Reading:
    """One question being asked: the permitted rows it selects, and the names of its paths in the query."""

    definition: ListDefinition
    question: Question
    access: Access
    using: str

    def __post_init__(self) -> None:
        self.expressions = Expressions(self.access)
        self._names: dict[str, str] = {}
        self._queryset = permitted(self.definition, self.access, self.using)
        conditions = self._conditions()  # they give the query its aliases, so they come first
        self._queryset = self._queryset.filter(*conditions)

    def _name(self, path: ListPath) -> str:
        """The name that stands for the path in the query; a value that may be withheld gets an alias."""
        if path.path not in self._names:
            self._names[path.path] = path.lookup
            if self.expressions.closed(path) is not None:
                self._names[path.path] = name = f"path{len(self._names)}"
                self._queryset = self._queryset.alias(**{name: self.expressions.value(path)})
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
            found.append(text_q(question.text, [self._name(definition.path(path)) for path in definition.searched]))
        return found

    def selected(self) -> QuerySet[Any]:
        """The permitted rows that the conditions select."""
        return self._queryset

    def figured(self) -> Answer:
        paths = [self.definition.path(path) for path in self.question.figures]
        aggregates = {"rows": Count("*")}
        for position, path in enumerate(paths):
            aggregates |= self._aggregates(f"f{position}", path)
        if self.question.group_by is not None:
            return self._grouped(self._allowed(self.question.group_by, "grouped"), paths, aggregates)
        values = self._queryset.aggregate(**aggregates)
        return Answer(values["rows"], _figures(values, paths))

    def _aggregates(self, name: str, path: ListPath) -> dict[str, Any]:
        value = F(self._name(path))
        total: Any = Sum(value) if path.scale is None else ExactSum(value, field=path.field, scale=path.scale)
        found = {f"{name}_sum": total, f"{name}_min": Min(value), f"{name}_max": Max(value)}
        if path.nullable or path.hops:
            found[f"{name}_count"] = Count(value)
        closed = self.expressions.closed(path)
        if closed is not None:
            found[f"{name}_withheld"] = Count(Case(When(closed, then=1), output_field=IntegerField()))
        return found

    def _grouped(self, path: ListPath, paths: list[ListPath], aggregates: dict[str, Any]) -> Answer:
        key: Any = F(self._name(path))
        if path.is_moment:
            key = TruncMonth(key, tzinfo=self.question.zone)
        keyed = self._queryset.annotate(group_key=key, group_withheld=self.expressions.withheld(path))
        rows = keyed.order_by().values("group_key", "group_withheld").annotate(**aggregates)
        groups: Iterable[Group] = (
            Group(row["group_key"], bool(row["group_withheld"]), row["rows"], _figures(row, paths))
            for row in rows.iterator(chunk_size=2_000)
        )
        dated = path.kind == "date"
        if dated:
            groups = _by_month(groups)
        total, figures = 0, {one.path: _none_of(one) for one in paths}

        def counted() -> Iterator[Group]:
            nonlocal total, figures
            for group in groups:
                total += group.count
                figures = added(figures, group.figures)
                yield group

        order = by_key if dated else by_size(paths[0].path if paths else None)
        shown, rest = told(counted(), MOST_GROUPS, order, latest=dated)
        return Answer(total, figures, shown, rest)

    def rows(self) -> list[Row]:
        question, definition = self.question, self.definition
        paths = [self._allowed(path, "shown") for path in question.shown or definition.shown or ()]
        ordering = self._ordering()
        names = [self._name(path) for path in paths]
        queryset = self._queryset
        withheld: list[tuple[int, str]] = []
        for position, path in enumerate(paths):
            if self.expressions.closed(path) is not None:
                withheld.append((position, f"withheld{position}"))
                shown = f"shown{position}"
                queryset = queryset.annotate(
                    **{shown: F(names[position]), f"withheld{position}": self.expressions.withheld(path)}
                )
                names[position] = shown
        page = slice(question.offset, question.offset + question.limit)
        read = queryset.order_by(*ordering).values_list("pk", *names, *(name for _, name in withheld))[page]
        last = len(paths) + 1
        return [
            Row(
                row[0],
                {path.path: value for path, value in zip(paths, row[1:last], strict=True)},
                frozenset(paths[at].path for (at, _), closed in zip(withheld, row[last:], strict=True) if closed),
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
        return Q(pk=definition.model._meta.pk.to_python(key))  # type: ignore[union-attr]  # a saved model has a key
    except (ValidationError, ValueError, TypeError, OverflowError):
        return NOTHING


def _by_month(days: Iterable[Group]) -> Iterable[Group]:
    months: dict[tuple[Any, bool], Group] = {}
    for day in days:
        key = (None if day.key is None else f"{day.key.year:04}-{day.key.month:02}", day.withheld)
        held = months.get(key)
        months[key] = Group(
            *key,
            count=day.count + (held.count if held else 0),
            figures=added(held.figures if held else {}, day.figures),
        )
    return months.values()


def _figures(values: dict[str, Any], paths: list[ListPath]) -> dict[str, Figure]:
    return {path.path: _figure(values, f"f{position}", path) for position, path in enumerate(paths)}


def _figure(values: dict[str, Any], name: str, path: ListPath) -> Figure:
    return replace(
        _none_of(path),
        count=values.get(f"{name}_count", values["rows"]),
        sum=values[f"{name}_sum"],
        minimum=_at_scale(values[f"{name}_min"], path),
        maximum=_at_scale(values[f"{name}_max"], path),
        withheld=values.get(f"{name}_withheld", 0),
    )


def _none_of(path: ListPath) -> Figure:
    return Figure(scale=path.scale, whole=path.kind == "integer")


def _at_scale(value: Any, path: ListPath) -> Any:
    return value if value is None or not path.scale else value.quantize(Decimal(1).scaleb(-path.scale))
