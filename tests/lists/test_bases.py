"""Averages on a stated basis are exact, whatever is null or withheld, alone, by groups and in the rest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from read_targets.lists import Answer, Figure, Measure, Question, Quotient, ask, plain
from tests import oracle

from .doubles import Everything, Only
from .shelf import ACROSS, THINGS, Box, Thing, things

pytestmark = pytest.mark.django_db

D = Decimal
WEIGHED = Measure("price", "weights", weight="count")
SHARE = Measure(basis="ratio", numerator="price", denominator="count", name="share")


def asked(*figures: Measure, **more: Any) -> Answer:
    """The figures of every thing."""
    return ask(THINGS, Question(figures=figures, **more), Everything())


def quotient(measure: Measure, **more: Any) -> Quotient:
    """One figure's quotient over every thing."""
    found = asked(measure, **more).figures[measure.key].quotient
    assert found is not None
    return found


# The basis of weights


def test_a_value_counts_as_often_as_its_weight_says() -> None:
    things(price=[D("1.00"), D("4.00")], count=[3, 1])
    figure = asked(WEIGHED).figures["price"]
    assert (figure.basis, plain(figure.on_basis), plain(figure.average)) == ("weights", "1.750000", "2.500000")


def test_a_value_without_a_weight_is_in_no_weighted_figure_and_is_counted() -> None:
    things(price=[D("1.00"), D("9.00"), None], count=[2, None, 5])
    figure, told = asked(WEIGHED).figures["price"], quotient(WEIGHED)
    assert plain(told.value) == "1.000000"
    assert (told.bottom.value, told.count, told.missing, told.withheld) == (2, 1, 1, 0)
    assert (figure.count, plain(figure.total)) == (2, "10.00")


def test_a_weight_without_a_value_weighs_nothing() -> None:
    things(price=[None, D("2.00")], count=[100, 1])
    assert (quotient(WEIGHED).bottom.value, quotient(WEIGHED).missing) == (1, 0)


@pytest.mark.parametrize("weights", [[0, 0], [5, -5]], ids=["none", "cancelled"])
def test_weights_that_come_to_nothing_give_no_average(weights: list[int]) -> None:
    things(price=[D("1.00"), D("2.00")], count=weights)
    told = quotient(WEIGHED)
    assert (told.value, told.bottom.value, told.count) == (None, 0, 2)


@pytest.mark.parametrize("measure", [WEIGHED, SHARE], ids=["weights", "ratio"])
@pytest.mark.parametrize("group_by", [None, "colour"])
def test_of_no_rows_there_is_no_average(measure: Measure, group_by: str | None) -> None:
    told = quotient(measure, group_by=group_by)
    assert (told.value, told.bottom.value, told.count, told.missing, told.withheld) == (None, 0, 0, 0, 0)


@pytest.mark.parametrize(("price", "average"), [("0.01", "0.000000"), ("0.03", "0.000002"), ("-0.03", "-0.000002")])
def test_a_weighted_average_is_rounded_half_to_even(price: str, average: str) -> None:
    things(price=[D(price), D("0.00")], count=[1, 19_999])
    assert plain(quotient(WEIGHED).value) == average


def test_two_columns_over_one_path_may_stand_on_two_bases() -> None:
    things(price=[D("1.00"), D("4.00")], count=[3, 1])
    told = asked(Measure("price", name="mean"), Measure("price", "weights", weight="count", name="weighed")).figures
    assert [(name, plain(one.on_basis)) for name, one in told.items()] == [
        ("mean", "2.500000"),
        ("weighed", "1.750000"),
    ]


# The basis of a ratio


def test_a_ratio_is_of_the_sums_and_not_a_mean_of_ratios() -> None:
    things(price=[D("1.00"), D("100.00")], count=[1, 10])
    figure = asked(SHARE).figures["share"]
    assert (figure.basis, plain(figure.on_basis), figure.has_values) == ("ratio", "9.181818", False)
    assert (plain(quotient(SHARE).top.value), quotient(SHARE).bottom.value) == ("101.00", 11)


def test_a_row_without_either_part_is_in_neither_sum_and_is_counted() -> None:
    things(price=[D("6.00"), D("9.00"), None, None], count=[3, None, 5, None])
    told = quotient(SHARE)
    assert (plain(told.value), plain(told.top.value), told.bottom.value) == ("2.000000", "6.00", 3)
    assert (told.count, told.missing) == (1, 3)


def test_a_ratio_may_have_values_of_its_own() -> None:
    things(fine=[D("0.5"), None], price=[D("6.00"), D("1.00")], count=[3, 0])
    figure = asked(Measure("fine", "ratio", numerator="price", denominator="count")).figures["fine"]
    assert (figure.count, plain(figure.total), plain(figure.on_basis)) == (1, "0.5000000000", "2.333333")


def test_a_ratio_of_whole_numbers_has_four_digits() -> None:
    things(count=[1, 1], places=[3, 3])
    assert (
        plain(quotient(Measure("", "ratio", numerator="count", denominator="places", name="share")).value) == "0.3333"
    )


# What is not taken


@pytest.mark.parametrize(
    "measure",
    [
        Measure("price", "weights", weight="rough"),
        Measure("rough", "weights", weight="count"),
        Measure(basis="ratio", numerator="rough", denominator="count", name="share"),
        Measure("price", "weights", weight="words"),
        Measure("words"),
    ],
    ids=["inexact weight", "inexact value", "inexact part", "text as weight", "text"],
)
def test_only_exact_numbers_are_weighed(measure: Measure) -> None:
    with pytest.raises(ValueError, match=r"inexact|has no sum"):
        asked(measure)


@pytest.mark.parametrize("measure", [Measure("price", "weights", weight="box.weight"), Measure("id")])
def test_only_what_the_list_shows_is_summed_up(measure: Measure) -> None:
    with pytest.raises(KeyError):
        asked(measure)


# Exactness


WIDEST: dict[str, Any] = {
    "price": D("9999999999.99"),
    "wide": D("9999999999999.99"),
    "fine": D("99999.9999999999"),
    "round": D("999999999"),
    "count": 2**31 - 1,
    "places": 2**15 - 1,
    "big": 2**63 - 1,
}


@pytest.mark.parametrize("weight", sorted(WIDEST))
@pytest.mark.parametrize("value", sorted(WIDEST))
def test_products_of_the_widest_values_are_exact(value: str, weight: str) -> None:
    signs = (1, 1, 1, 1) if value == "places" else (1, -1, 1, 1)
    rows: dict[str, list[Any]] = {value: [sign * WIDEST[value] for sign in signs]}
    rows[weight] = rows[weight] if value == weight else [WIDEST[weight]] * len(signs)
    things(**rows)
    told = quotient(Measure(value, "weights", weight=weight))
    expected = sum(Fraction(one) * Fraction(two) for one, two in zip(rows[value], rows[weight], strict=True))
    assert Fraction(told.top.sum) == expected


def test_a_weighted_sum_may_be_beyond_64_bits() -> None:
    things(big=[2**63 - 1] * 3, count=[2**31 - 1] * 3)
    told = quotient(Measure("big", "weights", weight="count"))
    assert told.top.value == 3 * (2**63 - 1) * (2**31 - 1)
    assert plain(told.value) == "9223372036854775807.0000"


# Every null, group and month


COLUMNS = ("price", "wide", "fine", "round", "count", "places", "big")


def _numbers(path: str) -> st.SearchStrategy[Any]:
    scale = oracle.scale_of(Thing, path)
    small = st.integers(-30, 30).map(lambda units: units if path in ("count", "big") else D(units).scaleb(-scale))
    if path == "places":
        small = st.integers(0, 9)
    return st.none() | small | st.just(WIDEST[path])


ROWS = st.lists(
    st.fixed_dictionaries(
        {path: _numbers(path) for path in COLUMNS}
        | {
            "colour": st.sampled_from([None, "RED", "BLUE"]),
            "day": st.none() | st.dates(dt.date(2026, 1, 30), dt.date(2026, 3, 2)),
        }
    ),
    max_size=8,
)


@dataclass
class Expected:
    """A figure worked out by hand."""

    value: Fraction | None
    top: Fraction
    bottom: Fraction
    count: int
    missing: int


def expected(measure: Measure, rows: Iterable[Any]) -> Expected:
    """Work a figure out in fractions."""
    if measure.basis == "weights":
        able = [row for row in rows if getattr(row, measure.path) is not None]
        pairs = [(getattr(row, measure.path), getattr(row, measure.weight)) for row in able]
    else:
        pairs = [(getattr(row, measure.numerator), getattr(row, measure.denominator)) for row in rows]
    whole = [(Fraction(one), Fraction(two)) for one, two in pairs if one is not None and two is not None]
    bottom = sum((two for _one, two in whole), Fraction(0))
    top = sum((one * two if measure.basis == "weights" else one for one, two in whole), Fraction(0))
    return Expected(top / bottom if bottom else None, top, bottom, len(whole), len(pairs) - len(whole))


def agree(measure: Measure, figure: Figure, rows: Iterable[Any]) -> None:
    """Assert that the figure is the one worked out by hand."""
    told, right = figure.quotient, expected(measure, rows)
    assert told is not None
    scale = oracle.scale_of(Thing, measure.parts[0])
    assert told.value == (None if right.value is None else oracle.half_even(right.value, scale + 4))
    assert (Fraction(told.top.sum or 0), Fraction(told.bottom.sum or 0)) == (right.top, right.bottom)
    assert (told.count, told.missing, told.withheld) == (right.count, right.missing, 0)


def key_of(row: Thing, group_by: str) -> Any:
    """The group of a row."""
    return row.day and f"{row.day:%Y-%m}" if group_by == "day" else row.colour


@oracle.steadily(25)
@given(
    rows=ROWS,
    basis=st.sampled_from(["weights", "ratio"]),
    top=st.sampled_from(COLUMNS),
    bottom=st.sampled_from(COLUMNS),
    group_by=st.sampled_from([None, "colour", "day"]),
)
def test_figures_are_those_worked_out_by_hand(
    rows: list[dict[str, Any]], basis: Any, top: str, bottom: str, group_by: str | None
) -> None:
    Thing.objects.all().delete()
    Thing.objects.bulk_create([Thing(**row) for row in rows])
    measure = Measure(basis="ratio", numerator=top, denominator=bottom, name="it")
    if basis == "weights":
        measure = Measure(top, "weights", weight=bottom, name="it")
    answer, stored = asked(measure, group_by=group_by), list(Thing.objects.all())
    agree(measure, answer.figures["it"], stored)
    groups = {group.key: group for group in answer.groups or ()}
    assert set(groups) == ({key_of(row, group_by) for row in stored} if group_by else set())
    for key, group in groups.items():
        agree(measure, group.figures["it"], [row for row in stored if group_by and key_of(row, group_by) == key])


@pytest.mark.parametrize("measure", [WEIGHED, SHARE], ids=["weights", "ratio"])
def test_groups_and_the_rest_come_to_the_total(measure: Measure) -> None:
    many = 1_003
    things(
        words=[f"w{position}" for position in range(many)],
        price=[None if position % 7 == 0 else D(position).scaleb(-2) for position in range(many)],
        count=[None if position % 5 == 0 else position % 11 for position in range(many)],
    )
    answer = asked(measure, group_by="words")
    assert (len(answer.groups or ()), answer.rest and answer.rest.group_count) == (1_000, 3)
    added = sum_of([*(answer.groups or ()), answer.rest], measure.key)
    assert added == answer.figures[measure.key]
    agree(measure, added, list(Thing.objects.all()))


def sum_of(groups: Iterable[Any], key: str) -> Figure:
    """Add up one figure of some groups."""
    first, *others = [group.figures[key] for group in groups]
    for one in others:
        first += one
    return first


def test_groups_are_told_by_the_first_sum_that_ranks() -> None:
    things(colour=["RED", "BLUE", "BLUE"], price=[D("9.00"), D("1.00"), D("1.00")], count=[1, 50, 50])
    by_price = asked(Measure("count", ranks=False), SHARE, Measure("price"), group_by="colour")
    by_rows = asked(Measure("count", ranks=False), SHARE, group_by="colour")
    assert [[group.key for group in told.groups or ()] for told in (by_price, by_rows)] == [
        ["RED", "BLUE"],
        ["BLUE", "RED"],
    ]


@pytest.mark.parametrize("group_by", [None, "colour"])
def test_every_basis_is_in_the_one_statement(group_by: str | None) -> None:
    with CaptureQueriesContext(connection) as told:
        asked(Measure("price"), Measure("wide", "weights", weight="count"), SHARE, group_by=group_by)
    assert sum("shelf_thing" in one["sql"] for one in told) == 1


# Rights


OVER_BOXES = Measure("price", "weights", weight="box.weight")
PER_PLACE = Measure(basis="ratio", numerator="box.weight", denominator="box.places", name="share")


@pytest.fixture
def boxes() -> list[Box]:
    """An open box, a closed one, one without a weight, and a thing in each and in none."""
    made = Box.objects.bulk_create(
        [
            Box(label="open", weight=D("2.00"), places=4),
            Box(label="closed", weight=D("700.00"), places=9),
            Box(label="closed too", weight=None, places=None),
            Box(label="empty", weight=None, places=3),
        ]
    )
    things(price=[D("1.00"), D("5.00"), D("5.00"), D("8.00"), D("3.00"), None], box=[*made, None, made[1]])
    return made


def across(boxes: list[Box], *figures: Measure, **more: Any) -> Answer:
    """The figures of somebody who may view the open box and the empty one."""
    access = Only({Box: [boxes[0].pk, boxes[3].pk]})
    return ask(ACROSS, Question(figures=figures, **more), access)


def test_a_withheld_weight_is_in_no_figure_and_is_counted(boxes: list[Box]) -> None:
    figure = across(boxes, OVER_BOXES).figures["price"]
    told = figure.quotient
    assert told is not None
    # The weight of the thing without a price is withheld as well, but there is nothing to be weighed.
    assert (plain(told.value), plain(told.bottom.value)) == ("1.000000", "2.00")
    assert (told.count, told.missing, told.withheld, figure.missing_values) == (1, 4, 2, 2)
    assert (figure.count, figure.withheld) == (5, 0)


def test_withheld_parts_of_a_ratio_are_in_no_figure_and_are_counted(boxes: list[Box]) -> None:
    told = across(boxes, PER_PLACE).figures["share"].quotient
    assert told is not None
    assert (plain(told.value), plain(told.top.value), told.bottom.value) == ("0.500000", "2.00", 4)
    assert (told.count, told.missing, told.withheld) == (1, 5, 3)


@pytest.mark.parametrize("measure", [OVER_BOXES, PER_PLACE], ids=["weights", "ratio"])
@pytest.mark.parametrize("group_by", [None, "words", "box.label"])
def test_no_figure_tells_what_a_closed_box_weighs(boxes: list[Box], measure: Measure, group_by: str | None) -> None:
    before = across(boxes, measure, group_by=group_by)
    Box.objects.filter(label__startswith="closed").update(weight=D("0.01"), places=None)
    assert across(boxes, measure, group_by=group_by) == before
    Box.objects.filter(label__startswith="closed").update(weight=None, places=77)
    assert across(boxes, measure, group_by=group_by) == before


def test_a_withheld_group_weighs_nothing(boxes: list[Box]) -> None:
    groups = across(boxes, OVER_BOXES, group_by="box.label").groups or []
    withheld = next(group for group in groups if group.withheld)
    told = withheld.figures["price"].quotient
    assert told is not None
    assert (told.value, told.bottom.value, told.missing, told.withheld) == (None, 0, 2, 2)


def test_whoever_may_view_every_box_is_told_of_nothing_withheld(boxes: list[Box]) -> None:
    told = ask(ACROSS, Question(figures=(OVER_BOXES, PER_PLACE)), Everything()).figures
    assert [one.quotient.withheld for one in told.values() if one.quotient] == [0, 0]
