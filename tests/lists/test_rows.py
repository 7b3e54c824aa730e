"""Rows come in a total order, so that pages neither repeat nor lose one; what is not declared is not shown."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from project.demo.factory.models import Project, Tenant
from read_targets.lists import Access, Condition, ListDefinition, Order, Question, Row, ask
from tests import oracle

from .doubles import Everything, Only
from .shelf import ACROSS, THINGS, Box, Thing, Token, Word, things

pytestmark = pytest.mark.django_db

TIES = {
    "words": ["b", None, "a", "b", "a", None, "b"],
    "price": [Decimal(2), Decimal(1), None, Decimal(2), None, Decimal(1), Decimal("-1")],
    "count": [1, 1, 1, 1, 2, 2, None],
    "day": [dt.date(2026, 1, 1), None, dt.date(2026, 1, 1), dt.date.min, dt.date.max, None, dt.date(2026, 1, 1)],
    "done": [True, False, None, True, False, None, True],
    "at": [None, *[dt.datetime(2026, 1, 1, hour, tzinfo=dt.UTC) for hour in (3, 1, 3, 2, 1, 3)]],
}


def rows(question: Question, definition: ListDefinition = THINGS, access: Access | None = None) -> list[Row]:
    """The rows that a question is answered with."""
    return ask(definition, question, access or Everything()).rows


@pytest.mark.parametrize("descends", [(False,), (True,), (False, True), (True, False)], ids=str)
@pytest.mark.parametrize(
    "paths", [*((path,) for path in TIES), ("done", "price"), ("words", "count"), ("count", "day")], ids=str
)
def test_rows_are_in_order_nulls_behind_and_ties_by_key(paths: tuple[str, ...], descends: tuple[bool, ...]) -> None:
    made = things(**TIES)
    order = tuple(zip(paths, descends, strict=False))
    told = oracle.tell(made, lambda obj: True, order=order)
    found = rows(Question(order=tuple(Order(*term) for term in order), limit=100))
    assert [row.id for row in found] == told.keys


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("path", [None, *TIES])
def test_pages_put_together_are_the_list(path: str | None, limit: int) -> None:
    things(**TIES)
    order = (Order(path, descending=True),) if path else ()
    whole = rows(Question(order=order, limit=100))
    pages = [rows(Question(order=order, limit=limit, offset=at)) for at in range(0, len(whole) + limit, limit)]
    assert list(itertools.chain.from_iterable(pages)) == whole
    assert pages[-1] == []


def test_the_order_of_the_declaration_stands_until_another_is_asked_for() -> None:
    things(words=["a", "b", "a"], price=[Decimal(1), Decimal(2), Decimal(3)])
    definition = ListDefinition("ordered", Thing, shown="words price", sorted="price", order="-words")
    assert [row.values["price"] for row in rows(Question(limit=9), definition)] == [2, 3, 1]
    assert [row.values["price"] for row in rows(Question(order=(Order("price"),), limit=9), definition)] == [1, 2, 3]
    with pytest.raises(KeyError):
        rows(Question(order=(Order("words"),), limit=9), definition)


def test_a_path_twice_in_an_order_is_there_once() -> None:
    things(count=[1, 2])
    order = (Order("count", descending=True), Order("count"))
    assert [row.values["count"] for row in rows(Question(order=order, limit=9))] == [2, 1]


@pytest.mark.parametrize("path", ["id", "box", "box.label", "pk", "words__length", "?", ""])
def test_what_is_not_declared_is_neither_sorted_nor_shown_nor_grouped_nor_summed(path: str) -> None:
    things(words=["a"])
    for question in (
        Question(order=(Order(path),), limit=1),
        Question(shown=(path,), limit=1),
        Question(group_by=path),
        Question(figures=(path,)),
    ):
        with pytest.raises(KeyError):
            ask(THINGS, question, Everything())


def test_every_use_has_an_allow_list_of_its_own() -> None:
    things(words=["a"], price=[Decimal(1)])
    definition = ListDefinition("narrow", Thing, shown="words", filtered="price", sorted="count", grouped="day")
    for wrong in (
        Question(shown=("price",), limit=1),
        Question(conditions=(Condition("words", "eq", "a"),)),
        Question(order=(Order("words"),), limit=1),
        Question(group_by="words"),
    ):
        with pytest.raises(KeyError):
            ask(definition, wrong, Everything())
    right = Question(
        shown=("words",),
        conditions=(Condition("price", "eq", Decimal(1)),),
        order=(Order("count"),),
        group_by="day",
        limit=1,
    )
    assert [row.values for row in rows(right, definition)] == [{"words": "a"}]


def test_what_a_list_may_sum_is_what_it_shows() -> None:
    things(words=["a"], price=[Decimal(1)])
    definition = ListDefinition("hidden", Thing, shown="words", filtered="price")
    with pytest.raises(KeyError):
        ask(definition, Question(figures=("price",)), Everything())


@pytest.mark.parametrize("path", ["words", "colour", "done", "day", "at", "code"])
def test_what_is_no_number_has_no_sum(path: str) -> None:
    with pytest.raises(ValueError, match=path):
        ask(THINGS, Question(figures=(path,)), Everything())


def test_rows_are_shown_by_path_in_the_order_asked() -> None:
    (box,) = Box.objects.bulk_create([Box(label="one")])
    things(words=["a"], box=[box])
    (row,) = rows(Question(shown=("box.label", "words"), limit=5), ACROSS)
    assert list(row.values.items()) == [("box.label", "one"), ("words", "a")]
    assert row.withheld == frozenset()


def test_no_rows_are_read_where_none_are_wanted(django_assert_num_queries: Any) -> None:
    things(words=["a"])
    with django_assert_num_queries(1, connection=connection):
        assert rows(Question()) == []


def test_how_many_rows_are_read_may_depend_on_how_many_there_are() -> None:
    things(words=["a"] * 5)
    assert len(rows(Question(limit=lambda total: total - 2))) == 3
    assert rows(Question(limit=lambda total: 0)) == []


class TestOneRecord:
    """A record by its id: the row or nothing, and never another row."""

    def test_by_number(self) -> None:
        made = things(words=["a", "b"])
        for key in (made[1].pk, str(made[1].pk)):
            assert [row.id for row in rows(Question(key=key, limit=5))] == [made[1].pk]

    @pytest.mark.parametrize(
        "key",
        ["banana", "", " ", "1.0", "1e0", "-1", "0x1", "9" * 30, "9" * 10_000, "x" * 10_000, "1;DROP", "1\0", "\ud800",
         "None", float("nan"), float("inf"), 2**63, 2**64, object(), [], {}, "true", True],
        ids=lambda key: repr(key)[:20],
    )  # fmt: skip
    def test_what_is_no_key_of_the_list_is_no_row(self, key: Any) -> None:
        things(words=["a"])
        answer = ask(THINGS, Question(key=key, limit=5), Everything())
        assert (answer.total, answer.rows) == (0, [])

    @pytest.mark.parametrize("spelt", ["{}_0", "0{}", "+{}", " {}", "{}\n", "{}.0", "arabic", "full width"])
    def test_a_number_is_not_guessed_from_another_spelling(self, spelt: str) -> None:
        made = things(words=["a"] * 30)
        key = str(made[-1].pk)
        text = spelt.format(key)
        if spelt == "{}_0":
            text = f"{key[0]}_{key[1:]}"
        if spelt in ("arabic", "full width"):
            first = ord("٠") if spelt == "arabic" else ord("０")
            text = "".join(chr(first + int(digit)) for digit in key)
        assert rows(Question(key=text, limit=5)) == []

    def test_by_identifier(self) -> None:
        token = Token.objects.create(name="one")
        Token.objects.create(name="two")
        definition = ListDefinition("tokens", Token)
        for key in (token.pk, str(token.pk), str(token.pk).upper()):
            assert [row.id for row in rows(Question(key=key, limit=5), definition)] == [token.pk]
        for key in ("banana", str(uuid.uuid4()), str(token.pk)[:-1], "1", "", "\0", 5, "{" * 36):
            assert rows(Question(key=key, limit=5), definition) == []

    def test_by_text(self) -> None:
        Word.objects.bulk_create([Word(word="Söhne"), Word(word="1")])
        definition = ListDefinition("words", Word)
        assert [row.id for row in rows(Question(key="Söhne", limit=5), definition)] == ["Söhne"]
        for key in ("söhne", "S", "%", "", "x" * 10_000, "\0", "Söhne\0"):
            assert rows(Question(key=key, limit=5), definition) == []

    def test_with_other_conditions(self) -> None:
        (made,) = things(words=["a"])
        asked = Question(key=made.pk, conditions=(Condition("words", "eq", "b"),), limit=5)
        assert rows(asked) == []


class TestScope:
    """The application's own scope of a list is held whatever is asked."""

    @staticmethod
    def scoped(scope: Any) -> ListDefinition:
        """A list of what `scope` gives."""
        return ListDefinition("scoped", Thing, shown="words price", searched="words", queryset=scope)

    def test_rows_out_of_scope_are_in_no_answer(self) -> None:
        things(words=["a", "b", "c"], price=[Decimal(1), Decimal(2), Decimal(4)])
        definition = self.scoped(lambda actor: Thing.objects.exclude(words="b"))
        answer = ask(definition, Question(figures=("price",), group_by="words", limit=9), Everything())
        assert (answer.total, answer.figures["price"].total) == (2, 5)
        assert {group.key for group in answer.groups or ()} == {"a", "c"}
        assert [row.values["words"] for row in answer.rows] == ["a", "c"]
        assert ask(definition, Question(text="b"), Everything()).total == 0

    def test_it_is_told_who_is_asking(self) -> None:
        things(words=["mine", "yours"])
        definition = self.scoped(lambda actor: Thing.objects.filter(words=actor))
        assert [row.values["words"] for row in rows(Question(limit=9), definition, Everything(actor="mine"))] == [
            "mine"
        ]

    def test_a_scope_with_joins_counts_no_row_twice(self) -> None:
        busy = {one.tenant_id for one in Project.objects.all()}
        assert len(busy) < Project.objects.count()
        scope = Tenant.objects.filter(project__isnull=False).order_by("project__name")
        definition = ListDefinition("busy", Tenant, queryset=lambda actor: scope)
        answer = ask(definition, Question(group_by="status", limit=999), Everything())
        assert (answer.total, len(answer.rows)) == (len(busy), len(busy))
        assert sum(group.count for group in answer.groups or ()) == len(busy)

    def test_rights_are_held_within_it(self) -> None:
        made = things(words=["a", "b"])
        definition = self.scoped(lambda actor: Thing.objects.filter(words="a"))
        assert rows(Question(limit=9), definition, Only({Thing: [made[1].pk]})) == []


def test_nothing_may_be_viewed() -> None:
    things(words=["a"], price=[Decimal(1)])
    answer = ask(THINGS, Question(figures=("price",), group_by="words", limit=9), Only({Thing: []}))
    assert (answer.total, answer.rows, answer.groups, answer.rest) == (0, [], [], None)
    assert answer.figures["price"].count == 0
