"""Effects are numbered without gaps, fetched in order, and reported as shown only where that can be known."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from page_commands.live import effects
from page_commands.live.effects import add_effect, delivery_of
from page_commands.live.models import Effect, PageSession
from read_targets.agent import writing

from .servers import Servers
from .tabs import Tab, open_tab
from .writers import EACH, OPENERS, WRITERS


def add(key: Any, count: int = 1, kind: str = Effect.Kind.NAVIGATE) -> None:
    """Add effects to a session, under its lock as everybody does."""
    with writing():
        session = PageSession.objects.select_for_update().get(pk=key)
        for _ in range(count):
            add_effect(session, kind, {"href": f"/number/{session.last_seq + 1}/"})


def numbers(answer: Any) -> list[int]:
    return [effect["seq"] for effect in answer.json()["effects"]]


def test_a_tab_fetches_what_comes_after_the_one_it_saw(tab: Tab) -> None:
    add(tab.id, 3)
    assert numbers(tab.news()) == [1, 2, 3]
    told = tab.news(2).json()
    assert told["effects"] == [{"seq": 3, "kind": "navigate", "payload": {"href": "/number/3/"}}]
    assert told["seq"] == 3
    assert numbers(tab.news(3)) == []
    assert numbers(tab.news(99)) == []


def test_many_effects_come_in_portions(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effects, "MOST_FETCHED", 4)
    add(tab.id, 10)
    seen: list[int] = []
    while (got := tab.news(seen[-1] if seen else 0)) and numbers(got):
        assert got.json()["seq"] == 10
        seen += numbers(got)
        assert tab.session.fetched_seq == seen[-1]
    assert seen == list(range(1, 11))


@pytest.mark.parametrize(("kind", "has_parts"), [("state", True), ("card", True), ("navigate", False)])
def test_the_parts_come_with_effects_that_may_move_them(tab: Tab, kind: str, has_parts: bool) -> None:
    add(tab.id, kind=kind)
    assert ("parts" in tab.news().json()) is has_parts
    assert "parts" not in tab.news(1).json()
    assert "parts" in tab.news(1, "&parts=1").json()


def test_receipts_never_go_back_and_are_never_more_than_was_fetched(tab: Tab) -> None:
    add(tab.id, 3)
    tab.beat(3)
    assert (tab.session.fetched_seq, tab.session.shown_seq) == (0, 0)
    tab.news(0)
    assert (tab.session.fetched_seq, tab.session.shown_seq) == (3, 0)
    for shown, stored in ((2, 2), (1, 2), (0, 2), (3, 3), (99, 3), (2, 3)):
        assert tab.beat(shown).json() == {"seq": 3}
        assert tab.session.shown_seq == stored
    add(tab.id)
    tab.news(0)
    tab.news(2)
    assert tab.session.fetched_seq == 4


def test_delivery_is_none_then_delivered_then_shown(tab: Tab) -> None:
    add(tab.id, 2)
    assert delivery_of(tab.id, 2, 0) == "NONE"
    tab.news()
    assert delivery_of(tab.id, 2, 0) == "DELIVERED"
    tab.beat(1)
    assert (delivery_of(tab.id, 1, 0), delivery_of(tab.id, 2, 0)) == ("SHOWN", "DELIVERED")
    tab.beat(2)
    assert delivery_of(tab.id, 2, 0) == "SHOWN"
    assert delivery_of(uuid.uuid4(), 1, 0) == "NONE"


def test_delivery_waits_for_an_open_tab_and_not_for_a_closed_one(tab: Tab) -> None:
    add(tab.id)
    began = time.monotonic()
    assert delivery_of(tab.id, 1, 0.3) == "NONE"
    assert 0.3 <= time.monotonic() - began < 2
    PageSession.objects.filter(pk=tab.id).update(ended_at=tab.session.opened_at)
    began = time.monotonic()
    assert delivery_of(tab.id, 1, 30) == "NONE"
    assert time.monotonic() - began < 5


def test_what_is_rolled_back_leaves_no_gap(tab: Tab) -> None:
    add(tab.id)
    with transaction.atomic():
        session = PageSession.objects.select_for_update().get(pk=tab.id)
        assert add_effect(session, Effect.Kind.NAVIGATE) == 2
        transaction.set_rollback(True)
    add(tab.id)
    assert numbers(tab.news()) == [1, 2]


def test_after_a_reload_nothing_is_missing_that_was_not_shown(tab: Tab, browser_of_clerk: Client) -> None:
    add(tab.id, 3)
    tab.news()
    tab.beat(2)
    again = open_tab(browser_of_clerk, tab=tab.tab)
    assert (again.told["seq"], again.told["shown"]) == (3, 2)
    assert numbers(again.news(again.told["shown"])) == [3]


# With real transactions, on the database of the servers, since SQLite's own in memory takes no writers at once


def test_many_writers_at_once_leave_no_gap_and_no_double(two_servers: Servers) -> None:
    seen = json.loads(two_servers.run("from tests.live.writers import write_at_once; print(write_at_once())"))
    assert seen == list(range(1, WRITERS * EACH + 1))


def test_a_tab_that_opens_twice_at_once_has_one_session(two_servers: Servers) -> None:
    opened = json.loads(two_servers.run("from tests.live.writers import open_at_once; print(open_at_once())"))
    assert len(opened) == OPENERS
    assert len(set(opened)) == 1
