"""The rules for what a declaration says of figures: the bases of averages, and the goals that are set for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from ..models import Basis, Column, Goal
from .problem import Row, listed

if TYPE_CHECKING:
    from .problem import Problem
    from .shapes import Shape

NUMBERS = ("number", "integer")

OWNERS = {"weight": Basis.WEIGHTS, "numerator": Basis.RATIO, "denominator": Basis.RATIO}
"""The fields that name a column, and the basis that they belong to."""


def of_basis(row: Row, column: Column, columns: Sequence[Column], shape: Shape | None) -> Iterator[Problem]:
    """What is wrong with a column's total and the basis of its average."""
    if column.basis not in Basis.values:
        hint = _("Choose one of %(names)s.") % {"names": listed(Basis.values)}
        yield row.problem("basis", _("There is no basis “%(name)s”.") % {"name": column.basis}, hint)
        return
    yield from _of_kind(row, column, shape)
    for field, basis in OWNERS.items():
        if field in column.parts:
            yield from _of_part(row, field, column, columns, shape)
        elif getattr(column, field):
            hint = _("Leave it empty, or choose the average “%(basis)s”.") % {"basis": basis.label}
            yield row.problem(field, _("This average is made of something else."), hint)


def _of_kind(row: Row, column: Column, shape: Shape | None) -> Iterator[Problem]:
    kinds = {"kind": column.get_kind_display()}
    if not column.has_values:
        if column.kind != "number":
            yield row.problem("kind", _("A ratio is a number."), _("Choose the type %(kind)s.") % {"kind": _("number")})
        if column.total:
            hint = _("Leave the total off, or choose the path of its values.")
            yield row.problem("total", _("A ratio without values of its own has no total."), hint)
    elif column.kind not in NUMBERS:
        if column.total:
            hint = _("Only numbers are summed: leave the total off.")
            yield row.problem("total", _("A column of the type %(kind)s has no total.") % kinds, hint)
        if column.basis != Basis.ROWS:
            hint = _("Choose the average “%(basis)s”.") % {"basis": Basis.ROWS.label}
            yield row.problem("basis", _("A column of the type %(kind)s has no average.") % kinds, hint)
    elif column.basis == Basis.WEIGHTS and not _is_exact(column, shape):
        yield row.problem("basis", _("Its values are not exact, so they cannot be weighed."), _exact_hint())


def _of_part(row: Row, field: str, column: Column, columns: Sequence[Column], shape: Shape | None) -> Iterator[Problem]:
    name = getattr(column, field)
    able = [one for one in columns if one.name != column.name and one.has_values and one.kind in NUMBERS]
    found = next((one for one in able if one.name == name), None)
    if found is None:
        names = [one.name for one in able if _is_exact(one, shape)]
        hint = _("Choose one of %(names)s.") % {"names": listed(names, name)} if names else _("Add one first.")
        said = _("“%(name)s” is no other column of numbers here.") % {"name": name} if name else _("Choose a column.")
        yield row.problem(field, said, hint)
    elif not _is_exact(found, shape):
        message = _("The values of “%(name)s” are not exact, so nothing can be weighed or divided by them.")
        yield row.problem(field, message % {"name": name}, _exact_hint())


def _is_exact(column: Column, shape: Shape | None) -> bool:
    return shape is None or shape.is_exact(column.list_path)


def _exact_hint() -> str:
    return _("Only whole and decimal numbers keep every digit; a float does not.")


def of_goals(goals: Sequence[Goal], columns: Sequence[Column]) -> Iterator[Problem]:
    """What is wrong with the goals."""
    figured = [column.name for column in columns if column.has_figure]
    standing = Counter((goal.column, goal.source) for goal in goals)
    for number, goal in enumerate(goals):
        row = Row("goals", number, goal.column)
        if goal.column not in figured:
            hint = _("Give a column a total, or an average by a weight or of two sums.")
            if figured:
                hint = _("There are %(names)s; a column without a total has none.") % {
                    "names": listed(figured, goal.column)
                }
            yield row.problem("column", _("There is no figure “%(name)s”.") % {"name": goal.column}, hint)
        if goal.direction not in Goal.Direction.values:
            hint = _("Choose one of %(names)s.") % {"names": listed(Goal.Direction.values)}
            yield row.problem("direction", _("There is no direction “%(name)s”.") % {"name": goal.direction}, hint)
        if standing[goal.column, goal.source] > 1:
            hint = _("Each needs a source of its own.")
            yield row.problem(
                "source", _("There is another goal of this source for “%(name)s”.") % {"name": goal.column}, hint
            )
