"""A target's conditions: what an agent may set, what the list makes of it, the days that are left."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.demo.factory.models import Conversation
from read_targets.criteria import KEY, Days, arguments_of, conditions_of, days_asked, with_months
from read_targets.doors import declared
from read_targets.lists import Argument, Condition, Question, Unreadable, ask, get_list
from read_targets.models import Criterion, CriterionFilter, ReadTarget
from tests import oracle

DAY = dt.date(2026, 3, 1)


def target_of(*criteria: dict[str, Any], search_hint: str = "") -> ReadTarget:
    """A stored target with these conditions; `filters` are pairs of field and operator."""
    target = ReadTarget.objects.create(
        key="test.things", label={}, list_query="cashTransactions", search_hint=search_hint
    )
    for position, given_ in enumerate(criteria):
        fields = {"kind": "string", **given_}
        filters = fields.pop("filters", [("memo", "eq")])
        criterion = Criterion.objects.create(target=target, position=position, label={}, **fields)
        for field, operator in filters:
            CriterionFilter.objects.create(criterion=criterion, field=field, operator=operator)
    return declared().get(pk=target.pk)


def argument(target: ReadTarget, name: str) -> Argument:
    """One argument of a target."""
    return next(one for one in arguments_of(target) if one.name == name)


def code(one: Argument, raw: Any) -> str:
    """The code with which a value is refused."""
    with pytest.raises(Unreadable) as refused:
        one.read(raw)
    found: str = refused.value.facts["code"]
    return found


@pytest.mark.django_db
class TestArguments:
    """What an agent may set."""

    def test_every_target_takes_an_id_first_and_words_where_it_searches_last(self) -> None:
        target = target_of({"name": "b"}, {"name": "a"}, search_hint="the memo")
        assert [one.name for one in arguments_of(target)] == ["id", "b", "a", "text"]
        assert "the memo" in argument(target, "text").description
        target.search_hint = ""
        assert [one.name for one in arguments_of(target)] == ["id", "b", "a"]

    @pytest.mark.parametrize(
        ("raw", "read"), [(" 77 ", "77"), ("77", "77"), ("  ", None), ("", None), (None, None), ("\t\n", None)]
    )
    def test_an_id_and_words_are_trimmed_and_blank_ones_are_not_set(self, raw: Any, read: Any) -> None:
        target = target_of(search_hint="the memo")
        assert [one.read(raw) for one in arguments_of(target)] == [read, read]
        assert code(KEY, 77) == "not_a_string"
        assert code(KEY, "7" * 10_000) == "too_long"

    def test_a_year_and_a_month_have_limits_of_their_own(self) -> None:
        target = target_of(
            {"name": "year", "kind": "integer", "filters": [("date", "year")]},
            {"name": "month", "kind": "integer", "filters": [("date", "month")]},
            {"name": "recent", "kind": "integer", "filters": [("date", "year")], "minimum": 2020, "maximum": 2030},
        )
        assert [argument(target, "month").read(month) for month in (1, 12)] == [1, 12]
        assert [code(argument(target, "month"), month) for month in (0, 13)] == ["too_small", "too_large"]
        assert [code(argument(target, "year"), year) for year in (0, 10_000)] == ["too_small", "too_large"]
        assert [code(argument(target, "recent"), year) for year in (2019, 2031)] == ["too_small", "too_large"]

    def test_a_limit_of_nothing_is_a_limit(self) -> None:
        target = target_of({"name": "n", "kind": "number", "minimum": 0, "maximum": 0, "filters": [("amount", "eq")]})
        assert argument(target, "n").read(0) == 0
        assert [code(argument(target, "n"), one) for one in (-1, "0.01")] == ["too_small", "too_large"]

    @pytest.mark.parametrize(
        "raw", ["2026-13", "2026-00", "2026-1", "0000-01", "2026-11-01", "banana", "202611", "٢٠٢٦-١١", "2026-11\n"]
    )
    def test_a_period_is_a_year_and_a_month(self, raw: str) -> None:
        target = target_of({"name": "period", "filters": [("date", "period")]})
        assert argument(target, "period").read("2026-11") == "2026-11"
        assert argument(target, "period").read("9999-12") == "9999-12"
        assert code(argument(target, "period"), raw) == "pattern_mismatch"

    def test_an_enum_takes_its_values_and_no_other(self) -> None:
        target = target_of(
            {"name": "flow", "kind": "enum", "values": "INCOME\r\n EXPENSE \n\n", "filters": [("flow", "eq")]}
        )
        assert argument(target, "flow").values == ("INCOME", "EXPENSE")
        assert argument(target, "flow").read("EXPENSE") == "EXPENSE"
        assert code(argument(target, "flow"), "expense") == "not_one_of"

    def test_a_text_has_its_pattern(self) -> None:
        target = target_of({"name": "currency", "pattern": "[A-Z]{3}"})
        assert argument(target, "currency").read("KRW") == "KRW"
        assert code(argument(target, "currency"), "KRW ") == "pattern_mismatch"

    def test_the_demo_targets_take_what_they_say(self) -> None:
        for target in declared():
            names = [one.name for one in arguments_of(target)]
            assert names[0] == "id"
            assert len(names) == len(set(names))


@pytest.mark.django_db
class TestConditions:
    """What becomes of the values."""

    def test_a_value_becomes_all_the_filters_of_its_condition_and_none_but_those_set(self) -> None:
        target = target_of(
            {"name": "words", "filters": [("memo", "contains"), ("counterparty", "contains")]},
            {"name": "least", "kind": "number", "filters": [("amount", "gte")]},
            {"name": "from", "kind": "date", "filters": [("date", "gte")]},
        )
        values = {"words": "a", "least": Decimal(0), "id": "77", "text": "x", "nothing": 1}
        assert conditions_of(target, values) == (
            Condition("memo", "contains", "a"),
            Condition("counterparty", "contains", "a"),
            Condition("amount", "gte", Decimal(0)),
        )
        assert conditions_of(target, {}) == ()

    def test_false_and_zero_are_values(self) -> None:
        target = target_of({"name": "empty", "kind": "boolean", "filters": [("memo", "isnull")]})
        assert conditions_of(target, {"empty": False}) == (Condition("memo", "isnull", False),)

    def test_it_asks_the_database_nothing_more(self, django_assert_num_queries: Any) -> None:
        target = target_of({"name": "a"}, {"name": "b"}, search_hint="x")
        with django_assert_num_queries(0):
            arguments_of(target)
            conditions_of(target, {"a": "1", "b": "2"})


def test_a_year_and_a_month_of_one_date_are_a_period() -> None:
    year, month, other = Condition("day", "year", 2026), Condition("day", "month", 2), Condition("at", "month", 3)
    assert with_months((year, month, other)) == (Condition("day", "period", "2026-02"), other)
    assert with_months((month,)) == (month,)
    assert with_months((year,)) == (year,)
    assert with_months((Condition("day", "year", 33), month)) == (Condition("day", "period", "0033-02"),)


@pytest.mark.parametrize(
    ("conditions", "first", "last"),
    [
        ([("day", "gte", DAY), ("day", "lte", dt.date(2026, 3, 31))], DAY, dt.date(2026, 3, 31)),
        ([("day", "eq", DAY)], DAY, DAY),
        ([("day", "gt", DAY)], dt.date(2026, 3, 2), None),
        ([("day", "lt", DAY)], None, dt.date(2026, 2, 28)),
        ([("day", "year", 2026)], dt.date(2026, 1, 1), dt.date(2026, 12, 31)),
        ([("day", "year", 2024), ("day", "month", 2)], dt.date(2024, 2, 1), dt.date(2024, 2, 29)),
        ([("day", "month", 2), ("day", "year", 2024)], dt.date(2024, 2, 1), dt.date(2024, 2, 29)),
        ([("day", "period", "2026-12")], dt.date(2026, 12, 1), dt.date(2026, 12, 31)),
        ([("day", "year", 2026), ("day", "gte", DAY)], DAY, dt.date(2026, 12, 31)),
        ([("memo", "eq", "x"), ("day", "gte", DAY), ("at", "lte", DAY)], DAY, None),
        ([("day", "year", 9999)], dt.date(9999, 1, 1), dt.date.max),
        ([("day", "period", "9999-12")], dt.date(9999, 12, 1), dt.date.max),
    ],
)
def test_the_days_that_conditions_leave(conditions: list[Any], first: Any, last: Any) -> None:
    assert days_asked(tuple(Condition(*one) for one in conditions)) == Days(first, last)


@pytest.mark.parametrize(
    "conditions",
    [[], [("memo", "eq", "2026-01-01")], [("day", "month", 2)], [("day", "isnull", True)], [("day", "ne", DAY)]],
)
def test_conditions_that_bound_no_date_leave_none(conditions: list[Any]) -> None:
    assert days_asked(tuple(Condition(*one) for one in conditions)) is None


def test_bounds_are_half_open_in_the_zone_of_the_person() -> None:
    october = Days(dt.date(2026, 10, 1), dt.date(2026, 10, 31))
    assert october.bounds(ZoneInfo("Asia/Seoul")) == ("2026-10-01T00:00:00+09:00", "2026-11-01T00:00:00+09:00")
    assert october.bounds(ZoneInfo("Asia/Kolkata")) == ("2026-10-01T00:00:00+05:30", "2026-11-01T00:00:00+05:30")
    march = Days(dt.date(2026, 3, 8), dt.date(2026, 3, 8))
    assert march.bounds(ZoneInfo("America/New_York")) == ("2026-03-08T00:00:00-05:00", "2026-03-09T00:00:00-04:00")
    assert Days(None, None).bounds(ZoneInfo("UTC")) == (None, None)
    assert Days(dt.date.max, dt.date.max).bounds(ZoneInfo("UTC")) == ("9999-12-31T00:00:00+00:00", None)
    assert Days(dt.date.min, None).bounds(ZoneInfo("Asia/Seoul"))[0].startswith("0001-01-01T00:00:00")  # type: ignore[union-attr]


class Everyone:
    """Somebody who may view all there is."""

    actor = None

    def rows(self, queryset: Any, first: int = 0) -> Any:
        """Return every row."""
        return queryset

    def viewable(self, model: Any) -> None:
        """Return None: all of them."""

    def shape(self, model: Any, first: int = 0) -> str:
        return "every"


@pytest.mark.django_db
@oracle.steadily(25)
@given(data=st.data())
def test_the_bounds_that_are_said_are_those_of_the_rows(data: st.DataObject) -> None:
    days = st.dates(dt.date(2026, 1, 1), dt.date(2026, 4, 1))
    one = st.one_of(
        st.tuples(st.sampled_from(["gte", "gt", "lte", "lt", "eq"]), days),
        st.tuples(st.just("year"), st.sampled_from([2025, 2026])),
        st.tuples(st.just("period"), days.map(lambda day: f"{day:%Y-%m}")),
    )
    conditions = tuple(Condition("started_at", *pair) for pair in data.draw(st.lists(one, min_size=1, max_size=2)))
    zone = ZoneInfo(data.draw(st.sampled_from(["UTC", "Asia/Seoul", "America/New_York", "Asia/Kathmandu"])))
    asked = days_asked(conditions)
    assert asked is not None
    start, end = (dt.datetime.fromisoformat(bound) if bound else None for bound in asked.bounds(zone))
    answer = ask(
        get_list("conversations"),
        Question(conditions=conditions, limit=10_000, shown=("title",), zone=zone),
        Everyone(),
    )
    within = {
        talk.pk
        for talk in Conversation.objects.all()
        if (start is None or talk.started_at >= start) and (end is None or talk.started_at < end)
    }
    assert {row.id for row in answer.rows} == within
