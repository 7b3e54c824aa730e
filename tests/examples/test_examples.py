"""Every example under docs/examples runs as its readers run it, and prints the clerk's numbers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.servers import ROOT, Servers
from tests.mcp.client import Agent, token_of

from .busy import Busy
from .vendor import VENDORS, Vendor, serving

EXAMPLES = ROOT / "docs" / "examples"
LEDGER = "queryLedgerCashTransactions"
FLOWS = ["INCOME", "EXPENSE"]
PATIENCE = 120
"""Seconds that an example may take; some vendors' SDKs are read for several before they do anything."""


@pytest.fixture(scope="module")
def clerk(two_servers: Servers) -> Agent:
    """An agent of the clerk's that may only read."""
    return Agent(two_servers.first, token_of(two_servers, "clerk", "--name", "examples"))


@pytest.fixture(scope="module")
def expenses(clerk: Agent) -> Any:
    """What the clerk's expenses come to, and by month."""
    answer = clerk.rest(LEDGER, flow="EXPENSE", groupBy="date", rows=0)
    assert answer["coverage"]["analysedRows"] > 0
    return answer["summary"]


@pytest.fixture
def vendor(request: pytest.FixtureRequest) -> Iterator[Vendor]:
    """A vendor with its recorded model."""
    server = Vendor(request.param)
    with serving(server):
        yield server


def run(example: str, agent: Agent, url: str = "", **environment: str) -> str:
    """What an example prints; it can reach no other machine than this one."""
    alone = str(Path(__file__).parent / "alone")
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    given = {"AGENT_URL": url or agent.server.url, "AGENT_TOKEN": agent.token, "PYTHONPATH": alone, **environment}
    command = ["sh"] if example.endswith(".sh") else [sys.executable]
    done = subprocess.run(
        [*command, str(EXAMPLES / example)],
        env={**kept, **given},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    return done.stdout


def keys_for(vendor: Vendor) -> dict[str, str]:
    """The environment in which every vendor's SDK asks `vendor`."""
    return {
        "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": vendor.url,
        "ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": vendor.url,
        "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": vendor.url,
    }  # fmt: skip


@pytest.mark.parametrize("vendor", list(VENDORS), indirect=True)
def test_the_loop_of_a_vendors_sdk_corrects_itself_waits_and_answers(
    vendor: Vendor, clerk: Agent, expenses: Any, request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.params["vendor"]
    busy = Busy(clerk.server.port, keeps=True)
    with serving(busy):
        printed = run(f"with_{name}.py", clerk, busy.url, **keys_for(vendor)).splitlines()
    total = expenses["metrics"]["amount"]["sum"]
    assert [line.rpartition(": ")[2] for line in printed[:2]] == ["INVALID_INPUT", "READY"]
    assert printed[2:] == [f"The expenses come to {total}."]
    assert busy.told == [429, 202]
    # What the model was told: the tools, the guidance, and of the refusal what would have fitted.
    first, second, last = vendor.asked
    listing = clerk.send("GET", "/agent/tools").json()
    told = json.dumps(first, ensure_ascii=False)
    assert all(f'"{tool["name"]}"' in told for tool in listing["tools"])
    assert json.dumps(listing["guidance"], ensure_ascii=False) in told
    refusal, answer = vendor.answers(last)
    assert vendor.answers(second) == [refusal]
    assert refusal["params"]["flow"]["values"] == FLOWS
    assert answer["summary"]["metrics"]["amount"]["sum"] == total


def test_requests_prints_the_tools_the_months_and_what_would_have_fitted(clerk: Agent, expenses: Any) -> None:
    printed = run("with_requests.py", clerk).splitlines()
    tools = clerk.send("GET", "/agent/tools").json()["tools"]
    assert printed[: len(tools)] == [f"{tool['name']}: {tool['shortDescription']}" for tool in tools]
    for group in expenses["groups"]:
        assert f"{group['key']}: {group['metrics']['amount']['sum']} in {group['rowCount']} rows" in printed
    assert f"all: {expenses['metrics']['amount']['sum']} in {expenses['metrics']['amount']['count']} rows" in printed
    assert printed[-1] == "flow would have been one of INCOME, EXPENSE"


def test_the_official_client_prints_the_tools_and_both_answers(clerk: Agent, expenses: Any) -> None:
    printed = run("with_mcp.py", clerk)
    lines = printed.splitlines()
    tools = clerk.send("GET", "/agent/tools").json()["tools"]
    assert {f"{tool['name']}: {tool['title']}" for tool in tools} <= set(lines)
    assert printed.index("answered\nREADY") < printed.index("refused\nINVALID_INPUT")
    assert f"sum {expenses['metrics']['amount']['sum']}" in printed
    assert "values INCOME, EXPENSE" in printed


def test_curl_prints_the_tools_and_both_answers(clerk: Agent, expenses: Any) -> None:
    busy = Busy(clerk.server.port)
    with serving(busy):
        printed = run("with_curl.sh", clerk, busy.url).splitlines()
    names = [tool["name"] for tool in clerk.send("GET", "/agent/tools").json()["tools"]]
    assert re.findall(r'^"name":"(\w+)"$', "\n".join(printed), re.MULTILINE) == names
    # curl writes a body that it was told to ask for again as well.
    told = [json.loads(line) for line in "\n".join(printed[len(names) :]).replace("}{", "}\n{").splitlines()]
    answer, refusal = told[-2:]
    assert answer["summary"]["metrics"] == expenses["metrics"]
    assert refusal["params"]["flow"]["values"] == FLOWS
    assert busy.told == [429]


def test_an_example_that_went_elsewhere_would_be_ended(clerk: Agent) -> None:
    with pytest.raises(AssertionError, match=r"It went to 192\.0\.2\.1"):
        run("with_requests.py", clerk, "http://192.0.2.1")


def test_every_example_is_run_and_linked() -> None:
    examples = {path.name for path in EXAMPLES.glob("with_*")}
    assert examples == {"with_curl.sh", "with_mcp.py", "with_requests.py", *(f"with_{name}.py" for name in VENDORS)}
    guide = (ROOT / "docs" / "agent.md").read_text(encoding="utf-8")
    assert all(f"examples/{name}" in guide for name in examples)
