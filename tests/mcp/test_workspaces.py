"""A workspace as a resource: the rights that hold now decide what of it is read, as on the person's page."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from guardian.shortcuts import remove_perm

from project.demo.ledger.models import Account, CashTransactionGroupGrant, CashTransactionUserGrant
from read_targets.agent.dispatch import call_tool
from read_targets.agent.mcp import workspaces
from read_targets.agent.mcp.visits import Visit
from read_targets.agent.models import AgentToken
from read_targets.agent.tokens import create_token
from read_targets.cards.models import WorkspaceVersion
from read_targets.models import ReadTarget
from read_targets.policies import Actor

URI = "workspace://desk/mine/1"
FIGURES = {"metrics", "groups", "rest", "requestedRows", "analysedRows"}


@pytest.fixture
def token(person: Callable[[str], User]) -> AgentToken:
    """The token of an agent of the clerk's that has put the clerk's ledger on a workspace."""
    token, _secret = create_token(person("clerk"), "one")
    asked = {"show": "workspace", "groupBy": "account", "name": "mine", "orderBy": "account"}
    assert call_tool(Actor(token.user, token), "queryLedgerCashTransactions", asked).outcome == "READY"
    return token


def visit_of(token: AgentToken | None, user: Any = None) -> Visit:
    return Visit(Actor(user or User.objects.get(pk=token.user_id), token), "", "https://site.example", {})


def told(token: AgentToken) -> Any:
    found = workspaces.read(visit_of(token), URI)
    assert found is not None
    return json.loads(found.contents[0].text)


def stored() -> dict[str, Any]:
    content: dict[str, Any] = WorkspaceVersion.objects.get().content
    return content


def test_with_all_rights_it_is_as_it_was_stored(token: AgentToken) -> None:
    facts = told(token)
    content = stored()
    assert facts["rows"] == content["rows"]
    assert {name: facts[name] for name in ("metrics", "groups", "groupBy")} == {
        name: content[name] for name in ("metrics", "groups", "groupBy")
    }
    assert facts["analysedRows"] == content["analysed"]
    assert facts["url"] == "https://site.example/desk/workspaces/mine/1"


def test_a_grant_taken_away_takes_its_row_and_every_figure(token: AgentToken) -> None:
    gone = stored()["rows"][0]["id"]
    for grants in (CashTransactionUserGrant, CashTransactionGroupGrant):
        grants.objects.filter(content_object=gone).delete()
    facts = told(token)
    assert (facts["rowsWithheld"], facts["figuresWithheld"]) == (1, True)
    assert gone not in {row["id"] for row in facts["rows"]}
    assert not FIGURES & facts.keys()


def test_a_related_right_taken_away_closes_its_values_and_their_order(token: AgentToken) -> None:
    names = {row["account"] for row in stored()["rows"] if row["account"]}
    assert names
    for account in Account.objects.all():
        remove_perm("ledger.view_account", token.user, account)
    facts = told(token)
    assert not any(name in json.dumps(facts["rows"], ensure_ascii=False) for name in names)
    assert all("account" in row["withheld"] for row in facts["rows"])
    assert [row["id"] for row in facts["rows"]] == sorted(row["id"] for row in facts["rows"])
    assert not FIGURES & facts.keys()


@pytest.mark.parametrize("change", ["disabled", "gone", "no grants"])
def test_behind_a_closed_door_it_is_neither_listed_nor_read(token: AgentToken, change: str) -> None:
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    assert [one.uri for one in workspaces.listed(visit_of(token))] == [URI]
    if change == "disabled":
        ReadTarget.objects.filter(pk=target.pk).update(enabled=False)
    elif change == "gone":
        target.delete()
    else:
        CashTransactionUserGrant.objects.all().delete()
        CashTransactionGroupGrant.objects.all().delete()
    assert workspaces.listed(visit_of(token)) == []
    assert workspaces.read(visit_of(token), URI) is None


def test_another_token_and_another_person_find_nothing(token: AgentToken, person: Callable[[str], User]) -> None:
    for other in (create_token(token.user, "two")[0], create_token(person("analyst"), "three")[0]):
        assert workspaces.listed(visit_of(other)) == []
        assert workspaces.read(visit_of(other), URI) is None


def test_one_that_is_not_kept_any_more_is_missing(token: AgentToken) -> None:
    WorkspaceVersion.objects.update(expires_at="2020-01-01T00:00:00Z")
    assert workspaces.read(visit_of(token), URI) is None
    assert workspaces.listed(visit_of(token)) == []
