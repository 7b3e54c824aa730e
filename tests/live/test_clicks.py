"""A click on the page's button: the contract's envelope, reasons in the person's language, and a line in the log."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, InterfaceError
from django.test import Client
from guardian.shortcuts import remove_perm

from page_commands.live import clicks
from page_commands.models import AgentCommand, CommandRun
from page_commands.running import Request, run_command
from project.demo.factory.models import Conversation, Tenant
from read_targets.agent.contract import ToolResult
from read_targets.agent.models import AgentDoors, ToolCall
from read_targets.agent.refusals import internal
from read_targets.preferences import Preference

from .tabs import START, Tab, open_tab, post


def test_a_click_runs_the_command_and_answers_the_envelope(tab: Tab, tenant: Tenant) -> None:
    answer = tab.click("select_tenant", object=str(tenant.pk))
    assert answer.status_code == 200
    told = answer.json()
    assert (told["success"], told["outcome"], told["command"]) == (True, "READY", "factory.select_tenant")
    assert told["resultingState"]["channels"]["tenant"]["id"] == str(tenant.pk)
    assert tab.session.channels == {"tenant": str(tenant.pk)}
    assert CommandRun.objects.get().by_click


def test_a_click_is_logged_once_as_the_persons_own(tab: Tab, tenant: Tenant, clerk: Any) -> None:
    told = [tab.click("select_tenant", object=str(tenant.pk)).json(), tab.click("select_tenant").json()]
    calls = {str(call.pk): call for call in ToolCall.objects.all()}
    assert set(calls) == {one["callId"] for one in told}
    done, refused = (calls[one["callId"]] for one in told)
    assert (done.user, done.token, done.tool, done.outcome) == (clerk, None, "click.select_tenant", "READY")
    assert (refused.outcome, refused.code) == ("REJECTED", "page_commands.input_missing")


@pytest.mark.parametrize(("language", "reason"), [("en", "is closed already"), ("de", "ist bereits geschlossen")])
def test_a_refused_click_says_the_applications_reasons(
    tab: Tab, conversation: Conversation, clerk: Any, language: str, reason: str
) -> None:
    Preference.objects.create(user=clerk, language=language)
    Conversation.objects.filter(pk=conversation.pk).update(state=Conversation.State.CLOSED)
    answer = tab.click("archive_conversation", object=str(conversation.pk))
    assert answer.status_code == 403
    told = answer.json()
    assert (told["code"], told["language"]) == ("page_commands.refused_by_rules", language)
    assert len(told["reasons"]) == 1
    assert reason in told["reasons"][0]


def test_every_refusal_has_a_reason_for_the_person(tab: Tab, tenant: Tenant, clerk: Any) -> None:
    refusals = {
        "page_commands.unlisted_command": tab.click("no_such_command"),
        "page_commands.input_missing": tab.click("create_connection", parameters={"url": "https://git.example/x.git"}),
        "page_commands.object_unreadable": tab.click("select_tenant", object="999999"),
    }
    tab.click("select_tenant", object=str(tenant.pk))
    refusals["page_commands.parameters_unreadable"] = tab.click("create_connection", parameters={"nothing": 1})
    refusals["read_targets.condition_unreadable"] = tab.click("select_tenant", object=["1"])
    for code, answer in refusals.items():
        told = answer.json()
        assert (told["success"], told["code"]) == (False, code)
        assert len(told["reasons"]) == 1
        assert told["reasons"][0].strip()
    assert "Address" in refusals["page_commands.parameters_unreadable"].json()["reasons"][0]


@pytest.fixture
def held(tab: Tab, conversation: Conversation) -> Conversation:
    """A conversation on its channel, where the page's own button archives it."""
    assert tab.click("show_conversation", object=str(conversation.pk)).status_code == 200
    CommandRun.objects.all().delete()
    return conversation


@pytest.mark.parametrize("nonce", [None, "", "abc", 7, "of another tab", "of a row"])
def test_without_the_pages_own_nonce_its_buttons_do_nothing(
    tab: Tab, held: Conversation, browser_of_clerk: Client, nonce: Any
) -> None:
    if nonce == "of another tab":
        nonce = open_tab(browser_of_clerk).told["nonce"]
    elif nonce == "of a row":
        nonce = tab.nonce("archive_conversation", str(held.pk))
    answer = tab.click("archive_conversation", nonce=nonce)
    assert (answer.status_code, answer.json()["code"]) == (403, "read_targets.click_not_proven")
    assert "Please try once more" in answer.json()["reasons"][0]
    assert not CommandRun.objects.exists()


ROW_NONCES: dict[str, Callable[[Tab, str], Any]] = {
    "none": lambda tab, key: None,
    "the page's own": lambda tab, key: tab.told["nonce"],
    "of another object": lambda tab, key: tab.nonce("select_tenant", f"{key}0"),
    "of another command": lambda tab, key: tab.nonce("open_connection_form", key),
    "of another page": lambda tab, key: tab.nonce("select_tenant", key, "factory.project"),
}


@pytest.mark.parametrize("which", ROW_NONCES)
def test_a_button_that_the_application_did_not_render_does_nothing(tab: Tab, tenant: Tenant, which: str) -> None:
    key = str(tenant.pk)
    answer = tab.click("select_tenant", object=key, nonce=ROW_NONCES[which](tab, key))
    assert (answer.status_code, answer.json()["code"]) == (403, "read_targets.click_not_proven")
    assert "Load it again" in answer.json()["reasons"][0]
    assert not CommandRun.objects.exists()
    assert tab.session.version == 1
    assert tab.click("select_tenant", object=key).status_code == 200


def test_the_buttons_that_the_page_renders_are_taken(tab: Tab, browser_of_clerk: Client) -> None:
    page = browser_of_clerk.get(START).content.decode()
    button = r'data-live-command="([^"]+)" data-live-object="([^"]+)" data-live-nonce="([^"]+)"'
    found = {command: (key, nonce) for command, key, nonce in re.findall(button, page)}
    assert set(found) == {"select_tenant", "show_conversation"}
    for command, (key, nonce) in found.items():
        assert tab.click(command, object=key, nonce=nonce).status_code == 200


@pytest.mark.parametrize("version", [None, 0, 1, 3, "2", True, 2.0])
def test_a_click_on_another_page_than_the_person_saw_is_refused(tab: Tab, held: Conversation, version: Any) -> None:
    assert tab.session.version == 2
    answer = tab.click("archive_conversation", version=version)
    assert (answer.status_code, answer.json()["code"]) == (409, "page_commands.page_changed")
    assert "page has changed" in answer.json()["reasons"][0]
    held.refresh_from_db()
    assert held.state != Conversation.State.CLOSED
    assert tab.click("archive_conversation", version=2).status_code == 200


def test_a_page_that_is_open_for_a_day_gets_another_nonce(
    tab: Tab, held: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 24 * 3600 + 60)
    assert tab.click("archive_conversation").status_code == 403
    fresh = tab.news(0, "&parts=1").json()["nonce"]
    assert tab.click("archive_conversation", nonce=fresh).status_code == 200


# What broke


UNKNOWN, NOTHING_DONE = "It is not known whether it was done", "nothing was done"


@pytest.mark.parametrize("error", [RuntimeError, DatabaseError, InterfaceError])
@pytest.mark.parametrize(("when", "reason"), [("before", NOTHING_DONE), ("after", UNKNOWN)])
def test_nothing_was_done_is_said_only_where_it_is_known(
    tab: Tab, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, error: type[Exception], when: str, reason: str
) -> None:
    def broken(asked: Request) -> ToolResult:
        if when == "after":
            run_command(asked)
        raise error("lost")

    monkeypatch.setattr(clicks, "run_command", broken)
    answer = tab.click("select_tenant", object=str(tenant.pk))
    assert answer.status_code >= 500
    assert reason in answer.json()["reasons"][0]
    assert tab.session.channels == ({} if when == "before" else {"tenant": str(tenant.pk)})


@pytest.mark.parametrize(
    ("state", "reason"), [("approved", UNKNOWN), ("failed", NOTHING_DONE), ("waiting", NOTHING_DONE)]
)
def test_the_run_itself_says_what_is_known(
    tab: Tab, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, state: str, reason: str
) -> None:
    def broken(asked: Request) -> ToolResult:
        run_command(asked)
        CommandRun.objects.update(state=state)
        raise internal()

    monkeypatch.setattr(clicks, "run_command", broken)
    assert reason in tab.click("select_tenant", object=str(tenant.pk)).json()["reasons"][0]


def test_where_the_database_does_not_say_it_is_not_known(
    tab: Tab, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*args: Any, **kwargs: Any) -> Any:
        raise InterfaceError("the connection is closed")

    monkeypatch.setattr(clicks, "run_command", gone)
    monkeypatch.setattr(clicks, "log_call", gone)
    monkeypatch.setattr(CommandRun.objects, "filter", gone)
    answer = tab.click("select_tenant", object=str(tenant.pk))
    assert UNKNOWN in answer.json()["reasons"][0]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_request_from_elsewhere_is_no_click(tab: Tab, tenant: Tenant, site: str) -> None:
    body = {"version": 1, "nonce": tab.nonce("select_tenant", str(tenant.pk)), "object": str(tenant.pk)}
    answer = post(tab.client, f"{tab.address}/commands/select_tenant", body, **{"Sec-Fetch-Site": site})
    assert (answer.status_code, answer.json()["code"]) == (403, "read_targets.click_not_proven")
    assert not CommandRun.objects.exists()


def test_the_switch_of_the_agents_does_not_stop_a_persons_click(tab: Tab, tenant: Tenant, clerk: Any) -> None:
    AgentDoors(is_open=False).save()
    Preference.objects.create(user=clerk, agents_stopped=True)
    assert tab.click("select_tenant", object=str(tenant.pk)).json()["outcome"] == "READY"


def test_without_the_right_to_the_command_it_is_not_there(tab: Tab, tenant: Tenant, clerk: Any) -> None:
    command = AgentCommand.objects.get(page__key="factory.start", name="select_tenant")
    remove_perm("page_commands.run_agentcommand", clerk, command)
    forbidden = tab.click("select_tenant", object=str(tenant.pk)).json()
    missing = tab.click("select_nothing", object=str(tenant.pk)).json()
    assert forbidden["code"] == missing["code"] == "page_commands.unlisted_command"
    assert forbidden["reasons"] == missing["reasons"]
    assert tab.session.version == 1
