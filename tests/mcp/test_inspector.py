"""The command line of the official inspector, a client in another language: it lists and calls as the clerk."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from .client import Agent
from .node import script_of

LEDGER = "queryLedgerCashTransactions"


@pytest.fixture(scope="module")
def inspector() -> list[str]:
    """The command that runs it."""
    return [*script_of("@modelcontextprotocol/inspector", "2.12.0"), "--cli"]


def ask(inspector: list[str], agent: Agent, *options: str) -> Any:
    """What it prints, as JSON values."""
    command = [*inspector, f"{agent.server.url}/mcp", "--transport", "http"]
    command += ["--header", f"Authorization: Bearer {agent.token}", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def test_it_lists_the_clerks_tools(inspector: list[str], clerk: Agent) -> None:
    listed = ask(inspector, clerk, "--method", "tools/list")["tools"]
    rest = clerk.send("GET", "/agent/tools").json()["tools"]
    assert [tool["name"] for tool in listed] == sorted(["callAnswer", *(tool["name"] for tool in rest)])


def test_it_calls_and_gets_the_clerks_rows(inspector: list[str], clerk: Agent) -> None:
    arguments = ["--tool-arg", "orderBy=-amount", "--tool-arg", "rows=20"]
    answer = ask(inspector, clerk, "--method", "tools/call", "--tool-name", LEDGER, *arguments)
    rest = clerk.rest(LEDGER, orderBy="-amount", rows=20)
    assert answer["structuredContent"]["sampleRows"] == rest["sampleRows"]
    assert answer["structuredContent"]["summary"] == rest["summary"]
    assert not answer.get("isError")
