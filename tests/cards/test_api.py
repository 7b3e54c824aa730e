"""The list of cards: the person's own, or those that a token made."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from read_targets.agent.tokens import create_token
from read_targets.cards.api import MOST_LISTED
from read_targets.cards.models import Card
from read_targets.cards.sources import Required
from read_targets.models import AgentDoors, Preference

from .conftest import Stories, screen, workspace


def listed(client: Client, **headers: str) -> list[dict[str, Any]]:
    answer = client.get("/agent/cards", headers=headers).json()
    cards: list[dict[str, Any]] = answer["cards"]
    return cards


def test_the_persons_cards_newest_first_as_the_contract_tells_them(desk: Client, clerk: User, stories: Stories) -> None:
    token, _ = create_token(clerk, "Helper")
    first, second = workspace(clerk, token), screen(clerk)
    newest, oldest = listed(desk)
    assert (newest["id"], oldest["id"]) == (second.id, first.id)
    moments = {name: oldest.pop(name) for name in ("createdAt", "expiresAt")}
    assert all(moment.endswith("Z") for moment in moments.values())
    assert oldest == {
        "id": first.id,
        "kind": "workspace",
        "icon": "table_view",
        "label": "Cash transactions",
        "url": "/desk/workspaces/stories/1",
        "workspace": {"name": "stories", "version": 1, "contents": {"tables": 2, "charts": 1, "metrics": 2}},
        "title": "Was im Oktober geschah",
        "agent": "Helper",
        "source": "stories",
        "verdict": "waiting",
        "code": "",
        "dismissed": False,
    }
    assert newest["notAppliedLabels"] == ["From"]


def test_a_token_reads_what_it_made_and_nothing_else(desk: Client, clerk: User, stories: Stories) -> None:
    token, secret = create_token(clerk, "Helper")
    other, other_secret = create_token(clerk, "Other")
    mine, _theirs, _own = screen(clerk, token), screen(clerk, other), screen(clerk)
    assert [card["id"] for card in listed(desk, Authorization=f"Bearer {secret}")] == [mine.id]
    assert len(listed(Client(), Authorization=f"Bearer {other_secret}")) == 1
    assert len(listed(desk)) == 3


def test_anothers_cards_are_not_listed(desk: Client, person: Any, stories: Stories) -> None:
    screen(person("analyst"))
    assert listed(desk) == []


def test_a_card_behind_a_closed_door_is_not_listed(desk: Client, clerk: User, stories: Stories) -> None:
    workspace(clerk)
    stories.required = Required("ledger.view_cashtransaction", "it")
    assert listed(desk) == []


def test_the_list_is_private_and_says_where_there_is_more(desk: Client, clerk: User, stories: Stories) -> None:
    for _ in range(MOST_LISTED + 1):
        screen(clerk)
    response = desk.get("/agent/cards")
    assert response["Cache-Control"] == "private, no-store"
    assert response.json()["hasMore"] is True
    assert len(response.json()["cards"]) == MOST_LISTED
    Card.objects.first().delete()  # type: ignore[union-attr]
    assert desk.get("/agent/cards/").json()["hasMore"] is False


def test_a_stale_card_is_listed_as_expired(desk: Client, clerk: User, stories: Stories) -> None:
    screen(clerk)
    Card.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert listed(desk)[0]["verdict"] == "expired"


def test_labels_are_in_the_persons_language(desk: Client, clerk: User, stories: Stories) -> None:
    Preference.objects.create(user=clerk, language="ko")
    screen(clerk)
    assert listed(desk)[0]["label"] == "입출금"


def test_a_stopped_agent_reads_no_cards_and_the_person_does(desk: Client, clerk: User, stories: Stories) -> None:
    token, secret = create_token(clerk, "Helper")
    screen(clerk, token)
    headers = {"Authorization": f"Bearer {secret}"}
    Preference.objects.create(user=clerk, agents_stopped=True)
    assert desk.get("/agent/cards", headers=headers).json()["code"] == "read_targets.agents_stopped"
    Preference.objects.all().delete()
    AgentDoors(is_open=False).save()
    assert desk.get("/agent/cards", headers=headers).json()["code"] == "read_targets.doors_closed"
    assert len(listed(desk)) == 1


def test_nobody_reads_nothing(db: None) -> None:
    assert Client().get("/agent/cards").status_code == 401


def test_the_list_costs_the_same_for_many_cards(
    desk: Client, clerk: User, stories: Stories, django_assert_max_num_queries: Any
) -> None:
    for _ in range(40):
        workspace(clerk)
    with django_assert_max_num_queries(5):
        listed(desk)


@pytest.mark.parametrize("verb", ["open", "decide"])
def test_a_click_is_a_post_and_never_redirected(desk: Client, clerk: User, stories: Stories, verb: str) -> None:
    card = screen(clerk)
    for slash in ("", "/"):
        assert desk.get(f"/agent/cards/{card.id}/{verb}{slash}").status_code == 405
        assert desk.post(f"/agent/cards/{card.id}/{verb}{slash}", "{}", "application/json").status_code == 403
