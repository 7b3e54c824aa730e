"""The site in process, spoken to below HTTP: any method, path, header and body, as no client would send them.

What asks the database runs in the thread of the test, in whose transaction the company stands; MCP's event loop runs
beside it.
"""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Queue
from threading import Thread
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections

from read_targets.agent.mcp import mount_mcp, threads

SLOWEST = 60.0
"""Seconds after which an answer is taken for one that never comes."""


@dataclass(frozen=True)
class Request:
    """What is sent; `path` is what the server has decoded, as WSGI and ASGI take it."""

    method: str
    path: str
    query: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def told(self) -> str:
        """The request for whoever reads a failure."""
        headers = [(name, value[:200]) for name, value in self.headers]
        return f"{self.method} {self.path!r}?{self.query!r} {headers} {self.body[:1000]!r}"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def everything(self) -> bytes:
        """All its bytes, headers and body."""
        return repr(self.headers).encode() + self.body


class Errors(logging.Handler):
    """Keeps what is logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message, and what was raised."""
        raised = record.exc_info[1] if record.exc_info else None
        self.found.append(f"{record.name}: {record.getMessage()} {raised!r}")


class Here(Executor):
    """Runs what it is given in the thread that calls `serve`."""

    def __init__(self) -> None:
        self.asked: Queue[Callable[[], None]] = Queue()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Note what is to be run."""
        future: Future[Any] = Future()

        def run() -> None:
            try:
                future.set_result(function(*args, **kwargs))
            except BaseException as raised:  # which is for whoever waits to raise
                future.set_exception(raised)

        self.asked.put(run)
        return future

    def serve(self, until: Future[Any]) -> None:
        """Run what is asked for until the future is there."""
        until.add_done_callback(lambda _: self.asked.put(lambda: None))
        while not until.done():
            self.asked.get()()


class Site:
    """The site's doors."""

    def __init__(self, here: Here, loop: asyncio.AbstractEventLoop, errors: Errors) -> None:
        self.wsgi = get_wsgi_application()
        self.mcp = mount_mcp(_not_there)
        self.here, self.loop, self.errors = here, loop, errors

    def send(self, request: Request) -> Answer:
        """Send a request through the door that its path leads to."""
        if request.path in ("/mcp", "/mcp/"):
            future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(self._to_mcp(request), SLOWEST), self.loop)
            self.here.serve(future)
            return future.result()
        if not all(told.isascii() and told.isdigit() for name, told in request.headers if name == "Content-Length"):
            return Answer(400, (), b"")  # as every server answers, before WSGI
        return self._to_wsgi(request)

    def _to_wsgi(self, request: Request) -> Answer:
        environ = {
            "REQUEST_METHOD": request.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": request.path.encode("utf-8", "surrogatepass").decode("latin-1"),
            "QUERY_STRING": request.query.decode("latin-1"),
            "SERVER_NAME": "testserver",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_LENGTH": str(len(request.body)),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(request.body),
            "wsgi.errors": io.StringIO(),
        }
        for name, value in request.headers:
            key = name.upper().replace("-", "_")
            key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
            # Of a header that comes twice, servers make one.
            environ[key] = f"{environ[key]},{value}" if key in environ and key.startswith("HTTP_") else value
        began: list[Any] = []
        chunks = self.wsgi(environ, lambda status, headers, info=None: began.append((status, headers)))
        try:
            body = b"".join(chunks)
        finally:
            chunks.close()
        status, headers = began[0]
        return Answer(int(status[:3]), tuple(headers), body)

    async def _to_mcp(self, request: Request) -> Answer:
        raw = [(name.lower().encode("latin-1"), value.encode("utf-8", "replace")) for name, value in request.headers]
        raw += (
            []
            if any(name == b"content-length" for name, _ in raw)
            else [(b"content-length", b"%d" % len(request.body))]
        )
        scope = {
            "type": "http", "method": request.method, "path": request.path, "raw_path": b"/mcp", "root_path": "",
            "query_string": request.query, "headers": raw, "scheme": "http",
            "client": ("127.0.0.1", 1), "server": ("testserver", 80), "http_version": "1.1",
            "asgi": {"version": "3.0"},
        }  # fmt: skip
        events = [{"type": "http.request", "body": request.body, "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            if events:
                return events.pop()
            await asyncio.sleep(SLOWEST)
            return {"type": "http.disconnect"}

        async def note(event: Any) -> None:
            sent.append(event)

        await self.mcp(scope, receive, note)
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in sent[0]["headers"])
        return Answer(sent[0]["status"], headers, b"".join(event.get("body", b"") for event in sent[1:]))


async def _not_there(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError(scope["path"])


@contextmanager
def kept_open() -> Iterator[None]:
    """Keep the test's connection, in whose transaction everything happens: a request of the site's would close it."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


@contextmanager
def site_in_process(monkeypatch: pytest.MonkeyPatch, ignored: Sequence[str] = ()) -> Iterator[Site]:
    """Give the site; every error that it logs is kept."""
    here, loop, errors = Here(), asyncio.new_event_loop(), Errors()
    monkeypatch.setattr(threads, "_pool", here)
    monkeypatch.setattr(threads, "_tidily", lambda function: function())
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    site = Site(here, loop, errors)  # which sets the logs up anew
    logging.getLogger().addHandler(errors)
    levels = {name: logging.getLogger(name).level for name in ("read_targets.calls", "django.request")}
    for name in levels:
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        with kept_open():
            yield site
    finally:
        logging.getLogger().removeHandler(errors)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
