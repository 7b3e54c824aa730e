"""What a query answers: figures over everything, some rows, and what is missing said."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from guardian.shortcuts import assign_perm

from project.demo.ledger.models import Account, CashTransaction
from read_targets.models import Preference, ReadTarget, ToolCall

TOOL = "queryLedgerCashTransactions"


def test_the_envelope_of_a_read(agent: Any) -> None:
    answer = agent("analyst").answer(TOOL, groupBy="date", flow="EXPENSE", **{"from": "2026-01-01", "to": "2026-06-30"})
    assert set(answer) == {
        "success", "outcome", "isDataReady", "toolName", "callId", "message", "scope", "coverage", "units",
        "summary", "sampleRows", "provenance", "card",
    }  # fmt: skip
    assert answer["scope"] == {
        "entityType": "ledger.cash-transactions",
        "selectedIds": [],
        "timeRange": {"start": "2026-01-01T00:00:00+00:00", "end": "2026-07-01T00:00:00+00:00"},
        "filters": {"flow": "EXPENSE", "from": "2026-01-01", "to": "2026-06-30"},
        "timeZone": "UTC",
    }
    many = answer["coverage"]["analysedRows"]
    assert answer["coverage"] == {
        "requestedRows": many, "analysedRows": many, "requestedEntities": 1, "analysedEntities": 1, "isComplete": True,
    }  # fmt: skip
    assert answer["provenance"]["source"] == "BACKEND_QUERY"
    assert answer["sampleRows"]["returned"] == len(answer["sampleRows"]["items"]) == 20
    assert answer["sampleRows"]["truncated"] is True
    assert [group["key"] for group in answer["summary"]["groups"]] == [f"2026-0{month}" for month in range(1, 7)]


def test_the_figures_are_those_of_the_rows(agent: Any) -> None:
    answer = agent("analyst").answer(TOOL, groupBy="flow")
    amounts = list(CashTransaction.objects.values_list("amount", flat=True))
    metric = answer["summary"]["metrics"]["amount"]
    assert metric["averageBasis"] == "rows"
    assert Decimal(metric["sum"]) == sum(amounts)
    assert metric["count"] == len(amounts)
    assert Decimal(metric["min"]) == min(amounts)
    assert Decimal(metric["max"]) == max(amounts)
    assert Decimal(metric["average"]) == (sum(amounts) / len(amounts)).quantize(Decimal("0.000001"))
    groups = answer["summary"]["groups"]
    assert sum(Decimal(group["metrics"]["amount"]["sum"]) for group in groups) == sum(amounts)


def test_groups_and_the_rest_add_up_to_the_total(agent: Any) -> None:
    accounts = [
        Account.objects.create(name=f"No. {number}", currency="KRW", opened="2020-01-01") for number in range(70)
    ]
    CashTransaction.objects.bulk_create(
        CashTransaction(date="2026-11-01", account=account, flow="INCOME", status="BOOKED", amount=position + 1)
        for position, account in enumerate(accounts)
    )
    summary = agent("analyst").answer(TOOL, groupBy="account")["summary"]
    assert len(summary["groups"]) == 50
    shown = sum(Decimal(group["metrics"]["amount"]["sum"]) for group in summary["groups"])
    rest = summary["rest"]
    assert shown + Decimal(rest["metrics"]["amount"]["sum"]) == Decimal(summary["metrics"]["amount"]["sum"])
    rows = sum(group["rowCount"] for group in summary["groups"]) + rest["rowCount"]
    assert rows == CashTransaction.objects.count()
    sizes = [abs(Decimal(group["metrics"]["amount"]["sum"])) for group in summary["groups"]]
    assert sizes == sorted(sizes, reverse=True)


def test_a_null_is_a_group_of_its_own(agent: Any) -> None:
    groups = agent("analyst").answer(TOOL, groupBy="counterparty")["summary"]["groups"]
    by_key = {group["key"]: group["rowCount"] for group in groups}
    assert by_key[None] == CashTransaction.objects.filter(counterparty=None).count()


def test_one_record_by_its_id(agent: Any) -> None:
    answer = agent("analyst").answer(TOOL, id="7")
    assert answer["record"]["id"] == "7"
    assert answer["scope"]["selectedIds"] == ["7"]
    assert "sampleRows" not in answer
    assert "card" not in answer


def test_a_record_that_is_forbidden_reads_like_one_that_is_missing(agent: Any, person: Any) -> None:
    clerk = agent("clerk")
    granted = set(clerk.answer(TOOL, rows=20)["sampleRows"]["items"][0]["id"])
    forbidden = CashTransaction.objects.exclude(pk__in=granted).order_by("pk")
    forbidden = next(one for one in forbidden if not _may_view(person("clerk"), one))
    one = clerk.answer(TOOL, id=str(forbidden.pk))
    two = clerk.answer(TOOL, id="99999999")
    for answer in (one, two):
        for name in ("callId", "provenance", "scope"):
            answer.pop(name)
    assert one == two
    assert one["coverage"]["analysedRows"] == 0


def _may_view(user: User, transaction: CashTransaction) -> bool:
    from read_targets.policies import permits

    return permits(user, "ledger.view_cashtransaction", transaction)


def test_the_five_largest_are_askable(agent: Any) -> None:
    answer = agent("analyst").answer(TOOL, orderBy="-amount", rows=5, show="answer")
    largest = CashTransaction.objects.order_by("-amount", "-pk")[:5]
    assert [row["id"] for row in answer["sampleRows"]["items"]] == [str(one.pk) for one in largest]
    assert "card" not in answer


def test_only_the_total_is_askable(agent: Any) -> None:
    answer = agent("analyst").answer(TOOL, rows=0, show="answer")
    assert answer["sampleRows"] == {"items": [], "returned": 0, "totalAnalysed": 600, "truncated": True}


def test_a_long_result_goes_on_a_workspace_and_the_same_name_makes_a_new_version(agent: Any) -> None:
    one = agent("analyst")
    first = one.answer(TOOL, title="지난달 지출")["card"]
    assert first["kind"] == "workspace"
    assert first["url"] == "/desk/workspaces/ledger-cash-transactions/1"
    assert one.answer(TOOL)["card"]["workspace"]["version"] == 2
    assert one.answer(TOOL, name="mine")["card"]["workspace"] == {
        "name": "mine", "version": 1, "contents": {"tables": 1, "charts": 0, "metrics": 2},
    }  # fmt: skip


def test_a_short_result_goes_there_only_when_asked(agent: Any) -> None:
    one = agent("analyst")
    assert "card" not in one.answer("queryLedgerAccounts")
    assert one.answer("queryLedgerAccounts", show="workspace")["card"]["kind"] == "workspace"


def test_a_day_is_a_day_of_the_persons_zone(agent: Any, person: Any) -> None:
    Preference.objects.create(user=person("clerk"), time_zone="Asia/Seoul")
    answer = agent("clerk").answer("queryDrillingConnectionRuns", **{"from": "2026-06-01", "to": "2026-06-01"})
    assert answer["scope"]["timeRange"] == {"start": "2026-06-01T00:00:00+09:00", "end": "2026-06-02T00:00:00+09:00"}
    assert answer["scope"]["timeZone"] == "Asia/Seoul"
    rows = answer.get("sampleRows", {}).get("items") or [answer["record"]]
    assert rows
    assert all(row["startedAt"].startswith("2026-06-01T") and row["startedAt"].endswith("+09:00") for row in rows)


def test_withheld_is_not_null_and_is_said(agent: Any) -> None:
    answer = agent("clerk").answer(TOOL, groupBy="account")
    withheld = [group for group in answer["summary"]["groups"] if group.get("withheld")]
    assert len(withheld) == 1
    assert withheld[0]["key"] is None
    assert any("account" in said for said in answer["coverage"]["omissions"])
    assert answer["coverage"]["isComplete"] is True
    assert any("account" in row.get("withheld", []) for row in answer["sampleRows"]["items"])


def test_the_screen_card_says_what_the_screen_does_not_take(agent: Any) -> None:
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    target.screen_parameters.exclude(criterion__in=["year", "month", "flow", "text"]).delete()
    one = agent("analyst")
    answer = one.answer("openLedgerCashTransactionsScreen", flow="EXPENSE", month=10, minAmount="5.50")
    assert answer["card"]["url"] == "/ledger/cash-transactions/?flow=EXPENSE"
    assert answer["card"]["applied"] == ["flow"]
    assert answer["card"]["notApplied"] == ["month", "minAmount"]
    assert "minAmount" in answer["message"]
    both = one.answer("openLedgerCashTransactionsScreen", year=2026, month=10, text="a b&c")
    assert both["card"]["url"] == "/ledger/cash-transactions/?year=2026&month=10&search=a+b%26c"
    assert both["card"]["notApplied"] == []


def test_the_log_holds_the_call_and_no_value(agent: Any) -> None:
    answer = agent("analyst").answer(TOOL, text="secret words")
    call = ToolCall.objects.get(pk=answer["callId"])
    assert (call.user.username, call.agent, call.tool, call.outcome, call.rows) == (
        "analyst", "test agent", TOOL, "READY", 0,
    )  # fmt: skip
    assert not [name for name, value in vars(call).items() if "secret" in str(value)]


@pytest.mark.parametrize("tool", [TOOL, "openLedgerCashTransactionsScreen"])
def test_the_statements_of_a_call_do_not_grow_with_rows_or_grants(agent: Any, person: Any, tool: str) -> None:
    clerk = agent("clerk")
    clerk.call(tool)
    with CaptureQueriesContext(connection) as few:
        assert clerk.call(tool).status_code == 200
    for transaction in CashTransaction.objects.all()[:200]:
        assign_perm("ledger.view_cashtransaction", person("clerk"), transaction)
    with CaptureQueriesContext(connection) as many:
        assert clerk.call(tool).status_code == 200
    assert len(many) == len(few)


def test_the_statements_of_the_list_of_tools_do_not_grow_with_targets(agent: Any, person: Any) -> None:
    clerk = agent("clerk")
    clerk.tools()
    with CaptureQueriesContext(connection) as few:
        clerk.tools()
    from read_targets.declaration.proposal import create_target

    for number in range(5):
        target = create_target(f"ledger.copy-{number}", "cashTransactions")
        assign_perm("read_targets.query_readtarget", person("clerk"), target)
    clerk.tools()  # reads again what was declared
    with CaptureQueriesContext(connection) as many:
        tools = clerk.tools().json()["tools"]
    assert len(many) == len(few)
    assert sum(tool["name"].startswith("queryLedgerCopy") for tool in tools) == 5
