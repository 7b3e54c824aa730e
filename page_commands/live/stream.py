"""`GET /pages/stream`: the doorbell of a browser, as server-sent events; one for all of its tabs.

It says which sessions have something new, never what. The database is asked once, when the stream begins; from then on
the hub tells it what rings, and no connection is held. Of more than a few of one sign-in the oldest ends.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_GET

from read_targets.policies import is_someone

from .hub import hub
from .models import PageSession
from .sessions import browser_of

PING_EVERY = 5.0
"""Seconds between two signs of life, by which a tab tells a stream that stays quiet from one that is dead."""

LONGEST = 300.0
"""Seconds after which a stream ends and the browser opens another, signed in anew."""

RETRY_MS = 1_000


@require_GET
async def stream(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Answer the stream; 204 where the server cannot hold one, 403 for whoever is not signed in by a session."""
    browser = await sync_to_async(_signed_in_browser)(request)
    answer: HttpResponse | StreamingHttpResponse
    if not browser:
        answer = HttpResponse(status=403)
    elif not isinstance(request, ASGIRequest):
        answer = HttpResponse(status=204)
    else:
        answer = StreamingHttpResponse(_events(browser), content_type="text/event-stream; charset=utf-8")
        answer["X-Accel-Buffering"] = "no"
    patch_cache_control(answer, private=True, no_store=True)
    return answer


def _signed_in_browser(request: HttpRequest) -> str:
    """The digest of the request's sign-in, empty where it has none or comes with a token."""
    if "Authorization" in request.headers or not is_someone(request.user):
        return ""
    return browser_of(request)


async def _events(browser: str) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    end = loop.time() + LONGEST
    with hub.ear(browser) as ear:
        yield f"retry: {RETRY_MS}\n\n".encode()
        # After the ear is open: whatever commits from now on is heard, and what did before is read here.
        yield _event("ring", await sync_to_async(_open_now)(browser))
        while (left := end - loop.time()) > 0:
            rings = await ear.listen(min(PING_EVERY, left))
            if ear.is_cut:
                return
            yield _event("ring", rings) if rings else _event("ping", {})
            if ear.is_over:
                yield _event("end", {})
                return


def _open_now(browser: str) -> dict[str, int]:
    """The newest number of each session of the browser. Gives all connections back: the stream needs none from here."""
    try:
        sessions = PageSession.objects.filter(browser=browser, ended_at=None)
        return {str(key): seq for key, seq in sessions.values_list("pk", "last_seq")}
    finally:
        # Django itself would keep them until the stream ends, and other requests would wait for one in vain.
        connections.close_all()


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
