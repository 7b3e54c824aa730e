"""The log in the admin: found by what one knows of a call, never written, and never counted as a whole."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from read_targets.admin import calls
from read_targets.agent.tokens import create_token
from read_targets.models import ToolCall

from .pages import text_of_page

ADMIN = "/admin/read_targets/toolcall/"
TOOL = "queryLedgerCashTransactions"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SignedIn = Callable[[str], Client]


@pytest.fixture
def admin(signed_in: SignedIn) -> Client:
    return signed_in("admin")


@pytest.fixture
def log(person: Callable[[str], User]) -> dict[str, ToolCall]:
    """One call of each kind, by a name."""
    User.objects.filter(username="clerk").update(first_name="Mina", last_name="Okafor")
    clerk, analyst = person("clerk"), person("analyst")
    token, _secret = create_token(analyst, "Closing helper")
    asked = [{"name": "flow", "value": "EXPENSE"}, {"name": "text"}]
    return {
        name: ToolCall.objects.create(milliseconds=1, **fields)
        for name, fields in {
            "read": {"user": clerk, "agent": "Gone robot", "tool": TOOL, "outcome": "READY", "conditions": asked},
            "refused": {
                "user": analyst, "token": token, "agent": token.name, "tool": "queryGone", "outcome": "REJECTED",
                "code": "read_targets.unknown_tool",
            },
            "command": {
                "user": clerk, "tool": "click.select_tenant", "outcome": "CONFLICT", "code": "page_commands.busy",
                "at": NOON - timedelta(days=400),
            },
            "preview": {"user": analyst, "previewed_by": person("admin"), "tool": TOOL, "outcome": "PARTIAL"},
        }.items()
    }  # fmt: skip


def found(client: Client, log: dict[str, ToolCall], **query: str) -> set[str]:
    """The names of the calls on the page."""
    response = client.get(ADMIN, query)
    assert response.status_code == 200, response.headers
    page = response.content.decode()
    return {name for name, call in log.items() if f"{ADMIN}{call.pk}/change/" in page}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("clerk", {"read", "command"}),
        ("CLER", {"read", "command"}),
        ("okafor", {"read", "command"}),
        ("mina cash", {"read"}),
        ("Closing", {"refused"}),
        ("helper analyst", {"refused"}),
        ("cash", {"read", "preview"}),
        (TOOL, {"read", "preview"}),
        ("queryGone", {"refused"}),
        ("robot", set()),
        ("unknown_tool", {"refused"}),
        ("page_commands.busy", {"command"}),
        ("analyst unknown", {"refused"}),
        ("nobodyatall", set()),
        ("%", set()),
        ("", {"read", "refused", "command", "preview"}),
    ],
)
def test_it_is_searched_by_person_agent_tool_and_code(
    admin: Client, log: dict[str, ToolCall], words: str, names: set[str]
) -> None:
    assert found(admin, log, q=words) == names


@pytest.mark.parametrize("written", [str, lambda key: key.hex])
def test_it_is_searched_by_the_id_of_a_call(
    admin: Client, log: dict[str, ToolCall], written: Callable[[uuid.UUID], str]
) -> None:
    assert found(admin, log, q=written(log["read"].pk)) == {"read"}
    assert found(admin, log, q=written(uuid.uuid4())) == set()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"outcome": "REJECTED"}, {"refused"}),
        ({"tool": TOOL}, {"read", "preview"}),
        ({"tool": TOOL, "outcome": "READY"}, {"read"}),
        ({"agent": "Closing helper"}, {"refused"}),
        ({"agent": "-"}, {"command", "preview"}),
        ({"preview": "yes"}, {"preview"}),
        ({"preview": "no"}, {"read", "refused", "command"}),
        ({"to": "2025-12-31"}, {"command"}),
        ({"from": "2025-10-26", "to": "2025-10-26"}, {"command"}),
        ({"from": "2025-10-27", "to": "2025-10-27"}, set()),
        ({"from": "2026-01-01"}, {"read", "refused", "preview"}),
        ({"from": "", "to": ""}, {"read", "refused", "command", "preview"}),
        ({"from": "2026-01-01", "q": "clerk", "outcome": "READY"}, {"read"}),
    ],
)
def test_it_is_filtered(admin: Client, log: dict[str, ToolCall], query: dict[str, str], names: set[str]) -> None:
    assert found(admin, log, **query) == names


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "0001-01-01", "9999-12-31"])
def test_what_is_no_day_is_said_to_be_none(admin: Client, log: dict[str, ToolCall], day: str) -> None:
    assert admin.get(ADMIN, {"from": day})["Location"].endswith("?e=1")


def test_the_form_of_the_days_keeps_what_else_is_asked(admin: Client, log: dict[str, ToolCall]) -> None:
    page = admin.get(ADMIN, {"q": "clerk", "outcome": "READY", "from": "2026-01-01", "p": "1"}).content.decode()
    form = page[page.index('class="read-targets-days"') :].partition("</form>")[0]
    assert re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', form) == [("q", "clerk"), ("outcome", "READY")]
    assert 'name="from" value="2026-01-01"' in form


def test_conditions_are_told_readably(admin: Client, log: dict[str, ToolCall]) -> None:
    assert "Flow: EXPENSE · words: not kept" in admin.get(ADMIN).content.decode()
    page = text_of_page(admin.get(f"{ADMIN}{log['read'].pk}/change/"))
    assert "<dt>Flow</dt><dd>EXPENSE</dd><dt>words</dt><dd>not kept</dd>" in page
    assert "Cash transactions" in page


def test_a_value_is_never_markup(admin: Client, log: dict[str, ToolCall]) -> None:
    ToolCall.objects.update(conditions=[{"name": "<i>", "value": "<script>alert(1)</script>"}])
    for path in (ADMIN, f"{ADMIN}{log['read'].pk}/change/"):
        page = admin.get(path).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.parametrize(("method", "path"), [("get", "add/"), ("post", "{}/change/"), ("post", "{}/delete/")])
def test_nobody_writes_it(admin: Client, log: dict[str, ToolCall], method: str, path: str) -> None:
    address = f"{ADMIN}{path.format(log['read'].pk)}"
    assert getattr(admin, method)(address, {"tool": "x", "post": "yes"}).status_code == 403
    assert ToolCall.objects.filter(tool=TOOL).count() == 2


def test_there_is_no_action_that_deletes(admin: Client, log: dict[str, ToolCall]) -> None:
    given = {"action": "delete_selected", "_selected_action": [str(log["read"].pk)], "post": "yes"}
    admin.post(ADMIN, given)
    assert ToolCall.objects.count() == len(log)


def test_who_may_not_see_it_does_not(signed_in: SignedIn, log: dict[str, ToolCall], person: Any) -> None:
    User.objects.filter(username="guest").update(is_staff=True)
    client = signed_in("guest")
    assert client.get(ADMIN).status_code == 403
    person("guest").user_permissions.add(Permission.objects.get(codename="view_toolcall"))
    assert client.get(ADMIN).status_code == 200
    assert client.get(f"{ADMIN}add/").status_code == 403


class TestMany:
    """More calls than are paged."""

    @pytest.fixture(autouse=True)
    def few(self, monkeypatch: pytest.MonkeyPatch, person: Any) -> None:
        monkeypatch.setattr(calls, "MOST_PAGED", 10)
        monkeypatch.setattr(calls.ToolCallAdmin, "list_per_page", 4)
        now = timezone.now()
        ToolCall.objects.bulk_create(
            ToolCall(
                user=person("clerk"), tool=f"tool{n}", outcome="READY", milliseconds=1, at=now - timedelta(hours=n)
            )
            for n in range(25)
        )

    def tools(self, client: Client, **query: str) -> list[str]:
        page = client.get(ADMIN, query).content.decode()
        return re.findall(r'class="field-asked">(\w+)', page)

    def test_the_newest_are_paged_and_no_total_is_claimed(self, admin: Client) -> None:
        page = text_of_page(admin.get(ADMIN))
        assert "More than 10 calls; the newest 10 are paged here." in page
        assert "10 tool calls" not in page
        assert "10 results" not in page
        assert [self.tools(admin, p=str(n)) for n in (1, 2, 3)] == [
            ["tool0", "tool1", "tool2", "tool3"],
            ["tool4", "tool5", "tool6", "tool7"],
            ["tool8", "tool9"],
        ]

    def test_few_are_counted_and_paged_in_their_order(self, admin: Client) -> None:
        ToolCall.objects.filter(tool__in=[f"tool{n}" for n in range(6)]).update(outcome="INTERNAL")
        page = text_of_page(admin.get(ADMIN, {"outcome": "INTERNAL"}))
        assert "6 tool calls" in page
        assert "More than" not in page
        assert self.tools(admin, outcome="INTERNAL") == ["tool0", "tool1", "tool2", "tool3"]
        assert self.tools(admin, outcome="INTERNAL", p="2") == ["tool4", "tool5"]
        assert self.tools(admin, outcome="INTERNAL", o="0") == ["tool5", "tool4", "tool3", "tool2"]

    @pytest.mark.parametrize("order", ["1", "-6", "3.1", "99"])
    def test_it_is_sorted_by_nothing_but_the_moment(self, admin: Client, order: str) -> None:
        assert self.tools(admin, o=order) == ["tool0", "tool1", "tool2", "tool3"]

    def test_no_statement_asks_the_whole_log(self, admin: Client) -> None:
        admin.get(ADMIN)
        for query in ({}, {"q": "clerk"}, {"outcome": "READY"}, {"tool": "tool1"}):
            with CaptureQueriesContext(connection) as sent:
                admin.get(ADMIN, query)
            asked = [one["sql"] for one in sent.captured_queries if "read_targets_toolcall" in one["sql"]]
            assert asked
            assert all("LIMIT" in sql or "MIN(" in sql or '"id" IN' in sql for sql in asked), asked
            assert not any("DISTINCT" in sql or "COUNT(" in sql for sql in asked)

    def test_a_page_costs_the_same_few_statements(self, admin: Client) -> None:
        admin.get(ADMIN)
        with CaptureQueriesContext(connection) as few:
            admin.get(ADMIN, {"tool": "tool1"})
        with CaptureQueriesContext(connection) as many:
            admin.get(ADMIN, {"outcome": "READY"})
        assert len(many) <= len(few)
