"""Requests that were made to hurt: none is answered as our fault, and no traceback stands in the log of the server."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from tests.live.servers import Servers

from .client import NEWEST, OLDER, Agent, headers_of, request

CALLS = 400

METHODS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tools/call", {"name": "queryLedgerCashTransactions", "arguments": {"flow": "EXPENSE", "rows": 1}}),
    ("tools/call", {"name": "callAnswer", "arguments": {"callId": "x", "wait": 0}}),
    ("tools/call", {"name": "runPageCommand", "arguments": {"command": "x", "parameters": {"a": 1}}}),
    ("tools/list", {}),
    ("resources/list", {"cursor": "x"}),
    ("resources/read", {"uri": "workspace://desk/x/1"}),
    ("prompts/get", {"name": "guidance", "arguments": {"a": "b"}}),
    ("server/discover", {}),
    ("initialize", {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}),
)

WEIRD: tuple[Any, ...] = (
    None, True, 0, -1, 2**70, 1.5, "", "\0", "\ud800", "x" * 5_000, "'; DROP TABLE x; --", [], {}, [[]], {"": None},
    ["a"] * 200, {"$ref": "#"}, "workspace://desk/%2e%2e/1", "workspace://desk/%FF/1", "https://evil.example", "\u202e",
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a request."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        yield from places(child, (*path, key))


def mutated(chance: random.Random, value: Any) -> Any:
    """The request with something else in one of its places, or without that place, or with one more."""
    value = copy.deepcopy(value)
    *path, last = chance.choice([place for place in places(value) if place])
    inner = value
    for key in path:
        inner = inner[key]
    if isinstance(inner, dict) and chance.random() < 0.2:
        del inner[last]
    elif isinstance(inner, dict) and chance.random() < 0.2:
        inner[chance.choice(["", "x", "\0", "__class__", "toolset"])] = chance.choice(WEIRD)
    else:
        inner[last] = chance.choice(WEIRD)
    return value


def test_nothing_that_is_sent_is_answered_as_our_fault(clerk: Agent, guest: Agent, two_servers: Servers) -> None:
    chance = random.Random(5)
    before = len(two_servers.first.log.read_text())
    statuses: dict[int, int] = {}
    for number in range(CALLS):
        method, params = chance.choice(METHODS)
        agent = chance.choice((clerk, guest))
        modern = chance.random() < 0.6
        body = request(method, params) if modern else {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        for _ in range(chance.randint(1, 3)):
            body = mutated(chance, body) if isinstance(body, dict) and body else body
        raw = json.dumps(body).encode()
        if chance.random() < 0.1:
            raw = raw[: chance.randint(0, len(raw))]
        headers = headers_of(method, params) if modern else {"Accept": "application/json, text/event-stream"}
        headers["MCP-Protocol-Version"] = NEWEST if modern else OLDER
        reply = agent.send("POST", "/mcp", raw, **headers)
        assert reply.status < 500, (number, raw[:2000], reply.body[:2000])
        statuses[reply.status] = statuses.get(reply.status, 0) + 1
        if reply.body:
            told = json.loads(reply.body)
            result = told.get("result", {})
            assert told.get("error", {}).get("code") != -32603, (number, raw[:2000], reply.body[:2000])
            answer = result.get("structuredContent", {}) if isinstance(result, dict) else {}
            assert answer.get("outcome") != "INTERNAL", (number, raw[:2000], reply.body[:2000])
    assert {200, 400} <= statuses.keys()
    assert "Traceback" not in two_servers.first.log.read_text()[before:]
