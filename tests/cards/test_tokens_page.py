"""The person's own page of tokens: made once, told once, nobody else's, and ended at once."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client, override_settings
from django.urls import NoReverseMatch
from django.utils import timezone

from read_targets.agent.tokens import create_token, digest_of
from read_targets.models import AgentToken, Preference, ToolCall, Toolset
from tests.conftest import Agent

from .conftest import FORM, post

PAGE = "/desk/tokens"
GIVEN = {"name": "My agent", "days": "30", "reach": "all"}


def nonce_of(client: Client, action: str = PAGE) -> str:
    """The nonce in the form that leads there."""
    page = client.get(PAGE).content.decode()
    found = re.search(rf'action="{action}".*?name="nonce" value="([^"]+)"', page, re.DOTALL)
    assert found, f"the page has no form to {action}"
    return found.group(1)


def make(client: Client, headers: dict[str, str] = FORM, **fields: Any) -> Any:
    """Send the form of a new token as a browser does."""
    given: dict[str, Any] = {"nonce": nonce_of(client), **GIVEN, **fields}
    return client.post(PAGE, given, headers=headers)


def secret_in(response: Any) -> str:
    """The secret that the answer tells."""
    found = re.search(r'<code id="secret"[^>]*>(rt_[^<]+)</code>', response.content.decode())
    assert found
    return found.group(1)


def revoke(client: Client, token: AgentToken, headers: dict[str, str] = FORM, **fields: str) -> Any:
    """Send the form that revokes a token."""
    address = f"{PAGE}/{token.pk}/revoke"
    if "nonce" not in fields:
        fields["nonce"] = nonce_of(client, address)
    return post(client, address, fields, headers)


@pytest.fixture
def works(db: None) -> Toolset:
    toolset = Toolset.objects.create(key="works", label={"en": "The works"})
    toolset.entries.create(tool_key="factory.tenants")
    return toolset


def test_a_token_is_made_and_opens_the_tools_of_its_person(desk: Client, clerk: User) -> None:
    response = make(desk)
    assert response.status_code == 200
    token = AgentToken.objects.get()
    assert (token.user, token.name, token.all_toolsets, token.may_act) == (clerk, "My agent", True, False)
    assert token.expires_at is not None
    assert timedelta(days=29) < token.expires_at - timezone.now() <= timedelta(days=30)
    assert digest_of(secret_in(response)) == token.digest
    assert Agent(secret_in(response)).call("queryLedgerCashTransactions").status_code == 200
    assert "http://testserver/agent/tools" in response.content.decode()


def test_the_secret_is_told_once_and_kept_nowhere(desk: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        response = make(desk)
    secret = secret_in(response)
    assert response["Cache-Control"] == "private, no-store"
    assert response.content.decode().count(secret) == 1
    assert "Location" not in response
    for page in (PAGE, "/desk/", "/desk/calls", "/desk/settings"):
        assert secret not in desk.get(page).content.decode()
    assert secret not in caplog.text
    assert all(secret not in str(session.get_decoded()) for session in Session.objects.all())
    assert secret not in str(vars(AgentToken.objects.get()))
    assert AgentToken.objects.get().hint in desk.get(PAGE).content.decode()


def test_the_same_form_sent_again_makes_no_second_token(desk: Client) -> None:
    nonce = nonce_of(desk)
    first, again = make(desk, nonce=nonce), make(desk, nonce=nonce)
    assert (first.status_code, again.status_code) == (200, 400)
    assert "You have an open token of this name" in again.content.decode()
    assert secret_in(first) not in again.content.decode()
    assert AgentToken.objects.count() == 1
    revoke(desk, AgentToken.objects.get())
    assert make(desk).status_code == 200


def test_a_token_for_some_sets_of_tools_reaches_those_alone(desk: Client, works: Toolset) -> None:
    response = make(desk, reach="some", toolsets=[str(works.pk)], may_act="on")
    token = AgentToken.objects.get()
    assert (token.all_toolsets, list(token.toolsets.all()), token.may_act) == (False, [works], True)
    one = Agent(secret_in(response))
    assert one.call("queryFactoryTenants").status_code == 200
    assert one.call("queryLedgerCashTransactions").status_code == 403
    text = desk.get(PAGE).content.decode()
    assert "The works" in text
    assert "reads and acts" in text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": " "}, "This field is required."),
        ({"name": "x" * 61}, "at most 60 characters"),
        ({"days": "0"}, "greater than or equal to 1"),
        ({"days": "4000"}, "less than or equal to 3650"),
        ({"days": "x"}, "Enter a whole number."),
        ({"reach": ""}, "This field is required."),
        ({"reach": "some"}, "Choose at least one set."),
        ({"reach": "some", "toolsets": ["999999"]}, "Select a valid choice."),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_made(
    desk: Client, works: Toolset, fields: dict[str, Any], said: str
) -> None:
    response = make(desk, **fields)
    assert response.status_code == 400
    assert said in response.content.decode()
    assert not AgentToken.objects.exists()


def test_all_and_some_at_once_is_neither(desk: Client, works: Toolset) -> None:
    response = make(desk, toolsets=[str(works.pk)])
    assert response.status_code == 400
    assert "Choose either all" in response.content.decode()
    assert not AgentToken.objects.exists()


def test_what_it_reaches_is_never_taken_for_granted(desk: Client) -> None:
    radios = re.findall(r'<input type="radio"[^>]*>', desk.get(PAGE).content.decode())
    assert radios
    assert not [radio for radio in radios if "checked" in radio]


def test_sets_without_a_tool_of_the_person_are_not_offered(desk: Client, works: Toolset) -> None:
    hidden = Toolset.objects.create(key="hidden", label={"en": "Behind the scenes"})
    hidden.entries.create(tool_key="nothing.of-the-clerk")
    text = desk.get(PAGE).content.decode()
    assert "The works" in text
    assert "Behind the scenes" not in text
    assert make(desk, reach="some", toolsets=[str(hidden.pk)]).status_code == 400


@override_settings(READ_TARGETS={"MOST_TOKENS": 2})
def test_a_person_holds_so_many_open_tokens_and_no_more(desk: Client, clerk: User) -> None:
    old, _ = create_token(clerk, "old")
    AgentToken.objects.filter(pk=old.pk).update(expires_at=timezone.now() - timedelta(days=1))
    assert make(desk, name="one").status_code == 200
    assert make(desk, name="two").status_code == 200
    response = make(desk, name="three")
    assert response.status_code == 400
    assert "You hold 2 open tokens" in response.content.decode()
    revoke(desk, AgentToken.objects.get(name="one"))
    assert make(desk, name="three").status_code == 200


def test_a_revoked_token_is_refused_from_the_next_call_on(desk: Client, clerk: User) -> None:
    one = Agent(secret_in(make(desk)))
    assert one.tools().status_code == 200
    response = revoke(desk, AgentToken.objects.get())
    assert (response.status_code, response["Location"]) == (303, PAGE)
    assert one.tools().status_code == 401
    text = desk.get(PAGE).content.decode()
    assert "The token of My agent is revoked." in text
    assert "revoked " in text
    assert "/revoke" not in text


def test_nothing_of_another_persons_is_shown_or_revoked(desk: Client, signed_in: Any, person: Any) -> None:
    token, _ = create_token(person("analyst"), "The analyst's own")
    assert "analyst" not in desk.get(PAGE).content.decode()
    others = signed_in("analyst")
    nonce = nonce_of(others, f"{PAGE}/{token.pk}/revoke")
    assert revoke(desk, token, nonce=nonce).status_code == 403
    token.refresh_from_db()
    assert token.is_valid


def test_another_persons_token_and_none_read_the_same(
    desk: Client, person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, _ = create_token(person("analyst"), "The analyst's own")
    monkeypatch.setattr("read_targets.cards.token_pages.prove_click", lambda *_: None)
    theirs, nobodys = (post(desk, f"{PAGE}/{number}/revoke", {}, FORM) for number in (token.pk, 10**17))
    assert (theirs.status_code, nobodys.status_code) == (404, 404)
    without_csrf = [re.sub(r'value="[^"]*"', "", answer.content.decode()) for answer in (theirs, nobodys)]
    assert without_csrf[0] == without_csrf[1]
    token.refresh_from_db()
    assert token.is_valid


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {}])
def test_a_click_that_is_not_proven_makes_and_revokes_nothing(
    desk: Client, clerk: User, headers: dict[str, str]
) -> None:
    token, _ = create_token(clerk, "held")
    assert make(desk, headers).status_code == 403
    assert revoke(desk, token, headers).status_code == 403
    assert make(desk, nonce="nothing").status_code == 403
    assert revoke(desk, token, nonce=nonce_of(desk)).status_code == 403  # that of making
    assert AgentToken.objects.get().is_valid


def test_csrf_is_enforced(clerk: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(clerk, backend="django.contrib.auth.backends.ModelBackend")
    assert strict.post(PAGE, {**GIVEN, "nonce": nonce_of(strict)}, headers=FORM).status_code == 403
    assert not AgentToken.objects.exists()


def test_a_token_makes_no_token(desk: Client, agent: Any) -> None:
    one = agent("clerk")
    assert one.client.get(PAGE, headers=one.headers).status_code == 302  # to the page of signing in
    response = make(desk, {**FORM, **one.headers})
    assert response.status_code == 403
    assert AgentToken.objects.count() == 1


def test_the_page_is_nobodys_without_a_session(client: Client, db: None) -> None:
    response = client.get(PAGE)
    assert response.status_code == 302
    assert response["Location"].endswith(f"next={PAGE}")
    assert client.post(PAGE, GIVEN).status_code == 302
    assert not AgentToken.objects.exists()


def test_ended_tokens_are_listed_behind_and_not_for_ever(desk: Client, clerk: User) -> None:
    for place in range(25):
        create_token(clerk, f"agent {place}")
    AgentToken.objects.exclude(name="agent 3").update(revoked_at=timezone.now())
    names = re.findall(r"<bdi>(agent \d+)</bdi>", desk.get(PAGE).content.decode())
    assert names[0] == "agent 3"
    assert names[1:3] == ["agent 24", "agent 23"]
    assert len(names) == 21


def test_a_name_is_only_ever_text(desk: Client) -> None:
    make(desk, name="<script>alert(1)</script>")
    text = desk.get(PAGE).content.decode()
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


def test_the_page_says_that_the_agents_are_stopped(desk: Client, clerk: User) -> None:
    Preference.objects.create(user=clerk, agents_stopped=True)
    assert "Your agents are stopped" in desk.get(PAGE).content.decode()


def test_the_page_costs_a_fixed_number_of_statements(
    desk: Client, clerk: User, works: Toolset, django_assert_max_num_queries: Any
) -> None:
    desk.get(PAGE)
    with django_assert_max_num_queries(40) as few:
        desk.get(PAGE)
    for place in range(8):
        create_token(clerk, f"agent {place}", toolsets=[works])
    with django_assert_max_num_queries(len(few.captured_queries) + 1):
        desk.get(PAGE)


def test_a_401_says_where_a_token_is_made(client: Client, db: None) -> None:
    for headers in ({}, {"Authorization": "Bearer rt_nothing"}):
        answer = client.get("/agent/tools", headers=headers).json()
        assert PAGE in answer["error"]
    assert not ToolCall.objects.exists()


def test_without_the_persons_pages_whoever_runs_the_site_is_named(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(name: str) -> str:
        raise NoReverseMatch(name)

    monkeypatch.setattr("read_targets.agent.tokens.reverse", nowhere)
    answer = client.get("/agent/tools").json()
    assert "whoever runs this site" in answer["error"]
    assert PAGE not in answer["error"]
