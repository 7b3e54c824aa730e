"""What is counted, who is told, and that the numbers of several processes add up."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from read_targets.agent import metrics
from read_targets.models import AgentDoors
from tests.live.servers import Servers

ROOT = Path(__file__).parents[1]
TOKEN = "a token of the tests, long enough"
TOOL = "queryLedgerAccounts"


@pytest.fixture
def counting() -> Iterator[None]:
    """Count what is called; what was counted before stays, so tests look at what is added."""
    metrics.watch()
    metrics.watch()
    yield
    metrics.unwatch()


def number(name: str, **labels: str) -> float:
    """What this process counted."""
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


def told(client: Client, **headers: str) -> int:
    """How the address answers."""
    return int(client.get("/metrics", **headers).status_code)


@pytest.mark.django_db
class TestCounting:
    """Calls by what they came to."""

    def test_a_call_counts_once_by_tool_outcome_and_code(self, agent: Any, counting: None) -> None:
        ready = {"tool": TOOL, "outcome": "READY", "code": ""}
        before = number("read_targets_calls_total", **ready), number("read_targets_call_seconds_count", tool=TOOL)
        agent("analyst").call(TOOL)
        after = number("read_targets_calls_total", **ready), number("read_targets_call_seconds_count", tool=TOOL)
        assert after == (before[0] + 1, before[1] + 1)

    @pytest.mark.parametrize("tool", ["queryMadeUp", TOOL])
    def test_a_tool_that_is_not_there_has_no_name_of_its_own(self, agent: Any, counting: None, tool: str) -> None:
        unknown = {"tool": "", "outcome": "REJECTED", "code": "read_targets.unknown_tool"}
        before = number("read_targets_calls_total", **unknown)
        agent("guest").call(tool)
        assert number("read_targets_calls_total", **unknown) == before + 1
        assert number("read_targets_calls_total", **{**unknown, "tool": "queryMadeUp"}) == 0

    def test_while_the_doors_are_closed_no_name_is_believed(self, agent: Any, counting: None) -> None:
        AgentDoors.objects.update_or_create(pk=1, defaults={"is_open": False})
        closed = {"tool": "", "outcome": "REJECTED", "code": "read_targets.doors_closed"}
        before = number("read_targets_calls_total", **closed)
        agent("analyst").call("queryMadeUp")
        assert number("read_targets_calls_total", **closed) == before + 1

    def test_what_came_too_often_counts_by_limit(self, agent: Any, counting: None, settings: Any) -> None:
        settings.READ_TARGETS = {"CALLS_A_MINUTE_OF_TOKEN": 1}
        before = number("read_targets_limited_total", limit="token")
        one = agent("analyst")
        assert [one.call(TOOL).status_code for _ in range(3)] == [200, 429, 429]
        assert number("read_targets_limited_total", limit="token") == before + 2

    def test_nothing_counts_unasked(self, agent: Any) -> None:
        ready = {"tool": TOOL, "outcome": "READY", "code": ""}
        before = number("read_targets_calls_total", **ready)
        agent("analyst").call(TOOL)
        assert number("read_targets_calls_total", **ready) == before


@pytest.mark.django_db
class TestWhoIsTold:
    """Nobody but whom the environment names; to everybody else nothing is there."""

    def test_it_is_off(self, client: Client) -> None:
        assert told(client) == 404
        assert told(client, HTTP_AUTHORIZATION="Bearer ") == 404

    @pytest.mark.parametrize(
        ("header", "status"),
        [
            (f"Bearer {TOKEN}", 200),
            (f"bearer {TOKEN}", 200),
            (f"Bearer {TOKEN}x", 404),
            (f"Basic {TOKEN}", 404),
            (TOKEN, 404),
            ("Bearer", 404),
            ("Bearer \xe9", 404),
        ],
    )
    def test_whoever_has_the_token(self, client: Client, settings: Any, header: str, status: int) -> None:
        settings.METRICS_TOKEN = TOKEN
        assert told(client, HTTP_AUTHORIZATION=header) == status
        assert told(client) == 404

    @pytest.mark.parametrize(
        ("address", "status"),
        [("10.1.2.3", 200), ("192.0.2.7", 200), ("192.0.2.8", 404), ("::1", 200), ("::2", 404), ("", 404), ("x", 404)],
    )
    def test_whoever_comes_from_an_address(self, client: Client, settings: Any, address: str, status: int) -> None:
        settings.METRICS_FROM = ["10.0.0.0/8", "192.0.2.7", "::1"]
        assert told(client, REMOTE_ADDR=address) == status

    @pytest.mark.parametrize("header", ["HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_FORWARDED", "HTTP_VIA"])
    def test_nobody_who_comes_through_a_proxy(self, client: Client, settings: Any, header: str) -> None:
        settings.METRICS_FROM, settings.METRICS_TOKEN = ["127.0.0.1"], TOKEN
        assert told(client) == 200
        assert told(client, **{header: "127.0.0.1"}) == 404
        assert told(client, HTTP_AUTHORIZATION=f"Bearer {TOKEN}", **{header: "127.0.0.1"}) == 200

    def test_not_even_an_administrator(self, signed_in: Any) -> None:
        assert told(signed_in("admin")) == 404

    def test_what_is_told(self, client: Client, settings: Any) -> None:
        settings.METRICS_FROM = ["127.0.0.1"]
        metrics.counted().limited.labels("polls").inc()
        answer = client.get("/metrics")
        assert answer["Content-Type"].startswith("text/plain; version=")
        assert "no-store" in answer["Cache-Control"]
        text = answer.content.decode()
        assert 'read_targets_limited_total{limit="polls"}' in text
        assert re.search(r"^read_targets_open_pages \d", text, re.M)
        assert client.post("/metrics").status_code == 405


CALLING = """
import project.wsgi, sys
from django.contrib.auth.models import User
from django.test import Client
from read_targets.agent.tokens import create_token
secret = create_token(User.objects.get(username="analyst"), "counted")[1]
client, headers = Client(), {"Authorization": f"Bearer {secret}"}
for tool in ["queryLedgerAccounts"] * 3 + ["queryNothing"]:
    client.post(f"/agent/tools/{tool}", "{}", "application/json", headers=headers)
sys.stdout.write(client.get("/metrics").content.decode())
"""


def test_the_numbers_of_several_processes_add_up(two_servers: Servers, tmp_path: Path) -> None:
    folder = {"METRICS_FROM": "127.0.0.1", "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    processes = [
        subprocess.run(
            [sys.executable, "-c", CALLING],
            cwd=ROOT,
            env={**two_servers.environment, **folder},
            capture_output=True,
            text=True,
            check=False,
        )
        for _ in range(2)
    ]
    for place, process in enumerate(processes, start=1):
        assert process.returncode == 0, process.stderr[-2000:]
        lines = process.stdout.splitlines()
        assert f'read_targets_calls_total{{code="",outcome="READY",tool="{TOOL}"}} {3.0 * place}' in lines
        assert f'read_targets_call_seconds_count{{tool="{TOOL}"}} {3.0 * place}' in lines
        assert f'read_targets_call_seconds_bucket{{le="+Inf",tool="{TOOL}"}} {3.0 * place}' in lines
        assert f'read_targets_call_seconds_count{{tool=""}} {1.0 * place}' in lines
