"""Calls a second over REST, against a bare DRF view that runs the same SQL in the same server; over MCP, against REST.

Pages and REST are answered by gunicorn with one process of four threads, MCP by uvicorn, as in production; the clients
keep their connections. A round is as long as it takes to answer so many calls.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from statistics import quantiles

from .company import CASES, ROWS, TOOL, build, secret_of  # isort: skip  # sets Django up

from django.db import connection

from tests.mcp.client import headers_of, request

from .timing import ms, say

CLIENTS = (1, 8, 64)
CALLS = 240
ARGUMENTS = {"from": "2026-10-01", "to": "2026-10-31", "show": "answer"}
GUNICORN = ("gunicorn", "project.wsgi", "--threads", "4", "--worker-class", "gthread", "--log-level", "error")
UVICORN = ("uvicorn", "project.asgi:application", "--log-level", "error")


@dataclass(frozen=True)
class Door:
    """Where a call goes, and how it is written there."""

    path: str
    body: str = json.dumps(ARGUMENTS)
    headers: dict[str, str] = field(default_factory=dict)


BARE = Door("/bare/")
REST = Door(f"/agent/tools/{TOOL}")
ASKED = {"name": TOOL, "arguments": ARGUMENTS}
MCP = Door("/mcp", json.dumps(request("tools/call", ASKED)), headers_of("tools/call", ASKED))


def main() -> None:
    """Build the company, serve it, and print what was measured."""
    build()
    secret = secret_of(CASES[0].person)
    with serving(*GUNICORN) as port:
        print(f"\n{connection.vendor}, {ROWS:,} transactions, calls over REST for a month's figures and 20 rows")
        for clients in CLIENTS:
            compared(port, secret, clients, REST, BARE, "the bare view")
    with serving(*UVICORN) as port:
        print(f"\n{connection.vendor}, {ROWS:,} transactions, the same calls over MCP")
        for clients in CLIENTS:
            compared(port, secret, clients, MCP, REST, "REST at the same server")


def compared(port: int, secret: str, clients: int, door: Door, other: Door, called: str) -> None:
    """Print how many calls a second so many clients are answered at `door`, against `other`."""
    for warming in (other, door):
        load(port, warming, secret, clients, CALLS // 4)
    theirs, _ = load(port, other, secret, clients, CALLS)
    ours, p99 = load(port, door, secret, clients, CALLS)
    told = f"{ours:.0f} calls a second, p99 {ms(p99)}; {called} {theirs:.0f}"
    say(f"{clients} clients", f"{ours / theirs:.2f} x", told)


@contextmanager
def serving(server: str, application: str, *options: str) -> Iterator[int]:
    """Serve the site with the bare view in it; gives the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.bench.bare_settings"}
    at = ["--bind", f"127.0.0.1:{port}"] if server == "gunicorn" else ["--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([sys.executable, "-m", server, application, *at, *options], env=environment)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


def load(port: int, door: Door, secret: str, clients: int, calls: int) -> tuple[float, float]:
    """Return the calls a second that so many clients are answered at once, and the 99th percentile of their seconds."""
    left, took = iter(range(calls)), list[float]()
    lock = threading.Lock()
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json", **door.headers}

    def client() -> None:
        wire = HTTPConnection("127.0.0.1", port, timeout=60)
        while True:
            with lock:
                if next(left, None) is None:
                    wire.close()
                    return
            began = time.perf_counter()
            wire.request("POST", door.path, door.body, headers)
            response = wire.getresponse()
            told = response.read()
            assert response.status == 200, told
            took.append(time.perf_counter() - began)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return calls / (time.perf_counter() - began), quantiles(took, n=100)[-1]


if __name__ == "__main__":
    main()
