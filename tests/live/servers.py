"""Two real server processes on one database, and people who speak to them over HTTP as their browsers would.

The database is a file of SQLite's, or, where DATABASE_URL names a PostgreSQL, one of its own on that server. The sample
company stands in it, with few transactions.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import pytest

ROOT = Path(__file__).parents[2]
ROWS = 60
_BUTTON = re.compile(r'data-live-command="([^"]+)" data-live-object="([^"]+)" data-live-nonce="([^"]+)"')
PATIENCE = 30.0
"""Seconds that a server may take to answer for the first time, and any answer to come."""


class Server:
    """One uvicorn process on a port of its own."""

    def __init__(self, environment: dict[str, str], log: Path, application: str = "project.asgi:application") -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.environment = environment
        self.log = log
        self.application = application
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the process, and return when it answers."""
        command = [sys.executable, "-m", "uvicorn", self.application, "--port", str(self.port)]
        command += ["--timeout-graceful-shutdown", "2", "--log-level", "warning"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                Person(self).get("/accounts/login/")
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError(f"the server did not come up:\n{self.log.read_text()[-4000:]}")

    def stop(self, number: int = signal.SIGTERM) -> float:
        """End the process by a signal, and return the seconds it took; a killed one is ended by SIGKILL."""
        began = time.monotonic()
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(PATIENCE)
        self.process = None
        return time.monotonic() - began

    def kill(self) -> None:
        """Cut the process off, as a crash would."""
        self.stop(signal.SIGKILL)


@dataclass
class Servers:
    """Two servers on one database."""

    environment: dict[str, str]
    first: Server
    second: Server

    @property
    def urls(self) -> tuple[str, str]:
        """Where both answer."""
        return self.first.url, self.second.url

    def run(self, code: str) -> str:
        """Run Python in a process with Django set up on the servers' database, and return what it prints."""
        command = [sys.executable, "manage.py", "shell", "--no-imports", "--command", code]
        return _run(command, self.environment)


def _run(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="session")
def two_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Two servers on one database, with the sample company in it; a test that stops one starts it again."""
    folder = tmp_path_factory.mktemp("servers")
    with _database(folder) as address:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "project.demo.settings",
            "DATABASE_URL": address,
            "PYTHONUNBUFFERED": "1",
        }
        _run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], environment)
        _run([sys.executable, "manage.py", "demo", "--rows", str(ROWS)], environment)
        servers = Servers(environment, *(Server(environment, folder / f"{name}.log") for name in ("first", "second")))
        try:
            servers.first.start()
            servers.second.start()
            yield servers
        finally:
            servers.first.stop()
            servers.second.stop()


class _database:
    """A database of our own, gone at the end; gives its address."""

    def __init__(self, folder: Path) -> None:
        self.given = os.environ.get("DATABASE_URL", "")
        self.name = f"live_{uuid.uuid4().hex[:12]}"
        self.folder = folder

    def __enter__(self) -> str:
        if not self.given.startswith("postgres"):
            return f"sqlite:///{self.folder / 'servers.sqlite3'}"
        self._on_server(f"CREATE DATABASE {self.name}")
        return urlunsplit(urlsplit(self.given)._replace(path=f"/{self.name}"))

    def __exit__(self, *raised: object) -> None:
        if self.given.startswith("postgres"):
            self._on_server(f"DROP DATABASE {self.name} WITH (FORCE)")

    def _on_server(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.given, autocommit=True) as connection:
            connection.execute(statement)


@dataclass
class Answer:
    """What a server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass
class Person:
    """A browser: it keeps cookies, says where it comes from, and may be signed in."""

    server: Server
    cookies: dict[str, str] = field(default_factory=dict)

    def at(self, server: Server) -> Person:
        """The same browser, speaking to another of the servers."""
        return Person(server, self.cookies)

    def get(self, path: str) -> Answer:
        """Get an address."""
        return self.send("GET", path)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        """Post JSON, as a script of one of our pages does."""
        headers = {"Content-Type": "application/json", "X-CSRFToken": self.cookies.get("csrftoken", ""), **headers}
        return self.send("POST", path, json.dumps(body).encode(), **headers)

    def post_form(self, path: str, **fields: str) -> Answer:
        """Post a form."""
        fields.setdefault("csrfmiddlewaretoken", self.cookies.get("csrftoken", ""))
        kind = "application/x-www-form-urlencoded"
        return self.send("POST", path, urlencode(fields).encode(), **{"Content-Type": kind})

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Send any request, and return the whole answer; redirects are not followed."""
        connection, response = self._begin(method, path, body, headers)
        try:
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def sign_in(self, name: str) -> Person:
        """Sign in as one of the company's people, whose password is their name."""
        self.get("/accounts/login/")
        answer = self.post_form("/accounts/login/", username=name, password=name)
        assert answer.status == 302, answer.text[:2000]
        return self

    def listen(self, path: str = "/pages/stream") -> Stream:
        """Open a stream."""
        return Stream(*self._begin("GET", path, None, {"Accept": "text/event-stream"}))

    def _begin(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[HTTPConnection, HTTPResponse]:
        connection = HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        ours = {"Sec-Fetch-Site": "same-origin", "Origin": self.server.url, "Cookie": cookies}
        connection.request(method, path, body, {**ours, **headers})
        response = connection.getresponse()
        for text in response.headers.get_all("Set-Cookie") or []:
            for name, morsel in SimpleCookie(text).items():
                self.cookies[name] = morsel.value
        return connection, response


class Stream:
    """An open stream of server-sent events."""

    def __init__(self, connection: HTTPConnection, response: HTTPResponse) -> None:
        self.connection = connection
        self.response = response

    @property
    def status(self) -> int:
        """What it was answered with."""
        return self.response.status

    def events(self) -> Iterator[tuple[str, Any]]:
        """The events as they come, each with its data; ends with the stream."""
        name = "message"
        while line := self.response.readline():
            key, _, value = line.decode().rstrip("\n").partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                yield name, json.loads(value)

    def until(self, name: str) -> Any:
        """The data of the next event of that name."""
        return next(data for event, data in self.events() if event == name)

    def rings(self, session: str, seq: int) -> None:
        """Return when the stream has rung for the effect."""
        next(data for event, data in self.events() if event == "ring" and data.get(session, 0) >= seq)

    def close(self) -> None:
        """Hang up."""
        self.response.close()
        self.connection.close()


@dataclass
class Tab:
    """A tab of a person's browser on a live page, as its script behaves."""

    person: Person
    path: str
    tab: str
    ticket: str
    session: dict[str, Any]
    buttons: dict[tuple[str, str], str]
    """The nonces of the buttons that the application rendered, by their command and object."""

    @property
    def id(self) -> str:
        """Its session."""
        return str(self.session["id"])

    @property
    def address(self) -> str:
        """Where its session is spoken to."""
        return f"/pages/sessions/{self.id}"

    def news(self, after: int = 0) -> dict[str, Any]:
        """Fetch what is new."""
        answer = self.person.get(f"{self.address}?after={after}")
        assert answer.status == 200, answer.text[:2000]
        told: dict[str, Any] = answer.json()
        return told

    def beat(self, shown: int = 0) -> Answer:
        """Say that it is there, and what it has shown."""
        return self.person.post(f"{self.address}/beat", {"shown": shown})

    def click(self, command: str, **fields: Any) -> Answer:
        """Click the button of a command on the page as it is now, or with `object` the one in a row for that."""
        nonce = self.buttons[command, fields["object"]] if "object" in fields else self.session["nonce"]
        body = {"version": self.news()["version"], "nonce": nonce, **fields}
        return self.person.post(f"{self.address}/commands/{command}", body)

    def reload(self) -> Tab:
        """Leave and open again, as a reload does."""
        self.person.post_form(f"{self.address}/leave", visit=str(self.session["visit"]))
        return open_tab(self.person, self.path, self.tab)


def open_tab(person: Person, path: str = "/factory/start/", tab: str = "") -> Tab:
    """Load a live page in a tab, and open its session."""
    page = person.get(path)
    found = re.search(r'data-ticket="([^"]+)"', page.text)
    assert found is not None, f"{path} is no live page for this person: {page.status}"
    tab = tab or uuid.uuid4().hex
    answer = person.post("/pages/sessions", {"ticket": found[1], "tab": tab, "title": path})
    assert answer.status == 200, answer.text[:2000]
    buttons = {(command, key): nonce for command, key, nonce in _BUTTON.findall(page.text)}
    return Tab(person, path, tab, found[1], answer.json(), buttons)
