"""Every operator on every kind selects the rows that the same comparison in Python selects."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from read_targets.lists import OPERATORS, Condition, Question, ask
from read_targets.lists.conditions import argument_kind, days_of
from tests import oracle

from .doubles import Everything, Only
from .shelf import ACROSS, THINGS, Box, Thing, things

pytestmark = pytest.mark.django_db

D = Decimal
WIDEST = D("9999999999.99")
FAR = D("1e39")

NUMBERS: dict[str, list[Any]] = {
    "price": [None, D("-12.35"), D("-0.01"), D(0), D("0.01"), D("12.34"), D("12.35"), WIDEST, -WIDEST],
    "wide": [None, D("9999999999999.99"), D("-9999999999999.99"), D("0.10"), D("0.30")],
    "fine": [None, D("99999.9999999999"), D("0.0000000001"), D("-0.0000000001"), D("0.3")],
    "round": [None, D(-3), D(0), D(4), D(999999999)],
    "rough": [None, -1.5, 0.0, 0.1, 1e300],
    "count": [None, -(2**31), -1, 0, 1, 2**31 - 1],
    "places": [None, 0, 1, 32767],
    "big": [None, -(2**63), -(2**53) - 1, 0, 2**53 + 1, 2**63 - 1],
}
ASKED: dict[str, list[Decimal]] = {
    "price": [D("12.34"), D("12.345"), D("12.3400001"), D("-12.345"), D("-0.001"), D("0.001"), D("-0"), WIDEST],
    "wide": [D("9999999999999.99"), D("0.3"), D("0.299"), D("9999999999999.991")],
    "fine": [D("99999.9999999999"), D("0.00000000005"), D("0.3"), D("0.30000000001")],
    "round": [D(4), D("3.5"), D("-3.5"), D("999999999.1")],
    "rough": [D("0.1"), D("-1.5"), D("1e39"), D(0)],
    "count": [D(0), D("0.5"), D("-0.5"), D(2**31), D(-(2**31) - 1), D("2147483646.5")],
    "places": [D(0), D(-1), D(-1) * 2**40, D(40000), D("0.5")],
    "big": [D(2**53 + 1), D("9007199254740993.5"), D(2**63), D(2**63 - 1), D(-(2**63)), D(-(2**63) - 1)],
}
COMPARED = ("eq", "ne", "gt", "gte", "lt", "lte")
OUT_OF_RANGE = [FAR, -FAR, D(2**64), -D(2**64), D("1e-39"), D("-1e-39")]


def selected(
    *conditions: Condition, zone: dt.tzinfo = dt.UTC, definition: Any = THINGS, access: Any = None
) -> set[Any]:
    """The keys of the rows that the conditions select; the count must say the same."""
    question = Question(conditions=conditions, shown=("words",), limit=1_000, zone=zone)
    answer = ask(definition, question, access or Everything())
    assert answer.total == len(answer.rows)
    return {row.id for row in answer.rows}


def expected(made: list[Thing], path: str, operator: str, wanted: Any, zone: dt.tzinfo = dt.UTC) -> set[Any]:
    """What the oracle selects."""
    return {one.pk for one in made if oracle.fits(getattr(one, path), operator, wanted, zone)}


@pytest.mark.parametrize("path", NUMBERS)
def test_a_number_is_compared_exactly_however_many_digits_are_asked(path: str) -> None:
    made = things(**{path: NUMBERS[path]})
    for operator, wanted in itertools.product(COMPARED, ASKED[path] + OUT_OF_RANGE):
        condition = Condition(path, operator, wanted)
        held = float(wanted) if path == "rough" else wanted
        assert selected(condition) == expected(made, path, operator, held), condition


@pytest.mark.parametrize("path", ["count", "big", "places"])
def test_whole_numbers_beyond_any_column_are_compared_as_well(path: str) -> None:
    made = things(**{path: NUMBERS[path]})
    for operator, wanted in itertools.product(COMPARED, [2**62, 2**63, 10**30, -(10**30), -(2**31) - 1, -1]):
        condition = Condition(path, operator, wanted)
        assert selected(condition) == expected(made, path, operator, wanted), condition


@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite holds no more than 15 digits of a decimal")
def test_a_number_of_forty_digits_is_compared_exactly() -> None:
    widest = D("9" * 30 + "." + "9" * 10)
    least = D("-" + str(widest))  # a minus sign before the name would round it to Python's 28 digits
    made = things(huge=[None, widest, least, D("0.0000000001"), D("123456789012345678901234567890.1234567890")])
    asked = [widest, least, D("123456789012345678901234567890.12345678905"), D("1e30"), D(0)]
    for operator, wanted in itertools.product(COMPARED, asked):
        condition = Condition("huge", operator, wanted)
        assert selected(condition) == expected(made, "huge", operator, wanted), condition


DAYS = [
    None,
    dt.date.min,
    dt.date(999, 12, 31),
    dt.date(2026, 2, 28),
    dt.date(2026, 3, 1),
    dt.date(9999, 12, 30),
    dt.date.max,
]


def test_a_day_is_compared_to_the_ends_of_the_calendar() -> None:
    made = things(day=DAYS)
    for operator, wanted in itertools.product(COMPARED, [day for day in DAYS if day]):
        condition = Condition("day", operator, wanted)
        assert selected(condition) == expected(made, "day", operator, wanted), condition


ZONES = [
    "UTC",
    "Asia/Seoul",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "America/New_York",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Pacific/Apia",
    "Pacific/Kiritimati",
]

LONG_AND_SHORT_DAYS = [
    dt.date(2026, 3, 8),  # 23 hours in New York
    dt.date(2026, 11, 1),  # 25 hours in New York
    dt.date(2026, 4, 5),  # 24 and a half on Lord Howe
    dt.date(2026, 10, 4),  # 23 and a half on Lord Howe
    dt.date(2026, 4, 24),  # begins at one o'clock in Cairo
    dt.date(2026, 10, 29),  # 25 hours in Cairo, the last of them before midnight
    dt.date(2011, 12, 30),  # there was none in Apia
    dt.date(2026, 12, 31),
    dt.date(2026, 6, 15),
]


def moments_around(days: list[dt.date], zone: dt.tzinfo) -> list[dt.datetime]:
    """Moments just before, at and after the beginning and the end of each day in the zone."""
    found = []
    for day in days:
        for one in (day, day + dt.timedelta(days=1)):
            start = dt.datetime(one.year, one.month, one.day, tzinfo=zone).astimezone(dt.UTC)
            found += [start + dt.timedelta(microseconds=step) for step in (-1, 0, 1)]
            found += [start + dt.timedelta(minutes=step) for step in (-90, -30, 30, 90)]
    return found


@pytest.mark.parametrize("name", ZONES)
def test_a_day_on_a_moment_is_the_whole_day_in_the_zone_of_the_person(name: str) -> None:
    zone = ZoneInfo(name)
    made = things(at=[None, *moments_around(LONG_AND_SHORT_DAYS, zone)])
    for operator, wanted in itertools.product(COMPARED, LONG_AND_SHORT_DAYS):
        condition = Condition("at", operator, wanted)
        assert selected(condition, zone=zone) == expected(made, "at", operator, wanted, zone), condition


@pytest.mark.parametrize("name", ZONES)
def test_a_year_a_month_and_a_period_are_those_of_the_person(name: str) -> None:
    zone = ZoneInfo(name)
    ends = [
        dt.date(2026, 12, 31),
        dt.date(2026, 2, 28),
        dt.date(2024, 2, 29),
        dt.date(2011, 12, 30),
        dt.date(2026, 10, 31),
    ]
    made = things(at=[None, *moments_around(ends, zone)])
    asked = [("year", 2026), ("year", 2027), ("year", 2011), ("month", 1), ("month", 2), ("month", 12), ("month", 11)]
    asked += [("period", "2026-12"), ("period", "2027-01"), ("period", "2024-02"), ("period", "2011-12")]
    for operator, wanted in asked:
        condition = Condition("at", operator, wanted)
        assert selected(condition, zone=zone) == expected(made, "at", operator, wanted, zone), condition


def test_a_year_a_month_and_a_period_of_days() -> None:
    made = things(day=DAYS)
    asked = [("year", year) for year in (1, 999, 2026, 9999)] + [("month", month) for month in range(1, 13)]
    asked += [("period", period) for period in ("0001-01", "0999-12", "2026-02", "9999-12", "9999-11")]
    for operator, wanted in asked:
        assert selected(Condition("day", operator, wanted)) == expected(made, "day", operator, wanted), (
            operator,
            wanted,
        )


@pytest.mark.parametrize("path", ["day", "at"])
@pytest.mark.parametrize(
    ("operator", "value"), [("year", 0), ("year", 10**30), ("year", -5), ("month", 13), ("month", 10**30)]
)
def test_a_year_or_month_that_there_is_none_selects_nothing(path: str, operator: str, value: int) -> None:
    things(**{path: [None, dt.date(2026, 1, 1) if path == "day" else dt.datetime(2026, 1, 1, tzinfo=dt.UTC)]})
    assert selected(Condition(path, operator, value)) == set()


@pytest.mark.parametrize("name", ["UTC", "Asia/Seoul", "America/New_York"])
def test_the_last_days_of_the_calendar_on_a_moment(name: str) -> None:
    """*For ever* is often stored as the last day: it must not be taken for the day before it."""
    zone = ZoneInfo(name)
    local = [(9999, 12, 29, 12), (9999, 12, 30, 12), (9999, 12, 31, 12), (1, 1, 2, 12), (1, 1, 1, 20)]
    made = things(at=[dt.datetime(*one, tzinfo=zone).astimezone(dt.UTC) for one in local])
    days = [dt.date(9999, 12, 29), dt.date(9999, 12, 30), dt.date.max, dt.date(1, 1, 2), dt.date.min]
    for operator, wanted in itertools.product(COMPARED, days):
        condition = Condition("at", operator, wanted)
        assert selected(condition, zone=zone) == expected(made, "at", operator, wanted, zone), condition


def test_the_very_last_moment_belongs_to_the_last_day() -> None:
    made = things(at=[dt.datetime.max.replace(tzinfo=dt.UTC), dt.datetime.min.replace(tzinfo=dt.UTC)])
    for operator, wanted in itertools.product(COMPARED, [dt.date.max, dt.date.min]):
        condition = Condition("at", operator, wanted)
        assert selected(condition) == expected(made, "at", operator, wanted), condition


TEXTS = [
    None,
    "",
    "abc",
    "abd",
    "100%",
    "100 percent",
    "a_c",
    "a\\c",
    "O'Brien & Söhne",
    "주식회사 (주)한빛",
    "🥨",
    'say "x"',
    " ",
]


@pytest.mark.parametrize("operator", ["eq", "ne", "contains", "startswith"])
def test_a_text_is_data_and_never_a_pattern(operator: str) -> None:
    made = things(words=TEXTS)
    for wanted in [text for text in TEXTS if text] + [
        "%",
        "_",
        "\\",
        "'",
        "''",
        "Robert'); DROP TABLE shelf_thing",
        "SÖHNE",
        "söh",
    ]:
        if operator in ("contains", "startswith") or wanted in TEXTS or operator == "ne":
            condition = Condition("words", operator, wanted)
            assert selected(condition) == expected(made, "words", operator, wanted), condition


@pytest.mark.parametrize("operator", ["gt", "gte", "lt", "lte"])
def test_texts_are_compared_in_their_order(operator: str) -> None:
    made = things(words=[None, "apple", "banana", "cherry"])
    for wanted in ("apple", "banana", "blueberry"):
        assert selected(Condition("words", operator, wanted)) == expected(made, "words", operator, wanted)


@pytest.mark.parametrize(
    ("path", "values", "asked"),
    [
        ("colour", [None, "RED", "BLUE"], ["RED", "BLUE"]),
        ("done", [None, True, False], [True, False]),
        ("code", [None, uuid.UUID(int=1), uuid.UUID(int=255)], [str(uuid.UUID(int=1)), str(uuid.UUID(int=9))]),
        ("address", [None, "10.0.0.1", "::1"], ["10.0.0.1", "::1", "10.0.0.2"]),
    ],
)
def test_other_kinds_are_the_same_or_not(path: str, values: list[Any], asked: list[Any]) -> None:
    made = things(**{path: values})
    same = {str(getattr(one, path)): one.pk for one in made}
    for wanted in asked:
        chosen = {same[str(wanted)]} if str(wanted) in same else set()
        assert selected(Condition(path, "eq", wanted)) == chosen
        assert selected(Condition(path, "ne", wanted)) == {one.pk for one in made} - chosen
        assert selected(Condition(path, "in", [wanted])) == chosen


@pytest.mark.parametrize("path", ["code", "address"])
@pytest.mark.parametrize("value", ["banana", "x" * 1_000, "0001", ":", "10.0.0.999", "{", "%"])
def test_a_text_that_a_typed_column_cannot_hold_is_in_no_row(path: str, value: str) -> None:
    made = things(**{path: [None, str(uuid.UUID(int=1)) if path == "code" else "10.0.0.1"]})
    for operator in ("eq", "contains", "startswith"):
        if value not in ("0001", ":") or operator == "eq":
            assert selected(Condition(path, operator, value)) == set()
    assert selected(Condition(path, "in", [value])) == set()
    assert selected(Condition(path, "ne", value)) == {one.pk for one in made}
    for operator in ("gt", "lt", "gte", "lte"):
        selected(Condition(path, operator, value))


def test_a_part_of_an_identifier_is_found_as_it_is_written() -> None:
    made = things(code=[uuid.UUID("0a1b2c3d-1111-4222-8333-abcdefabcdef"), uuid.UUID(int=5)])
    for part in ("0a1b", "0A1B2C3D-1111", "-4222-", "abcdef"):
        assert selected(Condition("code", "contains", part)) == {made[0].pk}
    assert selected(Condition("code", "startswith", "0a1b2c3d-1")) == {made[0].pk}
    assert selected(Condition("code", "startswith", "1111")) == set()


@pytest.mark.parametrize("path", [*NUMBERS, "words", "colour", "done", "day", "at", "code", "address"])
def test_empty_or_not(path: str) -> None:
    example: dict[str, Any] = {
        "words": "", "colour": "RED", "done": False, "day": dt.date.max, "at": dt.datetime.now(dt.UTC),
        "code": uuid.UUID(int=1), "address": "::1",
    }  # fmt: skip
    empty, full = things(**{path: [None, example.get(path, 1)]})
    assert selected(Condition(path, "isnull", True)) == {empty.pk}
    assert selected(Condition(path, "isnull", False)) == {full.pk}


def test_one_of_several_values_of_each_kind() -> None:
    day, moment = dt.date(2026, 3, 1), dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
    made = things(
        price=[D("1.50"), D("2.50"), None],
        big=[2**63 - 1, 5, None],
        rough=[0.5, 1.5, None],
        words=["a", "b", None],
        colour=["RED", "BLUE", None],
        done=[True, False, None],
        day=[day, dt.date.max, None],
        at=[moment, moment + dt.timedelta(days=1), None],
    )
    first = {made[0].pk}
    assert selected(Condition("price", "in", [D("1.5"), D("1.505"), FAR])) == first
    assert selected(Condition("big", "in", [2**63 - 1, 2**63, -FAR])) == first
    assert selected(Condition("rough", "in", [D("0.5"), FAR])) == first
    assert selected(Condition("words", "in", ["a", "c", "'"])) == first
    assert selected(Condition("colour", "in", ["RED"])) == first
    assert selected(Condition("done", "in", [True])) == first
    assert selected(Condition("day", "in", [day, day])) == first
    assert selected(Condition("at", "in", [day])) == first
    for path in ("price", "words", "at", "day", "done"):
        assert selected(Condition(path, "in", [])) == set()


@pytest.mark.parametrize("path", ["price", "count", "rough", "words", "day", "at", "code"])
def test_a_thousand_values_are_one_condition(path: str) -> None:
    start = dt.date(2026, 1, 1)
    values: dict[str, Any] = {
        "price": lambda at: D(at),
        "count": int,
        "rough": lambda at: D(at),
        "words": str,
        "day": lambda at: start + dt.timedelta(days=at),
        "at": lambda at: start + dt.timedelta(days=at * 2),
        "code": lambda at: str(uuid.UUID(int=at)),
    }
    asked = [values[path](at) for at in range(1_000)]
    held: Any = asked[7]
    if path == "at":
        held = dt.datetime(held.year, held.month, held.day, 5, tzinfo=dt.UTC)
    made = things(**{path: [held, None]})
    assert selected(Condition(path, "in", asked)) == {made[0].pk}


def test_many_conditions_hold_together() -> None:
    made = things(price=[D(5), D(50)])
    assert selected(*[Condition("price", "lte", D(at)) for at in range(10, 110)]) == {made[0].pk}


@pytest.mark.parametrize(
    ("path", "operator", "value"),
    [("words", "year", 2026), ("price", "contains", "1"), ("done", "gt", True), ("colour", "lt", "RED"),
     ("day", "startswith", "2"), ("price", "regex", ".*"), ("price", "exact", 1), ("words", "icontains", "x"),
     ("price", "", 1)],
)  # fmt: skip
def test_an_operator_that_does_not_go_with_the_kind_is_an_error(path: str, operator: str, value: Any) -> None:
    with pytest.raises(ValueError, match=path):
        selected(Condition(path, operator, value))


@pytest.mark.parametrize(
    "path", ["id", "box", "box_id", "box.label", "box__label", "pk", "nothing", "", "words__icontains"]
)
def test_a_path_that_is_not_declared_is_an_error(path: str) -> None:
    with pytest.raises(KeyError):
        selected(Condition(path, "isnull", False))


def test_every_operator_is_tried_here() -> None:
    tried = {*COMPARED, "in", "isnull", "contains", "startswith", "year", "month", "period"}
    assert tried == set(OPERATORS)


def test_the_value_of_an_operator_has_a_kind() -> None:
    assert argument_kind(THINGS.path("day"), "year") == "integer"
    assert argument_kind(THINGS.path("day"), "period") == "string"
    assert argument_kind(THINGS.path("day"), "gte") == "date"
    assert argument_kind(THINGS.path("price"), "isnull") == "boolean"


class TestAcrossARelation:
    """The same comparisons on what a person may view of a related object, and on what they may not."""

    FULL: dict[str, Any] = {
        "label": "Öl", "weight": D("12.34"), "places": 7, "serial": 2**53 + 1, "made": dt.date(2026, 3, 1),
        "fragile": True, "sealed_at": dt.datetime(2026, 3, 1, 23, 30, tzinfo=dt.UTC), "code": uuid.UUID(int=1),
        "colour": "RED",
    }  # fmt: skip

    @pytest.fixture
    def made(self) -> list[Thing]:
        """Two boxes that may be viewed, one that may not, things in each, one in none."""
        outer = Box.objects.create(label="outer", weight=D("0.50"))
        boxes = [
            Box(**self.FULL, outer=outer),
            Box(label="empty"),
            Box(**self.FULL, outer=outer),
        ]
        Box.objects.bulk_create(boxes)
        return things(box=[*boxes, None], words=["full", "empty", "hidden", "loose"])

    ASKED: tuple[tuple[str, str, Any], ...] = (
        *(("box.weight", operator, wanted) for operator in COMPARED for wanted in (D("12.345"), D("12.34"))),
        *(("box.weight", operator, wanted) for operator in COMPARED for wanted in (FAR, -FAR, D("0.001"))),
        *(("box.places", operator, wanted) for operator in COMPARED for wanted in (7, -1, 2**40, D("6.5"))),
        *(("box.serial", operator, wanted) for operator in COMPARED for wanted in (2**53 + 1, 2**53, 2**63, -(2**64))),
        *(("box.made", operator, dt.date(2026, 3, 1)) for operator in COMPARED),
        *(("box.sealed_at", operator, dt.date(2026, 3, 2)) for operator in COMPARED),
        ("box.sealed_at", "month", 3),
        ("box.sealed_at", "year", 2026),
        ("box.sealed_at", "period", "2026-03"),
        ("box.sealed_at", "in", [dt.date(2026, 3, 2)]),
        ("box.made", "month", 3),
        ("box.made", "in", [dt.date(2026, 3, 1)]),
        ("box.fragile", "eq", True),
        ("box.fragile", "eq", False),
        ("box.fragile", "ne", True),
        ("box.colour", "eq", "RED"),
        ("box.colour", "in", ["RED", "BLUE"]),
        ("box.label", "contains", "öl"),
        ("box.label", "startswith", "ÖL"),
        ("box.label", "ne", "Öl"),
        ("box.weight", "in", [D("12.34"), D("0.50")]),
        ("box.places", "in", [7]),
        ("box.outer.weight", "eq", D("0.5")),
        ("box.outer.weight", "ne", D("0.5")),
        ("box.outer.weight", "lte", FAR),
        ("box.outer.label", "contains", "UTE"),
        *((path, "isnull", True) for path in ("box.label", "box.weight", "box.sealed_at", "box.outer.label")),
        *((path, "isnull", False) for path in ("box.label", "box.weight", "box.sealed_at", "box.outer.label")),
    )  # fmt: skip

    @pytest.mark.parametrize("sees", ["everything", "two boxes", "all but the outer one", "no box"])
    def test_conditions_agree_with_python_for_everybody(self, made: list[Thing], sees: str) -> None:
        zone = ZoneInfo("Asia/Seoul")
        keys = {
            "two boxes": [made[0].box_id, made[1].box_id, made[0].box.outer_id],  # type: ignore[union-attr]
            "all but the outer one": [one.box_id for one in made[:3]],
            "no box": [],
        }
        access: Any = Only({Box: keys[sees]}) if sees in keys else Everything()
        may_view = (lambda obj: obj.pk in keys[sees]) if sees in keys else (lambda obj: True)
        for path, operator, wanted in self.ASKED:
            condition = Condition(path, operator, wanted)
            told = oracle.tell(made, may_view, conditions=[(path, operator, wanted)], zone=zone)
            assert selected(condition, zone=zone, definition=ACROSS, access=access) == set(told.keys), condition


def test_the_days_that_a_condition_leaves() -> None:
    day = dt.date(2026, 3, 1)
    assert days_of(Condition("day", "eq", day)) == (day, day)
    assert days_of(Condition("day", "gte", day)) == (day, None)
    assert days_of(Condition("day", "gt", day)) == (dt.date(2026, 3, 2), None)
    assert days_of(Condition("day", "lte", day)) == (None, day)
    assert days_of(Condition("day", "lt", day)) == (None, dt.date(2026, 2, 28))
    assert days_of(Condition("day", "year", 2024)) == (dt.date(2024, 1, 1), dt.date(2024, 12, 31))
    assert days_of(Condition("day", "period", "2024-02")) == (dt.date(2024, 2, 1), dt.date(2024, 2, 29))
    assert days_of(Condition("day", "period", "9999-12")) == (dt.date(9999, 12, 1), dt.date.max)
    assert days_of(Condition("day", "month", 2)) == (None, None)
    assert days_of(Condition("day", "ne", day)) == (None, None)


def test_the_database_is_one_that_is_known() -> None:
    assert connection.vendor in ("sqlite", "postgresql")
