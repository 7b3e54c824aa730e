"""The stream over real servers: it rings across processes, ends at sign-out, and holds nothing that others need."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest
from django.test import Client

from page_commands.live.hub import MOST_STREAMS

from .servers import Person, Server, Servers, Stream, Tab, open_tab

SOON = 1.0
"""Seconds within which an effect must have rung (issue 4)."""

BROWSERS = 6
"""With all the streams that each may have, more than the ten connections to PostgreSQL that a process may hold."""


@pytest.fixture
def clerk(two_servers: Servers) -> Person:
    """The clerk's browser, signed in, at the first server."""
    return Person(two_servers.first).sign_in("clerk")


@pytest.fixture
def tab(clerk: Person) -> Tab:
    return open_tab(clerk)


@pytest.fixture
def listen() -> Iterator[Callable[[Person], Stream]]:
    """Open streams that are closed at the end."""
    with ExitStack() as stack:

        def open_stream(person: Person) -> Stream:
            return stack.enter_context(closing(person.listen()))

        yield open_stream


def add(servers: Servers, tab: Tab, code: str = "") -> None:
    """Let a third process add an effect to the tab's session."""
    servers.run(
        "from page_commands.live.models import *\n"
        "from page_commands.live.effects import add_effect\n"
        "from read_targets.agent import writing\n"
        "with writing():\n"
        f"    session = PageSession.objects.select_for_update().get(pk='{tab.id}')\n"
        "    add_effect(session, 'card')\n"
        f"    {code or 'pass'}\n"
    )


def test_a_stream_begins_with_what_every_open_tab_may_have_missed(
    clerk: Person, tab: Tab, listen: Callable[[Person], Stream]
) -> None:
    other = open_tab(clerk)
    tab.click("select_tenant", object="1")
    stream = listen(clerk)
    assert stream.response.getheader("Content-Type") == "text/event-stream; charset=utf-8"
    assert stream.response.getheader("X-Accel-Buffering") == "no"
    assert {part.strip() for part in stream.response.getheader("Cache-Control").split(",")} == {"private", "no-store"}
    rings = stream.until("ring")
    assert {tab.id: rings[tab.id], other.id: rings[other.id]} == {tab.id: 1, other.id: 0}


@pytest.mark.parametrize("at", ["first", "second"])
def test_a_command_rings_in_every_process(
    two_servers: Servers, clerk: Person, tab: Tab, listen: Callable[[Person], Stream], at: str
) -> None:
    stream = listen(clerk.at(getattr(two_servers, at)))
    stream.until("ring")
    clicked = replace(tab, person=clerk.at(two_servers.first))
    with ThreadPoolExecutor(1) as pool:
        began = time.monotonic()
        click = pool.submit(clicked.click, "select_tenant", object="1")
        stream.rings(tab.id, 1)
        assert time.monotonic() - began < SOON
        assert click.result().status == 200
    assert [effect["kind"] for effect in tab.news()["effects"]] == ["state"]


def test_a_process_without_streams_rings_too_and_what_it_rolls_back_does_not(
    two_servers: Servers, clerk: Person, tab: Tab, listen: Callable[[Person], Stream]
) -> None:
    stream = listen(clerk)
    stream.until("ring")
    add(two_servers, tab, "from django.db import transaction; transaction.set_rollback(True)")
    add(two_servers, tab)
    assert stream.until("ring")[tab.id] == 1
    assert tab.news()["seq"] == 1


def test_nobody_hears_of_another_browsers_tabs(
    two_servers: Servers, clerk: Person, tab: Tab, listen: Callable[[Person], Stream]
) -> None:
    other = Person(two_servers.first).sign_in("clerk")
    own = open_tab(other)
    stream = listen(other)
    assert set(stream.until("ring")) == {own.id}
    tab.click("select_tenant", object="1")
    own.click("select_tenant", object="1")
    assert set(stream.until("ring")) == {own.id}


def test_it_pings_while_nothing_rings(clerk: Person, listen: Callable[[Person], Stream]) -> None:
    stream = listen(clerk)
    stream.until("ring")
    began = time.monotonic()
    assert stream.until("ping") == {}
    assert 4 < time.monotonic() - began < 7


@pytest.mark.parametrize("at", ["first", "second"])
def test_signing_out_ends_the_stream_wherever_it_is(
    two_servers: Servers, clerk: Person, tab: Tab, listen: Callable[[Person], Stream], at: str
) -> None:
    stream = listen(clerk.at(getattr(two_servers, at)))
    stream.until("ring")
    cookies = dict(clerk.cookies)
    clerk.post_form("/accounts/logout/")
    assert stream.until("end") == {}
    assert list(stream.events()) == []
    assert Person(two_servers.first, cookies).get("/pages/stream").status == 403
    assert Person(two_servers.first, cookies).get(tab.address).status == 403


def test_whoever_is_not_signed_in_by_a_session_has_no_stream(two_servers: Servers, clerk: Person) -> None:
    assert Person(two_servers.first).get("/pages/stream").status == 403
    assert clerk.send("GET", "/pages/stream", None, Authorization="Bearer abc").status == 403
    assert clerk.post("/pages/stream", {}).status == 405


def test_a_server_that_can_hold_no_stream_says_so(browser_of_clerk: Client) -> None:
    answer = browser_of_clerk.get("/pages/stream")
    assert (answer.status_code, answer.content) == (204, b"")


def test_open_streams_hold_no_connection_that_others_need(
    two_servers: Servers, clerk: Person, tab: Tab, listen: Callable[[Person], Stream]
) -> None:
    tabs = [tab, *(open_tab(Person(two_servers.first).sign_in("clerk")) for _ in range(BROWSERS - 1))]
    streams = [(one, listen(one.person)) for one in tabs for _ in range(MOST_STREAMS)]
    for _, stream in streams:
        assert stream.status == 200
        stream.until("ring")
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: clerk.get(f"{tab.address}?after=0&parts=1").status, range(24)))
    assert answers == [200] * 24
    for one in tabs:
        one.click("select_tenant", object="1")
    for one, stream in streams:
        stream.rings(one.id, 1)


def test_of_too_many_streams_of_one_sign_in_the_oldest_ends(
    two_servers: Servers, clerk: Person, tab: Tab, listen: Callable[[Person], Stream]
) -> None:
    other = listen(Person(two_servers.first).sign_in("clerk"))
    streams = []
    for _ in range(MOST_STREAMS + 1):
        streams.append(listen(clerk))
        streams[-1].until("ring")
    assert "end" not in [event for event, _ in streams[0].events()], "nobody has signed out"
    tab.click("select_tenant", object="1")
    for stream in streams[1:]:
        stream.rings(tab.id, 1)
    assert other.until("ping") == {}


def test_a_server_with_open_streams_stops_soon_and_its_tabs_go_on_at_another(
    two_servers: Servers, clerk: Person, tab: Tab, listen: Callable[[Person], Stream]
) -> None:
    for _ in range(3):
        listen(clerk.at(two_servers.second)).until("ring")
    try:
        assert two_servers.second.stop() < 6
        assert two_servers.second.process is None
        tab.click("select_tenant", object="1")
        listen(clerk).rings(tab.id, 1)
    finally:
        two_servers.second.start()


def test_a_hub_that_loses_its_connection_opens_another(
    two_servers: Servers, clerk: Person, tab: Tab, listen: Callable[[Person], Stream]
) -> None:
    if not two_servers.environment["DATABASE_URL"].startswith("postgres"):
        pytest.skip("SQLite has no connection that could be lost")
    stream = listen(clerk)
    stream.until("ring")
    told = two_servers.run(
        "from django.db import connection\n"
        "with connection.cursor() as cursor:\n"
        '    cursor.execute("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "\n'
        "        \"WHERE datname = current_database() AND application_name = 'page_commands hub'\")\n"
        "    print('cut:', cursor.fetchone()[0])\n"
    )
    assert "cut: 0" not in told, "no hub was listening"
    tab.click("select_tenant", object="1")
    stream.rings(tab.id, 1)
    time.sleep(2.5)
    began = time.monotonic()
    add(two_servers, tab)
    stream.rings(tab.id, 2)
    assert time.monotonic() - began < 10


def test_a_killed_server_is_started_again_on_the_same_database(two_servers: Servers, clerk: Person, tab: Tab) -> None:
    server: Server = two_servers.first
    server.kill()
    server.start()
    assert tab.beat().status == 200
