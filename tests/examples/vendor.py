"""A vendor's API on loopback: it answers with what a model was recorded to say, one reply for each result it was given.

The last reply says the sum of the last result, so what a client prints is what went through its loop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

RECORDED = Path(__file__).parent / "recorded"

Answers = Callable[[dict[str, Any]], list[Any]]
"""Finds in a request to a vendor what the tools have answered so far, in order."""


def of_openai(request: dict[str, Any]) -> list[Any]:
    """The outputs of functions."""
    return [json.loads(one["output"]) for one in request["input"] if one.get("type") == "function_call_output"]


def of_anthropic(request: dict[str, Any]) -> list[Any]:
    """The results of tools."""
    blocks = [block for message in request["messages"] for block in message["content"] if isinstance(block, dict)]
    return [json.loads(block["content"]) for block in blocks if block["type"] == "tool_result"]


def of_gemini(request: dict[str, Any]) -> list[Any]:
    """The responses of functions."""
    parts = [part for content in request["contents"] for part in content["parts"]]
    return [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]


VENDORS: dict[str, tuple[str, Answers]] = {
    "openai": ("/responses", of_openai),
    "anthropic": ("/v1/messages", of_anthropic),
    "gemini": (":generateContent", of_gemini),
}
"""Where each vendor is asked, and how what it is sent is read."""


class Vendor(ThreadingHTTPServer):
    """One vendor; `asked` are the requests that came."""

    daemon_threads = True

    def __init__(self, name: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ending, self.answers = VENDORS[name]
        self.replies = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.server_port}"

    def reply_to(self, request: dict[str, Any]) -> bytes:
        """What the model says next."""
        self.asked.append(request)
        answers = self.answers(request)
        reply = json.dumps(self.replies[len(answers)])
        if "{sum}" in reply:
            reply = reply.replace("{sum}", answers[-1]["summary"]["metrics"]["amount"]["sum"])
        return reply.encode()


class Handler(BaseHTTPRequestHandler):
    """Reads a request and answers it."""

    server: Vendor

    def do_POST(self) -> None:
        """Answer a request for the next reply; nothing else is there."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_known = self.path.partition("?")[0].endswith(self.server.ending)
        reply = self.server.reply_to(json.loads(body)) if is_known else b"{}"
        self.send_response(200 if is_known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[None]:
    """Serve until the block ends."""
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
