"""An open page is its person's, in the browser that opened it; for all others it is not there and stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.test import Client

from page_commands.live.models import PageSession
from page_commands.live.sessions import end_sessions
from page_commands.models import CommandRun
from project.demo.factory.models import Tenant
from read_targets.agent.tokens import create_token

from .tabs import START, Tab, ask_to_open, open_tab, post, ticket_at

Speak = Callable[[Client, Tab], Any]

SPEAKING: dict[str, Speak] = {
    "news": lambda client, tab: client.get(f"{tab.address}?after=0&parts=1"),
    "beat": lambda client, tab: post(client, f"{tab.address}/beat", {"shown": 0}),
    "leave": lambda client, tab: client.post(f"{tab.address}/leave", {"visit": tab.told["visit"]}),
    "command": lambda client, tab: post(
        client,
        f"{tab.address}/commands/select_tenant",
        {"version": tab.told["version"], "nonce": tab.told["button"], "object": "1"},
    ),
}


@pytest.fixture
def tab(tab: Tab) -> Tab:
    """The clerk's tab, which remembers the nonce of a button in a row."""
    tab.told["button"] = tab.nonce("select_tenant", "1")
    return tab


@pytest.fixture(params=SPEAKING)
def speak(request: pytest.FixtureRequest) -> Speak:
    return SPEAKING[request.param]


def unchanged(tab: Tab) -> bool:
    """Whether the session is as it was when it opened, and nothing ran."""
    session = tab.session
    return session.is_open and (session.last_seq, session.version) == (0, 1) and not CommandRun.objects.exists()


def test_the_person_reaches_their_tab(speak: Speak, tab: Tab) -> None:
    assert speak(tab.client, tab).status_code in (200, 204)


@pytest.mark.parametrize("slash", ["", "/"])
def test_every_address_answers_with_and_without_its_slash(tab: Tab, slash: str) -> None:
    client, address = tab.client, tab.address
    assert client.get(f"{address}{slash}").status_code == 200
    assert post(client, f"{address}/beat{slash}", {"shown": 0}).status_code == 200
    click = {"version": 1, "nonce": tab.told["nonce"]}
    assert post(client, f"{address}/commands/nothing{slash}", click).status_code == 403
    assert client.post(f"{address}/leave{slash}", {"visit": 0}).status_code == 204
    assert post(client, f"/pages/sessions{slash}", {}).status_code == 400
    assert client.get(f"/pages/stream{slash}").status_code == 204


def test_nobody_signed_in_reaches_it(speak: Speak, tab: Tab) -> None:
    assert speak(Client(), tab).status_code == 403
    assert unchanged(tab)


@pytest.mark.parametrize("name", ["clerk", "admin", "guest"])
def test_nobody_in_another_browser_reaches_it(
    speak: Speak, tab: Tab, signed_in: Callable[[str], Client], name: str
) -> None:
    assert speak(signed_in(name), tab).status_code == 404
    assert unchanged(tab)


def test_another_person_in_the_same_browser_does_not_reach_it(speak: Speak, tab: Tab, person: Any) -> None:
    PageSession.objects.filter(pk=tab.id).update(user=person("analyst"))
    assert speak(tab.client, tab).status_code == 404
    assert unchanged(tab)


def test_a_token_does_not_reach_it_with_or_without_the_session(speak: Speak, tab: Tab, clerk: User) -> None:
    _, secret = create_token(clerk, "agent", may_act=True)
    headers = {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
    alone, beside = Client(**headers), Client(**headers)
    beside.cookies = tab.client.cookies
    assert speak(alone, tab).status_code == 403
    assert speak(beside, tab).status_code == 403
    assert unchanged(tab)


def test_nobody_reaches_one_that_has_ended_or_never_was(speak: Speak, tab: Tab) -> None:
    end_sessions(PageSession.objects.filter(pk=tab.id))
    assert speak(tab.client, tab).status_code == 404
    for unknown in ("00000000-0000-0000-0000-000000000000", "abc", "-"):
        assert speak(tab.client, Tab(tab.client, tab.tab, {**tab.told, "id": unknown})).status_code == 404


def test_one_that_was_left_takes_only_its_last_words(tab: Tab) -> None:
    tab.leave()
    statuses = {name: speak(tab.client, tab).status_code for name, speak in SPEAKING.items()}
    assert statuses == {"news": 404, "beat": 200, "leave": 204, "command": 404}


@pytest.mark.parametrize("name", ["beat", "leave", "command"])
def test_without_a_csrf_token_nothing_is_done(tab: Tab, name: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = tab.client.cookies
    assert SPEAKING[name](strict, tab).status_code == 403
    assert ask_to_open(strict, ticket_at(strict)).status_code == 403
    assert unchanged(tab)
    assert PageSession.objects.count() == 1


def test_no_cache_keeps_any_answer(speak: Speak, tab: Tab, signed_in: Callable[[str], Client]) -> None:
    for client in (signed_in("guest"), tab.client):
        control = speak(client, tab).headers["Cache-Control"]
        assert {part.strip() for part in control.split(",")} == {"private", "no-store"}


# Tickets


def test_a_ticket_opens_its_page_and_no_other_address(tab: Tab) -> None:
    assert (tab.session.page.key, tab.session.path) == ("factory.start", START)


def test_a_ticket_is_no_ones_but_the_persons_in_that_browser(
    browser_of_clerk: Client, signed_in: Callable[[str], Client]
) -> None:
    ticket = ticket_at(browser_of_clerk)
    for name in ("clerk", "admin"):
        assert ask_to_open(signed_in(name), ticket).status_code == 403
    assert PageSession.objects.count() == 0


@pytest.mark.parametrize("ticket", [None, "", "abc", "a:b:c", 7, ["a"], "\ud800"])
def test_a_forged_ticket_opens_nothing(browser_of_clerk: Client, ticket: Any) -> None:
    browser_of_clerk.get(START)
    assert ask_to_open(browser_of_clerk, ticket).status_code == 403
    assert PageSession.objects.count() == 0


def test_a_ticket_signed_for_something_else_opens_nothing(tab: Tab, clerk: User) -> None:
    facts = ["factory.start", str(clerk.pk), tab.session.browser, START]
    assert ask_to_open(tab.client, signing.dumps(facts, salt="something else")).status_code == 403


def test_a_ticket_is_good_for_a_day(browser_of_clerk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = ticket_at(browser_of_clerk)
    now = signing.time.time()
    monkeypatch.setattr(signing.time, "time", lambda: now + 24 * 3600 + 1)
    assert ask_to_open(browser_of_clerk, ticket).status_code == 403
    monkeypatch.setattr(signing.time, "time", lambda: now + 24 * 3600 - 60)
    assert ask_to_open(browser_of_clerk, ticket).status_code == 200


# What does not fit


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'"x"', b"\xff", b'{"tab": NaN}', b"[" * 100, b'{"x":' * 100, b"x" * 3_000_000]
)
def test_what_is_no_json_object_is_answered_in_json(tab: Tab, body: bytes) -> None:
    for path in ("/pages/sessions", f"{tab.address}/beat", f"{tab.address}/commands/select_tenant"):
        answer = tab.client.post(path, body, "application/json")
        assert answer.status_code == 400
        assert answer.json()["error"]
    assert unchanged(tab)


@pytest.mark.parametrize("tab_id", ["short", "x" * 65, 7, "ünïcödé-tab", "with\nnewline", ""])
def test_a_tab_says_a_plain_id(browser_of_clerk: Client, tab_id: Any) -> None:
    body = {"ticket": ticket_at(browser_of_clerk), "tab": tab_id}
    assert post(browser_of_clerk, "/pages/sessions", body).status_code == 400


@pytest.mark.parametrize("number", ["-1", "x", "1.5", "", "9" * 30, "²"])
def test_numbers_of_effects_are_read_strictly(tab: Tab, number: str) -> None:
    assert tab.news(number).status_code == 400
    assert tab.beat(number).status_code == 400
    assert tab.leave(number).status_code == 400


@pytest.mark.parametrize("shown", [True, None, [], {}, 1.5])
def test_a_beat_says_a_number(tab: Tab, shown: Any) -> None:
    assert tab.beat(shown).status_code == 400


def test_the_live_page_of_another_person_says_nothing_of_theirs(
    tab: Tab, tenant: Tenant, signed_in: Callable[[str], Client]
) -> None:
    tab.click("select_tenant", object=str(tenant.pk))
    other = open_tab(signed_in("admin"))
    assert other.told["parts"]["views"] == []
