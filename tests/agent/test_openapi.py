"""The OpenAPI document tells the doors as they are."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from jsonschema import Draft202012Validator


def document_of(agent: Any) -> dict[str, Any]:
    one = agent("analyst")
    document: dict[str, Any] = one.client.get("/agent/schema/", headers=one.headers).json()
    return document


def test_it_is_openapi_3_1_of_every_address(agent: Any) -> None:
    document = document_of(agent)
    assert document["openapi"] == "3.1.0"
    assert document["servers"] == [{"url": "/agent"}]
    assert set(document["paths"]) == {
        "/tools",
        "/tools/{name}",
        "/cards",
        "/cards/{card_id}/open",
        "/cards/{card_id}/decide",
    }
    assert set(document["components"]["securitySchemes"]) == {"agentToken", "session"}


def test_what_is_answered_fits_what_the_document_says(agent: Any) -> None:
    document = document_of(agent)
    one = agent("clerk")
    asked: list[tuple[str, dict[str, Any]]] = [
        ("queryLedgerCashTransactions", {"groupBy": "account"}),
        ("queryLedgerCashTransactions", {"id": "1"}),
        ("queryFactoryConversations", {"show": "workspace", "groupBy": "startedAt"}),
        ("openLedgerCashTransactionsScreen", {"flow": "INCOME", "period": "2026-10"}),
        ("queryLedgerCashTransactions", {"month": 13, "unknown": 1}),
        ("nothing", {}),
    ]
    for tool, arguments in asked:
        response = one.call(tool, **arguments)
        told = document["paths"]["/tools/{name}"]["post"]["responses"][str(response.status_code)]
        schema = {**told["content"]["application/json"]["schema"], "components": document["components"]}
        problems = [error.message for error in Draft202012Validator(schema).iter_errors(response.json())]
        assert not problems


def test_the_committed_schemas_are_current(db: None) -> None:
    call_command("agent_schema", check=True)
