"""The tool loop of Google's Gen AI SDK: prints each call of a tool, and what the model says in the end.

GEMINI_API_KEY=… AGENT_URL=http://127.0.0.1:8000 AGENT_TOKEN=… python docs/examples/with_gemini.py "…?"
"""

import os

import door
from google import genai
from google.genai import types

client = genai.Client()
offered = door.tools("gemini")
config = types.GenerateContentConfig.model_validate(
    {"system_instruction": offered["guidance"], "tools": offered["tools"]}
)
said = [types.Content(role="user", parts=[types.Part(text=door.QUESTION)])]

for _ in range(door.TURNS):
    reply = client.models.generate_content(
        model=os.environ.get("MODEL", "gemini-2.5-flash"), contents=said, config=config
    )
    if not reply.function_calls:
        print(reply.text)
        break
    answers = [
        types.Part.from_function_response(name=call.name, response=door.call(call.name, dict(call.args or {})))
        for call in reply.function_calls
    ]
    said += [reply.candidates[0].content, types.Content(role="user", parts=answers)]
