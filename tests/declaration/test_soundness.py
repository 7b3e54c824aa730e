"""What is wrong with a declaration: each rule, what would fit, and when it is asked of the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import set_urlconf

from read_targets.declaration.problem import Problem, listed
from read_targets.declaration.proposal import propose
from read_targets.declaration.soundness import is_screen_sound, is_sound, problems_of
from read_targets.doors import declared
from read_targets.lists import ListDefinition, registry
from read_targets.models import Column, Criterion, CriterionFilter, ReadTarget, ScreenParameter


@pytest.fixture
def cash(db: None) -> ReadTarget:
    """The stored target of the cash transactions, with everything that is declared of it."""
    return declared().get(key="ledger.cash-transactions")


def again(target: ReadTarget) -> ReadTarget:
    """The target as it is stored now."""
    return declared().get(pk=target.pk)


def test_a_right_declaration_has_no_problem(cash: ReadTarget) -> None:
    assert problems_of(cash) == []
    assert is_sound(cash)
    assert is_screen_sound(cash)


def test_every_target_of_the_company_is_right(db: None) -> None:
    assert {target.key: problems_of(target) for target in declared()} == {
        key: [] for key in ReadTarget.objects.values_list("key", flat=True)
    }


def test_a_problem_says_where_it_is_and_what_would_fit(cash: ReadTarget) -> None:
    cash.columns.filter(name="memo").update(path="remark")
    (problem,) = problems_of(again(cash))
    assert problem == Problem(
        "path",
        "The list does not show “remark”.",
        "It shows date, account.name, counterparty, flow, amount, status, memo.",
        "columns",
        6,
        "memo",
    )
    assert str(problem) == f"column memo: {problem.message} {problem.hint}"


def drop_list(target: ReadTarget) -> None:
    """The list is gone."""
    ReadTarget.objects.filter(pk=target.pk).update(list_query="gone")


def drop_columns(target: ReadTarget) -> None:
    """No column is left."""
    target.columns.all().delete()


def drop_filters(target: ReadTarget) -> None:
    """A condition filters nothing."""
    target.criteria.get(name="flow").filters.all().delete()


def rename_value(target: ReadTarget) -> None:
    """A value of an enum is none of the field's any more."""
    target.criteria.filter(name="status").update(values="DRAFT\nPAID")


def other_kind(target: ReadTarget) -> None:
    """A column says another type than the list does."""
    target.columns.filter(name="amount").update(kind="string")


def reserved(target: ReadTarget) -> None:
    """A condition is named like an argument of every tool."""
    target.criteria.filter(name="flow").update(name="groupBy")
    target.screen_parameters.filter(criterion="flow").delete()


def sorts_otherwise(target: ReadTarget) -> None:
    """The order is none that the list has."""
    ReadTarget.objects.filter(pk=target.pk).update(order="-colour")


@pytest.mark.parametrize(
    "damage", [drop_list, drop_columns, drop_filters, rename_value, other_kind, reserved, sorts_otherwise]
)
def test_code_that_moved_away_closes_the_tool(
    cash: ReadTarget, agent: Callable[..., Any], damage: Callable[[ReadTarget], None]
) -> None:
    assert "queryLedgerCashTransactions" in str(agent("clerk").tools().json())
    damage(cash)
    broken = again(cash)
    assert problems_of(broken)
    assert all(problem.message and problem.hint for problem in problems_of(broken))
    assert not is_sound(broken)
    assert "queryLedgerCashTransactions" not in str(agent("clerk").tools().json())
    answer = agent("clerk").answer("queryLedgerCashTransactions")
    assert answer["code"] == "read_targets.unknown_tool"


def test_a_screen_that_moved_away_closes_the_screen_alone(cash: ReadTarget) -> None:
    ReadTarget.objects.filter(pk=cash.pk).update(screen="ledger:elsewhere")
    broken = again(cash)
    (problem,) = problems_of(broken)
    assert problem.is_of_screen
    assert problem.message == "No address without arguments has the URL name “ledger:elsewhere”."
    assert "ledger:cash-transactions" in problem.hint
    assert is_sound(broken)
    assert not is_screen_sound(broken)


def test_soundness_asks_the_database_nothing(cash: ReadTarget, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert is_sound(cash)
        assert is_screen_sound(cash)


def test_soundness_is_asked_again_when_the_list_changes(cash: ReadTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_sound(cash)
    model = registry._lists["cashTransactions"].model
    monkeypatch.setitem(registry._lists, "cashTransactions", ListDefinition("cashTransactions", model, shown="date"))
    assert not is_sound(cash)
    monkeypatch.undo()
    assert is_sound(cash)


def test_soundness_is_asked_again_when_the_routes_change(cash: ReadTarget) -> None:
    assert is_screen_sound(cash)
    set_urlconf("django.contrib.auth.urls")
    try:
        assert not is_screen_sound(cash)
        assert is_sound(cash)
    finally:
        set_urlconf(None)


def test_two_targets_of_one_tool_name_are_a_problem_of_both(cash: ReadTarget) -> None:
    ReadTarget.objects.filter(key="ledger.accounts").update(key="ledger.cash--transactions")
    assert [problem.field for problem in problems_of(cash)] == ["key"]
    assert problems_of(cash, in_database=False) == []


# Declarations that are not stored: no database is asked.


def declared_with(**facts: Any) -> tuple[ReadTarget, dict[str, Any]]:
    """A right declaration of the cash transactions, not stored, some facts of the target being others."""
    target = ReadTarget(key="ledger.cash", list_query="cashTransactions")
    rows = propose(target)
    for name, value in facts.items():
        setattr(target, name, value)
    return target, {"columns": rows.columns, "criteria": rows.criteria, "parameters": rows.parameters}


def found(target: ReadTarget, rows: dict[str, Any]) -> list[str]:
    """What is wrong, said in full."""
    return [str(problem) for problem in problems_of(target, **rows, in_database=False)]


def criterion(path: str, operator: str, kind: str, **facts: Any) -> tuple[Criterion, list[CriterionFilter]]:
    """A condition with one filter."""
    return Criterion(name="asked", kind=kind, **facts), [CriterionFilter(field=path, operator=operator)]


FITTING = [
    ("date", "gte", "date"),
    ("date", "year", "integer"),
    ("date", "period", "string"),
    ("date", "isnull", "boolean"),
    ("amount", "eq", "number"),
    ("amount", "gte", "integer"),
    ("status", "eq", "string"),
    ("memo", "contains", "string"),
    ("status", "startswith", "string"),
    ("memo", "isnull", "boolean"),
]

NOT_FITTING = [
    ("date", "gte", "string"),
    ("date", "year", "number"),
    ("date", "year", "date"),
    ("date", "period", "date"),
    ("date", "contains", "string"),
    ("amount", "eq", "string"),
    ("amount", "year", "integer"),
    ("memo", "isnull", "string"),
    ("memo", "eq", "boolean"),
    ("status", "gt", "enum"),
    ("memo", "in", "string"),
    ("memo", "like", "string"),
]


@pytest.mark.parametrize(("path", "operator", "kind"), FITTING)
def test_a_condition_whose_type_fits_is_right(path: str, operator: str, kind: str) -> None:
    target, rows = declared_with()
    assert found(target, {**rows, "criteria": [criterion(path, operator, kind)], "parameters": []}) == []


@pytest.mark.parametrize(("path", "operator", "kind"), NOT_FITTING)
def test_a_condition_whose_type_does_not_fit_is_refused_with_what_would(path: str, operator: str, kind: str) -> None:
    target, rows = declared_with()
    asked = criterion(path, operator, kind, **({"values": "DRAFT"} if kind == "enum" else {}))
    (problem,) = problems_of(target, **{**rows, "criteria": [asked], "parameters": []}, in_database=False)
    assert problem.hint.startswith(("It goes with", "Choose the type"))


def test_a_number_may_be_asked_of_whole_numbers_but_not_of_their_year() -> None:
    target = ReadTarget(key="drilling.runs", list_query="connectionRuns")
    rows = propose(target)
    asked = [criterion("connections", "gte", "number")]
    assert problems_of(target, columns=rows.columns, criteria=asked, parameters=[], in_database=False) == []


def test_a_list_that_searches_nothing_takes_no_words() -> None:
    target = ReadTarget(key="ledger.rates", list_query="exchangeRates")
    rows = propose(target)
    target.search_hint = "everything"
    (problem,) = problems_of(
        target, columns=rows.columns, criteria=rows.criteria, parameters=rows.parameters, in_database=False
    )
    assert (problem.field, problem.message) == ("search_hint", "The list searches nothing.")


def test_text_is_a_condition_only_where_words_are_looked_for() -> None:
    target, rows = declared_with(search_hint="")
    assert found(target, rows) == [
        "screen parameter text: There is no condition “text”. There are from, to, year, month, period, flow, status, "
        "minAmount, maxAmount, account."
    ]


def test_the_path_of_a_column_is_its_name_where_it_says_none() -> None:
    target, rows = declared_with()
    assert found(target, {**rows, "columns": [Column(name="amount", kind="number", total=True)]}) == []


def test_what_a_screen_needs_is_one_of_its_parameters() -> None:
    target, rows = declared_with()
    rows["parameters"] = [ScreenParameter(criterion="month", argument="month", needs="year")]
    assert found(target, rows) == ["screen parameter month: “year” is no other parameter here. Leave it empty."]


@pytest.mark.parametrize("key", ["", "ledger", "Ledger.x", "ledger.x y", "ledger." + "x" * 60, "a.b.c", "ledger.x\n"])
def test_a_key_that_is_none_is_refused(key: str) -> None:
    target, rows = declared_with(key=key)
    assert [problem.field for problem in problems_of(target, **rows, in_database=False)] == ["key"]


def test_of_many_names_the_nearest_are_said_and_the_others_counted() -> None:
    names = [f"field_{number:03}" for number in range(60)]
    said = listed(names, "field_05")
    assert "field_050" in said
    assert said.endswith("and 40 more")
    assert listed(["a", "b", "a"]) == "a, b"
