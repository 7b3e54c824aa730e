"""The application where it is busy: what is called first is told to wait, and the rest is passed on."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WAIT = {"type": "WAIT", "delayMs": 20}
TOO_MANY = {
    "success": False,
    "outcome": "REJECTED",
    "toolName": "",
    "callId": "0",
    "error": "Too many calls.",
    "message": "Too many calls.",
    "code": "read_targets.too_many",
    "nextAction": WAIT,
}
NOT_READY = {
    "success": True,
    "outcome": "NOT_READY",
    "isDataReady": False,
    "toolName": "",
    "callId": "66f1dbbe",
    "message": "The person has not answered yet.",
    "nextAction": WAIT,
}


class Busy(ThreadingHTTPServer):
    """It stands before the server at `port`. `told` is what it has answered itself.

    The first call is one too many. Where it also `keeps`, the next one is answered only when it is asked for again.
    """

    daemon_threads = True

    def __init__(self, port: int, *, keeps: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind = port
        self.keeps = keeps
        self.told: list[int] = []
        self.kept: tuple[int, bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Passes requests on."""

    server: Busy

    def do_GET(self) -> None:
        """Pass it on, but for the call that was kept."""
        is_kept = self.path == f"/agent/calls/{NOT_READY['callId']}"
        self._answer(*(self.server.kept if is_kept and self.server.kept else self._behind("GET", None)))

    def do_POST(self) -> None:
        """Refuse the first, keep the second, and pass the others on."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.server.told:
            self._tell(429, TOO_MANY)
            return
        answer = self._behind("POST", body)
        if self.server.keeps and self.server.kept is None:
            self.server.kept = answer
            self._tell(202, NOT_READY)
        else:
            self._answer(*answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _tell(self, status: int, answer: dict[str, Any]) -> None:
        self.server.told.append(status)
        self._answer(status, json.dumps(answer).encode())

    def _behind(self, method: str, body: bytes | None) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", self.server.behind, timeout=60)
        kept = {name: self.headers[name] for name in ("Authorization", "Content-Type") if name in self.headers}
        try:
            connection.request(method, self.path, body, kept)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(body)
