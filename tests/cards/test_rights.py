"""Cards and workspaces of the demo's real lists close with the rights to them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from project.demo.ledger.models import Account, CashTransaction, CashTransactionGroupGrant, CashTransactionUserGrant
from read_targets.cards.models import WorkspaceVersion
from read_targets.models import ReadTarget

from .conftest import FORM, click
from .test_workspace import table

TOOL = "queryLedgerCashTransactions"


@pytest.fixture
def kept(agent: Any) -> dict[str, Any]:
    """A workspace of everything in the ledger that the clerk may view, by account."""
    envelope: dict[str, Any] = agent("clerk").answer(TOOL, show="workspace", groupBy="account", name="mine")
    return envelope


def stored_rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = WorkspaceVersion.objects.get().content["rows"]
    return rows


def page(client: Client, kept: dict[str, Any]) -> str:
    text: str = client.get(kept["card"]["url"]).content.decode()
    return text


def rows_in(text: str) -> int:
    return len([line for line in table(text, "rows")[1:] if len(line) > 1])


def test_with_all_rights_all_is_shown(desk: Client, kept: dict[str, Any]) -> None:
    text = page(desk, kept)
    assert rows_in(text) == min(50, len(stored_rows()))
    assert kept["summary"]["metrics"]["amount"]["sum"] in text.replace(",", "")
    assert 'id="groups"' in text


def test_a_grant_taken_away_takes_its_row_and_every_figure(desk: Client, clerk: User, kept: dict[str, Any]) -> None:
    gone = stored_rows()[0]
    for grants in (CashTransactionUserGrant, CashTransactionGroupGrant):
        grants.objects.filter(content_object=gone["id"]).delete()
    text = page(desk, kept)
    assert "1 row is withheld" in text
    assert "The figures are withheld" in text
    assert kept["summary"]["metrics"]["amount"]["sum"] not in text.replace(",", "")
    assert 'id="groups"' not in text


def test_a_related_right_taken_away_closes_the_column_and_the_groups_by_it(
    desk: Client, clerk: User, kept: dict[str, Any]
) -> None:
    from guardian.shortcuts import remove_perm

    names = {row["account"] for row in stored_rows() if row["account"]}
    assert names
    for account in Account.objects.all():
        remove_perm("ledger.view_account", clerk, account)
    text = page(desk, kept)
    assert not [name for name in names if f">{name}<" in text]
    assert 'id="groups"' not in text


@pytest.mark.parametrize("change", ["disabled", "gone", "no grants", "inactive list"])
def test_a_closed_door_closes_card_and_workspace(desk: Client, clerk: User, kept: dict[str, Any], change: str) -> None:
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    if change == "disabled":
        ReadTarget.objects.filter(pk=target.pk).update(enabled=False)
    elif change == "gone":
        target.delete()
    elif change == "inactive list":
        ReadTarget.objects.filter(pk=target.pk).update(list_query="goneList")
    else:
        CashTransactionUserGrant.objects.all().delete()
        CashTransactionGroupGrant.objects.all().delete()
    response = desk.get(kept["card"]["url"])
    assert response.status_code == 403
    text = response.content.decode()
    values = {str(row[name]) for row in stored_rows() for name in ("counterparty", "amount", "memo") if row[name]}
    assert not [value for value in values if f">{value}<" in text]
    opened = click(desk, kept["card"]["id"], FORM)
    assert opened["Location"] == "/desk/"
    assert WorkspaceVersion.objects.get().cards.get().verdict == "refused"


def test_the_page_and_the_list_screen_agree(desk: Client, agent: Any, clerk: User) -> None:
    for flow in ("INCOME", "EXPENSE"):
        told = agent("clerk").answer(TOOL, flow=flow, show="workspace", name=flow)
        text = desk.get(told["card"]["url"]).content.decode()
        screen = desk.get(f"/ledger/cash-transactions/?flow={flow}").content.decode()
        count = told["coverage"]["analysedRows"]
        assert f'data-total="{count}"' in screen
        assert f'<p class="figure">{count:,}</p>' in text
        assert count == len(
            {row["id"] for row in WorkspaceVersion.objects.get(workspace__name=flow.lower()).content["rows"]}
        )
        assert count <= CashTransaction.objects.filter(flow=flow).count()
