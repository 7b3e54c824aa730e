"""Under ASGI, whoever hangs up has nothing more read for them.

Django stops waiting for a view whose client has gone, but the thread that it runs in goes on, and so does the statement
that it waits for. A call that acts is never ended midway: only what is read within a snapshot is, and a command reads
within none.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..lists.bounds import Caller, CallerLeft, called_by
from .mcp.mounting import ASGIApplication, Receive, Scope, Send

_leaving = ThreadPoolExecutor(4, thread_name_prefix="leaving")
"""Threads that tell databases to end a statement, which may take a moment that the event loop has not."""


def cancelling(application: ASGIApplication) -> ASGIApplication:
    """Return `application`, in which what is read for a client ends when the client hangs up.

    It goes outermost in a site's `asgi.py`, around what is mounted there. Under WSGI nobody notices a client leave, and
    a reading ends when its time is over.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        events = _Events(receive)
        with called_by(events.caller):
            try:
                await application(scope, events.next, send)
            finally:
                events.end()

    return answer


class _Events:
    """What the client sends. Once its body is there, somebody waits at all times for it to hang up."""

    def __init__(self, receive: Receive) -> None:
        self.caller = Caller()
        self._receive = receive
        self._waiting: asyncio.Task[Any] | None = None

    async def next(self) -> Any:
        """Return the next event, to whoever asks for it."""
        if self._waiting is not None:
            # Whoever asks may stop to; the task goes on for the next.
            return await asyncio.shield(self._waiting)
        event = await self._receive()
        if event["type"] == "http.disconnect":
            self._leave()
        elif not event.get("more_body", False):
            self._waiting = asyncio.create_task(self._wait())
        return event

    def end(self) -> None:
        """The request is answered: nobody waits any more."""
        if self._waiting is not None:
            self._waiting.cancel()

    async def _wait(self) -> Any:
        event = await self._receive()
        if event["type"] == "http.disconnect":
            self._leave()
        return event

    def _leave(self) -> None:
        for bound in self.caller.leave():
            _leaving.submit(bound.stop, CallerLeft())
