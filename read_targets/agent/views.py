"""The REST door: each view parses, calls and renders; what happens in between is `dispatch`."""

from __future__ import annotations

import json
import logging
import math
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import orjson
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.http import Http404, HttpRequest
from django.utils.cache import patch_cache_control, patch_vary_headers
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions
from rest_framework.parsers import BaseParser, FormParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ..conf import setting
from ..policies import Actor
from .authentication import PersonAuthentication, TokenAuthentication, actor_of, challenge, lacks_scope
from .codes import Code
from .contract import HTTP_STATUS, NextAction, Refused, ToolResult
from .dispatch import REVISIT, call_tool, list_tools, revisit_call
from .headers import KEY, LONGEST_KEY, LONGEST_WAIT, key_in, wait_in
from .limits import check_calls, check_guesses, check_polls, too_many
from .log import quoted
from .refusals import internal, refuse_arguments, refuse_body, unavailable
from .tokens import who_gives_tokens
from .toolsets import guidance_of
from .vendors import FORMATS, tools_in

logger = logging.getLogger(__name__)

MOST_NESTING = 20
"""Objects and lists within each other that a body may have; arguments are flat, so this is generous."""

OWN_STATUS: dict[str, int] = {Code.NOT_FOUND: 404, Code.TOO_MANY: 429, Code.TOO_MANY_READS: 429}
"""The refusals for which HTTP itself has a status."""

PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description=f"wait=N: how many seconds to wait for a person who is asked, {LONGEST_WAIT} at most (RFC 7240).",
)


class TooLarge(exceptions.APIException):
    """The body has more bytes than a call may have."""

    status_code = 413


class ExactJSONRenderer(BaseRenderer):
    """JSON by orjson; the contract has turned every exact number into a string before."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """Return `data` as bytes of JSON."""
        return orjson.dumps(data, default=str)


class ArgumentsParser(BaseParser):
    """One JSON object, its numbers read exactly; NaN, infinities and bottomless nesting are no JSON."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the body as Python values; raises ParseError or TooLarge."""
        most = setting("MAX_BODY_BYTES")
        body = stream.read(most + 1)
        if len(body) > most:
            raise TooLarge
        if not body.strip():
            return {}
        try:
            return _shallow(json.loads(body, parse_float=Decimal, parse_constant=_refuse_constant))
        except (ValueError, ArithmeticError, RecursionError):
            raise exceptions.ParseError("The body is no JSON object.") from None


def _has_body(request: HttpRequest) -> bool:
    """Whether a request that names no length brings a body all the same: in chunks, or as HTTP/2 may."""
    return "HTTP_TRANSFER_ENCODING" in request.META or bool(request.read(1))


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _shallow(value: Any, depth: int = 0) -> Any:
    if depth > MOST_NESTING:
        raise ValueError("nested too deeply")
    children = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for child in children:
        _shallow(child, depth + 1)
    return value


class AgentView(APIView):
    """What every view for agents shares: who may come, what is read and written, and the shape of a refusal."""

    authentication_classes = (TokenAuthentication, PersonAuthentication)
    permission_classes = (IsAuthenticated,)
    parser_classes: tuple[type[BaseParser], ...] = (ArgumentsParser, FormParser)
    renderer_classes = (ExactJSONRenderer,)
    # OPTIONS would be answered with what Django REST framework calls the view, which is no part of the contract.
    http_method_names = ["get", "head", "post"]
    tool_name = ""
    limit: Callable[[Actor], None] | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse a call too many, and a body that is too large or does not say how large, before a byte is read."""
        super().initial(request, *args, **kwargs)
        self.count(actor_of(request))
        length = request.META.get("CONTENT_LENGTH") or "0"
        # Without a length a body would be taken for none, and the list be read without the conditions in it.
        if not (length.isascii() and length.isdigit()) or (length == "0" and _has_body(request._request)):
            raise refuse_body("Send the body in one piece, with its Content-Length.")
        if int(length[:20]) > setting("MAX_BODY_BYTES"):
            raise TooLarge

    def count(self, actor: Actor) -> None:
        """Count what is asked for; raises Refused where it is one too many."""
        limit = type(self).limit
        if limit is not None:
            limit(actor)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        """Answer JSON whatever is asked for: agents send all kinds of Accept headers."""
        return ExactJSONRenderer(), ExactJSONRenderer.media_type

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Mark every answer as this caller's alone."""
        response = super().finalize_response(request, response, *args, **kwargs)
        patch_cache_control(response, private=True, no_store=True)
        patch_vary_headers(response, ("Authorization", "Cookie"))
        # A person who posts a form from a page of ours is answered by a page, which has no code.
        code = response.data["code"] if response.status_code == 403 and isinstance(response, Response) else ""
        if lacks_scope(code, request):
            response["WWW-Authenticate"] = challenge(request._request, "insufficient_scope")
        return response

    def handle_exception(self, exc: Exception) -> Response:
        """Answer every refusal of HTTP itself in the contract's shape."""
        if isinstance(exc, exceptions.AuthenticationFailed):
            try:
                check_guesses(self.request.META.get("REMOTE_ADDR", ""))
            except Refused as refused:
                exc = refused
        if isinstance(exc, Refused):
            return self.refuse(exc)
        if isinstance(exc, (exceptions.APIException, Http404, PermissionDenied)):
            response = super().handle_exception(exc)
            response.data = self.body(http_refusal(response.status_code, exc))
            return response
        call_id = str(uuid.uuid4())
        logger.exception("call %s at %s failed", call_id, self.request.path)
        return self.refuse(unavailable() if isinstance(exc, DatabaseError) else internal(), call_id)

    def refuse(self, refused: Refused, call_id: str = "") -> Response:
        """Return a refusal with the status of its outcome; one that came too soon says when to come again."""
        return _said(self.body(refused, call_id), refused.outcome, refused.code)

    def body(self, refused: Refused, call_id: str = "") -> dict[str, Any]:
        """Return a refusal that no tool was called for as JSON."""
        name = quoted(self.kwargs["name"]) if "name" in self.kwargs else self.tool_name
        return refused.result(name, call_id).to_json()


def status_of(outcome: str, code: str = "") -> int:
    """Return the status of HTTP that an answer has: what HTTP has a status for itself, all else by its outcome."""
    return OWN_STATUS.get(code) or HTTP_STATUS[outcome]


def http_refusal(status: int, raised: Exception | None = None) -> Refused:
    """Return the refusal that goes with a status of HTTP itself, and with what was raised for it."""
    ask, fix = NextAction(type="ASK_USER"), NextAction(type="FIX_ARGUMENTS")
    if isinstance(raised, exceptions.AuthenticationFailed):
        said = f"The token is unknown, expired or revoked; {who_gives_tokens()}"
        return Refused("REJECTED", Code.BAD_CREDENTIAL, said, next_action=ask)
    wait = getattr(raised, "wait", None) or 1
    refusals = {
        400: refuse_body("The body is not one JSON object."),
        401: Refused(
            "REJECTED",
            Code.NO_CREDENTIAL,
            f"Send an agent token as 'Authorization: Bearer <token>'; {who_gives_tokens()}",
            next_action=ask,
        ),
        403: Refused("REJECTED", Code.NOT_PERMITTED, "This is not permitted.", next_action=ask),
        404: Refused(
            "REJECTED", Code.NOT_FOUND, "There is no such thing for you.", next_action=NextAction(type="NONE")
        ),
        405: Refused("INVALID_INPUT", Code.METHOD_NOT_ALLOWED, "This method is not taken here."),
        413: Refused(
            "INVALID_INPUT",
            Code.BODY_TOO_LARGE,
            "The body is too large.",
            params={"body": {"code": "too_large", "maximum": setting("MAX_BODY_BYTES")}},
            next_action=fix,
        ),
        429: too_many(math.ceil(wait * 1000)),
        415: refuse_body("The body must be JSON: send Content-Type: application/json."),
    }
    return refusals.get(status) or internal()


class ToolListView(AgentView):
    """`GET /agent/tools`: the tools that this caller may call, with guidance."""

    limit = staticmethod(check_calls)

    @extend_schema(
        operation_id="list_tools",
        parameters=[
            OpenApiParameter("toolset", str, description="Only the tools of this toolset."),
            OpenApiParameter(
                "format",
                str,
                enum=list(FORMATS),
                description="The form of `tools`: ours, or as a vendor's API takes it.",
            ),
        ],
        responses={200: dict},
    )
    def get(self, request: Request) -> Response:
        """List the tools that the caller may call."""
        asked = request.query_params.get("format", "native")
        if asked not in FORMATS:
            raise refuse_arguments({"format": {"code": "not_one_of", "type": "enum", "values": list(FORMATS)}})
        toolset = request.query_params.get("toolset", "")
        tools = list_tools(actor_of(request), toolset)
        return Response({"tools": tools_in(asked, tools), "guidance": guidance_of(tools, toolset)})


class ToolCallView(AgentView):
    """`POST /agent/tools/{name}`: one call; the body is the arguments."""

    parser_classes = (ArgumentsParser,)

    def count(self, actor: Actor) -> None:
        """Count the call, and that it is one of this tool."""
        check_calls(actor, self.kwargs["name"])

    @extend_schema(
        operation_id="call_tool",
        parameters=[
            OpenApiParameter("toolset", str, description="The toolset within which the tool is called."),
            OpenApiParameter(
                KEY,
                {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
                OpenApiParameter.HEADER,
                description="A call that acts runs once for a key, however often it is sent; a read takes no notice.",
            ),
            PREFER,
        ],
        request=dict,
        responses={200: dict},
    )
    def post(self, request: Request, name: str) -> Response:
        """Call the tool and answer the envelope."""
        toolset = request.query_params.get("toolset", "")
        key, wait = key_in(request.headers), wait_in(request.headers)
        return answer_of(call_tool(actor_of(request), name, request.data, toolset=toolset, key=key, wait=wait))


class CallView(AgentView):
    """`GET /agent/calls/{callId}`: the answer of a call that acts, as it stands now."""

    limit = staticmethod(check_polls)
    tool_name = REVISIT

    @extend_schema(operation_id="get_call", parameters=[PREFER], responses={200: dict})
    def get(self, request: Request, call_id: str) -> Response:
        """Answer the envelope of the call once more."""
        try:
            call = uuid.UUID(call_id)
        except ValueError:
            raise exceptions.NotFound from None
        return answer_of(revisit_call(actor_of(request), call, wait=wait_in(request.headers)))


class MissingView(AgentView):
    """Whatever else is asked for: an agent reads that it is not there in the shape that it reads everywhere."""

    schema = None

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """Answer that nothing is here, by whatever method it is asked for."""
        raise exceptions.NotFound


def answer_of(result: ToolResult) -> Response:
    """Return the answer of a tool with its status."""
    return _said(result.to_json(), result.outcome, getattr(result, "code", ""))


def _said(body: dict[str, Any], outcome: str, code: str) -> Response:
    response = Response(body, status_of(outcome, code))
    if response.status_code == 429:
        response["Retry-After"] = str(math.ceil(body["nextAction"]["delayMs"] / 1_000))
    return response
