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
from ..authentication import challenge, token_in
from ..codes import Code
from ..contract import HTTP_STATUS, Refused
from ..dispatch import access_tool, call_tool
from ..limits import check_calls, check_guesses
from ..models import AgentToken
from ..refusals import internal, unavailable
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
    if token.client and not token.may_act and visit.method == "tools/call":
        await in_thread(check_scope, visit, request)
    await serve(await server_for(visit), request, scope, receive, send)


def access_token(request: ASGIRequest) -> AgentToken:
    """Return the token that the request brings; raises HttpRefusal. A session's cookie is no credential here."""
    if "HTTP_AUTHORIZATION" not in request.META:
        raise HttpRefusal(401, headers={"WWW-Authenticate": challenge(request)})
    try:
        token = token_in(request)
    except Refused as refused:
        raise _not_in_scope(request, refused) from None
    if token is None:
        raise _not_held(request)
    return token


def check_scope(visit: Visit, request: ASGIRequest) -> None:
    """Raises HttpRefusal where an agent that signed in to read calls a tool that acts: its host asks for more by that.

    The call is refused, counted and logged as any other.
    """
    try:
        access_tool(visit.actor, visit.tool, visit.toolset)
    except Refused as refused:
        if refused.code != Code.TOKEN_MAY_NOT_ACT:
            return
        try:
            check_calls(visit.actor)
        except Refused:
            return
        call_tool(visit.actor, visit.tool, visit.arguments, toolset=visit.toolset)
        raise _not_in_scope(request, refused) from None


def _not_in_scope(request: ASGIRequest, refused: Refused) -> HttpRefusal:
    return HttpRefusal(403, refused, {"WWW-Authenticate": challenge(request, "insufficient_scope")})


def _not_held(request: ASGIRequest) -> HttpRefusal:
    """The refusal of a credential that does not hold, or of yet another one from that address."""
    try:
        check_guesses(request.META.get("REMOTE_ADDR", ""))
    except Refused as too_many:
        seconds = math.ceil(too_many.next_action.delay_ms / 1000)
        return HttpRefusal(429, too_many, {"Retry-After": str(seconds)})
    refused = http_refusal(401, AuthenticationFailed())
    return HttpRefusal(401, refused, {"WWW-Authenticate": challenge(request, "invalid_token")})


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
