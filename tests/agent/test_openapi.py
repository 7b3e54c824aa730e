"""The OpenAPI document tells the doors as they are."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management import call_command
from django.urls import set_script_prefix
from jsonschema import Draft202012Validator

from read_targets.agent.kept import keep_answer
from tests.flows.doer import Doer, act, ask, declined, offered, poll, refusal, send


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
        "/calls/{call_id}",
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


def test_calls_that_act_are_answered_as_the_document_says(agent: Any) -> None:
    document = document_of(agent)
    told = document["paths"]["/tools/{name}"]["post"]
    named = {(one["name"], one["in"]) for one in told["parameters"]}
    assert {("Idempotency-Key", "header"), ("Prefer", "header"), ("toolset", "query")} <= named
    one = agent("clerk", may_act=True)
    doer = Doer(ask, lambda call, kept: kept)

    def refuse(call: Any) -> Any:
        raise refusal()

    with offered(doer):
        first = send(one, "k-1")
        responses = [first, send(one, "k-1", what="x"), send(one, " ")]
        polled = [poll(one, first.json()["callId"]), poll(one, uuid.uuid4())]
        keep_answer(first.json()["callId"], declined(first.json()["callId"]))
        responses.append(send(one, "k-1"))
        polled.append(poll(one, first.json()["callId"]))
        doer.does = act
        responses.append(send(one))
        doer.does = refuse
        responses.append(send(one))
    assert [response.status_code for response in responses] == [202, 409, 400, 200, 200, 403]
    assert [response.status_code for response in polled] == [202, 404, 200]
    get = document["paths"]["/calls/{call_id}"]["get"]
    for operation, answered in ((told, responses), (get, polled)):
        for response in answered:
            schema = operation["responses"][str(response.status_code)]["content"]["application/json"]["schema"]
            checked = Draft202012Validator({**schema, "components": document["components"]})
            assert not [error.message for error in checked.iter_errors(response.json())]


def test_the_committed_schemas_are_current(db: None) -> None:
    call_command("agent_schema", check=True)


def test_whoever_came_too_soon_is_told_when_to_come_again(agent: Any) -> None:
    document = document_of(agent)
    answers = [one["responses"]["429"] for path in document["paths"].values() for one in path.values()]
    assert all(one["headers"]["Retry-After"]["schema"] == {"type": "integer", "minimum": 1} for one in answers)


def test_no_method_is_answered_that_the_document_does_not_tell(agent: Any) -> None:
    one = agent("clerk")
    for method in ("OPTIONS", "PUT", "PATCH", "DELETE", "TRACE"):
        response = one.client.generic(method, "/agent/tools", headers=one.headers)
        assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
        assert response.json()["code"] == "read_targets.method_not_allowed"


def test_lists_of_tools_and_cards_fit_the_document(agent: Any) -> None:
    document = document_of(agent)
    one = agent("clerk")
    one.answer("queryLedgerCashTransactions", show="workspace")
    for path in ("/tools", "/cards"):
        told = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        schema = {**told, "components": document["components"]}
        answer = one.client.get(f"/agent{path}", headers=one.headers).json()
        assert not [error.message for error in Draft202012Validator(schema).iter_errors(answer)]
        assert answer[path[1:]]


def test_the_document_is_that_of_the_prefix_asked_for(agent: Any) -> None:
    one = agent("clerk")
    told = []
    for prefix in ("/", "/site/", "/"):
        set_script_prefix(prefix)
        try:
            told += one.client.get("/agent/schema/", headers=one.headers).json()["servers"]
        finally:
            set_script_prefix("/")
    assert told == [{"url": "/agent"}, {"url": "/site/agent"}, {"url": "/agent"}]
