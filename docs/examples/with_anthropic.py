"""The tool loop of Anthropic's SDK, over Messages: prints each call of a tool, and what the model says in the end.

ANTHROPIC_API_KEY=… AGENT_URL=http://127.0.0.1:8000 AGENT_TOKEN=… python docs/examples/with_anthropic.py "…?"
"""

import json
import os
from typing import Any

import door
from anthropic import Anthropic

client = Anthropic()
offered = door.tools("anthropic")
said: list[Any] = [{"role": "user", "content": door.QUESTION}]

for _ in range(door.TURNS):
    reply = client.messages.create(
        model=os.environ.get("MODEL", "claude-sonnet-4-5"),
        max_tokens=2_000,
        system=offered["guidance"],
        tools=offered["tools"],
        messages=said,
    )
    said.append({"role": "assistant", "content": reply.content})
    if reply.stop_reason != "tool_use":
        print("".join(block.text for block in reply.content if block.type == "text"))
        break
    results = []
    for block in reply.content:
        if block.type == "tool_use":
            answer = door.call(block.name, block.input)
            result = {"type": "tool_result", "tool_use_id": block.id, "content": json.dumps(answer)}
            results.append({**result, "is_error": not answer["success"]})
    said.append({"role": "user", "content": results})
