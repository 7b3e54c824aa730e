"""What the examples share: the tools of a person over REST, and calling one.

`AGENT_URL` says where the site is, `AGENT_TOKEN` is the person's; what is given as arguments is the question.
"""

import os
import sys
import time
from typing import Any

import requests

QUESTION = " ".join(sys.argv[1:]) or "What did we spend?"
TURNS = 8
"""How often a model may ask for tools before its answer, and how often a call is asked for again that has to wait."""

URL = os.environ["AGENT_URL"].rstrip("/")
session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['AGENT_TOKEN']}"


def tools(form: str = "native") -> dict[str, Any]:
    """Return the person's `tools` in a vendor's form, and the `guidance` that belongs into the model's instructions."""
    response = session.get(f"{URL}/agent/tools", params={"format": form}, timeout=60)
    response.raise_for_status()
    return dict(response.json())


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a tool, and print in a line how it went.

    A refusal is an answer too: a model reads what would have fitted and corrects itself, so it is given to the model.
    Only WAIT is done here. Where there were too many calls, the same call is made once more; where a person must
    agree first, it is asked how that call stands.
    """
    answer = session.post(f"{URL}/agent/tools/{name}", json=arguments, timeout=60).json()
    for _ in range(TURNS):
        action = answer.get("nextAction", {})
        if action.get("type") != "WAIT":
            break
        time.sleep(action["delayMs"] / 1000)
        if answer["outcome"] == "NOT_READY":
            answer = session.get(f"{URL}/agent/calls/{answer['callId']}", timeout=60).json()
        else:
            answer = session.post(f"{URL}/agent/tools/{name}", json=arguments, timeout=60).json()
    print(f"{name} {arguments}: {answer['outcome']}", flush=True)
    return dict(answer)
