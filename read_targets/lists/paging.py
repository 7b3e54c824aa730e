"""Paging by place: a page begins behind a row, or ends before one, and not after so many rows.

What is inserted or deleted on other pages then moves nothing on this one, and the thousandth page costs what the first
does: an index leads to the place, where OFFSET would count its way there. A place is a `Cursor`. It travels in an
address as signed text, good for one list, order, set of conditions and person.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.core import signing
from django.db.models import BooleanField, ExpressionWrapper, F, Func, Q
from django.db.models.expressions import OrderBy
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual

from .exact import Raw

if TYPE_CHECKING:
    from .answer import Row
    from .definition import ListDefinition
    from .order import Order
    from .question import Question

LONGEST_CURSOR = 1_200
"""Characters of a cursor as text; addresses must stay short of what web servers and browsers take."""

GOOD_TOTAL = 300
"""Seconds for which a total that a cursor carries is told again instead of counting once more."""

_SALT = "read_targets.lists.paging"


class UnfittingCursor(ValueError):
    """Text that is no cursor of ours, or one that was made for another list, order, set of conditions or person."""


@dataclass(frozen=True)
class Cursor:
    """Where a row stands: the values of the order's terms as the driver gives them, and the row's key.

    Null stands for a value that is withheld as well, as it does in the order. `total` is how many rows there were when
    they were counted, at `counted_at` (seconds since 1970); None where nobody counted.
    """

    values: tuple[Any, ...]
    key: Any
    total: int | None = field(default=None, compare=False)
    counted_at: float = field(default=0.0, compare=False)

    @property
    def good_total(self) -> int | None:
        """The total, as long as it is young enough to be told again."""
        return self.total if 0 <= time.time() - self.counted_at <= GOOD_TOTAL else None


END = Cursor((), None)
"""Behind the last row: the last page is the one before it."""


@dataclass(frozen=True)
class Term:
    """A term of a total order: the name that the query holds its value under, and how it goes."""

    name: str
    descending: bool = False
    nullable: bool = False
    nulls_first: bool = False

    @property
    def turned(self) -> Term:
        """The same term, from the end to the beginning."""
        return replace(self, descending=not self.descending, nulls_first=not self.nulls_first)

    def ordering(self, *, nulls: bool = True) -> OrderBy:
        """The term in an ORDER BY; without `nulls` there are none, and then a plain index gives the order."""
        said = self.nullable and nulls
        first, last = (True, None) if self.nulls_first else (None, True)
        placed = {"nulls_first": first, "nulls_last": last} if said else {}
        return OrderBy(F(self.name), descending=self.descending, **placed)

    def is_null(self, said: bool) -> Q:
        """Whether the value is null, or is not."""
        return Q(**{f"{self.name}__isnull": said})

    def behind(self, value: Any) -> Q:
        """The rows whose value comes behind `value`, nulls left out."""
        return self._compared(LessThan if self.descending else GreaterThan, value)

    def from_on(self, value: Any) -> Q:
        """The rows whose value is `value` or comes behind it, nulls left out."""
        return self._compared(LessThanOrEqual if self.descending else GreaterThanOrEqual, value)

    def _compared(self, lookup: Any, value: Any) -> Q:
        return Q(lookup(F(self.name), value))


@dataclass(frozen=True)
class Leg:
    """A stretch of the order that one statement reads by an index: its rows (None: all), and how they are ordered."""

    where: Q | None
    order: list[OrderBy]


class RowBehind(Func):
    """Whether one row of values comes behind another, compared by the database as a whole: an index can do that."""

    output_field = BooleanField()

    def __init__(self, terms: Sequence[Term], values: Sequence[Any]) -> None:
        super().__init__(*(F(term.name) for term in terms), *values)
        self.extra["sign"] = "<" if terms[0].descending else ">"

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, list[Any]]:  # type: ignore[override]
        """Write both rows in brackets, the sign between them."""
        compiled = [compiler.compile(one) for one in self.get_source_expressions()]
        half = len(compiled) // 2
        left, right = (", ".join(sql for sql, _ in part) for part in (compiled[:half], compiled[half:]))
        return f"({left}) {self.extra['sign']} ({right})", [one for _, params in compiled for one in params]


def ordering(terms: Iterable[Term]) -> list[OrderBy]:
    """Return the terms as an ORDER BY."""
    return [term.ordering() for term in terms]


def legs(terms: Sequence[Term], cursor: Cursor) -> list[Leg]:
    """Return the stretches of the order behind `cursor`, one after the other; the last of `terms` is the key.

    The values of the cursor are expressions, but None. Rows whose first value is null are a stretch of their own, since
    no index has *more than this, or null* in order. Raises ValueError for a cursor that does not have a value for each
    term.
    """
    first, rest = terms[0], terms[1:]
    without_nulls = [first.ordering(nulls=False), *ordering(rest)]
    if cursor == END:
        if not first.nullable:
            return [Leg(Q(), ordering(terms))]
        nulls, others = Leg(first.is_null(True), ordering(rest)), Leg(first.is_null(False), without_nulls)
        return [nulls, others] if first.nulls_first else [others, nulls]
    if len(cursor.values) != len(rest):
        raise ValueError("the cursor does not have a value for each term of the order")
    values = (*cursor.values, cursor.key)
    if values[0] is None:
        here = Leg(first.is_null(True) & _behind(rest, values[1:]), ordering(rest))
        return [here, Leg(first.is_null(False), without_nulls)] if first.nulls_first else [here]
    here = Leg(_behind([replace(first, nullable=False), *rest], values), without_nulls)
    return [here, Leg(first.is_null(True), ordering(rest))] if first.nullable and not first.nulls_first else [here]


def _behind(terms: Sequence[Term], values: Sequence[Any]) -> Q:
    """The rows that come behind the row of `values`."""
    if len(terms) > 1 and len({term.descending for term in terms}) == 1 and not any(term.nullable for term in terms):
        return Q(RowBehind(terms, values))
    term, value = terms[0], values[0]
    if len(terms) == 1:
        return term.behind(value)
    then = _behind(terms[1:], values[1:])
    if value is None:
        return term.is_null(False) | then if term.nulls_first else term.is_null(True) & then
    # The bound that stands alone is what an index can start from.
    found = term.from_on(value) & (term.behind(value) | then)
    return found | term.is_null(True) if term.nullable and not term.nulls_first else found


def raw(name: str) -> ExpressionWrapper[Any]:
    """The value that the query holds under `name`, as the driver gives it."""
    return ExpressionWrapper(F(name), output_field=Raw())


@dataclass(frozen=True)
class Page:
    """Some rows of a list, and whether there are rows before and behind them."""

    rows: list[Row]
    is_before: bool
    is_after: bool

    @property
    def before(self) -> Cursor | None:
        """Where the page before this one ends; None where there is none, or places were not asked for."""
        if not self.is_before:
            return None
        return self.rows[0].place if self.rows else END

    @property
    def after(self) -> Cursor | None:
        """Where the next page begins; None where there is none, or places were not asked for."""
        return self.rows[-1].place if self.is_after else None


def page_of(rows: list[Row], size: int, question: Question) -> Page:
    """Return the page of `size` rows, where `question` was answered with `rows`: with one row more, if there is one.

    That one tells whether there is a page beyond. Where the rows that were here are gone, the page is empty, and what
    is left of the list lies on the other side of it.
    """
    backwards = question.before is not None
    is_more = len(rows) > size
    begun = question.after is not None or question.offset > 0
    shown = rows[-size:] if backwards else rows[:size]
    if backwards:
        return Page(shown, is_more, bool(shown) and question.before != END)
    return Page(shown, begun, is_more)


def can_page(definition: ListDefinition, order: Sequence[Order]) -> bool:
    """Whether places may be told in this order: a cursor holds its values, and those must be ones that are shown."""
    return {one.path for one in order or definition.own_order} <= set(definition.shown or ())


# As text


def scope_of(definition: ListDefinition, question: Question, holder: Any) -> str:
    """Return what a cursor is good for, as a digest: the list, its order, the conditions, and who holds it."""
    asked = [
        definition.name,
        [str(one) for one in question.order or definition.own_order],
        [(one.path, one.operator, one.value) for one in question.conditions],
        question.text,
        question.key,
        holder,
    ]
    return hashlib.sha256(json.dumps(asked, default=str).encode()).hexdigest()


def cursor_text(cursor: Cursor, scope: str) -> str:
    """Return the cursor as signed text for an address; empty where it would be too long for one."""
    told = [[_plain(value) for value in cursor.values], _plain(cursor.key), cursor.total, int(cursor.counted_at)]
    text = signing.dumps(told, salt=f"{_SALT}:{scope}", compress=True)
    return text if len(text) <= LONGEST_CURSOR else ""


def read_cursor(text: str, scope: str) -> Cursor:
    """Return the cursor that `text` is, made for `scope`; raises UnfittingCursor."""
    if len(text) > LONGEST_CURSOR:
        raise UnfittingCursor(text[:20])
    try:
        values, key, total, counted_at = signing.loads(text, salt=f"{_SALT}:{scope}")
    except (signing.BadSignature, ValueError):
        raise UnfittingCursor(text[:20]) from None
    return Cursor(tuple(map(_read, values)), _read(key), total, counted_at)


_WRITTEN: dict[type, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    Decimal: ("n", str, Decimal),
    dt.datetime: ("t", dt.datetime.isoformat, dt.datetime.fromisoformat),
    dt.date: ("d", dt.date.isoformat, dt.date.fromisoformat),
    uuid.UUID: ("u", str, uuid.UUID),
}
_READERS = {mark: read for mark, _, read in _WRITTEN.values()}


def _plain(value: Any) -> Any:
    """A value as JSON; one that JSON has no form for as its mark and its text."""
    if type(value) not in _WRITTEN:
        return value
    mark, write, _ = _WRITTEN[type(value)]
    return [mark, write(value)]


def _read(value: Any) -> Any:
    return _READERS[value[0]](value[1]) if isinstance(value, list) else value
