"""One request over MCP: who is calling, then the SDK with a server of this caller alone, then nothing is left of it."""

from __future__ import annotations

import logging
import math

from django.core.handlers.asgi import ASGIRequest
from django.db import DatabaseError
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from rest_framework.exceptions import AuthenticationFailed

from ...conf import setting
from ...policies import Actor
from ..contract import HTTP_STATUS, Refused
from ..limits import check_guesses
from ..models import AgentToken
from ..refusals import internal, unavailable
from ..tokens import token_of
from ..views import http_refusal
from .mounting import HttpRefusal, Receive, Scope, Send
from .serving import server_for
from .threads import in_thread
from .visits import Visit

logger = logging.getLogger(__name__)

# At its usual level it tells of every request that a session manager was started and stopped.
_sdk_logger = logging.getLogger("mcp.server")
if _sdk_logger.level == logging.NOTSET:
    _sdk_logger.setLevel(logging.WARNING)


async def answer(request: ASGIRequest, message: object, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request as the person whose token it brings; raises HttpRefusal where it brings none that holds."""
    try:
        token = await in_thread(access_token, request)
    except HttpRefusal:
        raise
    except Exception as raised:  # the last line of defence: nothing of an exception reaches the agent
        logger.exception("a token could not be looked up")
        refused = unavailable() if isinstance(raised, DatabaseError) else internal()
        raise HttpRefusal(HTTP_STATUS[refused.outcome], refused) from None
    visit = Visit(
        actor=Actor(token.user, token),
        toolset=request.GET.get("toolset", ""),
        site=f"{request.scheme}://{request.get_host()}",
        message=message,
    )
    await serve(await server_for(visit), request, scope, receive, send)


def access_token(request: ASGIRequest) -> AgentToken:
    """Return the token that the request brings; raises HttpRefusal. A session's cookie is no credential here."""
    header = request.META.get("HTTP_AUTHORIZATION")
    if header is None:
        raise HttpRefusal(401, headers={"WWW-Authenticate": challenge()})
    scheme, _, secret = header.partition(" ")
    token = token_of(secret.strip()) if scheme.lower() == "bearer" else None
    if token is None:
        raise _not_held(request)
    return token


def _not_held(request: ASGIRequest) -> HttpRefusal:
    """The refusal of a credential that does not hold, or of yet another one from that address."""
    try:
        check_guesses(request.META.get("REMOTE_ADDR", ""))
    except Refused as too_many:
        seconds = math.ceil(too_many.next_action.delay_ms / 1000)
        return HttpRefusal(429, too_many, {"Retry-After": str(seconds)})
    refused = http_refusal(401, AuthenticationFailed())
    return HttpRefusal(401, refused, {"WWW-Authenticate": challenge('error="invalid_token"')})


def challenge(*more: str) -> str:
    """Return what a 401 asks for."""
    return ", ".join(('Bearer realm="agent"', *more))


async def serve(server: Server, request: ASGIRequest, scope: Scope, receive: Receive, send: Send) -> None:
    """Let the SDK answer one request with `server`, statelessly.

    Of the newest protocol an answer is JSON, and becomes a stream where it takes long or tells of its progress, unless
    the client takes no stream; of the older one it is JSON.
    """
    version = request.headers.get("MCP-Protocol-Version")
    is_older = version is None or version in HANDSHAKE_PROTOCOL_VERSIONS
    takes_streams = "text/event-stream" in request.headers.get("Accept", "")
    manager = StreamableHTTPSessionManager(
        server,
        stateless=True,
        json_response=is_older or not takes_streams,
        max_request_body_size=setting("MAX_BODY_BYTES"),
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)
