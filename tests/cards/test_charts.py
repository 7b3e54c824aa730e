"""A chart is drawn true to its figures, whatever they are."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from read_targets.cards.charts import LONGEST_LABEL, MOST_BARS, MOST_MONTHS, PLOT_HEIGHT, PLOT_TOP, chart_of


def group(key: Any, size: Any = "1", rows: int = 1, **more: Any) -> dict[str, Any]:
    return {"key": key, "rowCount": rows, "metrics": {"amount": {"sum": size}}, **more}


def part(percent: str) -> float:
    return float(percent.removesuffix("%"))


def test_bars_are_as_long_as_their_figures() -> None:
    chart = chart_of([group("a", "100.00"), group("b", "50.00"), group("c", "0")], None, "string", "amount")
    assert [(bar.label, bar.text, bar.width) for bar in chart.bars] == [
        ("a", "100.00", "100.000%"),
        ("b", "50.00", "50.000%"),
        ("c", "0", "0.000%"),
    ]
    assert not chart.has_negative


def test_what_is_below_zero_stands_on_the_other_side() -> None:
    chart = chart_of([group("a", "-30"), group("b", "10")], None, "string", "amount")
    assert chart.zero == "75.000%"
    below, above = chart.bars
    assert (below.x, below.width, below.style) == ("0.000%", "75.000%", "is-negative")
    assert (above.x, above.width, above.style) == ("75.000%", "25.000%", "")


def test_null_withheld_and_sizeless_groups_are_told_apart() -> None:
    groups = [group("a"), group(None), group(None, withheld=True), group("", None), group("b", None)]
    chart = chart_of(groups, None, "string", "amount")
    assert [(bar.label, bar.style) for bar in chart.bars] == [
        ("a", ""),
        ("no value", "is-null"),
        ("withheld", "is-withheld"),
        ("empty text", ""),
        ("b", ""),
    ]
    assert chart.bars[-1].text == "no value"
    assert chart.bars[-1].width == "0.000%"


def test_groups_that_are_not_drawn_are_one_bar_with_their_exact_sum() -> None:
    groups = [group(f"g{place}", f"{1000 - place}.01") for place in range(40)]
    rest = {"groupCount": 17, "rowCount": 20, "metrics": {"amount": {"sum": "0.99"}}}
    chart = chart_of(groups, rest, "string", "amount")
    assert len(chart.bars) == MOST_BARS + 1
    others = sum((Decimal(f"{1000 - place}.01") for place in range(MOST_BARS, 40)), Decimal("0.99"))
    assert chart.bars[-1].style == "is-rest"
    assert chart.bars[-1].label == f"{40 - MOST_BARS + 17} other groups"
    assert chart.bars[-1].text == f"{others:,f}"


def test_rows_can_be_the_measure() -> None:
    chart = chart_of([group("a", "1", 3), group("b", "9", 12345)], None, "string", "")
    assert [bar.text for bar in chart.bars] == ["12,345", "3"]


def test_long_and_hostile_labels_are_cut_and_stay_text() -> None:
    chart = chart_of([group("<script>" + "x" * 300 + "\u202e")], None, "string", "amount")
    assert len(chart.bars[0].label) == LONGEST_LABEL
    assert chart.bars[0].label.endswith("…")


def test_months_stand_on_a_time_line_with_room_for_those_without_rows() -> None:
    chart = chart_of([group("2026-01", "10"), group("2026-04", "20")], None, "date", "amount")
    assert chart.shape == "columns"
    first, last = chart.bars
    middle = [part(bar.x) + part(bar.width) / 2 for bar in (first, last)]
    assert middle == pytest.approx([12.5, 87.5])
    assert [bar.label for bar in chart.bars] == ["January 2026", "April 2026"]


def test_a_long_time_line_shows_the_latest_months_and_says_so() -> None:
    months = [f"{2000 + place // 12}-{place % 12 + 1:02}" for place in range(100)]
    rest = {"groupCount": 3, "rowCount": 3, "metrics": {}}
    chart = chart_of([*(group(month) for month in months), group(None, "7")], rest, "date", "amount")
    assert len(chart.bars) == MOST_MONTHS
    assert "43 earlier months are in the table only." in chart.note
    assert "no value: 7, not on the time line." in chart.note


def test_large_figures_are_scaled_on_the_axis_alone() -> None:
    chart = chart_of([group("2026-01", "9120033.50"), group("2026-02", "-120000.00")], None, "date", "amount")
    assert chart.bars[0].text == "9,120,033.50"
    assert chart.scaled == "millions"
    assert [tick.label for tick in chart.ticks] == ["-5", "0", "5", "10"]


decimals = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**18), max_value=10**18)


@given(st.lists(decimals.map(lambda size: f"{size:f}"), min_size=1, max_size=24))
def test_no_bar_leaves_the_drawing(sizes: list[str]) -> None:
    rows = chart_of([group(str(place), size) for place, size in enumerate(sizes)], None, "string", "amount")
    for bar in rows.bars:
        assert -0.01 <= part(bar.x) <= 100.01
        assert part(bar.x) + part(bar.width) <= 100.01
    months = [group(f"20{place:02}-01", size) for place, size in enumerate(sizes)]
    for bar in chart_of(months, None, "date", "amount").bars:
        assert float(bar.y) >= PLOT_TOP - 0.01
        assert float(bar.y) + float(bar.height) <= PLOT_TOP + PLOT_HEIGHT + 0.01
