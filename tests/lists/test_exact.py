"""Sums, least and largest values and averages keep every digit, on every database."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from read_targets.lists import Answer, Condition, Figure, Question, ask, plain
from tests import oracle

from .doubles import Everything, Only
from .shelf import ACROSS, THINGS, Box, Thing, things

pytestmark = pytest.mark.django_db

D = Decimal
NUMBERS = ("price", "wide", "fine", "round", "count", "places", "big")


def asked(*figures: str, **more: Any) -> Answer:
    """The figures of every thing."""
    return ask(THINGS, Question(figures=figures, **more), Everything())


def figure(path: str) -> Figure:
    """One column summed up."""
    return asked(path).figures[path]


def test_a_sum_of_cents_is_not_off_by_a_float() -> None:
    things(price=[D("0.10")] * 300 + [D("0.20"), D("1000000.01"), D("-0.01"), None])
    told = figure("price")
    assert plain(told.total) == "1000030.20"
    assert (told.count, plain(told.minimum), plain(told.maximum)) == (303, "-0.01", "1000000.01")


def test_fifteen_digits_are_exact() -> None:
    things(wide=[D("9999999999999.99")] * 999 + [D("0.01")], fine=[D("99999.9999999999")] * 999 + [D("0.0000000001")])
    told = asked("wide", "fine").figures
    assert plain(told["wide"].total) == "9989999999999990.02"
    assert told["fine"].total == 999 * D("99999.9999999999") + D("0.0000000001")
    assert [plain(one.maximum) for one in told.values()] == ["9999999999999.99", "99999.9999999999"]
    assert [plain(one.minimum) for one in told.values()] == ["0.01", "0.0000000001"]


def test_halves_of_a_wide_sum_are_put_together_whatever_their_signs() -> None:
    values = [D("-9999999999999.99"), D("0.01"), D("-0.01"), D("9999999999999.98"), D("10000000.00"), D("-10000000.01")]
    things(wide=values)
    assert figure("wide").total == sum(values)


def test_whole_numbers_beyond_64_bits_are_summed_exactly() -> None:
    things(big=[2**63 - 1] * 5 + [-(2**63), 1, None])
    told = figure("big")
    assert told.total == 5 * (2**63 - 1) - 2**63 + 1
    assert plain(told.total) == str(4 * 2**63 - 4)
    assert (told.minimum, told.maximum) == (-(2**63), 2**63 - 1)


def test_largest_values_of_smaller_columns_are_summed_exactly() -> None:
    things(count=[2**31 - 1] * 9, places=[32_767] * 9, price=[D("9999999999.99")] * 9)
    told = asked("count", "places", "price").figures
    assert told["count"].total == 9 * (2**31 - 1)
    assert told["places"].total == 9 * 32_767
    assert plain(told["price"].total) == "89999999999.91"


@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite holds no more than 15 digits of a decimal")
def test_forty_digits_are_exact_where_the_database_holds_them() -> None:
    widest = D("9" * 30 + "." + "9" * 10)
    things(huge=[widest] * 7 + [D("0.0000000001")])
    told = figure("huge")
    assert plain(told.total) == "6999999999999999999999999999999.9999999994"
    assert (plain(told.maximum), plain(told.minimum)) == (str(widest), "0.0000000001")
    grouped = asked("huge", group_by="huge")
    assert sorted(plain(one.key) for one in grouped.groups or ()) == ["0.0000000001", str(widest)]
    assert plain(grouped.figures["huge"].total) == "6999999999999999999999999999999.9999999994"


@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite holds no more than 15 digits of a decimal")
def test_a_sum_of_more_than_thirty_digits_is_folded_from_its_groups_exactly() -> None:
    things(huge=[D("9" * 30 + "." + "9" * 10), D("1" * 30 + "." + "1" * 10)], colour=["RED", "BLUE"])
    told = asked("huge", group_by="colour")
    assert plain(told.figures["huge"].total) == "1" * 31 + ".1111111110"


@pytest.mark.parametrize("path", NUMBERS)
def test_no_value_at_all_has_a_zero_and_no_average(path: str) -> None:
    things(**{path: [None, None]})
    told = figure(path)
    assert (told.count, told.average, told.minimum, told.maximum) == (0, None, None, None)
    scale = oracle.scale_of(Thing, path)
    assert plain(told.total) == ("0" if scale == 0 else f"0.{'0' * scale}") or told.total == 0
    assert type(told.total) is (D if oracle.field_of(Thing, path).get_internal_type() == "DecimalField" else int)


def test_an_empty_list_has_figures_too() -> None:
    answer = asked(*NUMBERS, "huge", "rough", group_by="colour", limit=5)
    assert (answer.total, answer.rows, answer.groups, answer.rest) == (0, [], [], None)
    assert plain(answer.figures["price"].total) == "0.00"
    assert plain(answer.figures["count"].total) == 0
    assert plain(answer.figures["rough"].total) == 0.0
    assert asked(*NUMBERS).figures == {path: answer.figures[path] for path in NUMBERS}


def test_there_is_no_negative_zero() -> None:
    things(price=[D("-0.01"), D("0.01")], fine=[D("-0.00000000001"), None])
    assert plain(figure("price").total) == "0.00"
    assert plain(figure("price").average) == "0.000000"
    assert plain(figure("fine").total) == "0.0000000000"


@pytest.mark.parametrize(
    ("values", "average"),
    [
        (["0.01", "0.02", "0.02"], "0.016667"),
        (["0.01", "0.00"], "0.005000"),
        (["0.01"] + ["0.00"] * 15, "0.000625"),
        (["0.01"] + ["0.00"] * 31, "0.000312"),  # .0003125: to the even neighbour
        (["0.03"] + ["0.00"] * 31, "0.000938"),  # .0009375: to the even neighbour
        (["-0.01"] + ["0.00"] * 31, "-0.000312"),
        (["-0.01", "-0.01", "0.00"], "-0.006667"),
        (["9999999999.99", "9999999999.98"], "9999999999.985000"),
    ],
)
def test_an_average_has_four_digits_more_and_is_rounded_half_to_even(values: list[str], average: str) -> None:
    things(price=[*map(D, values), None])
    assert plain(figure("price").average) == average


def test_the_average_of_whole_numbers_has_four_digits() -> None:
    things(count=[1, 2, 2, None], big=[2**63 - 1, 2**63 - 2, None, None])
    assert plain(figure("count").average) == "1.6667"
    assert plain(figure("big").average) == "9223372036854775806.5000"


@pytest.mark.parametrize("path", ["price", "wide", "fine", "count", "big"])
def test_a_sum_of_groups_is_the_sum_of_the_list(path: str) -> None:
    values = [1, -3, 7, None, 12345] * 3
    things(**{path: values}, words=["a", "b", None, "c", "a", "b", "d"] * 2 + ["a"])
    alone, grouped = asked(path), asked(path, group_by="words")
    assert grouped.figures == alone.figures
    assert sum(group.figures[path].total for group in grouped.groups or ()) == alone.figures[path].total
    assert sum(group.count for group in grouped.groups or ()) == alone.total == grouped.total


@pytest.mark.parametrize("sees", ["all", "some"])
def test_numbers_of_a_related_object_keep_their_digits(sees: str) -> None:
    boxes = Box.objects.bulk_create(
        [Box(weight=D("12.50")), Box(weight=D("0.10")), Box(weight=None), Box(weight=D("7.00"))]
    )
    things(box=[*boxes, boxes[0], None])
    access: Any = Everything() if sees == "all" else Only({Box: [one.pk for one in boxes[:3]]})
    question = Question(figures=("box.weight",), group_by="box.weight", shown=("box.weight",), limit=10)
    answer = ask(ACROSS, question, access)
    told = answer.figures["box.weight"]
    weights = ["12.50", "0.10", None, "7.00" if sees == "all" else None, "12.50", None]
    assert [plain(row.values["box.weight"]) for row in answer.rows] == weights
    assert {plain(one.key) for one in answer.groups or ()} == set(weights)
    assert plain(told.total) == ("32.10" if sees == "all" else "25.10")
    assert (plain(told.minimum), plain(told.maximum)) == ("0.10", "12.50")
    assert (told.count, told.withheld) == ((4, 0) if sees == "all" else (3, 1))
    assert ask(ACROSS, Question(figures=("box.weight",)), access).figures == answer.figures


def test_floats_are_told_as_what_they_are() -> None:
    things(rough=[0.5, 0.25, None])
    told = figure("rough")
    assert (told.count, told.total, told.average, told.minimum, told.maximum) == (2, 0.75, 0.375, 0.25, 0.5)


COLUMNS = {
    "price": st.decimals(D("-9999999999.99"), D("9999999999.99"), places=2),
    "wide": st.decimals(D("-9999999999999.99"), D("9999999999999.99"), places=2),
    "fine": st.decimals(D("-99999.9999999999"), D("99999.9999999999"), places=10),
    "round": st.integers(-(10**9) + 1, 10**9 - 1).map(D),
    "count": st.integers(-(2**31), 2**31 - 1),
    "big": st.integers(-(2**63), 2**63 - 1),
}


@pytest.mark.parametrize("path", COLUMNS)
@oracle.steadily(25)
@given(data=st.data())
def test_figures_are_those_of_fractions(path: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | COLUMNS[path], max_size=12))
    Thing.objects.all()._raw_delete("default")  # type: ignore[attr-defined]
    if values:
        things(**{path: values}, words=[str(at % 3) for at in range(len(values))])
    told = oracle.tell(list(Thing.objects.all()), lambda obj: True, figures=[path])
    for more in ({}, {"group_by": "words"}, {"group_by": path}):
        found = asked(path, **more).figures[path]
        assert (found.count, Fraction(found.total)) == (told.sums[path].count, told.sums[path].sum)
        assert (found.minimum, found.maximum) == (told.sums[path].minimum, told.sums[path].maximum)
        assert found.average == told.sums[path].average(oracle.scale_of(Thing, path))


def test_conditions_narrow_the_figures_down() -> None:
    things(price=[D("1.00"), D("2.00"), D("3.00")], day=[dt.date(2026, 1, 1), dt.date(2026, 2, 1), None])
    told = asked("price", conditions=(Condition("day", "isnull", False),))
    assert (told.total, plain(told.figures["price"].total)) == (2, "3.00")


def test_the_database_is_asked_once_for_the_figures_and_once_for_the_rows(django_assert_num_queries: Any) -> None:
    things(price=[D(1)] * 50, words=["a", "b"] * 25)
    with django_assert_num_queries(2, connection=connection):
        asked("price", "wide", "big", group_by="words", limit=20)
    with django_assert_num_queries(1):
        asked("price", "wide", "big", group_by="words")
    with django_assert_num_queries(1):
        asked(count=False, limit=20)
