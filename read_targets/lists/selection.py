"""The rows that a question selects, and under which names the query holds the values of its paths."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import connections, router
from django.db.models import F, Model, Q, QuerySet
from django.db.models.manager import BaseManager

from .access import Access
from .conditions import NOTHING, condition_q
from .definition import ListDefinition, ListPath
from .expressions import Expressions
from .given import Givens
from .paging import Term
from .question import Question
from .search import Search

Made = TypeVar("Made")


def _narrows(model: type[Model]) -> bool:
    """Whether the manager that rows and rights begin from may leave rows out, which Django advises against."""
    return type(model._base_manager).get_queryset is not BaseManager.get_queryset


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


@dataclass
class Selection:
    """What one question selects, as one person, of one database."""

    definition: ListDefinition
    question: Question
    access: Access
    using: str

    def __post_init__(self) -> None:
        self.expressions = Expressions(self.access)
        self.given = Givens()
        self._names: dict[str, str] = {}
        self._aliases: dict[str, Any] = {}
        self._asked = list(self._conditions())
        self._search = Search(self.definition, self.question.text, self.access, self.using)
        self.total: int | None = None

    def name(self, path: ListPath) -> str:
        """The name that stands for the path in the query; a value that may be withheld gets an alias."""
        if path.path not in self._names:
            self._names[path.path] = path.lookup
            if self.expressions.closed(path) is not None:
                self._names[path.path] = name = f"path{len(self._names)}"
                self._aliases[name] = self.expressions.value(path)
        return self._names[path.path]

    def allowed(self, path: str, use: str) -> ListPath:
        """Return the path; raises KeyError where the list does not let it be used so."""
        if path not in getattr(self.definition, use):
            raise KeyError(path)
        return self.definition.path(path)

    def _conditions(self) -> Iterator[tuple[ListPath | None, Q]]:
        question = self.question
        if question.key is not None:
            yield None, self._of_key(question.key)
        for condition in question.conditions:
            path = self.allowed(condition.path, "filtered")
            yield path, condition_q(condition, path, self.name(path), self.given, question.zone)

    def _of_key(self, key: Any) -> Q:
        own = self.definition.model._meta.pk
        try:
            held: Any = own.to_python(key)
            spelt = str(key).lower() if isinstance(held, UUID) else str(key)
        except (ValidationError, ValueError, TypeError, OverflowError):
            return NOTHING
        # A key is what answers write: Python would also read 1_0 as ten, and digits of any script.
        if str(held) != spelt or "\0" in spelt or (isinstance(held, int) and not -(2**63) <= held < 2**63):
            return NOTHING
        return Q(pk=held if own.is_relation else self.given(held, own))

    def selected(self, first: int = 0) -> QuerySet[Any]:
        """The permitted rows that the conditions select, with every name that stands for a path so far.

        They are to be read all, or only the `first` so many in some order.
        """
        first = self._first(first)
        rows = permitted(self.definition, self.access, self.using, first or self._search.few)
        if self._aliases:
            rows = rows.alias(**self._aliases)
        conditions = (self._opened(path, q) for path, q in self._asked)
        filters = list(filter(None, (*conditions, self._search.found(first, self.total))))
        return rows.filter(*filters) if filters else rows

    def _first(self, first: int) -> int:
        """One row is found soonest by its key, whatever it is wanted for."""
        return 1 if self.question.key is not None else first

    def _opened(self, path: ListPath | None, q: Q) -> Q:
        """The condition, which a withheld value never fits, not even where it is *is null* or *is not*."""
        closed = None if path is None else self.expressions.closed(path)
        return q if closed is None else q & ~closed

    def held(self) -> dict[str, Any]:
        """The values of the question, as the driver takes them."""
        return self.given.held(connections[self.using])

    def known(self, part: Hashable, paths: Iterable[ListPath], first: int, make: Callable[[], Made]) -> Made:
        """Return what `make` makes for this `part` of the answer, made once for all questions of the same shape.

        It depends on the shape, `part`, and who may view what the `paths` lead to, and on no value of the question.
        """
        shape = self._shape([*paths, *(path for path, _ in self._asked if path is not None)], first)
        if shape is None:
            return make()
        made: Made = self.definition.known.get((shape, part), make)
        return made

    def _shape(self, paths: Iterable[ListPath], first: int) -> Hashable | None:
        """What decides how the selection is written; None where that cannot be told.

        The application's own scope, or a manager of its own, may be another each time, and words are looked up ahead.
        """
        crossed = dict.fromkeys(model for path in paths for _, model in path.hops)
        if (
            self.definition.queryset is not None
            or self._search.text
            or any(map(_narrows, (self.definition.model, *crossed)))
        ):
            return None
        rights = [self.access.shape(self.definition.model, self._first(first)), *map(self.access.shape, crossed)]
        if None in rights:
            return None
        asked = tuple((path and path.path, q) for path, q in self._asked)
        return self.using, type(self.access), tuple(rights), tuple(crossed), asked, self.question.zone

    def terms(self) -> list[Term]:
        """The order of the rows, total: its last term is the key."""
        order = self.question.order or self.definition.own_order
        terms, seen = [], set()
        for term in order:
            path = self.allowed(term.path, "sorted") if self.question.order else self.definition.path(term.path)
            if term.path not in seen:
                seen.add(term.path)
                terms.append(Term(self.name(path), term.descending, path.nullable or bool(path.hops)))
        # In the direction of the last term, so that one index serves both.
        terms.append(Term("pk", bool(order) and order[-1].descending))
        return terms

    def shown(self) -> list[ListPath]:
        """The paths of the rows."""
        return [self.allowed(path, "shown") for path in self.question.shown or self.definition.shown or ()]

    def named(self, paths: list[ListPath], first: int = 0) -> tuple[QuerySet[Any], list[str], dict[Any, str]]:
        """The selected rows; the names of the paths' values in them; and by relations, of whether those are withheld.

        They are to be read all, or only the `first` so many in the order of the question.
        """
        self.terms()  # they too give the query names, which must be there when it is made
        names = [self.name(path) for path in paths]
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
