"""Pages by place: put together they are the list, whatever comes and goes on other pages; a cursor tells no secret."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from read_targets.lists import Access, Condition, ListDefinition, Order, Question, Row, ask
from read_targets.lists.paging import (
    END,
    LONGEST_CURSOR,
    Cursor,
    Page,
    UnfittingCursor,
    can_page,
    cursor_text,
    page_of,
    read_cursor,
    scope_of,
)

from .doubles import Everything, Only
from .shelf import ACROSS, THINGS, Box, Thing, Token, things
from .test_rows import TIES

pytestmark = pytest.mark.django_db

MORE = {
    **TIES,
    "rough": [0.1, 0.30000000000000004, None, 0.3, 0.1, float("inf"), None],
    "huge": [Decimal("0.1000000000"), None, Decimal("-2.5000000000"), *[Decimal("0.3000000000")] * 3, None],
    "code": [uuid.UUID(int=number % 3) if number % 4 else None for number in range(7)],
    "address": ["10.0.0.2", "10.0.0.10", None, "::1", "10.0.0.2", None, "10.0.0.2"],
    "colour": ["RED", None, "BLUE", "RED", "RED", None, "BLUE"],
    "big": [2**60, 2**60 + 1, None, -(2**60), 2**60, 1, None],
}
ORDERS = [
    *(((path,), descends) for path in MORE for descends in ((False,), (True,))),
    *(
        (paths, descends)
        for paths in (("done", "price"), ("words", "count"), ("count", "day"), ("day", "rough"))
        for descends in itertools.product((False, True), repeat=2)
    ),
    (("done", "count", "words"), (True, False, True)),
]


def question_in(paths: tuple[str, ...], descends: tuple[bool, ...], **asked: Any) -> Question:
    """The question for rows in that order, with their places."""
    order = tuple(itertools.starmap(Order, zip(paths, descends, strict=True)))
    return Question(order=order, places=True, count=False, **asked)


def page(
    question: Question, size: int, definition: ListDefinition = THINGS, access: Access | None = None
) -> tuple[Question, Page]:
    """Read one page; return it with its question."""
    rows = ask(definition, replace(question, limit=size + 1), access or Everything()).rows
    return question, page_of(rows, size, question)


def pages(question: Question, size: int, *reader: Any, backwards: bool = False) -> list[list[Row]]:
    """Read the list page by page, from the beginning, or from the end; return the pages in the order of the list."""
    found = []
    asked = replace(question, before=END) if backwards else question
    while True:
        _, one = page(asked, size, *reader)
        found.append(one.rows)
        assert len(found) < 50
        on = one.before if backwards else one.after
        if on is None:
            return found[::-1] if backwards else found
        asked = replace(question, before=on) if backwards else replace(question, after=on)


@pytest.mark.parametrize("backwards", [False, True], ids=["forwards", "backwards"])
@pytest.mark.parametrize(("paths", "descends"), ORDERS, ids=str)
def test_pages_put_together_are_the_list(paths: tuple[str, ...], descends: tuple[bool, ...], backwards: bool) -> None:
    things(**MORE)
    question = question_in(paths, descends)
    whole = ask(THINGS, replace(question, limit=100), Everything()).rows
    assert len(whole) == 7
    for size in (1, 3, 7):
        assert list(itertools.chain(*pages(question, size, backwards=backwards))) == whole


@pytest.mark.parametrize("backwards", [False, True], ids=["forwards", "backwards"])
@pytest.mark.parametrize("path", ["box.label", "box.weight", "box.made", "box.sealed_at", "box.code", "box.colour"])
@pytest.mark.parametrize("descends", [False, True])
def test_withheld_values_are_paged_as_nulls_and_stand_in_no_cursor(path: str, descends: bool, backwards: bool) -> None:
    boxes = [
        Box.objects.create(
            label=f"secret {number}",
            weight=Decimal(number),
            made=dt.date(2026, 1, number + 1),
            sealed_at=dt.datetime(2026, 1, number + 1, tzinfo=dt.UTC),
            code=uuid.UUID(int=number),
            colour="RED",
        )
        for number in range(4)
    ]
    things(box=[*boxes, None, *boxes, None])
    access = Only({Box: [boxes[1].pk, boxes[3].pk]})
    question = question_in((path,), (descends,))
    whole = ask(ACROSS, replace(question, limit=100), access).rows
    assert len(whole) == 10
    assert list(itertools.chain(*pages(question, 3, ACROSS, access, backwards=backwards))) == whole
    assert [row.place.values == (None,) for row in whole] == [row.values[path] is None for row in whole]
    assert sum(path in row.withheld for row in whole) == 4
    assert {row.place.values for row in whole if path in row.withheld} == {(None,)}


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize(("path", "descends"), [("words", False), ("words", True), ("price", True)])
def test_what_comes_and_goes_on_other_pages_moves_nothing(path: str, descends: bool, size: int) -> None:
    kept = things(**{name: TIES[name] for name in ("words", "price")})
    question = question_in((path,), (descends,))
    expected = [row.id for row in ask(THINGS, replace(question, limit=100), Everything()).rows]
    read: list[Any] = []
    on: Cursor | None = None
    while True:
        _, one = page(replace(question, after=on), size)
        read += [row.id for row in one.rows]
        if one.after is None:
            break
        on = one.after
        # The row that the next page hangs on goes, and others come on pages that were read before it.
        Thing.objects.filter(pk=read[-1]).delete()
        before = {"words": "" if not descends else "zz", "price": Decimal(99 if descends else -99)}
        Thing.objects.create(**before)
    assert read == expected
    assert len(read) == len(kept)


def test_a_page_whose_rows_are_gone_leads_to_what_is_left() -> None:
    made = things(count=[1, 2, 3, 4])
    question = question_in(("count",), (False,))
    _, first = page(question, 2)
    Thing.objects.filter(pk__in=[one.pk for one in made[2:]]).delete()
    _, gone = page(replace(question, after=first.after), 2)
    assert (gone.rows, gone.before, gone.after) == ([], END, None)
    assert page(replace(question, before=Cursor((1,), 0)), 2)[1] == Page([], is_before=False, is_after=False)
    _, last = page(replace(question, before=gone.before), 2)
    assert [row.id for row in last.rows] == [one.pk for one in made[:2]]
    assert (last.before, last.after) == (None, None)


def test_a_page_knows_whether_there_are_others() -> None:
    things(count=list(range(6)))
    question = question_in(("count",), (True,))
    _, first = page(question, 2)
    _, middle = page(replace(question, after=first.after), 2)
    _, last = page(replace(question, after=middle.after), 2)
    _, back = page(replace(question, before=last.before), 2)
    assert (first.before, last.after) == (None, None)
    assert None not in (first.after, middle.before, middle.after, last.before)
    assert back.rows == middle.rows
    assert (back.before, back.after) == (middle.before, middle.after)


@pytest.mark.parametrize("descends", [False, True])
def test_keys_that_are_no_numbers_are_places_too(descends: bool) -> None:
    for number in range(5):
        Token.objects.create(name="abcab"[number])
    definition = ListDefinition("tokens", Token)
    question = question_in(("name",), (descends,))
    whole = ask(definition, replace(question, limit=9), Everything()).rows
    scope = scope_of(definition, question, 1)
    for row in whole:
        assert read_cursor(cursor_text(row.place, scope), scope) == row.place
    assert list(itertools.chain(*pages(question, 2, definition))) == whole


def test_an_order_that_goes_one_way_is_compared_as_a_row() -> None:
    definition = ListDefinition("tokens", Token)
    on = Cursor(("b",), str(uuid.uuid4()))
    for descends, sign in ((False, ">"), (True, "<")):
        with CaptureQueriesContext(connection) as queries:
            page(question_in(("name",), (descends,), after=on), 2, definition)
        assert f'("shelf_token"."name", "shelf_token"."id") {sign} (' in queries[-1]["sql"]


def test_a_page_in_the_middle_of_what_has_values_is_one_statement() -> None:
    things(count=[*range(9), None])
    for descends in (False, True):
        _, first = page(question_in(("count",), (descends,)), 2)
        with CaptureQueriesContext(connection) as queries:
            page(question_in(("count",), (descends,), after=first.after), 2)
        assert len([one for one in queries if "SELECT" in one["sql"]]) == 1
        assert "NULLS" not in queries[-1]["sql"]
        assert "IS NULL" not in queries[-1]["sql"]


@pytest.mark.parametrize(
    "asked",
    [
        {"after": Cursor((1,), 1), "before": END},
        {"after": Cursor((1,), 1), "offset": 3},
        {"before": END, "offset": 3},
        {"after": Cursor((1, 2), 1)},
        {"after": Cursor((), 1)},
    ],
    ids=str,
)
def test_a_page_begins_at_one_place(asked: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"cursor"):
        page(question_in(("count",), (False,), **asked), 2)


# As text

CONDITIONED = Question(
    conditions=(Condition("price", "gte", Decimal("1.50")), Condition("day", "eq", dt.date(2026, 1, 1))),
    order=(Order("price", descending=True),),
)
VALUES = (
    None,
    True,
    0,
    2**60,
    -1.5,
    "Ä'); DROP TABLE shelf_thing; --",
    Decimal("-0.10"),
    dt.date(2026, 1, 1),
    dt.datetime(2026, 1, 1, 3, 4, 5, 6, tzinfo=dt.UTC),
    uuid.UUID(int=7),
)


def test_a_cursor_comes_back_as_it_was_written() -> None:
    scope = scope_of(THINGS, CONDITIONED, 1)
    for key in (7, "word", uuid.UUID(int=8)):
        cursor = Cursor(VALUES, key, total=48_211, counted_at=1_000_000_000)
        read = read_cursor(cursor_text(cursor, scope), scope)
        assert (read, read.total, read.counted_at) == (cursor, cursor.total, cursor.counted_at)
        assert list(map(type, read.values)) == list(map(type, VALUES))
        assert read.good_total is None


@pytest.mark.parametrize(
    ("definition", "question", "holder"),
    [
        (ACROSS, CONDITIONED, 1),
        (THINGS, replace(CONDITIONED, order=(Order("price"),)), 1),
        (THINGS, replace(CONDITIONED, order=()), 1),
        (THINGS, replace(CONDITIONED, conditions=CONDITIONED.conditions[:1]), 1),
        (THINGS, replace(CONDITIONED, text="b"), 1),
        (THINGS, replace(CONDITIONED, key="1"), 1),
        (THINGS, CONDITIONED, 2),
    ],
    ids=["list", "direction", "order", "conditions", "words", "record", "person"],
)
def test_a_cursor_fits_what_it_was_made_for_alone(definition: ListDefinition, question: Question, holder: int) -> None:
    text = cursor_text(Cursor((Decimal(1),), 1), scope_of(THINGS, CONDITIONED, 1))
    with pytest.raises(UnfittingCursor):
        read_cursor(text, scope_of(definition, question, holder))


@pytest.mark.parametrize("text", ["", "1", "[1]", "a:b:c", "x" * 5_000, "\0", "é:1:2", "W10:1:2"])
def test_what_nobody_here_made_is_no_cursor(text: str) -> None:
    with pytest.raises(UnfittingCursor):
        read_cursor(text, scope_of(THINGS, CONDITIONED, 1))


def test_a_cursor_that_is_changed_is_none() -> None:
    scope = scope_of(THINGS, CONDITIONED, 1)
    text = cursor_text(Cursor((Decimal(1),), 1), scope)
    for at in range(len(text)):
        with pytest.raises(UnfittingCursor):
            read_cursor(text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :], scope)


def test_a_value_too_long_for_an_address_makes_no_cursor() -> None:
    scope = scope_of(THINGS, CONDITIONED, 1)
    random = "".join(str(uuid.uuid4()) for _ in range(100))
    assert cursor_text(Cursor((random,), 1), scope) == ""
    assert 0 < len(cursor_text(Cursor(("word " * 100,), 1), scope)) <= LONGEST_CURSOR


def test_places_are_told_in_an_order_of_what_is_shown_alone() -> None:
    hidden = ListDefinition("hidden", Thing, shown="words", sorted="words price", order="-price")
    assert can_page(hidden, (Order("words"),))
    assert not can_page(hidden, (Order("words"), Order("price")))
    assert not can_page(hidden, ())
    assert can_page(THINGS, ())
