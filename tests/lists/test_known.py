"""A statement is compiled once for all questions of a shape, and for no two that differ in more than values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.db.models import Manager
from django.db.models.sql.compiler import SQLCompiler
from django.test.utils import CaptureQueriesContext

from read_targets.lists import Condition, ListDefinition, Order, Question, ask, compiled

from .doubles import Everything, Only
from .shelf import Box, Thing, Token, things

pytestmark = pytest.mark.django_db

PRICED = Question(figures=("price",), group_by="day", order=(Order("price"),), limit=20)


@pytest.fixture
def listed() -> ListDefinition:
    """A list of which nothing is known yet."""
    return ListDefinition("knownThings", Thing, searched="words")


@pytest.fixture
def boxed() -> ListDefinition:
    """The same across a relation."""
    return ListDefinition("knownBoxed", Thing, shown="price box.label")


@contextmanager
def compilations(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Tell what Django compiles inside."""
    seen: list[str] = []
    own = SQLCompiler.as_sql

    def as_sql(self: Any, *args: Any, **kwargs: Any) -> Any:
        sql = own(self, *args, **kwargs)
        seen.append(sql[0])
        return sql

    with monkeypatch.context() as patched:
        patched.setattr(SQLCompiler, "as_sql", as_sql)
        yield seen


def prices(definition: ListDefinition, question: Question, access: Any = None) -> list[Any]:
    return [row.values["price"] for row in ask(definition, question, access or Everything()).rows]


VALUES: dict[str, tuple[str, str, Any, Any]] = {
    "decimal": ("price", "gte", Decimal("2.00"), Decimal("3.00")),
    "equal decimal": ("price", "eq", Decimal("2.00"), Decimal("3.00")),
    "integer": ("count", "lt", 2, 3),
    "float": ("rough", "gt", 0.5, 1.5),
    "text": ("words", "eq", "one", "two"),
    "part of a text": ("words", "contains", "ne", "wo"),
    "beginning": ("words", "startswith", "o", "t"),
    "enum": ("colour", "eq", "RED", "BLUE"),
    "not an enum": ("colour", "ne", "RED", "BLUE"),
    "day": ("day", "lte", dt.date(2026, 1, 1), dt.date(2026, 1, 2)),
    "month": ("day", "period", "2026-01", "2026-02"),
    "day of a moment": ("at", "eq", dt.date(2026, 1, 1), dt.date(2026, 1, 2)),
}


def several() -> None:
    things(
        price=[Decimal("1.00"), Decimal("2.00"), Decimal("3.00"), None],
        count=[1, 2, 3, None],
        rough=[0.0, 1.0, 2.0, None],
        words=["one", "two", "three", None],
        colour=["RED", "BLUE", "RED", None],
        day=[dt.date(2026, 1, 1), dt.date(2026, 1, 2), dt.date(2026, 2, 1), None],
        at=[dt.datetime(2026, 1, day, 12, tzinfo=dt.UTC) for day in (1, 2, 3)] + [None],
    )


@pytest.mark.parametrize("case", VALUES)
def test_another_value_is_asked_by_the_same_statements(
    case: str, listed: ListDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    several()
    path, operator, first, second = VALUES[case]
    one, other = (replace(PRICED, conditions=(Condition(path, operator, value),)) for value in (first, second))
    fresh = prices(ListDefinition("fresh", Thing), other)
    assert prices(listed, one) != fresh
    with compilations(monkeypatch) as seen:
        assert prices(listed, other) == fresh
    assert seen == []


def test_one_record_after_another_is_asked_by_the_same_statements(
    listed: ListDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = things(price=[Decimal("1.00"), Decimal("2.00")])
    assert prices(listed, Question(key=str(made[0].pk), limit=1)) == [Decimal("1.00")]
    with compilations(monkeypatch) as seen:
        assert prices(listed, Question(key=str(made[1].pk), limit=1)) == [Decimal("2.00")]
    assert seen == []


@pytest.mark.parametrize("key", ["9" * 30, str(2**63), "-1", "1_0", "x", "", "\0"])
def test_a_key_that_no_record_has_finds_nothing(key: str, listed: ListDefinition) -> None:
    things(price=[Decimal("1.00")])
    prices(listed, Question(key="1", limit=1))
    answer = ask(listed, Question(key=key, limit=1), Everything())
    assert (answer.total, answer.rows) == (0, [])


def test_a_key_that_is_no_number_comes_in_as_well() -> None:
    definition = ListDefinition("knownTokens", Token, shown="name")
    made = [Token.objects.create(name=name) for name in ("one", "two")]
    for one in made:
        rows = ask(definition, Question(key=str(one.pk), limit=1), Everything()).rows
        assert [row.values["name"] for row in rows] == [one.name]


def test_the_next_page_is_asked_by_the_same_statement(listed: ListDefinition, monkeypatch: pytest.MonkeyPatch) -> None:
    things(price=[Decimal(number) for number in range(6)])
    question = Question(order=(Order("price"),), limit=2, places=True, count=False)
    first = ask(listed, question, Everything()).rows
    second = ask(listed, replace(question, after=first[-1].place), Everything()).rows
    with compilations(monkeypatch) as seen:
        third = ask(listed, replace(question, after=second[-1].place), Everything()).rows
    assert [int(row.values["price"]) for row in (*first, *second, *third)] == [0, 1, 2, 3, 4, 5]
    assert seen == []


def test_a_null_is_no_value_like_another(listed: ListDefinition) -> None:
    things(price=[Decimal("1.00"), Decimal("2.00"), None, None])
    question = Question(order=(Order("price"),), limit=1, places=True, count=False)
    found: list[Any] = []
    place = None
    for _ in range(4):
        (row,) = ask(listed, replace(question, after=place), Everything()).rows
        found.append(row.values["price"])
        place = row.place
    assert found == [Decimal("1.00"), Decimal("2.00"), None, None]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Condition("price", "gte", Decimal(2)), Condition("price", "gt", Decimal(2))),
        (Condition("price", "gte", Decimal(2)), Condition("wide", "gte", Decimal(2))),
        (Condition("price", "eq", Decimal(2)), Condition("price", "eq", Decimal("2.001"))),
        (Condition("price", "lt", Decimal(2)), Condition("price", "lt", Decimal(10) ** 30)),
        (Condition("done", "eq", True), Condition("done", "eq", False)),
        (Condition("price", "isnull", True), Condition("price", "isnull", False)),
        (Condition("count", "in", [1, 2]), Condition("count", "in", [1, 3])),
        (Condition("day", "month", 1), Condition("day", "month", 2)),
        (Condition("day", "year", 2026), Condition("day", "year", 0)),
        (Condition("day", "lte", dt.date(2026, 1, 1)), Condition("day", "gt", dt.date.max)),
    ],
    ids=[
        *("operator", "path", "digits", "reach", "truth", "null", "several", "month of any year"),
        *("year that is none", "the last day"),
    ],
)
def test_what_is_more_than_a_value_has_a_statement_of_its_own(
    one: Condition, other: Condition, listed: ListDefinition
) -> None:
    several()
    Thing.objects.update(wide=Decimal(1), done=True)
    for condition in (one, other, one):
        question = replace(PRICED, conditions=(condition,))
        fresh = ask(ListDefinition("fresh", Thing), question, Everything())
        assert ask(listed, question, Everything()) == fresh


def test_the_zone_is_no_value(listed: ListDefinition) -> None:
    things(at=[dt.datetime(2026, 1, 31, 20, tzinfo=dt.UTC)], price=[Decimal(1)])
    for zone, month in ((dt.UTC, "2026-01"), (ZoneInfo("Asia/Seoul"), "2026-02"), (dt.UTC, "2026-01")):
        answer = ask(listed, Question(group_by="at", zone=zone), Everything())
        assert [group.key for group in answer.groups or ()] == [month]


def test_rights_have_statements_of_their_own(boxed: ListDefinition) -> None:
    boxes = [Box.objects.create(label=label) for label in ("mine", "theirs")]
    things(box=boxes, price=[Decimal(1), Decimal(2)])
    question = Question(order=(Order("price"),), limit=5)
    cases: list[tuple[Any, list[Any]]] = [
        (Everything(), ["mine", "theirs"]),
        (Only({Box: [boxes[0].pk]}), ["mine", None]),
        (Only({Box: [boxes[1].pk]}), [None, "theirs"]),
        (Only({Box: []}), [None, None]),
    ]
    for access, labels in (*cases, *cases):
        rows = ask(boxed, question, access).rows
        assert [row.values["box.label"] for row in rows] == labels
        assert [bool(row.withheld) for row in rows] == [label is None for label in labels]


class Untold(Only):
    """Somebody of whom it cannot be said what their rights depend on."""

    def shape(self, model: Any, first: int = 0) -> None:  # type: ignore[override]
        """Say nothing."""


def test_nothing_is_known_of_rights_that_tell_no_shape(listed: ListDefinition) -> None:
    made = things(price=[Decimal(1), Decimal(2)])
    for one in made:
        assert prices(listed, PRICED, Untold({Thing: [one.pk]})) == [one.price]


def test_nothing_is_known_where_the_application_has_a_scope() -> None:
    made = things(price=[Decimal(1), Decimal(2)])
    scoped = ListDefinition("knownScoped", Thing, queryset=lambda actor: Thing.objects.filter(pk=actor))
    for one in made:
        assert prices(scoped, PRICED, Everything(actor=one.pk)) == [one.price]


def test_nothing_is_known_where_a_manager_leaves_rows_out(
    listed: ListDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = things(price=[Decimal(1), Decimal(2)])
    seen: list[Any] = []

    class Tenants(Manager):
        def get_queryset(self) -> Any:
            return super().get_queryset().filter(pk__in=seen)

    tenants: Any = Tenants()
    tenants.model = Thing
    monkeypatch.setitem(Thing._meta.__dict__, "base_manager", tenants)
    for one in made:
        seen[:] = [one.pk]
        assert prices(listed, PRICED) == [one.price]


def test_nothing_is_known_of_words(listed: ListDefinition) -> None:
    several()
    for word, found in (("one", [1]), ("two", [2]), ("one", [1])):
        assert prices(listed, replace(PRICED, text=word)) == found


def test_no_more_is_kept_than_fits(listed: ListDefinition, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MOST_KEPT", 4)
    things(price=[Decimal(number) for number in range(9)])
    for turn in range(2):
        for offset in range(8):
            question = Question(order=(Order("price"),), limit=1, offset=offset, count=False)
            assert prices(listed, question) == [Decimal(offset)], turn
    assert len(listed.known) == 4


def test_a_known_statement_is_asked_of_the_rows_as_they_are(listed: ListDefinition) -> None:
    made = things(price=[Decimal(1), Decimal(2)])
    assert prices(listed, PRICED) == [1, 2]
    Thing.objects.filter(pk=made[0].pk).update(price=Decimal(3))
    assert prices(listed, PRICED) == [2, 3]
    assert ask(listed, PRICED, Everything()).figures["price"].total == 5


def test_a_value_is_a_parameter_and_stands_in_no_statement(listed: ListDefinition) -> None:
    several()
    word = "'; DROP TABLE shelf_thing; --%s"
    for _ in range(2):
        with CaptureQueriesContext(connection) as seen:
            assert prices(listed, replace(PRICED, conditions=(Condition("words", "eq", word),))) == []
        assert len([one for one in seen if "shelf_thing" in one["sql"]]) == 2
    assert Thing.objects.count() == 4
