"""A list that takes too long: every door says so in its way, nothing is left half done, and the next is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.test import Client

from read_targets.cards.models import WorkspaceVersion
from read_targets.lists import CallerLeft, Stopped, TooManyReads, TooSlow
from read_targets.models import Card, Column, Preference, ReadTarget, ToolCall
from tests.slow import slow_list

TOOL = "queryLedgerCashTransactions"
DOCUMENT = """
query ($filters: [Filter!], $pagination: Pagination, $sortings: [Sorting!], $search: String) {
  cashTransactions(filters: $filters, pagination: $pagination, sortings: $sortings, search: $search) {
    total
    items { id amount }
  }
}
"""
IN_GERMAN = "Das Lesen dauerte länger, als es darf."


def of_another_shape() -> ReadTarget:
    """A target that reads the same list through a document."""
    target = ReadTarget.objects.create(
        key="test.cash",
        label={"en": "Cash"},
        list_query="cashTransactions",
        document=DOCUMENT,
        rows_path="cashTransactions.items",
        total_path="cashTransactions.total",
        door_permission="ledger.view_cashtransaction",
    )
    Column.objects.create(target=target, name="amount", path="amount", kind="number", label={}, total=True)
    return target


@pytest.mark.django_db(transaction=True)
def test_every_door_says_that_it_took_too_long(
    company: None, agent: Any, signed_in: Callable[[str], Client], settings: Any
) -> None:
    admin, browser = agent("admin"), signed_in("admin")
    Preference.objects.update_or_create(user=User.objects.get(username="admin"), defaults={"language": "de"})
    workspace = admin.answer(TOOL, show="workspace")["card"]["url"]
    tool_of_another_shape = of_another_shape().query_tool_name
    cards, versions, calls = Card.objects.count(), WorkspaceVersion.objects.count(), ToolCall.objects.count()
    query = {"query": '{ cashTransactions { total groups(by: "flow") } }'}

    settings.READ_TARGETS = {"READ_SECONDS": 0.25}
    with slow_list():
        for tool in (TOOL, tool_of_another_shape):
            response = admin.call(tool)
            told = response.json()
            assert (response.status_code, told["outcome"], told["code"]) == (503, "DEPENDENCY", "read_targets.too_slow")
            assert told["nextAction"] == {"type": "CHANGE_SCOPE"}
        told = browser.post("/graphql", query, "application/json").json()
        assert told["data"] == {"cashTransactions": None}
        assert told["errors"][0]["message"] == "Reading the list took longer than it may: ask for less of it."
        page = browser.get(workspace)
        assert page.status_code == 503
        assert IN_GERMAN in page.content.decode()
        again = browser.post(f"{workspace}/read-again")
        assert [str(one)[: len(IN_GERMAN)] for one in get_messages(again.wsgi_request)] == [IN_GERMAN]
        target = ReadTarget.objects.get(key="ledger.cash-transactions")
        preview = browser.post(f"/admin/read_targets/readtarget/{target.pk}/preview/", {"person": "analyst"})
        assert "Reading it took longer than it may." in preview.content.decode()

    settings.READ_TARGETS = {}
    assert (Card.objects.count(), WorkspaceVersion.objects.count()) == (cards, versions)
    logged = ToolCall.objects.order_by("-at")[: ToolCall.objects.count() - calls]
    assert [(one.outcome, one.code) for one in logged] == [("DEPENDENCY", "read_targets.too_slow")] * 4
    assert admin.call(TOOL).status_code == 200
    assert browser.get(workspace).status_code == 200
    assert browser.post("/graphql", query, "application/json").json()["data"]["cashTransactions"]["total"]


@pytest.mark.django_db
class TestWhyItWasStopped:
    """Each reason has its own answer; a command is not bounded at all."""

    @pytest.mark.parametrize(
        ("reason", "status", "outcome", "code", "action"),
        [
            (TooSlow(), 503, "DEPENDENCY", "too_slow", {"type": "CHANGE_SCOPE"}),
            (TooManyReads(), 429, "REJECTED", "too_many_reads", {"type": "WAIT", "delayMs": 2_000}),
            (CallerLeft(), 503, "DEPENDENCY", "caller_left", {"type": "NONE"}),
        ],
        ids=["too slow", "too many", "left"],
    )
    def test_the_answer(
        self, agent: Any, reason: Stopped, status: int, outcome: str, code: str, action: Any, monkeypatch: Any
    ) -> None:
        def read(*given: Any) -> Any:
            raise reason

        monkeypatch.setattr("read_targets.tools.read", read)
        response = agent("analyst").call(TOOL)
        told = response.json()
        assert response.status_code == status
        assert (told["outcome"], told["code"], told["nextAction"]) == (outcome, f"read_targets.{code}", action)
        assert response.headers.get("Retry-After") == ("2" if status == 429 else None)
        logged = ToolCall.objects.get(pk=told["callId"])
        assert (logged.outcome, logged.code) == (outcome, f"read_targets.{code}")

    @pytest.mark.parametrize(("name", "is_bounded"), [("queryLedgerAccounts", True), ("pageCommands", True)])
    def test_what_reads_is_bounded(self, agent: Any, name: str, is_bounded: bool, monkeypatch: Any) -> None:
        seen: list[Any] = []
        monkeypatch.setattr("read_targets.heavy.bounded", _noting(seen))
        agent("clerk", may_act=True).call(name)
        assert bool(seen) is is_bounded

    def test_what_acts_is_not(self, agent: Any, monkeypatch: Any) -> None:
        seen: list[Any] = []
        monkeypatch.setattr("read_targets.heavy.bounded", _noting(seen))
        agent("clerk", may_act=True).call("runPageCommand", command="factory.open_connection_form")
        assert seen == []


def _noting(seen: list[Any]) -> Any:
    from contextlib import contextmanager

    @contextmanager
    def bounded(*given: Any) -> Any:
        seen.append(given)
        yield

    return bounded
