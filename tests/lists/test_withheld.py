"""A related object that may not be viewed is no oracle: whatever it holds, no answer changes."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from read_targets.lists import OPERATORS, Answer, Condition, Order, Question, ask
from read_targets.lists.engine import keys_of
from tests import oracle

from .doubles import Everything, Only
from .shelf import ACROSS, Box, Thing, things

pytestmark = pytest.mark.django_db

D = Decimal

BEFORE: dict[str, Any] = {
    "label": "middle", "weight": D("5.00"), "places": 5, "serial": 5, "made": dt.date(2026, 3, 5), "fragile": True,
    "sealed_at": dt.datetime(2026, 3, 5, 12, tzinfo=dt.UTC), "code": uuid.UUID(int=5), "colour": "RED",
}  # fmt: skip
AFTER: list[dict[str, Any]] = [
    {"label": "zzz", "weight": D("9999999999.99"), "places": 0, "serial": 2**63 - 1, "made": dt.date.min,
     "sealed_at": dt.datetime(9999, 12, 1, tzinfo=dt.UTC), "fragile": False,
     "code": uuid.UUID(int=0), "colour": "BLUE"},
    dict.fromkeys(BEFORE) | {"label": ""},
]  # fmt: skip
WANTED: dict[str, list[Any]] = {
    "string": ["middle", "z"],
    "number": [D(5), D("1e30")],
    "integer": [5, -1],
    "boolean": [True, False],
    "date": [dt.date(2026, 3, 5), dt.date(2000, 1, 1)],
    "enum": ["RED", "BLUE"],
}
SPECIAL: dict[str, list[Any]] = {
    "isnull": [True, False],
    "year": [2026, 1999],
    "month": [3, 12],
    "period": ["2026-03"],
    "in": [],
}


class World:
    """Things in a box that may be viewed, in one that may not, and in one that lies within that."""

    def __init__(self) -> None:
        self.seen, self.hidden = Box.objects.bulk_create([Box(**BEFORE), Box(**BEFORE)])
        (self.within,) = Box.objects.bulk_create([Box(**BEFORE, outer=self.hidden)])
        self.made = things(
            words=list("abcdef"),
            price=[D(at) for at in range(6)],
            box=[self.seen, self.hidden, self.within, self.hidden, self.seen, None],
        )
        self.access = Only({Box: [self.seen.pk, self.within.pk]})

    def change(self, values: dict[str, Any]) -> None:
        """Give the box that may not be viewed other values."""
        Box.objects.filter(pk=self.hidden.pk).update(**values)


@pytest.fixture
def world() -> World:
    """One of them."""
    return World()


def questions() -> Iterator[Question]:
    """Every use of every path across a relation."""
    across = [path for path in ACROSS.shown or () if "." in path]
    numbers = tuple(path for path in across if ACROSS.path(path).kind in ("number", "integer"))
    for path in across:
        kind = ACROSS.path(path).kind
        for operator in (one for one, kinds in OPERATORS.items() if kind in kinds):
            for wanted in SPECIAL.get(operator, WANTED[kind]):
                yield Question(conditions=(Condition(path, operator, wanted),))
        yield Question(conditions=(Condition(path, "in", WANTED[kind]),))
        for descending in (False, True):
            yield Question(order=(Order(path, descending),), shown=(path, "words"), limit=10)
        yield Question(group_by=path, figures=("price",))
        yield Question(group_by=path, figures=numbers)
    yield Question(figures=numbers)
    for text in ("middle", "zzz", "a", "m", "b zzz"):
        yield Question(text=text, shown=("words",), limit=10)


EVERY_QUESTION = list(questions())


def test_no_answer_changes_with_what_is_withheld(world: World) -> None:
    before = [ask(ACROSS, question, world.access) for question in EVERY_QUESTION]
    for values in AFTER:
        world.change(values)
        for question, answer in zip(EVERY_QUESTION, before, strict=True):
            assert ask(ACROSS, question, world.access) == answer, question


def test_the_same_change_shows_to_whoever_may_view_it(world: World) -> None:
    """Or the test above would show nothing."""
    before = [ask(ACROSS, question, Everything()) for question in EVERY_QUESTION]
    differing = set()
    for values in AFTER:
        world.change(values)
        after = [ask(ACROSS, question, Everything()) for question in EVERY_QUESTION]
        differing |= {at for at, answer in enumerate(after) if answer != before[at]}
    assert len(differing) > len(EVERY_QUESTION) * 3 // 4, len(differing)


def test_a_withheld_value_fits_no_condition_and_not_its_opposite(world: World) -> None:
    hidden = {one.pk for one in world.made if one.box_id == world.hidden.pk}
    for question in EVERY_QUESTION:
        if question.conditions and question.conditions[0].path.count(".") == 1:
            answer = ask(ACROSS, Question(conditions=question.conditions, shown=("words",), limit=10), world.access)
            assert not {row.id for row in answer.rows} & hidden, question.conditions


def test_a_row_names_what_is_withheld(world: World) -> None:
    answer = ask(ACROSS, Question(shown=("words", "box.label", "box.outer.label"), limit=10), world.access)
    told = [(row.values["box.label"], row.values["box.outer.label"], set(row.withheld)) for row in answer.rows]
    every = {"box.label", "box.outer.label"}
    assert told == [
        ("middle", None, set()),
        (None, None, every),
        ("middle", None, {"box.outer.label"}),
        (None, None, every),
        ("middle", None, set()),
        (None, None, set()),
    ]


def test_beyond_a_withheld_object_everything_is_withheld(world: World) -> None:
    world.access.keys[Box] = [world.hidden.pk]
    (row,) = ask(ACROSS, Question(text="c", shown=("box.outer.label",), limit=10), world.access).rows
    assert row.withheld == {"box.outer.label"}
    assert row.values == {"box.outer.label": None}


@pytest.mark.parametrize("path", ["box.label", "box.outer.label", "box.weight"])
def test_withheld_rows_stand_among_the_nulls_in_order_of_their_key(world: World, path: str) -> None:
    for descending in (False, True):
        told = oracle.tell(
            world.made, self_may := (lambda obj: obj.pk in world.access.keys[Box]), order=[(path, descending)]
        )
        question = Question(order=(Order(path, descending),), shown=("words",), limit=10)
        assert [row.id for row in ask(ACROSS, question, world.access).rows] == told.keys
        assert self_may(world.seen)


def test_withheld_values_are_counted_and_in_no_figure(world: World) -> None:
    for group_by in (None, "words", "box.label"):
        answer = ask(ACROSS, Question(figures=("box.weight", "box.places"), group_by=group_by), world.access)
        for figure in answer.figures.values():
            assert (figure.count, figure.total, figure.withheld) == (3, 15, 2)


def test_keys_of_related_objects_are_those_that_may_be_viewed(world: World) -> None:
    assert keys_of(ACROSS, Question(), world.access, "box") == sorted([world.seen.pk, world.within.pk])
    assert keys_of(ACROSS, Question(), world.access, "box__outer") == []
    assert keys_of(ACROSS, Question(text="f"), world.access, "box") == []
    assert keys_of(ACROSS, Question(), Everything(), "box__outer") == [world.hidden.pk]
    assert keys_of(ACROSS, Question(text="a"), world.access) == [world.made[0].pk]
    assert keys_of(ACROSS, Question(), world.access) == [one.pk for one in world.made]


@pytest.mark.parametrize(
    "sees", [[], ["seen"], ["within"], ["seen", "within"], ["hidden", "within"], ["seen", "hidden", "within"]]
)
def test_rows_groups_and_sums_agree_with_python_whatever_is_withheld(world: World, sees: list[str]) -> None:
    keys = [getattr(world, name).pk for name in sees]
    access = Only({Box: keys})
    for path, conditions in itertools.product(
        [path for path in ACROSS.shown or () if "." in path],
        [(), (("box.weight", "gte", D(1)),), (("box.outer.label", "isnull", True),), (("box.label", "ne", "x"),)],
    ):
        told = oracle.tell(
            world.made,
            lambda obj: obj.pk in keys,
            conditions=conditions,
            order=[(path, False)],
            figures=["price", "box.weight"],
            group_by=path,
        )
        question = Question(
            conditions=tuple(Condition(*one) for one in conditions),
            order=(Order(path),),
            figures=("price", "box.weight"),
            group_by=path,
            shown=("words",),
            limit=10,
        )
        answer: Answer = ask(ACROSS, question, access)
        assert [row.id for row in answer.rows] == told.keys
        groups = {
            oracle.WITHHELD if group.withheld else group.key: (group.count, group.figures["price"].total)
            for group in answer.groups or ()
        }
        asked = {
            str(key) if isinstance(key, uuid.UUID) else key: (n, sums["price"])
            for key, (n, sums) in told.groups.items()
        }
        assert {str(key) if isinstance(key, uuid.UUID) else key: two for key, two in groups.items()} == asked
        assert answer.figures["box.weight"].withheld == told.sums["box.weight"].withheld
        assert answer.figures["box.weight"].total == told.sums["box.weight"].sum


def test_the_thing_itself_may_be_all_that_is_viewed(world: World) -> None:
    access = Only({Box: [], Thing: [world.made[1].pk]})
    answer = ask(ACROSS, Question(figures=("box.weight",), limit=10), access)
    assert (answer.total, answer.figures["box.weight"].withheld) == (1, 1)
    assert answer.rows[0].values["words"] == "b"
