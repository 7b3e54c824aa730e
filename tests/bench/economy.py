"""What a conversation costs over MCP, in bytes: the tools of each target as they are listed, and five questions.

The official client asks a server as a host does. What it hands its model is the text; the structured answer is for
programs. Of a tool the model gets its name, its description and its arguments; the rest is for its host.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from .company import ROWS, build, secret_of  # isort: skip  # sets Django up

from django.contrib.auth.models import User
from django.db import connection

from read_targets.models import ReadTarget
from tests.live.servers import Server
from tests.mcp.client import Agent
from tests.mcp.questions import LEDGER, QUESTIONS

from .timing import say

MOST = 1_600
FOR_THE_MODEL = ("name", "description", "inputSchema")


def main() -> None:
    """Build the company, serve it, and print what was measured."""
    build()
    secret = secret_of(User.objects.get(username="admin"))
    with tempfile.TemporaryDirectory(prefix="economy-") as folder:
        server = Server(dict(os.environ), Path(folder) / "server.log")
        server.start()
        try:
            agent = Agent(server, secret)
            print(f"\n{connection.vendor}, {ROWS:,} transactions, bytes over MCP")
            tell_tools(agent)
            tell_questions(agent)
        finally:
            server.stop()


def tell_tools(agent: Agent) -> None:
    """Print the bytes of each target's tools."""
    listed = agent.rpc("tools/list").json()["result"]["tools"]
    told = {one["name"]: one for one in listed}
    for target in ReadTarget.objects.order_by("key"):
        tools = [told[name] for name in (target.query_tool_name, target.screen_tool_name) if name in told]
        if tools:
            model = sum(size_of({name: one[name] for name in FOR_THE_MODEL}) for one in tools)
            whole = sum(map(size_of, tools))
            say(f"tools of {target.key}", f"{model:,}", f"at most {MOST:,}; {whole:,} with what is for the host")


def tell_questions(agent: Agent) -> None:
    """Print the bytes of each question's arguments and of its answer."""
    for question in QUESTIONS:
        answer = agent.call(LEDGER, **question.arguments)
        assert not answer.is_error, answer.content
        text = sum(len(block.text.encode()) for block in answer.content)
        told = f"at most {question.most:,}; arguments {size_of(question.arguments):,}, "
        say(question.asked, f"{text:,}", f"{told}structured {size_of(answer.structured_content):,}")


def size_of(value: Any) -> int:
    """Return the bytes of a value as compact JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


if __name__ == "__main__":
    main()
