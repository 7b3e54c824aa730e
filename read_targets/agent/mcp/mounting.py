"""Where MCP comes in: what every request must be before a byte of it reaches the SDK.

Its host is one of the site's (`ALLOWED_HOSTS`), its origin, where it has one, is the site's own or one that the site
trusts (`CSRF_TRUSTED_ORIGINS`), its body is not too large, not too slow and not nested too deeply. The session's cookie
is never looked at. A refusal has the contract's shape.
"""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.middleware.csrf import CsrfViewMiddleware

from ...conf import setting
from ..codes import Code
from ..contract import NextAction, Refused
from ..refusals import refuse_body
from ..views import MOST_NESTING, http_refusal

Scope = Any
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
ASGIApplication = Callable[[Scope, Receive, Send], Awaitable[None]]
Endpoint = Callable[[ASGIRequest, Any, Scope, Receive, Send], Awaitable[None]]
"""Answers a request that came in: Django's view of it, and its body as JSON values with exact numbers."""

BODY_SECONDS = 20.0
"""How long a body may take to come."""

ENVELOPE_NESTING = 2
"""The objects of JSON-RPC around a tool's arguments."""

PARSE_ERROR = -32700

_NO_STORE = {"Cache-Control": "no-store, private"}


class HttpRefusal(Exception):
    """A request that is refused before it is read as MCP."""

    def __init__(self, status: int, refused: Refused | None = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status)
        self.status = status
        self.refused = refused or http_refusal(status)
        self.headers = headers or {}


class Mounted:
    """An ASGI application with an endpoint of MCP at one of its paths.

    It keeps nothing between requests, so it needs no lifespan: that passes on to the application like all else.
    """

    def __init__(
        self, application: ASGIApplication, path: str, endpoint: Endpoint, methods: Iterable[str] = ("POST",)
    ) -> None:
        bare = "/" + path.strip("/")
        self.application = application
        self.paths = (bare, f"{bare}/")
        self.endpoint = endpoint
        self.methods = tuple(methods)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is for MCP, and pass on what is not."""
        if scope["type"] != "http" or scope["path"].removeprefix(scope.get("root_path", "")) not in self.paths:
            await self.application(scope, receive, send)
            return
        try:
            request = ASGIRequest(scope, io.BytesIO())
            check_sender(request)
            if request.method not in self.methods:
                raise HttpRefusal(405, headers={"Allow": ", ".join(self.methods)})
            body = await body_of(request, receive)
            message = exact(body) if body else None
        except HttpRefusal as refusal:
            await refuse(send, refusal)
        except ClientGone:
            pass  # nobody is there to be answered
        except ValueError:
            error = {"code": PARSE_ERROR, "message": "The body is no JSON, or nested too deeply."}
            await respond(send, 400, {"jsonrpc": "2.0", "id": None, "error": error})
        else:
            await self._answer(request, message, body, scope, receive, send)

    async def _answer(
        self, request: ASGIRequest, message: Any, body: bytes, scope: Scope, receive: Receive, send: Send
    ) -> None:
        try:
            await self.endpoint(request, message, scope, replayed(body, receive), kept_by_nobody(send))
        except HttpRefusal as refusal:
            await refuse(send, refusal)


class ClientGone(Exception):
    """The client hung up before its body was there."""


def check_sender(request: ASGIRequest) -> None:
    """Raises HttpRefusal for a host that is not the site's, an origin that it does not trust, and plain HTTP.

    So a page that somebody lures a browser to cannot reach a server on that browser's own machine by a name of theirs.
    Plain HTTP only where the site answers over TLS alone (`SECURE_SSL_REDIRECT`): a POST is not redirected.
    """
    try:
        request.get_host()
    except DisallowedHost:
        raise HttpRefusal(421, http_refusal(403)) from None
    if settings.SECURE_SSL_REDIRECT and not request.is_secure() and not _is_exempt(request.path):
        asked = NextAction(type="CONFIGURE_APP")
        raise HttpRefusal(
            403, Refused("REJECTED", Code.NOT_PERMITTED, "This is answered over https alone.", next_action=asked)
        )
    if "HTTP_ORIGIN" in request.META and not _csrf()._origin_verified(request):  # type: ignore[attr-defined]
        raise HttpRefusal(403)


async def body_of(request: ASGIRequest, receive: Receive) -> bytes:
    """Return the body; raises HttpRefusal where it is too large or too slow, ClientGone where it never ends."""
    most = setting("MAX_BODY_BYTES")
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit()) or int(length[:20]) > most:
        raise HttpRefusal(413)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                event = await receive()
                if event["type"] == "http.disconnect":
                    raise ClientGone
                part = event.get("body", b"")
                size += len(part)
                if size > most:
                    raise HttpRefusal(413)
                parts.append(part)
                if not event.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise HttpRefusal(408, refuse_body("The body did not come in time.")) from None


def exact(body: bytes) -> Any:
    """Return the body as JSON values, its numbers exact; raises ValueError where it is none or nested too deeply."""
    try:
        value = json.loads(body, parse_float=Decimal, parse_constant=_refuse_constant)
    except (RecursionError, ArithmeticError) as raised:
        raise ValueError("no JSON that could be read") from raised
    level, depth = [value], 0
    while level:
        if depth > MOST_NESTING + ENVELOPE_NESTING:
            raise ValueError("nested too deeply")
        level = [child for one in level for child in _children(one)]
        depth += 1
    return value


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body that was read already, and then what comes after it."""
    events = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return events.pop() if events else await receive()

    return again


def kept_by_nobody(send: Send) -> Send:
    """Return a `send` whose answers no cache keeps: the SDK says nothing of that, and they are one caller's alone."""

    async def told(event: Any) -> None:
        if event["type"] == "http.response.start":
            event = {**event, "headers": [*event.get("headers", ()), (b"cache-control", b"no-store, private")]}
        await send(event)

    return told


async def refuse(send: Send, refusal: HttpRefusal) -> None:
    """Answer a refusal of HTTP itself in the contract's shape."""
    await respond(send, refusal.status, refusal.refused.result("", "").to_json(), refusal.headers)


async def respond(send: Send, status: int, content: Any, headers: Mapping[str, str] | None = None) -> None:
    """Answer JSON."""
    body = orjson.dumps(content, default=str)
    told = {"Content-Type": "application/json", "Content-Length": str(len(body)), **_NO_STORE, **(headers or {})}
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in told.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def _is_exempt(path: str) -> bool:
    return any(re.search(pattern, path.lstrip("/")) for pattern in settings.SECURE_REDIRECT_EXEMPT)


def _csrf() -> CsrfViewMiddleware:
    """Django's own rule of origins, with the settings as they are now."""
    return CsrfViewMiddleware(lambda request: None)  # type: ignore[arg-type]  # answers nothing here


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)
