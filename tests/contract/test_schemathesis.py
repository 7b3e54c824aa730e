"""REST answers as its document says, whatever is sent: all that schemathesis checks, in a few hundred calls.

`make soak` does it for ten minutes, with all tools and over HTTP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from django.test import Client

from read_targets.agent.openapi import openapi
from tests.hostile.site import kept_open

from .exploring import Findings, explore, with_tools

LIMITS = ("CALLS_A_MINUTE_OF_TOKEN", "CALLS_A_MINUTE_OF_PERSON", "POLLS_A_MINUTE", "BAD_TOKENS_A_MINUTE")
STEADY: dict[str, Any] = {
    "seed": 5,
    "suppress-health-check": ["all"],
    "generation": {"deterministic": True, "database": "none", "max-examples": 6, "no-shrink": True},
    "continue-on-failure": True,
    # In process its second call, without the credential, cannot be made; it is made over HTTP, and below by hand.
    "checks": {"ignored_auth": {"enabled": False}},
}
"""The same calls in every run, however slow the machine."""

TOOLS = ("queryLedgerAccounts", "openPages")
Explored = Callable[..., Findings]


@pytest.fixture
def explored(db: None, settings: Any) -> Explored:
    """Explore the site in process with these headers, while nobody counts how often; some checks may be left out."""
    settings.READ_TARGETS = {**settings.READ_TARGETS, **dict.fromkeys(LIMITS)}
    site = get_wsgi_application()

    def run(document: dict[str, Any], headers: dict[str, str], *without: str) -> Findings:
        checks = {**STEADY["checks"], **{name: {"enabled": False} for name in without}}
        with kept_open():
            return explore(document, {**STEADY, "headers": headers, "checks": checks}, site)

    return run


def test_every_address_answers_as_the_document_says(explored: Explored, agent: Any) -> None:
    found = explored(openapi(), agent("clerk", may_act=True).headers)
    assert not found.problems
    assert {200, 400, 403, 404, 405, 415} <= found.statuses.keys()
    assert found.calls > 200


def test_tools_take_what_their_schemas_say_and_refuse_the_rest(explored: Explored, agent: Any) -> None:
    clerk = agent("clerk", may_act=True)
    document = with_tools(openapi(), (tool for tool in clerk.tools().json()["tools"] if tool["name"] in TOOLS))
    document["paths"] = {
        path: told
        for path, told in document["paths"].items()
        if path.removeprefix("/tools/") in TOOLS or path.startswith("/calls/")
    }
    # What fits the schema may still be refused: the vendors' subset has no words for a day, or for the columns.
    found = explored(document, clerk.headers, "positive_data_acceptance")
    assert not found.problems
    assert found.statuses[200] > 50
    assert found.statuses[400] > 50


def test_a_browser_is_answered_as_the_document_says(explored: Explored) -> None:
    document = openapi()
    clicks = ("open_card", "decide_card")
    document["paths"] = {
        path: told for path, told in document["paths"].items() if told.get("post", {}).get("operationId") in clicks
    }
    found = explored(document, {"Accept": "text/html"})
    assert not found.problems
    assert {302, 403} <= found.statuses.keys()


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer rt_nobody"}], ids=["none", "bad"])
def test_no_operation_is_done_without_a_credential(client: Client, db: None, headers: dict[str, str]) -> None:
    for path, operations in openapi()["paths"].items():
        for method in operations:
            address = "/agent" + path.format(name="x", call_id="0" * 36, card_id="0" * 36)
            response = client.generic(method.upper(), address, b"{}", "application/json", headers=headers)
            assert (response.status_code, response.headers["WWW-Authenticate"][:6]) == (401, "Bearer"), address
