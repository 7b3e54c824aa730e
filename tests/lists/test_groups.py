"""Groups: null is one of them, dates are grouped by month, and groups and rest together are the whole list."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import Counter
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from read_targets.lists import Answer, Condition, Group, Question, Rest, ask
from read_targets.lists import answer as answers
from tests import oracle

from .doubles import Everything, Only
from .shelf import ACROSS, THINGS, Box, things
from .test_conditions import LONG_AND_SHORT_DAYS, ZONES, moments_around

pytestmark = pytest.mark.django_db

D = Decimal


def grouped(path: str, *figures: str, **more: Any) -> Answer:
    """The things in groups."""
    return ask(THINGS, Question(group_by=path, figures=figures, **more), Everything())


def counts(answer: Answer) -> dict[Any, int]:
    """How many rows each group has."""
    return {group.key: group.count for group in answer.groups or ()}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("words", ["a", "A", "", " ", "한빛", None, "a", None]),
        ("colour", ["RED", "BLUE", None, "RED"]),
        ("price", [D("1.50"), D("1.50"), D("-1.50"), D(0), None]),
        ("fine", [D("0.0000000001"), D("0.0000000002"), None]),
        ("rough", [0.1, 0.1, 1e300, None]),
        ("big", [2**63 - 1, 2**63 - 1, 2**63 - 2, None]),
        ("done", [True, False, None, True]),
        ("code", [uuid.UUID(int=1), uuid.UUID(int=1), None]),
        ("address", ["10.0.0.1", "::1", "10.0.0.1", None]),
    ],
)
def test_each_value_is_a_group_and_so_is_null(path: str, values: list[Any]) -> None:
    things(**{path: values})
    answer = grouped(path)
    assert counts(answer) == Counter(values)
    assert {type(group.key) for group in answer.groups or ()} == {type(value) for value in values}
    assert not any(group.withheld for group in answer.groups or ())
    assert answer.total == len(values)


def test_days_are_grouped_by_month_in_ascending_order_with_null_behind() -> None:
    days = [
        dt.date(2026, 2, 1),
        dt.date(2025, 2, 28),
        dt.date(2026, 2, 28),
        None,
        dt.date.min,
        dt.date.max,
        dt.date(999, 1, 1),
    ]
    things(day=days)
    answer = grouped("day")
    assert [(group.key, group.count) for group in answer.groups or ()] == [
        ("0001-01", 1), ("0999-01", 1), ("2025-02", 1), ("2026-02", 2), ("9999-12", 1), (None, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ZONES)
def test_moments_are_grouped_by_the_month_of_the_person(name: str) -> None:
    zone = ZoneInfo(name)
    ends = [dt.date(2026, month, 1) - dt.timedelta(days=1) for month in range(1, 13)]
    made = things(at=[None, *moments_around([*ends, *LONG_AND_SHORT_DAYS], zone)])
    told = oracle.tell(made, lambda obj: True, group_by="at", zone=zone)
    assert counts(grouped("at", zone=zone)) == {key: count for key, (count, _) in told.groups.items()}


@pytest.mark.parametrize("name", ["UTC", "Asia/Seoul", "America/New_York"])
def test_for_ever_is_in_a_month_everywhere(name: str) -> None:
    things(at=[dt.datetime.max.replace(tzinfo=dt.UTC), dt.datetime(2026, 1, 15, tzinfo=dt.UTC), None])
    answer = grouped("at", zone=ZoneInfo(name))
    assert counts(answer) == {"9999-12": 1, "2026-01": 1, None: 1}
    for month, many in ((12, 1), (1, 1), (2, 0)):
        asked = Question(conditions=(Condition("at", "month", month),), zone=ZoneInfo(name))
        assert ask(THINGS, asked, Everything()).total == many


def test_the_largest_groups_come_first_by_the_size_of_the_first_total() -> None:
    things(words=["a", "b", "b", "c", None], price=[D(5), D(-4), D(-4), D(1), D(8)], count=[1, 1, 1, 9, 1])
    assert [group.key for group in grouped("words", "price", "count").groups or ()] == ["b", None, "a", "c"]
    assert [group.key for group in grouped("words", "count").groups or ()] == ["c", "b", "a", None]


def test_without_a_total_the_largest_groups_come_first_by_count_and_ties_by_key() -> None:
    things(words=["c", "b", "b", "a", None, "c", None])
    assert [group.key for group in grouped("words").groups or ()] == ["b", "c", None, "a"]


@pytest.mark.parametrize(("path", "values"), [("done", [True, False]), ("code", [uuid.UUID(int=2), uuid.UUID(int=1)])])
def test_ties_of_any_kind_have_an_order(path: str, values: list[Any]) -> None:
    things(**{path: [*values, None]})
    assert [group.key for group in grouped(path).groups or ()] == [*sorted(values), None]


def test_the_groups_beyond_the_limit_are_added_up_in_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("read_targets.lists.engine.MOST_GROUPS", 3)
    things(words=[letter for at, letter in enumerate("abcdef") for _ in range(6 - at)], price=[D("1.10")] * 21)
    answer = grouped("words", "price")
    assert [(group.key, group.count) for group in answer.groups or ()] == [("a", 6), ("b", 5), ("c", 4)]
    assert answer.rest is not None
    assert (answer.rest.group_count, answer.rest.count, answer.rest.figures["price"].total) == (3, 6, D("6.60"))
    assert answer.total == 21
    assert answer.figures["price"].total == D("23.10")


def test_of_months_the_latest_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("read_targets.lists.engine.MOST_GROUPS", 3)
    things(day=[dt.date(2026, month, 1) for month in range(1, 7)] + [dt.date(2026, 1, 5)])
    answer = grouped("day")
    assert [group.key for group in answer.groups or ()] == ["2026-04", "2026-05", "2026-06"]
    assert answer.rest == Rest(3, 4, {})


def test_a_thousand_groups_and_one_more() -> None:
    things(count=[*range(1_001), 0])
    answer = grouped("count")
    assert len(answer.groups or ()) == 1_000
    assert answer.rest == Rest(1, 1, {})
    assert (answer.groups or [])[0].key == 0
    things(words=["more"])
    assert grouped("count").rest == Rest(2, 2, {})


def test_withheld_is_a_group_of_its_own_apart_from_null() -> None:
    boxes = Box.objects.bulk_create(
        [Box(label="seen", weight=D(1)), Box(label="hidden", weight=D(100)), Box(label="secret")]
    )
    things(box=[boxes[0], boxes[0], boxes[1], boxes[2], boxes[1], None], price=[D(1), D(2), D(4), D(8), D(16), D(32)])
    access = Only({Box: [boxes[0].pk]})
    answer = ask(ACROSS, Question(group_by="box.label", figures=("price", "box.weight")), access)
    told = {(group.key, group.withheld): (group.count, group.figures["price"].total) for group in answer.groups or ()}
    assert told == {("seen", False): (2, 3), (None, True): (3, 28), (None, False): (1, 32)}
    assert [(group.key, group.withheld) for group in answer.groups or ()][:2] == [(None, False), (None, True)]
    weight = answer.figures["box.weight"]
    assert (weight.count, weight.total, weight.withheld) == (2, 2, 3)


def test_groups_are_of_the_rows_that_the_conditions_select() -> None:
    things(words=["a", "a", "b"], count=[1, 2, 3])
    assert counts(grouped("words", conditions=(Condition("count", "gte", 2),))) == {"a": 1, "b": 1}


class TestToldAndRest:
    """The choice of groups that are told, apart from any database."""

    @staticmethod
    def some(many: int) -> list[Group]:
        """Groups with as many rows as their key says."""
        return [Group(key, False, key, {}) for key in range(1, many + 1)]

    @pytest.mark.parametrize("many", [0, 1, 5, 4_005, 9_000])
    def test_told_and_rest_are_all_whatever_the_number(self, many: int) -> None:
        shown, rest = answers.told(self.some(many), 5, answers.by_size(None), latest=False)
        assert [group.key for group in shown] == list(range(many, max(many - 5, 0), -1))
        told = sum(group.count for group in shown) + (rest.count if rest else 0)
        assert told == many * (many + 1) // 2
        assert (rest.group_count if rest else 0) == max(many - 5, 0)

    def test_the_latest_are_told_in_ascending_order(self) -> None:
        months = [Group(f"{year}-{month:02}", False, 1, {}) for year in range(2000, 2400) for month in range(1, 13)]
        shown, rest = answers.told(reversed(months), 2, answers.by_key, latest=True)
        assert [group.key for group in shown] == ["2399-11", "2399-12"]
        assert rest == Rest(4_798, 4_798, {})

    def test_null_and_withheld_stand_behind_other_months(self) -> None:
        groups = [Group(None, True, 1, {}), Group(None, False, 1, {}), Group("2026-01", False, 1, {})]
        shown, _ = answers.told(groups, 5, answers.by_key, latest=True)
        assert [(group.key, group.withheld) for group in shown] == [("2026-01", False), (None, False), (None, True)]
