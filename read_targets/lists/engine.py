"""Asking a list: the figures over every permitted row in one statement, the rows in a second.

With groups, the totals are the groups added up, so that the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import connections, router
from django.db.models import ExpressionWrapper, F, Value
from django.utils import timezone

from .access import Access
from .answer import MOST_GROUPS, Answer, Group, Row, by_key, by_size, told
from .compiled import Compiled, compiled
from .definition import ListDefinition, ListPath
from .exact import Raw, at_scale
from .local_months import LocalMonth
from .months import by_month
from .paging import END, Cursor, Leg, legs, ordering, raw
from .question import Measure, Question
from .selection import Selection
from .snapshot import snapshot
from .tally import Number, Tally

FEW = ("boolean", "enum", "date")
"""The kinds of values of which there are few groups."""

_RAW = Raw()


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


def keys_of(definition: ListDefinition, question: Question, access: Access, relation: str = "") -> list[Any]:
    """Return the primary keys of every row that the question selects, ascending.

    With `relation` (a hop of one of the list's paths), the keys of the related objects that the person may view.
    """
    using = router.db_for_read(definition.model)
    with snapshot(using), timezone.override(question.zone):
        rows = Selection(definition, question, access, using).selected()
        if not relation:
            return list(rows.order_by("pk").values_list("pk", flat=True))
        model = next(model for path in definition.paths.values() for hop, model in path.hops if hop == relation)
        viewable = access.viewable(model)
        if viewable is not None:
            rows = rows.filter(**{f"{relation}__in": viewable})
        related = rows.filter(**{f"{relation}__isnull": False}).order_by(f"{relation}__pk")
        return list(related.values_list(f"{relation}__pk", flat=True).distinct())


@dataclass(frozen=True)
class Figures:
    """The statement that gives the figures, of each group or of all; None where there is no row. And how it is read."""

    statement: Compiled | None
    tally: Tally


@dataclass(frozen=True)
class Rows:
    """A statement that gives rows; None where there is none. And what its columns are after the key.

    The values of `paths`; for each relation of `flags`, whether its values are withheld; and `places` values of a
    cursor. It is one of `legs` statements, which follow each other until there are rows enough.
    """

    statement: Compiled | None
    paths: Sequence[ListPath]
    flags: Sequence[Any]
    places: int
    legs: int

    def told(self, read: Iterable[tuple[Any, ...]]) -> list[Row]:
        """Return the rows that were read."""
        last = len(self.paths) + 1
        closed = {hops: last + at for at, hops in enumerate(self.flags)}
        hidden = [(path.path, closed[path.hops]) for path in self.paths if path.hops in closed]
        names = [path.path for path in self.paths]
        decimals = [path for path in self.paths if path.kind == "number" and path.scale is not None]
        found = []
        for row in read:
            values = dict(zip(names, row[1:last], strict=True))
            for path in decimals:
                values[path.path] = at_scale(values[path.path], path)
            withheld = frozenset(name for name, at in hidden if row[at])
            place = Cursor(row[-self.places : -1], row[-1]) if self.places else None
            found.append(Row(row[0], values, withheld, place))
        return found


class Reading(Selection):
    """A question being answered."""

    def figured(self) -> Answer:
        """Return the figures over all rows, and of each group where there are groups."""
        question = self.question
        group = None if question.group_by is None else self.allowed(question.group_by, "grouped")
        paths = [self.allowed(path, "shown") for one in question.measures for path in paths_of(one)]
        part = ("figures", question.measures, question.group_by)
        figures = self.known(part, paths if group is None else [*paths, group], 0, partial(self._figures, group))
        if group is not None:
            return self._grouped(group, figures)
        rows = figures.statement.rows(self.held()) if figures.statement else [figures.tally.nothing()]
        return Answer(rows[0][0], figures.tally.figures(rows[0]))

    def _figures(self, group: ListPath | None) -> Figures:
        tally = Tally(connections[self.using].vendor)
        for measure in self.question.measures:
            tally.watch(measure, {path: self._number(path) for path in paths_of(measure)})
        if group is None:
            # A constant is no group, so that these are the figures of all rows.
            every = self.selected().order_by().values(every=Value(1)).annotate(**tally.aggregates)
            return Figures(compiled(every.values_list(*tally.aggregates)), tally)
        keys = ["group_key", "group_withheld"]
        key: Any = F(self.name(group))
        if group.is_moment:
            key = LocalMonth(self.name(group), self.question.zone)
        elif group.kind == "date":
            key = ExpressionWrapper(key, output_field=Raw())
        keyed = self.selected().annotate(group_key=key, group_withheld=self.expressions.withheld(group))
        grouped = keyed.order_by().values(*keys).annotate(**tally.aggregates)
        statement = compiled(grouped.values_list(*keys, *tally.aggregates))
        if statement is not None and group.kind == "date" and not group.is_moment:
            statement = by_month(statement, keys, tally.added)
        return Figures(statement, tally)

    def _number(self, name: str) -> Number:
        path = self.allowed(name, "shown")
        if path.kind not in ("number", "integer"):
            raise ValueError(f"{name!r} is a {path.kind}, which has no sum")
        return Number(path, self.expressions.value(path), self.expressions.closed(path))

    def _grouped(self, path: ListPath, figures: Figures) -> Answer:
        """The groups, and the total added up from them, so that the two cannot disagree."""
        statement, tally = figures.statement, figures.tally
        read: Iterable[Any] = ()
        if statement is not None:
            # As many groups as rows, perhaps: a few at a time, though PostgreSQL works with one process then.
            read = statement.rows(self.held()) if path.kind in FEW else statement.each(self.held())
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
        """Return up to `limit` rows, from where the question says that they begin.

        Raises ValueError where it says that twice, and for a cursor that does not have a value for each term.
        """
        question = self.question
        if (question.after is not None) + (question.before is not None) + bool(question.offset) > 1:
            raise ValueError("a page begins after a cursor, before one, or after so many rows")
        place = self._given_place(question.before or question.after)
        paths = self.shown()
        ordered = [self.definition.path(one.path) for one in question.order or self.definition.own_order]
        # A null decides how what lies behind it is written; any other value comes in.
        begins = place and (place == END or [value is None for value in place.values])
        part = (question.shown, question.order, question.offset, question.places, question.before is None, str(begins))
        read: list[Any] = []
        leg = 0
        while True:
            left = limit - len(read)
            make = partial(self._rows, paths, place, leg, left)
            one = self.known(("rows", *part, leg, left), [*paths, *ordered], question.offset + left, make)
            read += one.statement.rows(self.held()) if one.statement else ()
            leg += 1
            if leg == one.legs or len(read) >= limit:
                return one.told(reversed(read) if question.before is not None else read)

    def _given_place(self, place: Cursor | None) -> Cursor | None:
        if place is None or place == END:
            return place
        values = tuple(None if value is None else self.given(value, _RAW) for value in place.values)
        return replace(place, values=values, key=self.given(place.key, _RAW))

    def _rows(self, paths: list[ListPath], place: Cursor | None, leg: int, limit: int) -> Rows:
        terms, offset = self.terms(), self.question.offset
        queryset, names, flags = self.named(paths, offset + limit)
        placed = {f"place{at}": raw(term.name) for at, term in enumerate(terms)} if self.question.places else {}
        stretches = [Leg(None, ordering(terms))]
        if place is not None:
            stretches = legs(terms if self.question.before is None else [term.turned for term in terms], place)
        where, order = stretches[leg].where, stretches[leg].order
        rows = queryset.annotate(**placed) if where is None else queryset.annotate(**placed).filter(where)
        tuples = rows.order_by(*order).values_list("pk", *names, *flags.values(), *placed)
        return Rows(compiled(tuples[offset : offset + limit]), paths, list(flags), len(placed), len(stretches))


def paths_of(measure: Measure) -> tuple[str, ...]:
    """Return the paths that a figure is made of; a ratio alone may be one without values of its own."""
    own = () if measure.basis == "ratio" and not measure.path else (measure.path,)
    return tuple(dict.fromkeys((*own, *measure.parts)))
