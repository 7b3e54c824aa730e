"""A session is one tab's: it begins when the page opens, goes on over a reload, and ends in every way a page can."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from page_commands.live.models import MISSED, RETURN_WITHIN, Effect, PageSession
from page_commands.live.sessions import end_sessions, open_sessions
from page_commands.live.state import show_view, write_channel
from page_commands.models import Page
from project.demo.factory.models import Tenant

from .tabs import START, Tab, ask_to_open, open_tab, ticket_at


def put(tab: Tab, tenant: Tenant) -> None:
    """Put a tenant on its channel, and show the form of a connection for it."""
    with transaction.atomic():
        session = PageSession.objects.select_for_update().get(pk=tab.id)
        write_channel(session, session.page.channels.get(name="tenant"), tenant)
        show_view(session, session.page.views.get(name="connection_form"), tenant, None)


def age(tab: Tab, **fields: timedelta) -> None:
    """Let moments of the session lie further back."""
    session = tab.session
    PageSession.objects.filter(pk=tab.id).update(
        **{name: (getattr(session, name) or timezone.now()) - by for name, by in fields.items()}
    )


def ended(tab: Tab) -> bool:
    """Whether the session has ended, and its tab is told so once."""
    told = tab.session.effects.filter(kind=Effect.Kind.ENDED).count()
    assert told == (tab.session.ended_at is not None)
    return bool(told)


def test_opening_answers_all_that_the_tab_shows(tab: Tab, clerk: User) -> None:
    assert set(tab.told) == {"id", "nonce", "visit", "seq", "shown", "version", "parts"}
    assert set(tab.told["parts"]) == {"commands", "cards", "views"}
    assert (tab.told["seq"], tab.told["shown"], tab.told["version"], tab.told["visit"]) == (0, 0, 1, 1)
    session = tab.session
    assert (session.user, session.page.key, session.path, session.title) == (clerk, "factory.start", START, "Factory")
    assert [one.pk for one in open_sessions(clerk)] == [session.pk]


def test_a_reload_is_the_same_session_with_what_it_holds_and_shows(
    tab: Tab, tenant: Tenant, browser_of_clerk: Client
) -> None:
    put(tab, tenant)
    assert tab.leave().status_code == 204
    again = open_tab(browser_of_clerk, tab=tab.tab)
    assert again.id == tab.id
    assert again.told["visit"] == 2
    assert again.told["version"] == 3
    assert [view["name"] for view in again.told["parts"]["views"]] == ["tenant_facts", "connection_form"]
    assert tenant.name in again.told["parts"]["views"][1]["html"]
    assert again.session.is_open
    assert not ended(tab)


def test_word_of_leaving_that_comes_after_the_reload_changes_nothing(tab: Tab, browser_of_clerk: Client) -> None:
    again = open_tab(browser_of_clerk, tab=tab.tab)
    assert tab.leave().status_code == 204
    assert again.session.is_open
    assert again.leave().status_code == 204
    assert not again.session.is_open


def test_a_page_that_was_left_is_closed_and_may_return_for_a_while(
    tab: Tab, clerk: User, browser_of_clerk: Client
) -> None:
    tab.leave()
    assert open_sessions(clerk) == []
    assert tab.news().status_code == 404
    age(tab, left_at=RETURN_WITHIN)
    again = open_tab(browser_of_clerk, tab=tab.tab)
    assert again.id != tab.id
    assert ended(tab)


@pytest.mark.parametrize("path", ["/factory/start/?of=2026", "/factory/projects/{project}/"])
def test_another_page_under_the_tab_ends_the_session(
    tab: Tab, tenant: Tenant, browser_of_clerk: Client, project: int, path: str
) -> None:
    put(tab, tenant)
    other = open_tab(browser_of_clerk, path.format(project=project), tab=tab.tab)
    assert other.id != tab.id
    assert ended(tab)
    assert tab.news().status_code == 404
    assert (other.session.channels, other.session.views, other.session.version) == ({}, [], 1)


@pytest.fixture
def project(clerk: User) -> int:
    from project.demo.factory.models import Project
    from read_targets.policies import permitted

    return (
        permitted(clerk, "factory.view_project", Project.objects.all()).order_by("pk").values_list("pk", flat=True)[0]
    )


def test_two_tabs_are_two_sessions(tab: Tab, clerk: User, tenant: Tenant, browser_of_clerk: Client) -> None:
    other = open_tab(browser_of_clerk)
    put(tab, tenant)
    assert [str(one.pk) for one in open_sessions(clerk)] == [tab.id, other.id]
    assert other.session.version == 1
    assert other.news().json()["effects"] == []


def test_the_same_tab_of_another_browser_is_another_session(tab: Tab, signed_in: Callable[[str], Client]) -> None:
    other = open_tab(signed_in("clerk"), tab=tab.tab)
    assert other.id != tab.id
    assert tab.session.is_open


def test_a_session_ends_after_ninety_seconds_of_silence(tab: Tab, clerk: User, browser_of_clerk: Client) -> None:
    assert timedelta(seconds=90) == MISSED
    age(tab, seen_at=MISSED - timedelta(seconds=5))
    assert [str(one.pk) for one in open_sessions(clerk)] == [tab.id]
    assert tab.beat().status_code == 200
    age(tab, seen_at=MISSED + timedelta(seconds=1))
    assert open_sessions(clerk) == []
    assert (tab.news().status_code, tab.beat().status_code) == (404, 404)
    again = open_tab(browser_of_clerk, tab=tab.tab)
    assert again.id != tab.id
    assert ended(tab)


def test_a_beat_keeps_the_session_without_changing_its_version(tab: Tab) -> None:
    age(tab, seen_at=timedelta(seconds=80))
    before = tab.session
    assert tab.beat().json() == {"seq": 0}
    after = tab.session
    assert after.seen_at > before.seen_at
    assert after.version == before.version


def test_signing_out_ends_every_session_of_the_browser_and_of_no_other(
    tab: Tab, browser_of_clerk: Client, signed_in: Callable[[str], Client]
) -> None:
    second, elsewhere = open_tab(browser_of_clerk), open_tab(signed_in("clerk"))
    browser_of_clerk.post("/accounts/logout/")
    assert ended(tab)
    assert ended(second)
    assert not ended(elsewhere)
    assert elsewhere.session.is_open
    assert tab.session.effects.get().payload == {"signed_out": True}


def test_a_person_made_inactive_has_no_open_page(tab: Tab, clerk: User) -> None:
    User.objects.filter(pk=clerk.pk).update(is_active=False)
    clerk.refresh_from_db()
    assert open_sessions(clerk) == []
    assert tab.news().status_code == 403
    assert ask_to_open(tab.client, "any").status_code == 403
    assert ended(tab)


def test_a_disabled_page_closes_its_sessions(tab: Tab, clerk: User, start: Page) -> None:
    ticket = ticket_at(tab.client)
    Page.objects.filter(pk=start.pk).update(enabled=False)
    assert open_sessions(clerk) == []
    assert (tab.news().status_code, tab.beat().status_code) == (404, 404)
    assert ask_to_open(tab.client, ticket, tab.tab).status_code == 403


def test_ending_is_told_once(tab: Tab) -> None:
    for _ in range(2):
        end_sessions(PageSession.objects.filter(pk=tab.id))
    assert ended(tab)
    assert tab.session.last_seq == 1


def test_the_title_is_made_plain_and_short(browser_of_clerk: Client) -> None:
    title = "Fac\u202etory\n" + "x" * 400
    answer = ask_to_open(browser_of_clerk, ticket_at(browser_of_clerk), title=title)
    stored = PageSession.objects.get(pk=answer.json()["id"]).title
    assert stored.startswith("Factory xxx")
    assert len(stored) == 200
