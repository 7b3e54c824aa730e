"""The hub passes each ring to the streams of its browser, once, and hears nothing of what is rolled back."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from page_commands.live import hub as hubs
from page_commands.live.effects import add_effect
from page_commands.live.hub import Ear, Hub
from page_commands.live.models import Effect, PageSession
from page_commands.live.rings import Ring, ring_in

from .tabs import Tab

SOON = 2.0
MINE, OTHER = "a" * 64, "b" * 64


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Hub:
    """A hub whose thread hears nothing of its own, so that only what the test says is heard."""
    monkeypatch.setattr(Hub, "_run", lambda self: None)
    return Hub()


def test_a_ring_reads_as_it_is_written() -> None:
    for ring in (Ring(MINE, "session", 7), Ring(OTHER, "session", 0, is_end=True)):
        assert ring_in(ring.written()) == ring


@pytest.mark.parametrize("payload", ["", "a", "a b", "a b c ring", "a b -1 ring", "a b 1 ring more", "a b ² ring"])
def test_what_others_write_is_no_ring(payload: str) -> None:
    assert ring_in(payload) is None


def test_only_the_browsers_own_streams_hear_it(hub: Hub) -> None:
    async def listen() -> list[dict[str, int]]:
        with hub.ear(MINE) as mine, hub.ear(MINE) as too, hub.ear(OTHER) as other:
            hub.hear(Ring(MINE, "one", 1))
            return [await ear.listen(0.05) for ear in (mine, too, other)]

    assert asyncio.run(listen()) == [{"one": 1}, {"one": 1}, {}]


def test_rings_add_up_until_somebody_listens(hub: Hub) -> None:
    async def listen() -> list[dict[str, int]]:
        with hub.ear(MINE) as ear:
            for session, seq in (("one", 1), ("one", 3), ("one", 2), ("two", 1)):
                hub.hear(Ring(MINE, session, seq))
            return [await ear.listen(SOON), await ear.listen(0.05)]

    assert asyncio.run(listen()) == [{"one": 3, "two": 1}, {}]


def test_a_number_is_told_once_however_it_is_heard(hub: Hub) -> None:
    async def listen() -> list[dict[str, int]]:
        with hub.ear(MINE) as ear:
            hub.hear(Ring(MINE, "one", 2))
            first = await ear.listen(SOON)
            hub.hear(Ring(MINE, "one", 2))
            hub.hear(Ring(MINE, "one", 1))
            return [first, await ear.listen(0.05)]

    assert asyncio.run(listen()) == [{"one": 2}, {}]


def test_the_end_is_heard_even_with_a_number_that_is_known(hub: Hub) -> None:
    async def listen() -> bool:
        with hub.ear(MINE) as ear:
            hub.hear(Ring(MINE, "one", 2))
            await ear.listen(SOON)
            hub.hear(Ring(MINE, "one", 2, is_end=True))
            await ear.listen(SOON)
            return ear.is_over

    assert asyncio.run(listen())


def test_it_hears_from_any_thread(hub: Hub) -> None:
    async def listen() -> dict[str, int]:
        with hub.ear(MINE) as ear:
            thread = threading.Thread(target=hub.hear, args=(Ring(MINE, "one", 1),))
            waiting = asyncio.create_task(ear.listen(SOON))
            await asyncio.sleep(0)
            thread.start()
            return await waiting

    assert asyncio.run(listen()) == {"one": 1}


def test_nothing_is_kept_of_streams_that_are_gone(hub: Hub) -> None:
    async def listen() -> None:
        with hub.ear(MINE):
            with hub.ear(MINE):
                hub.hear(Ring(MINE, "one", 1))
            assert hub.browsers() == [MINE]
        hub.hear(Ring(MINE, "one", 2))

    asyncio.run(listen())
    assert hub.browsers() == []
    assert hub._known == {}


def test_of_more_than_a_few_streams_of_a_browser_the_oldest_is_cut(hub: Hub) -> None:
    async def listen() -> tuple[list[bool], dict[str, int], list[bool]]:
        with ExitStack() as stack:
            other = stack.enter_context(hub.ear(OTHER))
            ears = [stack.enter_context(hub.ear(MINE)) for _ in range(hubs.MOST_STREAMS + 1)]
            assert await ears[0].listen(SOON) == {}
            are_cut = [ear.is_cut for ear in (other, *ears)]
            hub.hear(Ring(MINE, "one", 1))
            return are_cut, await ears[0].listen(0.05), [bool(await ear.listen(SOON)) for ear in ears[1:]]

    are_cut, heard, others = asyncio.run(listen())
    assert are_cut == [False, True] + [False] * hubs.MOST_STREAMS
    assert heard == {}
    assert others == [True] * hubs.MOST_STREAMS
    assert hub.browsers() == []
    assert hub._known == {}


def test_a_stream_whose_loop_is_gone_stops_nobody_else(hub: Hub) -> None:
    async def ear_of_old() -> Ear:
        return Ear(MINE)

    old = asyncio.run(ear_of_old())

    async def listen() -> dict[str, int]:
        with hub.ear(MINE) as ear:
            hub._ears[MINE].insert(0, old)
            hub.hear(Ring(MINE, "one", 1))
            hub._ears[MINE].remove(old)
            return await ear.listen(SOON)

    assert asyncio.run(listen()) == {"one": 1}


def test_a_recheck_rings_for_what_was_missed(
    hub: Hub, tab: Tab, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    browser = tab.session.browser
    PageSession.objects.filter(pk=tab.id).update(last_seq=4)
    heard: list[Ring] = []
    monkeypatch.setattr(hub, "browsers", lambda: [browser])
    monkeypatch.setattr(hub, "hear", heard.append)
    with django_assert_num_queries(1):
        hub.recheck()
    assert heard == [Ring(browser, tab.id, 4)]


@pytest.mark.parametrize("kind", [Effect.Kind.STATE, Effect.Kind.ENDED])
def test_an_effect_rings_when_it_is_committed_and_not_before(
    tab: Tab,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    kind: str,
) -> None:
    heard: list[Ring] = []
    monkeypatch.setattr(hubs.hub, "hear", heard.append)
    with django_capture_on_commit_callbacks(execute=True), CaptureQueriesContext(connection) as statements:
        session = PageSession.objects.select_for_update().get(pk=tab.id)
        add_effect(session, kind, {"signed_out": True})
        assert heard == []
    ring = Ring(session.browser, tab.id, 1, is_end=kind == Effect.Kind.ENDED)
    if connection.vendor == "postgresql":
        # Inside of the transaction: PostgreSQL itself holds it back until the commit.
        told = [one["sql"] for one in statements.captured_queries if "pg_notify" in one["sql"]]
        assert len(told) == 1
        assert ring.written() in told[0]
    else:
        assert heard == [ring]
