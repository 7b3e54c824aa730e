"""A click on the page's button: the contract's envelope, reasons in the person's language, and a line in the log."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.test import Client
from guardian.shortcuts import remove_perm

from page_commands.models import AgentCommand, CommandRun
from project.demo.factory.models import Conversation, Tenant
from read_targets.agent.models import AgentDoors, ToolCall
from read_targets.preferences import Preference

from .tabs import Tab, open_tab, post


def test_a_click_runs_the_command_and_answers_the_envelope(tab: Tab, tenant: Tenant) -> None:
    answer = tab.click("select_tenant", object=str(tenant.pk))
    assert answer.status_code == 200
    told = answer.json()
    assert (told["success"], told["outcome"], told["command"]) == (True, "READY", "select_tenant")
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


@pytest.mark.parametrize("nonce", [None, "", "abc", 7, "other"])
def test_without_the_pages_own_nonce_nothing_runs(
    tab: Tab, tenant: Tenant, browser_of_clerk: Client, nonce: Any
) -> None:
    if nonce == "other":
        nonce = open_tab(browser_of_clerk).told["nonce"]
    answer = tab.click("select_tenant", object=str(tenant.pk), nonce=nonce)
    assert (answer.status_code, answer.json()["code"]) == (403, "read_targets.click_not_proven")
    assert "Please try once more" in answer.json()["reasons"][0]
    assert not CommandRun.objects.exists()
    assert tab.session.version == 1


def test_a_page_that_is_open_for_a_day_gets_another_nonce(
    tab: Tab, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 24 * 3600 + 60)
    assert tab.click("select_tenant", object=str(tenant.pk)).status_code == 403
    fresh = tab.news(0, "&parts=1").json()["nonce"]
    assert tab.click("select_tenant", object=str(tenant.pk), nonce=fresh).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_request_from_elsewhere_is_no_click(tab: Tab, tenant: Tenant, site: str) -> None:
    body = {"nonce": tab.told["nonce"], "object": str(tenant.pk)}
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
