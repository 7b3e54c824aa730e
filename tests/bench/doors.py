"""Calls a second over REST, against a bare DRF view that runs the same SQL in the same server.

The server is gunicorn with one process of four threads, as it answers REST in production; the clients keep their
connections. A round is as long as it takes to answer so many calls.
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
from http.client import HTTPConnection
from statistics import quantiles

from .company import CASES, ROWS, TOOL, build, secret_of  # isort: skip  # sets Django up

from django.db import connection

from .timing import ms, say

CLIENTS = (1, 8, 64)
CALLS = 240
BODY = json.dumps({"from": "2026-10-01", "to": "2026-10-31", "show": "answer"})


def main() -> None:
    """Build the company, serve it, and print what was measured."""
    build()
    secret = secret_of(CASES[0].person)
    with serving() as port:
        print(f"\n{connection.vendor}, {ROWS:,} transactions, calls over REST for a month's figures and 20 rows")
        for clients in CLIENTS:
            load(port, "/bare/", secret, clients, CALLS // 4)
            load(port, f"/agent/tools/{TOOL}", secret, clients, CALLS // 4)
            bare, _ = load(port, "/bare/", secret, clients, CALLS)
            tool, p99 = load(port, f"/agent/tools/{TOOL}", secret, clients, CALLS)
            told = f"{tool:.0f} calls a second, p99 {ms(p99)}; the bare view {bare:.0f}"
            say(f"{clients} clients", f"{tool / bare:.2f} x", told)


@contextmanager
def serving() -> Iterator[int]:
    """Serve the site with the bare view in it; gives the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.bench.bare_settings"}
    command = [sys.executable, "-m", "gunicorn", "project.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "4"]
    server = subprocess.Popen([*command, "--worker-class", "gthread", "--log-level", "error"], env=environment)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait()


def load(port: int, path: str, secret: str, clients: int, calls: int) -> tuple[float, float]:
    """Return the calls a second that so many clients are answered at once, and the 99th percentile of their seconds."""
    left, took = iter(range(calls)), list[float]()
    lock = threading.Lock()
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}

    def client() -> None:
        wire = HTTPConnection("127.0.0.1", port, timeout=60)
        while True:
            with lock:
                if next(left, None) is None:
                    wire.close()
                    return
            began = time.perf_counter()
            wire.request("POST", path, BODY, headers)
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
