"""The OpenAPI 3.1 document of the REST door, with the contract's models as its components."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.conf import settings
from django.urls import get_script_prefix, reverse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings
from rest_framework.request import Request
from rest_framework.response import Response

from ..cards.api import DECISIONS
from ..cards.facts import CardList
from .authentication import PersonAuthentication, TokenAuthentication
from .contract import result_schemas
from .limits import check_polls
from .views import AgentView


class TokenScheme(OpenApiAuthenticationExtension):
    """How the document tells an agent's token."""

    target_class = TokenAuthentication
    name = "agentToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """A bearer token."""
        return {"type": "http", "scheme": "bearer"}


class PersonScheme(OpenApiAuthenticationExtension):
    """How the document tells a person's own session."""

    target_class = PersonAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """The session's cookie, whatever the host calls it."""
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


DESCRIPTION = "Tools that an agent calls as the person it acts for, and the cards that person may open."

CALL_ANSWERS = {"200": ("DataResult", "ReadyResult", "CancelledResult"), "202": ("NotReadyResult",)}

ANSWERS: dict[str, dict[str, tuple[str, ...]]] = {
    "list_tools": {"200": ("ToolList",)},
    "call_tool": CALL_ANSWERS,
    "get_call": CALL_ANSWERS,
    "list_cards": {"200": ("CardList",)},
    "open_card": {"200": ("ReadyResult",)},
    "decide_card": {"200": ("ReadyResult",)},
}
"""What the status of an operation's answer says that it is."""

REFUSALS = {
    "400": "The arguments do not fit.",
    "401": "No credential, or one that does not hold.",
    "403": "Not allowed, or not there: the two read the same.",
    "404": "Nothing is there for this caller.",
    "405": "The method is not taken here.",
    "409": "What it is about changed since, or is at something else; the next action says what to do.",
    "413": "The body is too large.",
    "415": "The body is of another type than JSON.",
    "429": "Too many calls, or too many long readings at once; the next action says when to try again.",
    "500": "Our fault; logged by the call's id.",
    "503": "The database did not answer, or took longer than it may.",
}

HEADERS: dict[str, dict[str, dict[str, Any]]] = {
    "401": {
        "WWW-Authenticate": {
            "description": "How to come in: with a token, as a bearer.",
            "required": True,
            "schema": {"type": "string"},
        }
    },
    "405": {
        "Allow": {"description": "The methods that are taken.", "required": True, "schema": {"type": "string"}},
    },
    "429": {
        "Retry-After": {
            "description": "The seconds after which to try again: the next action's delayMs, rounded up.",
            "required": True,
            "schema": {"type": "integer", "minimum": 1},
        }
    },
}
"""What a refusal says in its headers as well."""

TOOL_LIST = {
    "description": "The tools that the caller may call, in the form asked for, and how they are used well.",
    "type": "object",
    "properties": {"tools": {"type": "array", "items": {"type": "object"}}, "guidance": {"type": "string"}},
    "required": ["tools", "guidance"],
    "additionalProperties": False,
}

NONCE = {"type": "string", "description": "Rendered into the page in which the person clicks; nothing else proves it."}

CLICKS: dict[str, dict[str, Any]] = {
    "open_card": {"type": "object", "properties": {"nonce": NONCE}, "required": ["nonce"]},
    "decide_card": {
        "type": "object",
        "properties": {"decision": {"type": "string", "enum": list(DECISIONS)}, "nonce": NONCE},
        "required": ["decision", "nonce"],
    },
}
"""What a click carries; a form has the fields of the page besides."""

PAGE = {"text/html": {"schema": {"type": "string"}}}
"""What a browser that posts a form reads where the click leads nowhere."""

LINKS: dict[str, dict[str, tuple[str, str, str]]] = {
    "call_tool": {"202": ("get_call", "call_id", "$response.body#/callId")},
    "get_call": {"202": ("get_call", "call_id", "$response.body#/callId")},
    "list_cards": {
        "200": ("open_card", "card_id", "$response.body#/cards/0/id"),
    },
}
"""What an answer leads on to: an operation, and what names its object."""


def openapi() -> dict[str, Any]:
    """Return the OpenAPI document of the agent's addresses, under the prefix that the host gave them."""
    from . import urls  # which routes to the view below

    # Our doors are described as they are, whatever the host set for its own API.
    ours = {"OAS_VERSION": "3.1.0", "TITLE": "Agent tools", "VERSION": "1", "DESCRIPTION": DESCRIPTION}
    with patched_settings(ours):
        document = SchemaGenerator(patterns=urls.urlpatterns).get_schema(request=None, public=True)
    document["openapi"] = "3.1.0"
    document.setdefault("components", {}).setdefault("schemas", {}).update(_schemas())
    document["servers"] = [{"url": reverse("read_targets_agent:tools").removesuffix("/tools")}]
    document["paths"] = {path.rstrip("/"): operations for path, operations in document["paths"].items()}
    for operations in document["paths"].values():
        for operation in operations.values():
            _tell(operation)
    return dict(document)


def _schemas() -> dict[str, Any]:
    """The shapes of all answers, by name."""
    reference = "#/components/schemas/{model}"
    cards = CardList.model_json_schema(ref_template=reference, mode="serialization")
    return {**cards.pop("$defs"), **result_schemas(reference), "CardList": cards, "ToolList": TOOL_LIST}


def _tell(operation: dict[str, Any]) -> None:
    """Add to an operation what its view cannot say of itself."""
    name, responses = operation["operationId"], operation["responses"]
    refusal = {"application/json": {"schema": {"$ref": "#/components/schemas/FailureResult"}}}
    for status, description in REFUSALS.items():
        told: dict[str, Any] = {"description": description, "content": dict(refusal)}
        if status in HEADERS:
            told["headers"] = HEADERS[status]
        responses.setdefault(status, told)
    for status, names in ANSWERS[name].items():
        responses[status] = _answer(names)
    for status, (operation_id, parameter, where) in LINKS.get(name, {}).items():
        responses[status]["links"] = {operation_id: {"operationId": operation_id, "parameters": {parameter: where}}}
    if name in CLICKS:
        kinds = operation["requestBody"]["content"]
        operation["requestBody"] = {"required": True, "content": {kind: {"schema": CLICKS[name]} for kind in kinds}}
        responses["302"] = {"description": "A browser that is not signed in is led to where it may sign in."}
        responses["303"] = {"description": "A browser that posted a form is led on: to the page, or back to the desk."}
        for status in ("403", "404"):
            responses[status]["content"] |= PAGE


def _answer(names: tuple[str, ...]) -> dict[str, Any]:
    schemas = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    schema = schemas[0] if len(schemas) == 1 else {"oneOf": schemas}
    return {"description": "The answer.", "content": {"application/json": {"schema": schema}}}


class SchemaView(AgentView):
    """`GET /agent/schema/`: this document."""

    schema = None
    limit = staticmethod(check_polls)

    def get(self, request: Request) -> Response:
        """Answer the OpenAPI document."""
        return Response(_kept(get_script_prefix()))


@lru_cache(maxsize=8)
def _kept(prefix: str) -> dict[str, Any]:
    """The document for a site below that prefix, worked out once: that takes as long as ten calls."""
    return openapi()
