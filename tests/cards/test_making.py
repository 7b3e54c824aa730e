"""What a tool leaves behind for the person: versions of a workspace, and cards."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from read_targets.agent.tokens import create_token
from read_targets.cards.addresses import ForeignAddress
from read_targets.cards.making import workspace_name
from read_targets.cards.models import Card, Workspace, WorkspaceVersion
from read_targets.lists import writing
from read_targets.models import Preference

from .conftest import KEY, call_of, card_of, content, screen, workspace


def test_a_workspace_and_its_card(clerk: User) -> None:
    token, _ = create_token(clerk, "Helper")
    facts = workspace(clerk, token).to_json()
    assert facts == {
        "id": facts["id"],
        "kind": "workspace",
        "icon": "table_view",
        "label": "Was im Oktober geschah",
        "url": "/desk/workspaces/stories/1",
        "workspace": {"name": "stories", "version": 1, "contents": {"tables": 2, "charts": 1, "metrics": 2}},
    }
    card = Card.objects.get(pk=facts["id"])
    assert (card.user, card.token, card.agent, card.source) == (clerk, token, "Helper", KEY)
    assert card.verdict == Card.Verdict.WAITING
    version = WorkspaceVersion.objects.get()
    assert version.content["rows"] == content()["rows"]
    assert (version.arguments, version.time_zone) == ({"from": "2026-10-01"}, "Asia/Seoul")


def test_without_a_title_the_card_is_named_by_the_list_and_its_rows_in_the_persons_language(clerk: User) -> None:
    Preference.objects.create(user=clerk, language="ko")
    assert workspace(clerk, title="").label == "입출금 · 3"
    assert workspace(clerk, title="", content=content(total=None)).label == "입출금"


def test_the_same_name_again_is_the_next_version_and_all_stay(clerk: User) -> None:
    for number in (1, 2, 3):
        assert workspace(clerk).workspace.version == number
    assert list(Workspace.objects.get().versions.values_list("number", flat=True)) == [3, 2, 1]
    assert set(Card.objects.values_list("version__number", flat=True)) == {1, 2, 3}


def test_the_name_is_the_persons_own(clerk: User, person: Any) -> None:
    assert workspace(clerk).workspace.version == 1
    assert workspace(person("analyst")).workspace.version == 1


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("October expenses", "october-expenses"),
        ("입출금 10월", "입출금-10월"),
        ("../../admin", "admin"),
        ("a/b?c#d%2F", "abcd2f"),
        ("\u202ename", "name"),
        ("", "ledger-cash-transactions"),
        ("***", "ledger-cash-transactions"),
        ("x" * 300, "x" * 80),
    ],
)
def test_a_name_becomes_a_part_of_an_address(name: str, kept: str) -> None:
    assert workspace_name(name, "ledger.cash-transactions") == kept


def test_every_name_leads_to_its_page(clerk: User, desk: Any, stories: Any) -> None:
    for name in ("입출금 10월", "October expenses", "Größe"):
        assert desk.get(workspace(clerk, name=name).url).status_code == 200


def test_titles_are_quoted_plainly_and_cut(clerk: User) -> None:
    facts = workspace(clerk, title="evil \u202e\x00" + "x" * 500)
    assert facts.label == f"evil {'x' * 74}…"
    assert WorkspaceVersion.objects.get().content["title"] == f"evil {'x' * 194}…"


def test_contents_without_groups(clerk: User) -> None:
    facts = workspace(clerk, content=content(groups=[], groupBy=None, metrics={}))
    assert facts.workspace.contents == {"tables": 1, "charts": 0, "metrics": 1}


def test_a_screen_is_offered_with_what_it_does_not_take(clerk: User) -> None:
    Preference.objects.create(user=clerk, language="ko")
    facts = screen(clerk).to_json()
    assert facts == {
        "id": facts["id"],
        "kind": "open-page",
        "icon": "open_in_new",
        "label": "입출금",
        "url": "/ledger/cash-transactions/?flow=EXPENSE",
        "applied": ["flow"],
        "notApplied": ["from"],
        "notAppliedLabels": ["부터"],
    }


def test_a_screen_elsewhere_is_not_offered(clerk: User) -> None:
    with pytest.raises(ForeignAddress):
        screen(clerk, href="//evil.example/")
    assert not Card.objects.exists()


def test_a_call_of_the_persons_own_names_no_agent(clerk: User) -> None:
    card = card_of(workspace(clerk))
    assert (card.token, card.agent) == (None, "")


def test_a_call_knows_its_card(clerk: User) -> None:
    call = call_of(clerk)
    assert call.actor.user == clerk
    assert card_of(workspace(clerk)).call is not None


@pytest.mark.django_db(transaction=True)
def test_versions_made_at_once_are_numbered_one_by_one(company: None) -> None:
    if connection.vendor == "sqlite" and "memory" in str(connection.settings_dict["NAME"]):
        pytest.skip("connections that share SQLite's memory do not wait for each other")
    clerk, failures = User.objects.get(username="clerk"), []

    def make() -> None:
        try:
            for _ in range(3):
                with writing():
                    workspace(clerk)
        except Exception as error:  # a thread's exception would be lost
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sorted(WorkspaceVersion.objects.values_list("number", flat=True)) == list(range(1, 13))
