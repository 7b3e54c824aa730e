"""Commands while the stream is cut at random: whatever is lost on the way, each effect is shown once and in order."""

from __future__ import annotations

import os
import random
import threading
import time
from functools import partial
from typing import Any

from page_commands.codes import Code
from tests.page_commands.office import Office, at_once, later
from tests.page_commands.wires import Remote

COMMANDS = int(os.environ.get("PAGE_COMMANDS", "100"))
"""How many are run; `make soak` runs a thousand."""

AGENTS = 5
"""How many run them at the same time."""

TIMES_OUT = 0.02
"""Seconds after which a stream that says nothing is cut."""


class Unsteady:
    """A tab whose connections break: streams are cut, answers are lost, and it is reloaded; over both servers.

    It behaves as the page's script does: it asks for what comes after the number that it saw last, which it remembers
    over a reload, and leaves out what it has seen.
    """

    def __init__(self, office: Office, seed: int) -> None:
        self.office = office
        self.tab = office.open()
        self.chance = random.Random(seed)
        self.is_over = threading.Event()
        self.counts = dict.fromkeys(("cut", "lost", "repeated", "reloaded"), 0)

    def work(self) -> int:
        """Show what comes until told to stop; return how many effects were shown."""
        while not self.is_over.is_set():
            self.tab.browser.wire = self.office.wire(self.chance.choice((1, 2))).with_cookies(self.tab.browser.wire)
            self.chance.choices((self.listen, self.lose, self.repeat, self.reload), weights=(12, 3, 3, 1))[0]()
            self.show()
        self.show()
        return len(self.tab.applied)

    def show(self) -> None:
        """Fetch what is new, show it, and say so: mostly."""
        self.tab.pull(whole=False)
        if self.chance.random() < 0.9:
            assert self.tab.beat().status == 200

    def listen(self) -> None:
        """Open the stream, and cut it: at once, in the middle of an event, or when nothing came for a while."""
        wire: Any = self.tab.browser.wire
        connection = wire.begin("GET", "/pages/stream", Accept="text/event-stream")
        try:
            connection.sock.settimeout(TIMES_OUT)
            if self.chance.random() < 0.8:
                for _part in range(self.chance.randrange(1, 4)):
                    connection.sock.recv(self.chance.randrange(1, 400))
        except TimeoutError:
            pass
        finally:
            connection.close()
        self.counts["cut"] += 1

    def lose(self) -> None:
        """Ask for what is new, and hang up before the answer comes."""
        wire: Remote = self.tab.browser.wire  # type: ignore[assignment]  # it is one
        connection = wire.begin("GET", f"{self.tab.address}?after={self.tab.seen}")
        if self.chance.random() < 0.5:
            connection.sock.settimeout(5)
            connection.sock.recv(20)
        connection.close()
        self.counts["lost"] += 1

    def repeat(self) -> None:
        """Take the same answer twice, as one that was sent again."""
        reply = self.tab.look(whole=False)
        first = self.tab.take(reply)
        assert self.tab.take(reply) == []
        self.counts["repeated"] += bool(first)

    def reload(self) -> None:
        """Load the page again."""
        before = self.tab
        self.tab = before.reload()
        assert self.tab.id == before.id
        self.counts["reloaded"] += 1


def run_all(office: Office, page: str, numbers: range, chance: random.Random) -> list[str]:
    """Run a command for each number, one after the other, as one of the person's agents; return the deliveries."""
    deliveries = []
    for number in numbers:
        while True:
            agent = office.agent(which=chance.choice((1, 2)), number=chance.choice((1, 2)))
            reply = agent.run("go", page=page, n=number)
            if reply.status == 200:
                break
            # Another agent's command was running, or the page was just being loaded again.
            assert reply.json()["code"] in (Code.BUSY, Code.NO_PAGE), reply.text
            time.sleep(0.05 + chance.random() * 0.3)
        deliveries.append(reply.json()["delivery"])
    return deliveries


def test_every_effect_is_shown_once_and_in_order_while_the_stream_is_cut_at_random(office: Office) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    unsteady = Unsteady(office, seed)
    page = unsteady.tab.id
    share = COMMANDS // AGENTS
    working = later(unsteady.work)
    try:
        told = at_once(
            *(
                partial(run_all, office, page, range(one * share, (one + 1) * share), random.Random(seed + one))
                for one in range(AGENTS)
            )
        )
    finally:
        unsteady.is_over.set()
        shown = working.result()
    tab = unsteady.tab
    assert shown == len(tab.applied) == share * AGENTS
    assert [effect["seq"] for effect in tab.applied] == list(range(1, shown + 1))
    numbers = [int(effect["payload"]["href"].removeprefix("/factory/start/?n=")) for effect in tab.applied]
    assert sorted(numbers) == list(range(shown))
    for one in range(AGENTS):
        own = [number for number in numbers if number // share == one]
        assert own == sorted(own)
    # The tab was cut off indeed, and nobody was told more than they could know.
    assert all(unsteady.counts.values()), unsteady.counts
    assert all(deliveries is not None for deliveries in told)
    deliveries = {delivery for one in told for delivery in one}
    assert "SHOWN" in deliveries
