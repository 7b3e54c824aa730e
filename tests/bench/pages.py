"""Open pages: how long from a command's call to its effect in the tab, and what 200 open streams cost a process.

The servers are two processes on one database. The tab is a client that holds the stream, as the page's script does:
when it rings, it fetches what is new. The agent calls one process, and the tab's stream is at the other.
"""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from http.client import HTTPResponse
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.demo.settings")
django.setup()

from page_commands.live.stream import PING_EVERY  # noqa: E402
from tests.bench.timing import ms, say  # noqa: E402
from tests.page_commands.office import Office, Server, office_in  # noqa: E402
from tests.page_commands.prepare import CROWD  # noqa: E402
from tests.page_commands.tab import Browser, Tab  # noqa: E402

RUNS = 60
WARMING = 5
STREAMS = 200
QUIET_SECONDS = 10.0
PROMISED = 0.1
"""Seconds at the median from the call to the tab (issue 4)."""


def main() -> None:
    """Measure, and print it."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, office_in(Path(folder)) as office:
        vendor = "sqlite" if office.has_one_writer else "postgresql"
        print(f"\n{vendor}, open pages: two processes, {RUNS} commands one after the other")
        for number, where in ((2, "at the other process"), (1, "at the same process")):
            times = sorted(reach(office, number))
            told = f"p95 {ms(quantiles(times, n=20)[-1])}, longest {ms(times[-1])}; promised {ms(PROMISED)}"
            say(f"call to effect, stream {where}", ms(median(times)), told)
        hold(office)


def reach(office: Office, number: int) -> list[float]:
    """Return the seconds of each command from its call to when its effect was fetched by the tab."""
    tab = office.open(number=number)
    agent = office.agent(number=1)
    arrived: dict[int, float] = {}
    stream = Doorbell(tab)
    listening = threading.Thread(target=stream.answer, args=(arrived,), daemon=True)
    listening.start()
    stream.is_open.wait(20)
    times = []
    for run in range(RUNS + WARMING):
        began = time.perf_counter()
        answer = agent.run("go", page=tab, n=run)
        assert answer.json()["delivery"] == "SHOWN", answer.text
        if run >= WARMING:
            times.append(arrived[run] - began)
    stream.close()
    listening.join(20)
    return times


class Doorbell:
    """A client of the stream: when its tab is rung for, it fetches, notes the moment, and says that it is shown."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        wire: Any = tab.browser.wire
        self.connection = wire.begin("GET", "/pages/stream", Accept="text/event-stream")
        self.response: HTTPResponse = self.connection.getresponse()
        self.is_open = threading.Event()

    def answer(self, arrived: dict[int, float]) -> None:
        """Note by the number in each effect when it was fetched; until the stream ends."""
        assert self.response.status == 200
        try:
            while line := self.response.readline():
                self.is_open.set()
                if not line.startswith(b"data:") or self.tab.id.encode() not in line:
                    continue
                for effect in self.tab.pull(whole=False):
                    arrived[int(effect["payload"]["href"].rpartition("=")[2])] = time.perf_counter()
                self.tab.beat()
        except (OSError, ValueError, AttributeError):
            return  # it was closed under our hands

    def close(self) -> None:
        """Hang up."""
        if self.connection.sock is not None:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.response.close()


def hold(office: Office) -> None:
    """Open 200 tabs in as many browsers, each with its stream at one process; leave them be, then use one of them."""
    server = office.first
    before = memory_of(server)
    streams = [stream_of(office, CROWD[number % len(CROWD)]) for number in range(STREAMS - 1)]
    tab = office.browser("mina", 1).open()
    streams.append(begun(tab))
    after = memory_of(server)
    quiet = share_of(server, lambda: time.sleep(QUIET_SECONDS))
    told = f"{after / 1024:.0f} MB in all against {before / 1024:.0f} MB; {quiet:.1%} of a core while nothing rings"
    say(f"{STREAMS} open tabs, one process", f"{(after - before) / 1024:.0f} MB", told)
    times: list[float] = []

    def use() -> None:
        agent = office.agent(number=2)
        for run in range(20):
            began = time.perf_counter()
            call = threading.Thread(target=agent.run, args=("go",), kwargs={"page": tab, "n": run})
            call.start()
            ring = f'"{tab.id}": {run + 1}}}'.encode()
            while ring not in streams[-1].recv(4096):
                pass
            times.append(time.perf_counter() - began)
            tab.pull(whole=False)
            tab.beat()
            call.join()

    busy = share_of(server, use)
    say("call to ring, with all of them open", ms(median(times)), f"{busy:.1%} of a core meanwhile")
    say("streams that are still up", f"{len(alive(streams))} of {STREAMS}", "each says something every 5 seconds")
    for stream in streams:
        stream.close()


def stream_of(office: Office, name: str) -> socket.socket:
    """Sign in anew, open the page in a tab, and return its stream."""
    browser = Browser(office.wire(1).sign_in(name), office.facts["people"][name])
    return begun(browser.open())


def begun(tab: Tab) -> socket.socket:
    """Return the open stream of a tab's browser, its answer begun."""
    wire: Any = tab.browser.wire
    stream: socket.socket = wire.begin("GET", "/pages/stream", Accept="text/event-stream").sock
    assert stream.recv(4096).startswith(b"HTTP/1.1 200")
    return stream


def alive(streams: list[socket.socket]) -> list[socket.socket]:
    """Return those streams that say something within the time in which each must, whatever they said before."""
    for stream in streams:
        stream.setblocking(False)
        try:
            while stream.recv(65536):
                pass
        except BlockingIOError:
            continue
    time.sleep(PING_EVERY + 1)
    return [stream for stream in streams if said(stream)]


def said(stream: socket.socket) -> bytes:
    """What a stream has said; nothing where it was silent, or is closed."""
    try:
        return stream.recv(65536)
    except OSError:
        return b""


def share_of(server: Server, action: Callable[[], object]) -> float:
    """Return which share of a core the process used while the action ran."""
    cpu, began = cpu_of(server), time.perf_counter()
    action()
    return (cpu_of(server) - cpu) / (time.perf_counter() - began)


def memory_of(server: Server) -> int:
    """The kilobytes that a process holds in memory."""
    status = Path(f"/proc/{server.process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def cpu_of(server: Server) -> float:
    """The seconds that a process has spent on a core."""
    fields = Path(f"/proc/{server.process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
