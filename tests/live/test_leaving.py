"""A client that hangs up leaves nothing running behind it: over REST, over MCP and in a browser."""

from __future__ import annotations

import json
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from tests.mcp.client import NEWEST, headers_of, request, token_of

from .servers import Server, Servers

TOOL = "queryLedgerCashTransactions"
PATIENCE = 15.0


@pytest.fixture(scope="module")
def slow(two_servers: Servers) -> Iterator[Server]:
    """A server on which the list of cash transactions takes for ever."""
    server = Server(
        two_servers.environment, two_servers.first.log.with_name("slow.log"), "tests.live.slow_site:application"
    )
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def token(two_servers: Servers) -> str:
    return token_of(two_servers, "analyst")


def hang_up_on(server: Server, path: str, body: object, **headers: str) -> None:
    """Send a request, and hang up before it is answered."""
    sent = json.dumps(body).encode()
    told = {"Host": f"127.0.0.1:{server.port}", "Content-Type": "application/json", "Content-Length": str(len(sent))}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in {**told, **headers}.items()), "", ""]
    with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
        connection.sendall("\r\n".join(lines).encode() + sent)
        connection.settimeout(0.7)
        with pytest.raises(TimeoutError):
            connection.recv(1)


def asked(servers: Servers, statement: str) -> list[str]:
    """What the servers' database answers, the first value of each row."""
    address = servers.environment["DATABASE_URL"]
    if address.startswith("postgres"):
        import psycopg

        with psycopg.connect(address) as connection:
            return [str(row[0]) for row in connection.execute(statement)]
    with closing(sqlite3.connect(urlsplit(address).path, timeout=20)) as database:
        return [str(row[0]) for row in database.execute(statement)]


def logged(servers: Servers) -> list[str]:
    """The codes of the calls of that tool in the log."""
    return asked(servers, f"SELECT code FROM read_targets_toolcall WHERE tool = '{TOOL}'")  # noqa: S608  # a constant


def running(servers: Servers) -> list[str]:
    """The slow statements that are under way; of SQLite only the process itself knows."""
    if not servers.environment["DATABASE_URL"].startswith("postgres"):
        return []
    slow = "datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%pg_sleep%'"
    return asked(servers, f"SELECT query FROM pg_stat_activity WHERE state = 'active' AND {slow}")  # noqa: S608  # as above


@pytest.mark.parametrize("door", ["rest", "mcp"])
def test_what_is_read_for_a_client_ends_when_it_hangs_up(
    two_servers: Servers, slow: Server, token: str, door: str
) -> None:
    before = logged(two_servers)
    if door == "rest":
        hang_up_on(slow, f"/agent/tools/{TOOL}", {}, Authorization=f"Bearer {token}")
    else:
        params = {"name": TOOL, "arguments": {}}
        headers = headers_of("tools/call", params)
        hang_up_on(
            slow, "/mcp", request("tools/call", params, version=NEWEST), Authorization=f"Bearer {token}", **headers
        )
    end = time.monotonic() + PATIENCE
    while (now := logged(two_servers)) == before and time.monotonic() < end:
        time.sleep(0.05)
    assert sorted(now) == sorted([*before, "read_targets.caller_left"])
    assert running(two_servers) == []
