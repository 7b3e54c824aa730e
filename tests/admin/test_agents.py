"""The doors in the admin: toolsets, tokens, preferences, the switch of every door, and what holds for every call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from read_targets.agent.models import AgentDoors, AgentToken, ToolLimit, Toolset
from read_targets.agent.tokens import create_token
from read_targets.models import Card, Workspace
from read_targets.preferences import Preference

from .pages import fields_of, text_of_page

SignedIn = Callable[[str], Client]

ADMIN = "/admin/read_targets/"


def text(response: Any) -> str:
    """The page as text."""
    return text_of_page(response)


def test_one_switch_closes_every_agent_door_and_opens_it_again(signed_in: SignedIn, agent: Callable[..., Any]) -> None:
    client, clerk = signed_in("admin"), agent("clerk")
    assert clerk.tools().status_code == 200
    page = client.get(f"{ADMIN}agentdoors/", follow=True)
    assert "closes every agent door at once" in text(page)
    client.post(page.redirect_chain[-1][0], {"reason": "Inventory"})
    assert clerk.tools().status_code == 403
    assert clerk.call("queryLedgerCashTransactions").json()["code"] == "read_targets.doors_closed"

    page = client.get(f"{ADMIN}agentdoors/", follow=True)
    assert "Inventory" in text(page)
    client.post(page.redirect_chain[-1][0], {"is_open": "on", "reason": ""})
    assert clerk.tools().status_code == 200
    assert AgentDoors.objects.count() == 1
    assert LogEntry.objects.filter(content_type__model="agentdoors").count() == 2


def test_there_is_no_second_switch_and_none_is_taken_away(signed_in: SignedIn) -> None:
    AgentDoors.objects.update_or_create(pk=1, defaults={"is_open": False})
    client = signed_in("admin")
    assert client.get(f"{ADMIN}agentdoors/add/").status_code == 403
    assert client.post(f"{ADMIN}agentdoors/1/delete/", {"post": "yes"}).status_code == 403
    assert AgentDoors.objects.get().is_open is False


def test_looking_at_the_switch_makes_none(signed_in: SignedIn) -> None:
    AgentDoors.objects.all().delete()
    response = signed_in("admin").get(f"{ADMIN}agentdoors/", follow=True)
    assert response.status_code == 200
    assert not AgentDoors.objects.exists()


def test_a_toolset_is_put_together_from_the_tools_that_there_are(
    signed_in: SignedIn, agent: Callable[..., Any]
) -> None:
    client = signed_in("admin")
    page = client.get(f"{ADMIN}toolset/add/")
    assert '<option value="ledger.cash-transactions">' in text(page)
    fields = {
        **fields_of(page, "toolset_form"),
        "key": "books",
        "label_en": "Books",
        "entries-0-tool_key": "ledger.cash-transactions",
    }
    assert client.post(f"{ADMIN}toolset/add/", fields).status_code == 302
    books = Toolset.objects.get(key="books")
    assert [entry.tool_key for entry in books.entries.all()] == ["ledger.cash-transactions"]
    assert books.label == {"en": "Books"}
    tools = agent("clerk", toolsets=[books]).tools().json()
    assert "queryLedgerCashTransactions" in str(tools)
    assert "queryDrillingWells" not in str(tools)


def test_a_toolset_of_tools_that_are_not_there_is_refused(signed_in: SignedIn) -> None:
    client = signed_in("admin")
    fields = fields_of(client.get(f"{ADMIN}toolset/add/"), "toolset_form")
    response = client.post(f"{ADMIN}toolset/add/", {**fields, "key": "books", "entries-0-tool_key": "no.such"})
    assert "There are no tools of the key no.such." in text(response)
    assert not Toolset.objects.exists()


def test_a_stored_entry_whose_tools_are_gone_stays_and_says_so(signed_in: SignedIn) -> None:
    books = Toolset.objects.create(key="books")
    books.entries.create(tool_key="no.such")
    client = signed_in("admin")
    address = f"{ADMIN}toolset/{books.pk}/change/"
    page = client.get(address)
    assert "no.such (not there)" in text(page)
    assert client.post(address, fields_of(page, "toolset_form")).status_code == 302
    assert books.entries.get().tool_key == "no.such"


@pytest.fixture
def token(person: Callable[[str], User]) -> tuple[AgentToken, str]:
    """A token of the clerk's, with its secret."""
    return create_token(person("clerk"), "ledger helper")


def test_a_token_is_looked_at_and_its_secret_never_seen(signed_in: SignedIn, token: tuple[AgentToken, str]) -> None:
    stored, secret = token
    client = signed_in("admin")
    for address in (f"{ADMIN}agenttoken/", f"{ADMIN}agenttoken/{stored.pk}/change/"):
        html = text(client.get(address))
        assert "ledger helper" in html
        assert stored.hint in html
        assert secret not in html
        assert stored.digest not in html


def test_a_token_is_revoked_and_nothing_else(
    signed_in: SignedIn, token: tuple[AgentToken, str], client: Client
) -> None:
    stored, secret = token
    admin = signed_in("admin")
    assert admin.get(f"{ADMIN}agenttoken/add/").status_code == 403
    admin.post(f"{ADMIN}agenttoken/{stored.pk}/change/", {"may_act": "on"})
    assert not AgentToken.objects.get().may_act
    LogEntry.objects.all().delete()
    assert admin.post(f"{ADMIN}agenttoken/{stored.pk}/delete/", {"post": "yes"}).status_code == 403
    headers = {"Authorization": f"Bearer {secret}"}
    assert client.get("/agent/tools", headers=headers).status_code == 200
    admin.post(f"{ADMIN}agenttoken/", {"action": "revoke_tokens", "_selected_action": [stored.pk]})
    assert client.get("/agent/tools", headers=headers).status_code == 401
    stored.refresh_from_db()
    assert stored.revoked_at is not None
    assert LogEntry.objects.get().object_id == str(stored.pk)


def test_who_may_only_look_at_tokens_revokes_none(
    signed_in: SignedIn, token: tuple[AgentToken, str], person: Callable[[str], User]
) -> None:
    guest = person("guest")
    User.objects.filter(pk=guest.pk).update(is_staff=True)
    guest.user_permissions.add(Permission.objects.get(codename="view_agenttoken"))
    client = signed_in("guest")
    assert "ledger helper" in text(client.get(f"{ADMIN}agenttoken/"))
    client.post(f"{ADMIN}agenttoken/", {"action": "revoke_tokens", "_selected_action": [token[0].pk]})
    token[0].refresh_from_db()
    assert token[0].revoked_at is None


def test_tokens_are_searched(signed_in: SignedIn, token: tuple[AgentToken, str]) -> None:
    client = signed_in("admin")
    assert "ledger helper" in text(client.get(f"{ADMIN}agenttoken/", {"q": "clerk"}))
    assert "ledger helper" not in text(client.get(f"{ADMIN}agenttoken/", {"q": "analyst"}))


def test_what_holds_for_every_call_has_a_page_of_its_own(signed_in: SignedIn) -> None:
    AgentDoors.objects.all().delete()
    client = signed_in("admin")
    page = client.get(f"{ADMIN}callrules/", follow=True)
    address = page.redirect_chain[-1][0]
    assert "Keep the words searched for" in text(page)
    given = {**fields_of(page, "callrules_form"), "keeps_words": "on", "keep_calls_days": "30"}
    given |= {"calls_a_minute_of_person": "50", "tool_limits-TOTAL_FORMS": "1"}
    given |= {"tool_limits-0-tool": "queryLedgerAccounts", "tool_limits-0-calls_a_minute": "7"}
    assert client.post(address, given).status_code == 302
    row = AgentDoors.objects.get()
    held = (
        row.is_open,
        row.keeps_words,
        row.keep_calls_days,
        row.calls_a_minute_of_token,
        row.calls_a_minute_of_person,
    )
    assert held == (True, True, 30, None, 50)
    assert list(ToolLimit.objects.values_list("tool", "calls_a_minute")) == [("queryLedgerAccounts", 7)]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"keep_calls_days": "0"}, "greater than or equal to 1"),
        ({"keep_calls_days": ""}, "This field is required"),
        ({"calls_a_minute_of_token": "0"}, "greater than or equal to 1"),
        (
            {"tool_limits-TOTAL_FORMS": "1", "tool_limits-0-tool": "queryGone"},
            "There is no tool of the name queryGone.",
        ),
        ({"tool_limits-TOTAL_FORMS": "1", "tool_limits-0-tool": "click.select_tenant"}, "There is no tool of the name"),
    ],
    ids=["no day", "no days", "no calls", "no tool", "a button"],
)
def test_rules_that_do_not_fit_are_refused(signed_in: SignedIn, wrong: dict[str, str], said: str) -> None:
    AgentDoors.objects.get_or_create(pk=1)
    client = signed_in("admin")
    page = client.get(f"{ADMIN}callrules/1/change/")
    response = client.post(f"{ADMIN}callrules/1/change/", {**fields_of(page, "callrules_form"), **wrong})
    assert response.status_code == 200
    assert said in text(response)
    assert not ToolLimit.objects.exists()


def test_the_switch_and_the_rules_leave_each_other_alone(signed_in: SignedIn) -> None:
    AgentDoors.objects.update_or_create(pk=1, defaults={"is_open": False, "reason": "Inventory", "keep_calls_days": 7})
    client = signed_in("admin")
    page = client.get(f"{ADMIN}callrules/1/change/")
    given = {**fields_of(page, "callrules_form"), "keep_calls_days": "9"}
    AgentDoors.objects.update(is_open=True)
    assert client.post(f"{ADMIN}callrules/1/change/", given).status_code == 302
    row = AgentDoors.objects.get()
    assert (row.is_open, row.reason, row.keep_calls_days) == (True, "Inventory", 9)
    client.post(f"{ADMIN}agentdoors/1/change/", {"reason": "Closed"})
    row = AgentDoors.objects.get()
    assert (row.is_open, row.reason, row.keep_calls_days) == (False, "Closed", 9)


def test_a_preference_is_of_the_languages_and_zones_that_there_are(
    signed_in: SignedIn, person: Callable[[str], User]
) -> None:
    client = signed_in("admin")
    said = {"user": person("clerk").pk, "time_zone": "Asia/Seoul", "language": "ko"}
    assert "is no time zone" in text(client.post(f"{ADMIN}preference/add/", {**said, "time_zone": "Seoul"}))
    assert client.post(f"{ADMIN}preference/add/", {**said, "language": "xx"}).status_code == 200
    assert client.post(f"{ADMIN}preference/add/", said).status_code == 302
    assert Preference.objects.get().language == "ko"


def test_what_holds_values_of_rows_is_not_in_the_admin(signed_in: SignedIn) -> None:
    client = signed_in("admin")
    for model in (Card, Workspace):
        assert client.get(f"{ADMIN}{model._meta.model_name}/").status_code == 404


@pytest.mark.parametrize(
    "address", ["", *(f"{name}/" for name in ("readtarget", "toolset", "agenttoken", "toolcall", "preference"))]
)
def test_nothing_is_there_for_people_who_are_no_staff(signed_in: SignedIn, address: str) -> None:
    assert signed_in("clerk").get(f"{ADMIN}{address}").status_code == 302
