"""A stream is the list: the same rows in the same order, and each value, written out, what every other door tells."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from read_targets.cards.exports.columns import columns_of, csv_column
from read_targets.lists import Access, Condition, ListDefinition, Order, Question, ask, plain
from read_targets.lists.streaming import BATCH, stream

from .doubles import Everything, Only
from .shelf import ACROSS, THINGS, Box, Thing, Token, things

pytestmark = pytest.mark.django_db

SEOUL = ZoneInfo("Asia/Seoul")
EVERY: dict[str, list[Any]] = {
    "words": ["Ä 한빛", None, ""],
    "colour": ["RED", None, "BLUE"],
    "price": [Decimal("-0.10"), None, Decimal("9999999999.99")],
    "wide": [Decimal("1234567890123.45"), None, Decimal("0.00")],
    "fine": [Decimal("0.0000000001"), None, Decimal("99999.9999999999")],
    "huge": [Decimal("0.3000000000"), None, Decimal("12345.6000000000")],
    "round": [Decimal(7), None, Decimal(-7)],
    "rough": [0.1, None, -1e-7],
    "count": [1, None, -1],
    "big": [2**53 + 1, None, -(2**62)],
    "done": [True, None, False],
    "day": [dt.date(2026, 1, 31), None, dt.date(1, 1, 1)],
    "at": [dt.datetime(2026, 1, 31, 15, 0, 1, 5, tzinfo=dt.UTC), None, dt.datetime(2026, 7, 1, tzinfo=dt.UTC)],
    "code": [uuid.UUID(int=7), None, uuid.UUID(int=2**120)],
    "address": ["10.0.0.1", None, "2001:db8::1"],
}


def written(value: object) -> object:
    """What other doors tell, as a file has it."""
    told = plain(value, SEOUL)
    if isinstance(told, bool):
        return str(told).lower()
    return None if told is None else str(told)


def rows_of(definition: ListDefinition, question: Question, access: Access) -> list[list[object]]:
    """The whole stream, written out, withheld values as `?`."""
    streamed = stream(definition, question, access)
    converts = [csv_column(one) for one in columns_of(definition, streamed.paths, SEOUL)]
    found = []
    for batch in streamed.batches:
        columns = list(zip(*batch, strict=True))
        cells = [
            [None if one is None else str(one) for one in convert(column)]
            for convert, column in zip(converts, columns[1:], strict=False)
        ]
        for path, column in zip(streamed.paths, cells, strict=True):
            if path.path in streamed.flags:
                flag = columns[streamed.flags[path.path]]
                column[:] = ["?" if closed else one for one, closed in zip(column, flag, strict=True)]
        found += [list(row) for row in zip(*cells, strict=True)]
    return found


@pytest.mark.parametrize("path", EVERY)
def test_a_value_is_written_as_it_is_told_everywhere(path: str) -> None:
    things(**{path: EVERY[path]})
    definition = ListDefinition("one", Thing, shown=path)
    question = Question(order=(Order(path),), zone=SEOUL, limit=9)
    told = [[written(row.values[path])] for row in ask(definition, question, Everything()).rows]
    assert rows_of(definition, question, Everything()) == told


@pytest.mark.parametrize("paths", [("words",), ("day", "price"), ("done", "words")], ids=str)
def test_rows_come_in_the_order_of_the_question(paths: tuple[str, ...]) -> None:
    made = things(**{name: values * 3 for name, values in EVERY.items()})
    for descends in itertools.product((False, True), repeat=len(paths)):
        order = tuple(itertools.starmap(Order, zip(paths, descends, strict=True)))
        question = Question(order=order, conditions=(Condition("count", "gte", -1),), limit=100)
        expected = [row.id for row in ask(THINGS, question, Everything()).rows]
        streamed = [row[0] for batch in stream(THINGS, question, Everything()).batches for row in batch]
        assert streamed == expected
        assert len(streamed) == 6 < len(made)


def test_withheld_values_are_null_and_flagged() -> None:
    boxes = [
        Box.objects.create(label=f"secret {number}", weight=Decimal(number), code=uuid.UUID(int=1))
        for number in range(3)
    ]
    things(box=[*boxes, None])
    access = Only({Box: [boxes[1].pk]})
    question = Question(shown=("box.label", "box.weight", "box.code", "words"))
    found = rows_of(ACROSS, question, access)
    assert found == [
        ["?", "?", "?", None],
        ["secret 1", "1.00", str(uuid.UUID(int=1)), None],
        ["?", "?", "?", None],
        [None, None, None, None],
    ]


def test_it_is_one_statement_whatever_its_length() -> None:
    Token.objects.bulk_create(Token(name=str(number % 9)) for number in range(BATCH + 1))
    definition = ListDefinition("tokens", Token)
    with CaptureQueriesContext(connection) as queries:
        batches = [len(batch) for batch in stream(definition, Question(), Everything()).batches]
    assert batches == [BATCH, 1]
    assert len([one for one in queries if "SELECT" in one["sql"] and "shelf_token" in one["sql"]]) <= 1


def test_what_is_not_declared_is_not_streamed() -> None:
    for question in (Question(shown=("box",)), Question(order=(Order("box.label"),))):
        with pytest.raises(KeyError):
            stream(THINGS, question, Everything())
