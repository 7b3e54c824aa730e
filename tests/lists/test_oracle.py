"""Whatever is asked of the tests' own tables: the answer is that of fractions and time zones in plain Python."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from read_targets.lists import OPERATORS, Answer, Condition, ListDefinition, Order, Question, ask, plain, read_value
from read_targets.lists.exact import ExactSum
from tests import oracle

from .doubles import Everything, Only
from .shelf import Box, Thing

pytestmark = pytest.mark.django_db

D = Decimal
ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC",
        "Asia/Seoul",
        "Asia/Kolkata",  # half an hour
        "Asia/Kathmandu",  # three quarters
        "America/New_York",
        "America/St_Johns",
        "Australia/Lord_Howe",  # half an hour of summer time
        "Africa/Cairo",  # its day begins at one o'clock once a year
        "Pacific/Apia",  # had no 30 December 2011
        "Pacific/Kiritimati",  # fourteen hours ahead
        "Pacific/Pago_Pago",  # eleven behind
    )
]

SHELF = ListDefinition(
    "shelf",
    Thing,
    shown="words price wide fine round count places big day at done box.weight box.serial box.made box.sealed_at",
    sorted="price wide fine round count big day at done box.weight box.sealed_at",
    searched="words box.label",
    order="-at day",
)
FIGURES = ("price", "wide", "fine", "round", "count", "places", "big", "box.weight", "box.serial")

EDGES = [
    dt.datetime(2026, 3, 8, 7),  # New York springs forward
    dt.datetime(2026, 11, 1, 6),  # and falls back
    dt.datetime(2026, 10, 3, 15, 30),  # Lord Howe
    dt.datetime(2026, 4, 23, 22),  # Cairo
    dt.datetime(2026, 10, 29, 21),
    dt.datetime(2011, 12, 30, 10),  # Apia crosses the date line
    dt.datetime(2024, 2, 29, 0),
    dt.datetime(2026, 1, 1, 0),
    dt.datetime(2026, 2, 28, 15),  # March begins in Seoul
    dt.datetime(2026, 2, 28, 18, 30),  # and in Kolkata
    dt.datetime(2026, 9, 30, 18, 15),  # October in Kathmandu
]
STEPS = [
    dt.timedelta(0),
    dt.timedelta(microseconds=-1),
    dt.timedelta(minutes=-30),
    dt.timedelta(hours=1),
    dt.timedelta(hours=-23),
    dt.timedelta(hours=25),
]
MOMENTS = st.builds(
    lambda edge, step: (edge + step).replace(tzinfo=dt.UTC), st.sampled_from(EDGES), st.sampled_from(STEPS)
)
DAYS = st.sampled_from([edge.date() + dt.timedelta(days=step) for edge in EDGES for step in (-1, 0, 1)])


def decimals(digits: int, places: int) -> st.SearchStrategy[Decimal]:
    """Numbers of a column's whole width, its extremes and zero among them."""
    most = D("9" * digits).scaleb(-places)
    least = D(1).scaleb(-places)
    return st.decimals(-most, most, places=places) | st.sampled_from([most, -most, least, -least, D("-0.0"), D(0)])


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "words": st.sampled_from(["söhne 한빛", "SÖHNE", "", "50% of_it", "빛"]),
    "price": decimals(12, 2),
    "wide": decimals(15, 2),
    "fine": decimals(15, 10),
    "round": decimals(9, 0),
    "count": st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 2),
    "places": st.integers(0, 32_767),
    "big": st.integers(-(2**63), 2**63 - 1) | st.sampled_from([2**53, 2**53 + 1, -(2**53) - 1, 0]),
    "day": DAYS,
    "at": MOMENTS,
    "done": st.booleans(),
}
OF_BOX: dict[str, st.SearchStrategy[Any]] = {
    "label": st.sampled_from(["Söhne", "한빛 창고", ""]),
    "weight": decimals(12, 2),
    "serial": VALUES["big"],
    "made": DAYS,
    "sealed_at": MOMENTS,
}


def one_of(model: Any, values: dict[str, st.SearchStrategy[Any]], **more: Any) -> st.SearchStrategy[Any]:
    """An object of the model that is not stored yet; any of its values may be null."""
    given_as = {name: value if name == "label" else st.none() | value for name, value in values.items()}
    return st.fixed_dictionaries({**given_as, **more}).map(lambda made: model(**made))


@st.composite
def shelves(draw: Any) -> tuple[list[Thing], list[Box]]:
    """Things and the boxes that they lie in, stored in place of what was there."""
    Thing.objects.all()._raw_delete("default")
    Box.objects.all()._raw_delete("default")
    boxes = Box.objects.bulk_create(draw(st.lists(one_of(Box, OF_BOX), min_size=1, max_size=3)))
    where = st.none() | st.sampled_from(boxes)
    Thing.objects.bulk_create(draw(st.lists(one_of(Thing, VALUES, box=where), max_size=8)))
    return list(Thing.objects.select_related("box").order_by("pk")), boxes


@st.composite
def conditions(draw: Any) -> tuple[str, str, Any]:
    """A condition on any path, with a value of the kind of its column."""
    path = draw(st.sampled_from([path for path in SHELF.shown or () if path not in ("words", "done")]))
    kind = SHELF.path(path).kind
    operator = draw(st.sampled_from([one for one, kinds in OPERATORS.items() if kind in kinds]))
    if operator == "isnull":
        return path, operator, draw(st.booleans())
    named = path.removeprefix("box.")
    value = {**VALUES, **OF_BOX}[named]
    if kind == "date":
        value = DAYS
    match operator:
        case "year":
            value = st.sampled_from([2011, 2024, 2025, 2026])
        case "month":
            value = st.integers(1, 12)
        case "period":
            value = DAYS.map(lambda day: f"{day:%Y-%m}")
        case "in":
            value = st.lists(value, max_size=3)
    return path, operator, draw(value)


@st.composite
def questions(draw: Any) -> dict[str, Any]:
    """What is asked, as the oracle takes it."""
    term = st.tuples(st.sampled_from(SHELF.sorted), st.booleans())
    order = draw(st.lists(term, max_size=2, unique_by=lambda one: one[0]))
    return {
        "conditions": draw(st.lists(conditions(), max_size=2)),
        "text": draw(st.sampled_from(["", "", "söhne", "빛", "한빛", "%", "_it 50"])),
        "order": order,
        "figures": draw(st.lists(st.sampled_from(FIGURES), max_size=3, unique=True)),
        "group_by": draw(st.none() | st.sampled_from(SHELF.grouped)),
        "zone": draw(st.sampled_from(ZONES)),
    }


@oracle.steadily(200)
@given(data=st.data())
def test_the_answer_is_that_of_plain_python(data: st.DataObject) -> None:
    objects, boxes = data.draw(shelves())
    asked = data.draw(questions())
    seen = data.draw(st.none() | st.sets(st.sampled_from([box.pk for box in boxes])))
    access: Any = Everything() if seen is None else Only({Box: sorted(seen)})
    told = oracle.tell(
        objects,
        lambda obj: seen is None or obj.pk in seen,
        **{**asked, "order": asked["order"] or [("at", True), ("day", False)]},
        shown=SHELF.shown,
        searched=SHELF.searched,
    )
    question = Question(
        conditions=tuple(Condition(*one) for one in asked["conditions"]),
        text=asked["text"],
        order=tuple(Order(*one) for one in asked["order"]),
        figures=tuple(asked["figures"]),
        group_by=asked["group_by"],
        zone=asked["zone"],
        limit=100,
    )
    compare(ask(SHELF, question, access), told, asked["group_by"])


def compare(answer: Answer, told: oracle.Told, group_by: str | None) -> None:
    """Hold every part of the answer against what ought to be told."""
    assert answer.total == told.total
    assert [row.id for row in answer.rows] == told.keys
    for row, values in zip(answer.rows, told.values, strict=True):
        withheld = {path for path, value in values.items() if value is oracle.WITHHELD}
        assert row.withheld == withheld
        assert row.values == {path: None if path in withheld else value for path, value in values.items()}
    for path, total in told.sums.items():
        figure = answer.figures[path]
        assert (figure.count, Fraction(figure.total)) == (total.count, total.sum), path
        assert (figure.minimum, figure.maximum, figure.withheld) == (total.minimum, total.maximum, total.withheld)
        assert figure.average == total.average(oracle.scale_of(Thing, path))
    if group_by is not None:
        groups = {
            oracle.WITHHELD if group.withheld else group.key: (
                group.count,
                {path: Fraction(figure.total) for path, figure in group.figures.items()},
            )
            for group in answer.groups or ()
        }
        assert groups == told.groups
        assert answer.rest is None


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_months_of_moments_are_those_of_the_zone_through_two_years(zone: ZoneInfo) -> None:
    """Every half hour at the edges of months and of days that are longer or shorter than others."""
    start = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
    moments = [start + dt.timedelta(minutes=30 * at) for at in range(-60, 60)]
    for edge in EDGES:
        moments += [(edge + dt.timedelta(minutes=30 * at)).replace(tzinfo=dt.UTC) for at in range(-60, 60)]
    Thing.objects.bulk_create([Thing(at=moment) for moment in moments])
    told = oracle.tell(list(Thing.objects.all()), lambda obj: True, group_by="at", zone=zone)
    answer = ask(SHELF, Question(group_by="at", zone=zone), Everything())
    assert {group.key: group.count for group in answer.groups or ()} == {
        key: count for key, (count, _sums) in told.groups.items()
    }
    for period in told.groups:
        asked = Question(conditions=(Condition("at", "period", period),), zone=zone)
        assert ask(SHELF, asked, Everything()).total == told.groups[period][0], period


MILLION = 1_000_000


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's decimals have no bound")
@pytest.mark.parametrize(
    ("path", "widest"),
    [
        ("price", D("9999999999.99")),
        ("wide", D("9999999999999.99")),
        ("fine", D("99999.9999999999")),
        ("round", D(999_999_999)),
        ("count", 2**31 - 1),
        ("places", 2**15 - 1),
        ("big", 2**63 - 1),
    ],
)
def test_no_part_of_a_sum_over_a_million_rows_leaves_64_bits(path: str, widest: Any) -> None:
    """At the extremes: what SQLite really sums of the largest and the least value, a million times over.

    Beyond 64 bits SQLite fails a sum of integers, and goes on in floats where it multiplies.
    """
    for value in (widest, 0 if path == "places" else -widest):
        Thing.objects.all()._raw_delete("default")
        Thing.objects.create(**{path: value})
        figure = ask(SHELF, Question(figures=(path,)), Everything()).figures[path]
        assert figure.total == value
        for part in parts_of(path):
            assert isinstance(part, int)
            assert abs(part) * MILLION < 2**63


def parts_of(path: str) -> list[int]:
    """What SQLite sums for the one thing there is: its aggregates themselves, as they are compiled."""
    raw = Thing.objects.aggregate(total=ExactSum(path, paths=[SHELF.path(path)]))["total"]
    return [int(part) for part in raw.split(":")] if isinstance(raw, str) else [raw]


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**63 - 1])
def test_a_whole_number_beyond_2_53_is_asked_for_and_answered_exactly(value: int) -> None:
    Thing.objects.bulk_create([Thing(big=value), Thing(big=value - 1), Thing(big=None)])
    wanted = read_value("integer", str(value))
    answer = ask(SHELF, Question(conditions=(Condition("big", "eq", wanted),), shown=("big",), limit=5), Everything())
    assert [plain(row.values["big"]) for row in answer.rows] == [str(value)]


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_to_includes_the_whole_of_its_day(zone: ZoneInfo) -> None:
    day = dt.date(2026, 11, 1)
    following = dt.datetime(2026, 11, 2, tzinfo=zone).astimezone(dt.UTC)
    last, after = following - dt.timedelta(microseconds=1), following
    Thing.objects.bulk_create([Thing(at=last, day=day), Thing(at=after, day=day + dt.timedelta(days=1))])
    for path in ("at", "day"):
        asked = Question(conditions=(Condition(path, "lte", day),), zone=zone, shown=("at",), limit=5)
        assert [row.values["at"] for row in ask(SHELF, asked, Everything()).rows] == [last]
