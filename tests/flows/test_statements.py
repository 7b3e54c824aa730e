"""What one answer costs the database: two statements on the list's table, and none for what nobody asked for."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

TOOL, TABLE = "queryLedgerCashTransactions", "ledger_cashtransaction"
KEYS_OF_A_TRUNCATED_WORKSPACE = 1
"""A workspace that does not hold every row keeps the keys of all behind its figures, which no other statement reads."""

pytestmark = pytest.mark.django_db


def statements(agent: Any, name: str, **arguments: Any) -> list[str]:
    """The statements that read the list's table in one call, which is answered."""
    one = agent(name)
    with CaptureQueriesContext(connection) as sent:
        assert one.call(TOOL, **arguments).status_code == 200
    return [query["sql"] for query in sent.captured_queries if f'FROM "{TABLE}"' in query["sql"]]


@pytest.mark.parametrize("name", ["admin", "analyst", "clerk"])
@pytest.mark.parametrize(
    "arguments",
    [
        {"show": "answer"},
        {"show": "answer", "groupBy": "date"},
        {"show": "answer", "groupBy": "account", "orderBy": "-amount"},
        {"show": "answer", "text": "a", "flow": "INCOME"},
    ],
    ids=["plain", "months", "groups", "conditions"],
)
def test_an_answer_takes_two(agent: Any, name: str, arguments: dict[str, Any]) -> None:
    assert len(statements(agent, name, **arguments)) == 2


@pytest.mark.parametrize("name", ["admin", "analyst", "clerk"])
@pytest.mark.parametrize("arguments", [{}, {"groupBy": "status"}], ids=["plain", "groups"])
def test_the_figures_alone_take_one(agent: Any, name: str, arguments: dict[str, Any]) -> None:
    assert len(statements(agent, name, rows=0, show="answer", **arguments)) == 1


@pytest.mark.parametrize("name", ["admin", "analyst"])
def test_a_workspace_of_somebody_who_may_view_all_takes_two(agent: Any, name: str) -> None:
    assert len(statements(agent, name, show="workspace", groupBy="status")) == 2


def test_the_keys_of_a_whole_workspace_come_with_its_rows(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    of_relations = len(statements(agent, "clerk", show="workspace")) - 2
    monkeypatch.setattr("read_targets.reading.WORKSPACE_ROWS", 5)
    assert len(statements(agent, "clerk", show="workspace")) == 2 + of_relations + KEYS_OF_A_TRUNCATED_WORKSPACE


def test_what_is_not_asked_for_is_not_computed(agent: Any) -> None:
    figures, rows = statements(agent, "admin", show="answer")
    assert "GROUP BY" not in figures
    assert "SUM(" not in rows
    assert "memo" not in figures
    assert "LIMIT 20" in rows
