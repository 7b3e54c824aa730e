"""The rules for the rows of a declaration: columns, conditions and screen parameters, against what the list is like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from ..criteria import LIMITS
from ..models import RESERVED, Column, Criterion, CriterionFilter, ReadTarget, ScreenParameter
from . import routes
from .figure_rules import NUMBERS, of_basis
from .problem import Problem, Row, listed

if TYPE_CHECKING:
    from .shapes import Shape

ROW_NAMES = ("id", "withheld")
"""What every row says beside its columns, so that no column can be named like it."""


def of_columns(columns: Sequence[Column], shape: Shape | None) -> Iterator[Problem]:
    """What is wrong with the columns."""
    if not columns:
        hint = _("Show at least one of %(paths)s.") % {"paths": listed(shape.shown)} if shape and shape.shown else ""
        yield Problem("", _("The target shows no column."), hint, "columns")
    names = Counter(column.name for column in columns)
    for number, column in enumerate(columns):
        row = Row("columns", number, column.name)
        yield from _of_name(row, names, reserved=ROW_NAMES)
        if shape is not None and column.has_values:
            yield from _of_path(row, column, shape)
        yield from of_basis(row, column, columns, shape)


def _of_name(row: Row, names: Counter[str], reserved: Sequence[str]) -> Iterator[Problem]:
    if row.name in reserved:
        hint = _("Reserved are %(names)s; choose another name.") % {"names": listed(reserved)}
        yield row.problem("name", _("The name “%(name)s” is reserved.") % {"name": row.name}, hint)
    if names[row.name] > 1:
        hint = _("Each needs a name of its own.")
        yield row.problem("name", _("The name “%(name)s” is used twice.") % {"name": row.name}, hint)


def _of_path(row: Row, column: Column, shape: Shape) -> Iterator[Problem]:
    kinds = shape.column_kinds(column.list_path)
    if kinds is None:
        hint = _("It shows %(paths)s.") % {"paths": listed(shape.shown, column.list_path)}
        yield row.problem("path", _("The list does not show “%(path)s”.") % {"path": column.list_path}, hint)
    elif kinds and column.kind not in kinds:
        said = {"path": column.list_path, "kind": column.kind, "kinds": listed(kinds)}
        hint = _("Choose the type %(kinds)s.") % said
        yield row.problem("kind", _("“%(path)s” is not of the type %(kind)s.") % said, hint)


def of_criteria(
    criteria: Sequence[tuple[Criterion, Sequence[CriterionFilter]]], shape: Shape | None
) -> Iterator[Problem]:
    """What is wrong with the conditions and their filters."""
    names = Counter(criterion.name for criterion, _filters in criteria)
    for number, (criterion, filters) in enumerate(criteria):
        row = Row("criteria", number, criterion.name)
        yield from _of_name(row, names, reserved=RESERVED)
        if not filters:
            hint = _("Choose a field and how the value is compared with it.")
            yield row.problem("field_1", _("The condition filters nothing."), hint)
        yield from _of_limits(row, criterion, filters)
        yield from _of_pattern(row, criterion, filters)
        yield from _of_values(row, criterion, filters, shape)
        if shape is not None:
            for position, one in enumerate(filters, 1):
                yield from _of_filter(row, criterion, one, position, shape)


def _of_limits(row: Row, criterion: Criterion, filters: Sequence[CriterionFilter]) -> Iterator[Problem]:
    least, most = criterion.minimum, criterion.maximum
    if criterion.kind not in NUMBERS:
        for field, limit in (("minimum", least), ("maximum", most)):
            if limit is not None:
                hint = _("Leave it empty.")
                yield row.problem(field, _("Only a number has a least and a most."), hint)
        return
    if least is not None and most is not None and least > most:
        yield row.problem("minimum", _("The least is more than the most, so nothing fits."), _("Exchange the two."))
    for operator, (lowest, highest) in LIMITS.items():
        if any(one.operator == operator for one in filters):
            hint = _("Stay between %(least)d and %(most)d, or leave it empty.") % {"least": lowest, "most": highest}
            if least is not None and least < lowest:
                yield row.problem("minimum", _("There is no such year or month."), hint)
            if most is not None and most > highest:
                yield row.problem("maximum", _("There is no such year or month."), hint)


def _of_pattern(row: Row, criterion: Criterion, filters: Sequence[CriterionFilter]) -> Iterator[Problem]:
    if not criterion.pattern:
        return
    if criterion.kind != "string":
        yield row.problem("pattern", _("Only a text has a pattern."), _("Leave it empty."))
    elif any(one.operator == "period" for one in filters):
        hint = _("Leave it empty: a month is always read as YYYY-MM.")
        yield row.problem("pattern", _("A month has a pattern of its own."), hint)
    try:
        re.compile(criterion.pattern)
    except re.error as error:
        hint = _("Write one like [A-Z]{3}, or leave it empty.")
        yield row.problem("pattern", _("This is no regular expression: %(said)s.") % {"said": error}, hint)


def _of_values(
    row: Row, criterion: Criterion, filters: Sequence[CriterionFilter], shape: Shape | None
) -> Iterator[Problem]:
    given = criterion.value_list
    if criterion.kind != "enum":
        if given:
            hint = _("Leave them empty, or choose the type “one of some values”.")
            yield row.problem("values", _("Only one of some values has a list of them."), hint)
        return
    known = [shape.values(one.field) for one in filters if shape is not None and one.field in shape.filtered]
    every = [values for values in known if values]
    if not given:
        hint = _("The field has %(values)s.") % {"values": listed(every[0])} if every else _("Write one a line.")
        yield row.problem("values", _("The condition lists no values."), hint)
    if len(given) != len(set(given)):
        yield row.problem("values", _("A value is there twice."), _("Write each once."))
    for values in every:
        strange = [value for value in given if value not in values]
        if strange:
            hint = _("It has %(values)s.") % {"values": listed(values, strange[0])}
            yield row.problem("values", _("The field has no %(values)s.") % {"values": listed(strange)}, hint)


def _of_filter(row: Row, criterion: Criterion, one: CriterionFilter, position: int, shape: Shape) -> Iterator[Problem]:
    field, operator = f"field_{position}", f"operator_{position}"
    if shape.says_paths and one.field not in shape.filtered:
        hint = _("It filters %(paths)s.") % {"paths": listed(shape.filtered, one.field)}
        yield row.problem(field, _("The list does not filter “%(path)s”.") % {"path": one.field}, hint)
        return
    said = {"path": one.field, "operator": one.operator, "kind": criterion.kind}
    fitting = shape.operators(one.field)
    if one.operator not in fitting:
        hint = _("It goes with %(operators)s.") % {"operators": listed(fitting)}
        yield row.problem(operator, _("“%(path)s” cannot be compared by “%(operator)s”.") % said, hint)
        return
    kinds = shape.condition_kinds(one.field, one.operator)
    if kinds and criterion.kind not in kinds:
        hint = _("Choose the type %(kinds)s.") % {"kinds": listed(kinds)}
        message = _("A value of the type %(kind)s does not go with “%(path)s” and “%(operator)s”.") % said
        yield row.problem("kind", message, hint)


def of_screen(
    target: ReadTarget, parameters: Sequence[ScreenParameter], conditions: Iterable[str]
) -> Iterator[Problem]:
    """What is wrong with the screen and what its address takes."""
    if not target.screen:
        if parameters:
            hint = _("Choose the screen, or remove its parameters.")
            yield Problem("", _("There are parameters, but no screen that takes them."), hint, "parameters")
        return
    if not routes.leads_somewhere(target.screen):
        hint = _("There are %(names)s.") % {"names": listed(routes.screen_names(), target.screen)}
        message = _("No address without arguments has the URL name “%(name)s”.") % {"name": target.screen}
        yield Problem("screen", message, hint)
    known = tuple(conditions)
    takes = routes.taken_by(target.screen)
    standing = Counter(one.criterion for one in parameters)
    arguments = Counter(one.argument for one in parameters)
    for number, one in enumerate(parameters):
        row = Row("parameters", number, one.criterion)
        if one.criterion not in known:
            hint = _("There are %(names)s.") % {"names": listed(known, one.criterion)} if known else ""
            yield row.problem("criterion", _("There is no condition “%(name)s”.") % {"name": one.criterion}, hint)
        if standing[one.criterion] > 1:
            hint = _("Name it once.")
            yield row.problem("criterion", _("“%(name)s” is there twice.") % {"name": one.criterion}, hint)
        if arguments[one.argument] > 1:
            hint = _("Each needs an argument of its own.")
            yield row.problem("argument", _("“%(name)s” is there twice.") % {"name": one.argument}, hint)
        if takes is not None and one.argument not in takes:
            hint = _("It takes %(names)s.") % {"names": listed(takes, one.argument)}
            yield row.problem("argument", _("The screen takes no “%(name)s”.") % {"name": one.argument}, hint)
        if one.needs and (one.needs == one.criterion or one.needs not in standing):
            others = [name for name in standing if name != one.criterion]
            hint = _("Leave it empty.")
            if others:
                hint = _("Choose one of %(names)s, or none.") % {"names": listed(others)}
            yield row.problem("needs", _("“%(name)s” is no other parameter here.") % {"name": one.needs}, hint)
