"""What is wrong with a declaration, each with what would fit; asked on saving, by checks, and before a tool is offered.

The rules are seed 000's for read targets, and the list's own: its paths, kinds and operators.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.urls import get_urlconf
from django.utils.translation import gettext as _

from ..lists import UnknownList, get_list, registered_lists
from ..models import LONGEST_TOOL_NAME, Column, Criterion, CriterionFilter, Goal, ReadTarget, ScreenParameter, pascal
from .document import site_schema
from .document_rules import of_document
from .figure_rules import of_goals
from .problem import Problem, listed
from .rules import of_columns, of_criteria, of_screen
from .shapes import Shape, shape_of

__all__ = ["Problem", "is_screen_sound", "is_sound", "problems_of"]

KEY = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")
"""A target's key (seed 000)."""

MOST_REMEMBERED = 1_000
"""Declarations whose soundness a process remembers; far more than anybody declares."""


@dataclass(frozen=True)
class Declared:
    """A target with its rows, stored or not yet."""

    target: ReadTarget
    columns: tuple[Column, ...]
    goals: tuple[Goal, ...]
    criteria: tuple[tuple[Criterion, tuple[CriterionFilter, ...]], ...]
    parameters: tuple[ScreenParameter, ...]

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of the conditions that a screen may take."""
        words = ("text",) if self.target.search_hint else ()
        return (*(criterion.name for criterion, _filters in self.criteria), *words)


def problems_of(
    target: ReadTarget,
    *,
    columns: Iterable[Column] | None = None,
    goals: Iterable[Goal] | None = None,
    criteria: Iterable[tuple[Criterion, Sequence[CriterionFilter]]] | None = None,
    parameters: Iterable[ScreenParameter] | None = None,
    in_database: bool = True,
) -> list[Problem]:
    """Return everything that is wrong with a target; nothing where it can be offered.

    Its rows are those stored unless they are given: unsaved ones, and conditions each with their filters. Without
    `in_database` only what is said and the code are asked, not which other targets and permissions there are.
    """
    return list(_problems(_declared(target, columns, goals, criteria, parameters), in_database))


def is_sound(target: ReadTarget) -> bool:
    """Whether the list can be queried through the target: at most its screen may be wrong.

    Asks the database nothing more for a target whose rows are prefetched, and remembers the answer until the
    declaration, the list, the schema or the routes change.
    """
    return _soundness(target)[0]


def is_screen_sound(target: ReadTarget) -> bool:
    """Whether the screen can be offered as well; costs what `is_sound` does."""
    return _soundness(target)[1]


_known: dict[Hashable, tuple[bool, bool]] = {}


def _soundness(target: ReadTarget) -> tuple[bool, bool]:
    declared = _declared(target)
    content = _content(declared)
    if content not in _known:
        if len(_known) >= MOST_REMEMBERED:
            _known.clear()
        problems = list(_problems(declared, in_database=False))
        _known[content] = all(problem.is_of_screen for problem in problems), not problems
    return _known[content]


_OF_TARGET = attrgetter(
    *("key", "list_query", "search_hint", "order", "screen"),
    *("document", "rows_path", "total_path", "door_permission"),
)
_OF_COLUMN = attrgetter("name", "path", "kind", "total", "basis", "weight", "numerator", "denominator")
_OF_GOAL = attrgetter("column", "direction", "source")
_OF_CRITERION = attrgetter("name", "kind", "values", "minimum", "maximum", "pattern")
_OF_FILTER = attrgetter("field", "operator")
_OF_PARAMETER = attrgetter("criterion", "argument", "needs")


def _content(declared: Declared) -> Hashable:
    """Everything that the problems depend on: what is declared, the list, the schema and the routes."""
    source: Hashable = None
    if declared.target.is_foreign:
        source = site_schema()
    else:
        with suppress(UnknownList):
            source = get_list(declared.target.list_query)
    return (
        _OF_TARGET(declared.target),
        tuple(map(_OF_COLUMN, declared.columns)),
        tuple(map(_OF_GOAL, declared.goals)),
        tuple((_OF_CRITERION(one), tuple(map(_OF_FILTER, filters))) for one, filters in declared.criteria),
        tuple(map(_OF_PARAMETER, declared.parameters)),
        source,
        get_urlconf() or settings.ROOT_URLCONF,
    )


def _declared(
    target: ReadTarget,
    columns: Iterable[Column] | None = None,
    goals: Iterable[Goal] | None = None,
    criteria: Iterable[tuple[Criterion, Sequence[CriterionFilter]]] | None = None,
    parameters: Iterable[ScreenParameter] | None = None,
) -> Declared:
    if columns is None:
        columns = _rows(target, "columns")
    if goals is None:
        goals = _rows(target, "goals")
    if criteria is None:
        criteria = [(criterion, _rows(criterion, "filters")) for criterion in _rows(target, "criteria")]
    if parameters is None:
        parameters = _rows(target, "screen_parameters")
    paired = tuple((criterion, tuple(filters)) for criterion, filters in criteria)
    return Declared(target, tuple(columns), tuple(goals), paired, tuple(parameters))


def _rows(owner: Any, name: str) -> Any:
    """The rows that belong to `owner`; prefetched ones without the manager, which would cost more than all the rest."""
    if owner.pk is None:
        return ()
    prefetched = getattr(owner, "_prefetched_objects_cache", {})
    return prefetched[name] if name in prefetched else getattr(owner, name).all()


def _problems(declared: Declared, in_database: bool) -> Iterator[Problem]:
    target = declared.target
    yield from _of_key(target, in_database)
    shape = shape_of(target)
    if target.is_foreign:
        yield from of_document(target, in_database=in_database)
    elif shape is None:
        message = _("The application has no list “%(name)s”.") % {"name": target.list_query}
        names = [one.name for one in registered_lists()]
        yield Problem("list_query", message, _("It has %(names)s.") % {"names": listed(names, target.list_query)})
    if shape is not None:
        yield from _of_search(target, shape)
        yield from _of_order(target, shape)
    yield from of_columns(declared.columns, shape)
    yield from of_goals(declared.goals, declared.columns)
    yield from of_criteria(declared.criteria, shape)
    yield from of_screen(target, declared.parameters, declared.conditions)


def _of_key(target: ReadTarget, in_database: bool) -> Iterator[Problem]:
    hint = _("A key is <app>.<record>, in small letters, digits and hyphens, like ledger.cash-transactions.")
    if not KEY.fullmatch(target.key) or not pascal(target.key):
        yield Problem("key", _("“%(key)s” is no key.") % {"key": target.key}, hint)
        return
    name = max(target.query_tool_name, target.screen_tool_name, key=len)
    if len(name) > LONGEST_TOOL_NAME:
        said = {"name": name, "most": LONGEST_TOOL_NAME}
        message = _("Its tool would be %(name)s: over %(most)d characters.") % said
        yield Problem("key", message, _("Choose a shorter key."))
    if in_database:
        for key in ReadTarget.objects.exclude(pk=target.pk).values_list("key", flat=True):
            if pascal(key) == pascal(target.key):
                message = _("Its tools would have the names of those of %(key)s.") % {"key": key}
                yield Problem("key", message, _("Choose another key."))


def _of_search(target: ReadTarget, shape: Shape) -> Iterator[Problem]:
    if target.search_hint and not shape.is_searched:
        hint = _("Leave this empty: free words are looked for nowhere in it.")
        yield Problem("search_hint", _("The list searches nothing."), hint)


def _of_order(target: ReadTarget, shape: Shape) -> Iterator[Problem]:
    for path in (one.path for one in target.own_order):
        if shape.says_paths and path not in shape.sorted:
            hint = _("It sorts by %(paths)s.") % {"paths": listed(shape.sorted, path)}
            yield Problem("order", _("The list does not sort by “%(path)s”.") % {"path": path}, hint)
