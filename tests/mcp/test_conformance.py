"""The official conformance suite against our transport, in both protocols. Where it is not there, that is said."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.live.servers import ROOT, Servers

from .node import script_of

PACKAGE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
REQUIRED = {"2025-11-25": 30, "2026-07-28": 37}
"""How many scenarios of a server each protocol requires."""

PATIENCE = 240


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """The command that runs the suite."""
    return [*script_of(PACKAGE, VERSION), "server"]


@pytest.fixture(scope="module")
def fixture_url(two_servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the fixture server answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("conformance") / "server.log"
    command = [sys.executable, "-m", "uvicorn", "tests.mcp.fixture:application", "--port", str(port)]
    command += ["--timeout-graceful-shutdown", "2", "--log-level", "warning"]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=two_servers.environment, stdout=out, stderr=out)
    try:
        end = time.monotonic() + 60
        while not answers(port):
            assert process.poll() is None, log.read_text()[-4000:]
            assert time.monotonic() < end, "the fixture server did not come up"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(20)


def answers(port: int) -> bool:
    """Whether a server answers there."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", "/accounts/login/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.mark.parametrize("revision", list(REQUIRED))
def test_every_required_scenario_passes(suite: list[str], fixture_url: str, revision: str, tmp_path: Path) -> None:
    command = [*suite, "--url", fixture_url, "--requirements", revision, "--output-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    summary = done.stdout.partition("=== SUMMARY ===")[2]
    unscored = set(re.findall(r"^\s+[✓✗] (\S+) \(", summary, re.MULTILINE))
    scored = {name: mark for mark, name in re.findall(r"^([✓✗]) (\S+):", summary, re.MULTILINE) if name not in unscored}
    assert [name for name, mark in scored.items() if mark != "✓"] == [], done.stdout[-6000:]
    assert len(scored) == REQUIRED[revision]
    assert done.returncode == 0
