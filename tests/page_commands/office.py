"""Two real servers on one database, with the page of the tests and its people; and what a test does to them."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.live.servers import ROOT, _database

from .acting.code import FOLDER
from .tab import Agent, Browser, Tab
from .wires import Remote

LONG_AGO = "2020-01-01 00:00:00"

SOON = 20.0
"""Seconds within which whatever is waited for must have come."""


class Nursery:
    """The process out of which servers grow."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        command = [sys.executable, "-m", "tests.page_commands.nursery"]
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file
            )
        self.log = log

    def ask(self, line: str) -> str:
        """Ask for something, and return the line that answers."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()
        answer = self.process.stdout.readline().decode()
        assert answer, self.log.read_text()[-4000:]
        return answer

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(SOON)


class Server:
    """One server process on a port of its own."""

    def __init__(self, nursery: Nursery, log: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.nursery = nursery
        self.log = log
        self.process = 0

    def start(self) -> None:
        """Start the process, and return when it answers."""
        self.process = int(self.nursery.ask(f"serve {self.port} {self.log}"))
        until(self._answers)

    def end(self, number: int = signal.SIGTERM) -> None:
        """End the process by a signal."""
        if self.process:
            os.kill(self.process, number)
            until(lambda: not self._answers())
        self.process = 0

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@dataclass
class Office:
    """The servers, and all that was put into their database."""

    first: Server
    second: Server
    address: str
    folder: Path
    facts: dict[str, Any]
    signed_in: dict[str, Browser] = field(default_factory=dict)

    # Who speaks to which server

    def wire(self, number: int = 1) -> Remote:
        """A wire to one of the servers."""
        return Remote((self.first, self.second)[number - 1].port)

    def browser(self, name: str = "mina", number: int = 1) -> Browser:
        """A browser in which the person is signed in, speaking to a server: the same sign-in each time."""
        if name not in self.signed_in:
            self.signed_in[name] = Browser(self.wire(2).sign_in(name), self.facts["people"][name])
        browser = self.signed_in[name]
        return browser.at(browser.wire.at(self.wire(number).port))  # type: ignore[attr-defined]  # it is a Remote

    def open(self, name: str = "mina", number: int = 1) -> Tab:
        """The page, open in a tab that speaks to a server; none of the person's other tabs is open any more."""
        self.execute(f"UPDATE page_commands_pagesession SET ended_at = '{LONG_AGO}' WHERE ended_at IS NULL")  # noqa: S608
        return self.browser(name, number).open()

    def also_at(self, tab: Tab, number: int) -> Tab:
        """The same tab, speaking to another server; what it has seen is its own."""
        wire: Any = tab.browser.wire
        return Tab(tab.browser.at(wire.at(self.wire(number).port)), tab.tab, tab.page, tab.path, tab.told, tab.seen)

    def agent(self, name: str = "mina", *, which: int = 1, number: int = 1) -> Agent:
        """One of the person's two agents, speaking to a server."""
        return Agent(self.wire(number), self.facts["tokens"][name][which - 1])

    @property
    def has_one_writer(self) -> bool:
        """Whether the database lets one transaction write at a time, as SQLite does."""
        return self.address.startswith("sqlite")

    @property
    def talks(self) -> list[str]:
        """The keys of the conversations."""
        talks: list[str] = self.facts["talks"]
        return talks

    # Standing still, and being killed

    def stop_at(self, point: str) -> None:
        """Let whoever comes to that point of the code stand still there, until `go_on`."""
        (self.folder / f"at-{point}").unlink(missing_ok=True)
        (self.folder / f"stop-{point}").touch()

    def wait_for(self, point: str) -> None:
        """Return when somebody stands still at that point."""
        until(lambda: (self.folder / f"at-{point}").exists())

    def go_on(self) -> None:
        """Let everybody go on."""
        for path in self.folder.glob("*-*"):
            path.unlink(missing_ok=True)

    def kill_first(self) -> None:
        """Cut the first server off, as a crash does, and start another in its place."""
        self.first.end(signal.SIGKILL)
        self.go_on()
        self.first.start()

    # The database, from outside

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Read rows."""
        return self._on_database(statement, lambda cursor: cursor.fetchall())

    def execute(self, statement: str) -> None:
        """Write."""
        self._on_database(statement, lambda cursor: None)

    def value(self, statement: str) -> Any:
        """Read one value, None where there is no row."""
        rows = self.query(statement)
        return rows[0][0] if rows else None

    def let_leases_end(self) -> None:
        """Let a minute go by: whoever was cut off holds nothing any more."""
        for table, column in (
            ("page_commands_pagesession", "busy_until"),
            ("page_commands_commandrun", "lease_until"),
            ("read_targets_keptanswer", "lease_until"),
        ):
            self.execute(f"UPDATE {table} SET {column} = '{LONG_AGO}' WHERE {column} IS NOT NULL")  # noqa: S608

    def times(self, what: str) -> int:
        """How often something was done, and has come to stay."""
        name = f"done {what} %"
        return int(self.value(f"SELECT COUNT(*) FROM auth_group WHERE name LIKE '{name}'"))  # noqa: S608

    def outside(self) -> list[str]:
        """What was done outside of the database."""
        file = self.folder / "outside"
        return file.read_text().splitlines() if file.exists() else []

    def run_state(self) -> str | None:
        """The state of the newest run."""
        state: str | None = self.value("SELECT state FROM page_commands_commandrun ORDER BY asked_at DESC LIMIT 1")
        return state

    def call_id(self) -> str:
        """The id of the newest call that acts."""
        found = str(self.value("SELECT call FROM read_targets_keptanswer ORDER BY created_at DESC LIMIT 1"))
        bare = found.replace("-", "")
        return "-".join((bare[:8], bare[8:12], bare[12:16], bare[16:20], bare[20:]))

    def clean(self) -> None:
        """Forget what was done: the next test counts from none."""
        self.go_on()
        (self.folder / "outside").unlink(missing_ok=True)
        for table in ("auth_group", "page_commands_commandrun", "read_targets_keptanswer"):
            self.execute(f"DELETE FROM {table}")  # noqa: S608  # names of our own

    def _on_database(self, statement: str, read: Callable[[Any], Any]) -> Any:
        if self.has_one_writer:
            with sqlite3.connect(self.address.removeprefix("sqlite:///"), timeout=20) as connection:
                return read(connection.execute(statement))
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            return read(connection.execute(statement))


def until(happened: Callable[[], Any]) -> None:
    """Return when it has happened; fails where it does not."""
    end = time.monotonic() + SOON
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


@contextmanager
def office_in(folder: Path) -> Iterator[Office]:
    """Two servers in the folder, on a database of their own: a file, or on the server that DATABASE_URL names."""
    acting = folder / "acting"
    acting.mkdir()
    with _database(folder) as address:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.page_commands.site",
            "DATABASE_URL": address,
            FOLDER: str(acting),
            "PYTHONUNBUFFERED": "1",
        }
        nursery = Nursery(environment, folder / "nursery.log")
        first, second = (Server(nursery, folder / f"{name}.log") for name in ("first", "second"))
        try:
            facts = json.loads(nursery.ask("prepare"))
            first.start()
            second.start()
            yield Office(first, second, address, acting, facts)
        finally:
            first.end()
            second.end()
            nursery.close()


@dataclass
class Later:
    """Something that is done in a thread of its own."""

    thread: threading.Thread
    results: list[Any]

    def result(self) -> Any:
        """What it returned; None where it broke, as a call does whose server is killed."""
        self.thread.join()
        return self.results[0] if self.results else None


def later(action: Callable[[], Any]) -> Later:
    """Begin to do something, and return at once."""
    results: list[Any] = []

    def do() -> None:
        try:
            results.append(action())
        except OSError:
            # Its server was killed.
            return

    thread = threading.Thread(target=do)
    thread.start()
    return Later(thread, results)


def at_once(*actions: Callable[[], Any]) -> list[Any]:
    """Do everything at the same moment, and return what each returned."""
    barrier = threading.Barrier(len(actions))

    def begun(action: Callable[[], Any]) -> Callable[[], Any]:
        def begin() -> Any:
            barrier.wait(SOON)
            return action()

        return begin

    running = [later(begun(action)) for action in actions]
    return [one.result() for one in running]
