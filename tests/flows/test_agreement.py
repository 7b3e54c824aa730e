"""Every door tells the same: the agent's answer, the workspace, the list screen, GraphQL, and a count of our own."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from project.demo.company import TARGETS
from read_targets.lists import get_list
from read_targets.models import ReadTarget, WorkspaceVersion
from tests.oracle import Rights, viewed

PEOPLE = ("admin", "analyst", "clerk", "guest")


def own_rows(person: Any, list_query: str) -> list[Any]:
    """The records that the person may view, found by looking at each."""
    model = get_list(list_query).model
    return viewed(model._default_manager.all(), Rights(person))


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("key", TARGETS)
def test_every_target_tells_every_person_what_is_theirs(
    agent: Any, person: Any, signed_in: Any, key: str, name: str
) -> None:
    target = ReadTarget.objects.get(key=key)
    rows = own_rows(person(name), TARGETS[key])
    response = agent(name).call(target.query_tool_name, show="workspace")
    screen = signed_in(name).get(f"/{key.replace('.', '/')}/")
    if name == "guest" or (name == "analyst" and not key.startswith("ledger.")):
        assert response.status_code == 403
        assert screen.status_code == 403
        assert not WorkspaceVersion.objects.exists()
        return
    answer = response.json()
    assert answer["coverage"]["requestedRows"] == answer["coverage"]["analysedRows"] == len(rows)
    assert re.findall(r'data-total="(\d+)"', screen.content.decode()) == [str(len(rows))]
    for column in target.columns.filter(total=True):
        values = [value for one in rows if (value := getattr(one, column.list_path)) is not None]
        assert Decimal(answer["summary"]["metrics"][column.name]["sum"]) == sum(values)
        assert answer["summary"]["metrics"][column.name]["count"] == len(values)
    content = WorkspaceVersion.objects.get().content
    assert content["total"] == len(rows)
    assert {row["id"] for row in content["rows"]} <= {str(one.pk) for one in rows}
    assert len(content["rows"]) == min(len(rows), 1000)
    assert content["metrics"] == answer["summary"]["metrics"]


@pytest.mark.parametrize("name", ["admin", "analyst", "clerk"])
@pytest.mark.parametrize(
    "conditions",
    [
        {},
        {"flow": "EXPENSE"},
        {"year": 2026, "month": 10},
        {"from": "2025-03-01", "to": "2025-08-31", "status": "BOOKED"},
        {"minAmount": "-5000.005", "maxAmount": "100000"},
        {"text": "한빛"},
        {"text": "söhne o'brien"},
    ],
    ids=str,
)
def test_the_screen_shows_as_many_as_the_agent_was_told(
    agent: Any, signed_in: Any, name: str, conditions: dict[str, Any]
) -> None:
    one = agent(name)
    told = one.answer("queryLedgerCashTransactions", **conditions)["coverage"]["analysedRows"]
    card = one.answer("openLedgerCashTransactionsScreen", **conditions)["card"]
    assert card["notApplied"] == []
    page = signed_in(name).get(card["url"]).content.decode()
    assert f'data-total="{told}"' in page


@pytest.mark.parametrize("name", ["admin", "analyst", "clerk"])
def test_graphql_tells_the_same(agent: Any, signed_in: Any, name: str) -> None:
    answer = agent(name).answer("queryLedgerCashTransactions", groupBy="flow", flow="EXPENSE")
    document = """{ cashTransactions(
        filters: [{name: "flow", operator: "eq", value: "EXPENSE"}], pagination: {limit: 20}
    ) { total sums groups(by: "flow") rows } }"""
    response = signed_in(name).post("/graphql", {"query": document}, "application/json")
    told = response.json()["data"]["cashTransactions"]
    assert told["total"] == answer["coverage"]["analysedRows"]
    assert told["sums"]["amount"] == answer["summary"]["metrics"]["amount"]["sum"]
    assert [row["id"] for row in told["rows"]] == [row["id"] for row in answer["sampleRows"]["items"]]
    assert [group["sums"]["amount"] for group in told["groups"]] == [
        group["metrics"]["amount"]["sum"] for group in answer["summary"]["groups"]
    ]
