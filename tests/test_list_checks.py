"""What the system checks say of lists that their database cannot hold exactly, or cannot search fast."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.db import DatabaseError, connection, models

from project.demo.ledger.models import Account, CashTransaction, ExchangeRate
from read_targets import list_checks
from read_targets.lists import ListDefinition

pytestmark = pytest.mark.django_db


def of_lists(monkeypatch: pytest.MonkeyPatch, *lists: ListDefinition) -> None:
    """Let the checks know of these lists alone."""
    monkeypatch.setattr(list_checks, "registered_lists", lambda: list(lists))


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> models.Field[Any, Any]:
    """A column of eighteen digits in a list."""
    field = ExchangeRate._meta.get_field("rate")
    monkeypatch.setattr(field, "max_digits", 18)
    monkeypatch.setattr(field, "validators", [])
    return field


def test_a_decimal_of_more_than_fifteen_digits_is_told_of_on_sqlite(wide: Any) -> None:
    found = [one for one in run_checks() if one.id == "read_targets.W007"]
    assert [one.obj for one in found] == ([wide] if connection.vendor == "sqlite" else [])
    for one in found:
        assert "ledger.ExchangeRate.rate has 18 digits" in one.msg
        assert "exchangeRates" in one.msg
        assert "max_digits=15" in (one.hint or "")


def test_fifteen_digits_are_nothing_to_tell_of() -> None:
    assert list_checks.check_wide_decimals(None) == []


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="The index is PostgreSQL's")
class TestSearchIndexes:
    """Which lists are told of as read row by row."""

    @pytest.fixture(autouse=True)
    def _every_table_is_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(list_checks, "SMALL_TABLE", 0)

    def test_a_list_without_the_index_is_told_which_line_to_add(self, monkeypatch: pytest.MonkeyPatch) -> None:
        of_lists(monkeypatch, ListDefinition("accounts", Account, searched="name currency"))
        (message,) = list_checks.check_search_indexes(None, databases=["default"])
        assert message.id == "read_targets.W009"
        assert message.msg == "The list accounts searches name, currency of ledger.Account by reading every row."
        assert "SearchIndex(fields=['name', 'currency'], name=\"ledger_account_search\")" in (message.hint or "")

    def test_a_list_with_it_is_not(self, monkeypatch: pytest.MonkeyPatch) -> None:
        of_lists(monkeypatch, ListDefinition("some", CashTransaction, searched="memo account.name"))
        assert list_checks.check_search_indexes(None, databases=["default"]) == []

    def test_nor_is_one_that_searches_other_tables_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        of_lists(monkeypatch, ListDefinition("some", CashTransaction, searched="account.name"))
        assert list_checks.check_search_indexes(None, databases=["default"]) == []

    def test_nor_is_a_small_table(self, monkeypatch: pytest.MonkeyPatch) -> None:
        of_lists(monkeypatch, ListDefinition("accounts", Account, searched="name"))
        monkeypatch.setattr(list_checks, "SMALL_TABLE", 2**20)
        assert list_checks.check_search_indexes(None, databases=["default"]) == []

    def test_a_database_that_is_not_asked_is_left_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        of_lists(monkeypatch, ListDefinition("accounts", Account, searched="name"))
        assert list_checks.check_search_indexes(None) == []

    def test_a_database_that_does_not_answer_is_no_problem_of_this(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def no_answer(using: str) -> Any:
            raise DatabaseError("gone")

        monkeypatch.setattr(list_checks, "transaction", SimpleNamespace(atomic=no_answer))
        of_lists(monkeypatch, ListDefinition("accounts", Account, searched="name"))
        assert list_checks.check_search_indexes(None, databases=["default"]) == []


def test_the_company_passes_when_its_database_is_asked() -> None:
    call_command("check", databases=["default"], fail_level="WARNING")
