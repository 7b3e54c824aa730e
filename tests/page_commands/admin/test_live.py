"""Open pages and runs in the admin: looked at, never written, and of what they hold only the keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from page_commands.models import AgentCommand, CommandRun, Effect, PageSession

SignedIn = Callable[[str], Client]

SESSIONS = "/admin/page_commands/pagesession/"
RUNS = "/admin/page_commands/commandrun/"


@pytest.fixture
def session(command: AgentCommand, person: Callable[[str], User]) -> PageSession:
    """An open tab of the clerk."""
    return PageSession.objects.create(
        page=command.page,
        user=person("clerk"),
        browser="digest-of-a-sign-in",
        tab="tab-one",
        path="/factory/start/",
        title="A title with a name in it",
        channels={"tenant": "17"},
        views=[{"name": "card", "object": "17"}],
    )


@pytest.fixture
def run(session: PageSession, command: AgentCommand) -> CommandRun:
    """A run in it."""
    return CommandRun.objects.create(
        session=session,
        command=command,
        user=session.user,
        agent="helper",
        object_id="17",
        parameters={"note": "a secret word"},
        state=CommandRun.State.WAITING,
    )


def test_who_has_what_open_is_shown_by_keys_alone(signed_in: SignedIn, session: PageSession) -> None:
    client = signed_in("admin")
    listed = client.get(SESSIONS).content.decode()
    assert "clerk" in listed
    assert "Shop" in listed
    assert '<td class="field-state">open</td>' in listed
    html = client.get(f"{SESSIONS}{session.pk}/change/").content.decode()
    assert "tenant: 17" in html
    assert "/factory/start/" in html
    for hidden in ("A title with a name in it", "digest-of-a-sign-in", "tab-one"):
        assert hidden not in html


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ({}, "open"),
        ({"left_at": timezone.now()}, "left, may return"),
        ({"ended_at": timezone.now()}, "over"),
        ({"seen_at": timezone.now() - timezone.timedelta(hours=1)}, "over"),
    ],
)
def test_the_state_of_a_tab(signed_in: SignedIn, session: PageSession, facts: dict[str, Any], state: str) -> None:
    if "left_at" in facts:
        facts = {"left_at": timezone.now()}
    PageSession.objects.filter(pk=session.pk).update(**facts)
    assert f'<td class="field-state">{state}</td>' in signed_in("admin").get(SESSIONS).content.decode()


def test_what_was_run_is_shown_without_the_values_of_parameters(signed_in: SignedIn, run: CommandRun) -> None:
    client = signed_in("admin")
    listed = client.get(RUNS).content.decode()
    for said in ("Touch", "clerk", "helper", "waiting"):
        assert said in listed
    html = client.get(f"{RUNS}{run.pk}/change/").content.decode()
    assert "note" in html
    assert "a secret word" not in html


@pytest.mark.parametrize("kind", [SESSIONS, RUNS])
def test_nothing_is_written(signed_in: SignedIn, run: CommandRun, kind: str) -> None:
    client = signed_in("admin")
    key = run.session_id if kind == SESSIONS else run.pk
    before = list(PageSession.objects.values()), list(CommandRun.objects.values())
    assert client.get(f"{kind}add/").status_code == 403
    assert client.post(f"{kind}{key}/change/", {"state": "executed"}).status_code == 403
    assert client.post(f"{kind}{key}/delete/", {"post": "yes"}).status_code == 403
    client.post(kind, {"action": "delete_selected", "_selected_action": str(key), "post": "yes"})
    assert (list(PageSession.objects.values()), list(CommandRun.objects.values())) == before


@pytest.mark.parametrize("kind", [SESSIONS, RUNS])
def test_whoever_may_not_look_sees_nothing(
    signed_in: SignedIn, run: CommandRun, hire: Callable[..., User], kind: str
) -> None:
    hire("half", is_staff=True)
    assert signed_in("half").get(kind).status_code == 403
    hire("looker", "view_pagesession", "view_commandrun", is_staff=True)
    assert signed_in("looker").get(kind).status_code == 200


def test_effects_are_nobodys_to_look_at() -> None:
    assert not admin.site.is_registered(Effect)


@pytest.mark.parametrize("query", ["?q=clerk", "?q=touch", "?q=%00", "?q=17"])
def test_the_lists_are_searched(signed_in: SignedIn, run: CommandRun, query: str) -> None:
    client = signed_in("admin")
    assert client.get(f"{SESSIONS}{query}").status_code == 200
    assert client.get(f"{RUNS}{query}").status_code == 200
