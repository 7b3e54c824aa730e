"""The OpenAPI 3.1 document of the REST door, with the contract's models as its components."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings
from rest_framework.request import Request
from rest_framework.response import Response

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


ANSWERS = {"200": ("DataResult", "ReadyResult", "CancelledResult"), "202": ("NotReadyResult",)}
"""What the status of a call's answer says that it is."""

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

RETRY_AFTER = {
    "description": "The seconds after which to try again: the next action's delayMs, rounded up.",
    "required": True,
    "schema": {"type": "integer", "minimum": 1},
}


def openapi() -> dict[str, Any]:
    """Return the OpenAPI document of the agent's addresses, under the prefix that the host gave them."""
    from . import urls  # which routes to the view below

    # Our doors are described as they are, whatever the host set for its own API.
    with patched_settings({"OAS_VERSION": "3.1.0", "TITLE": "Agent tools", "VERSION": "1"}):
        document = SchemaGenerator(patterns=urls.urlpatterns).get_schema(request=None, public=True)
    document["openapi"] = "3.1.0"
    document.setdefault("components", {}).setdefault("schemas", {}).update(
        result_schemas("#/components/schemas/{model}")
    )
    refusal = {"application/json": {"schema": {"$ref": "#/components/schemas/FailureResult"}}}
    document["servers"] = [{"url": reverse("read_targets_agent:tools").removesuffix("/tools")}]
    document["paths"] = {path.rstrip("/"): operations for path, operations in document["paths"].items()}
    for operations in document["paths"].values():
        for operation in operations.values():
            responses = operation["responses"]
            for status, description in REFUSALS.items():
                responses.setdefault(status, {"description": description, "content": refusal})
            responses["429"]["headers"] = {"Retry-After": RETRY_AFTER}
            if operation["operationId"] in ("call_tool", "get_call"):
                responses.update({status: _answer(names) for status, names in ANSWERS.items()})
    return dict(document)


def _answer(names: tuple[str, ...]) -> dict[str, Any]:
    schemas = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    return {"description": "The answer.", "content": {"application/json": {"schema": {"oneOf": schemas}}}}


class SchemaView(AgentView):
    """`GET /agent/schema/`: this document."""

    schema = None
    limit = staticmethod(check_polls)

    def get(self, request: Request) -> Response:
        """Answer the OpenAPI document."""
        return Response(openapi())
