"""Minutes of whatever schemathesis thinks of, over HTTP: all its checks, all tools, and calls that lead to others."""

from __future__ import annotations

import os
from typing import Any

from tests.contract.exploring import explore, with_tools
from tests.live.servers import Server, Servers
from tests.mcp.client import send, token_of

SECONDS = int(os.environ.get("SCHEMATHESIS_SECONDS", "600"))


def test_nothing_is_answered_that_the_document_does_not_tell(two_servers: Servers, unlimited: Server) -> None:
    headers = {"Authorization": f"Bearer {token_of(two_servers, 'clerk', '--may-act')}"}
    tools = send(unlimited, "GET", "/agent/tools", **headers).json()["tools"]
    document = send(unlimited, "GET", "/agent/schema/", **headers).json()
    config: dict[str, Any] = {
        "base-url": f"{unlimited.url}/agent",
        "headers": headers,
        "max-time": SECONDS,
        "suppress-health-check": ["all"],
        "continue-on-failure": True,
        "generation": {"database": "none"},
        "operations": [
            # Of these arguments the schema cannot say all: a day, or the columns there are.
            {"include-path-regex": "/tools/[a-zA-Z]+$", "checks": {"positive_data_acceptance": {"enabled": False}}}
        ],
    }
    found = explore(with_tools(document, tools), config)
    print(f"{found.calls} calls in {SECONDS} seconds, seed {found.seed}: {dict(sorted(found.statuses.items()))}")
    assert not found.problems
    assert "Traceback" not in unlimited.log.read_text()
