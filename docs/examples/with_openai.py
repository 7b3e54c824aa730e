"""The tool loop of OpenAI's SDK, over Responses: prints each call of a tool, and what the model says in the end.

OPENAI_API_KEY=… AGENT_URL=http://127.0.0.1:8000 AGENT_TOKEN=… python docs/examples/with_openai.py "…?"
"""

import json
import os
from typing import Any

import door
from openai import OpenAI

client = OpenAI()
offered = door.tools("openai-responses")
said: list[Any] = [{"role": "user", "content": door.QUESTION}]

for _ in range(door.TURNS):
    reply = client.responses.create(
        model=os.environ.get("MODEL", "gpt-5"),
        instructions=offered["guidance"],
        tools=offered["tools"],
        input=said,
    )
    said += reply.output
    calls = [item for item in reply.output if item.type == "function_call"]
    if not calls:
        print(reply.output_text)
        break
    for call in calls:
        answer = door.call(call.name, json.loads(call.arguments))
        said.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(answer)})
