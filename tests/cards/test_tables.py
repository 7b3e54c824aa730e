"""Stored rows sort exactly, and page without losing or repeating one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from read_targets.cards.tables import ROWS_A_PAGE, NoSuchPage, page_of, sorted_rows


def rows_of(*values: Any) -> list[dict[str, Any]]:
    return [{"id": str(place), "it": value} for place, value in enumerate(values)]


def order(kind: str, *values: Any, descending: bool = False) -> list[Any]:
    return [row["it"] for row in sorted_rows(rows_of(*values), kind, "it", descending=descending)]


def test_numbers_sort_as_numbers_and_exactly() -> None:
    close = ("12345678901234567890.11", "12345678901234567890.12", "9", "-10", "-9.5", 100)
    assert order("number", *close) == ["-10", "-9.5", "9", 100, *close[:2]]
    assert order("number", *close, descending=True) == [close[1], close[0], 100, "9", "-9.5", "-10"]


def test_nulls_come_last_either_way() -> None:
    assert order("number", None, "2", None, "1") == ["1", "2", None, None]
    assert order("number", None, "2", None, "1", descending=True) == ["2", "1", None, None]


def test_what_is_withheld_comes_behind_the_nulls_and_shows_no_order() -> None:
    rows = rows_of("3", None, "1", "2")
    rows[0]["withheld"] = rows[2]["withheld"] = ["it"]
    assert [row["id"] for row in sorted_rows(rows, "number", "it", descending=False)] == ["3", "1", "0", "2"]
    closed = sorted_rows(rows_of("3", "1", "2"), "number", "it", descending=True, closed=True)
    assert [row["id"] for row in closed] == ["0", "1", "2"]


def test_equal_rows_keep_their_order_either_way() -> None:
    for descending in (False, True):
        rows = sorted_rows(rows_of("1", "1", "1.0"), "number", "it", descending=descending)
        assert [row["id"] for row in rows] == ["0", "1", "2"]


def test_other_kinds_sort_as_what_they_are() -> None:
    assert order("string", "b", "A", "a", "B") == ["A", "a", "B", "b"]
    assert order("boolean", True, False) == [False, True]
    assert order("date", "2026-10-02", "2026-09-30") == ["2026-09-30", "2026-10-02"]
    # The clocks went back in between: the later moment is written earlier.
    assert order("date", "2026-10-25T02:10:00+01:00", "2026-10-25T02:50:00+02:00") == [
        "2026-10-25T02:50:00+02:00",
        "2026-10-25T02:10:00+01:00",
    ]


@given(st.integers(min_value=0, max_value=230))
def test_all_pages_together_are_all_rows(count: int) -> None:
    rows = rows_of(*range(count))
    last = page_of(rows, 1).count
    pages = [page_of(rows, number) for number in range(1, last + 1)]
    assert [row for page in pages for row in page.rows] == rows
    assert all(len(page.rows) <= ROWS_A_PAGE for page in pages)
    assert all(page.last - page.first + 1 == len(page.rows) for page in pages if page.rows)


@pytest.mark.parametrize("number", [0, -1, 4])
def test_a_page_that_is_not_there_is_not_guessed_at(number: int) -> None:
    with pytest.raises(NoSuchPage):
        page_of(rows_of(*range(150)), number)
