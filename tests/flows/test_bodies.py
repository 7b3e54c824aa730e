"""What comes in over HTTP in forms that nobody sends on purpose is refused, and never taken for something else."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from django.core.asgi import get_asgi_application
from django.db import DatabaseError
from django.test import Client

from read_targets.agent import views
from read_targets.models import Card, ToolCall

TOOL = "queryLedgerCashTransactions"


@pytest.mark.parametrize("number", ["1e99999999999999999999", "-1e99999999999999999999", "1e-99999999999999999999"])
def test_a_number_beyond_all_decimals_is_no_json(agent: Any, number: str) -> None:
    response = agent("analyst").post(TOOL, f'{{"minAmount": {number}}}')
    assert response.status_code == 400
    assert response.json()["code"] == "read_targets.body_unreadable"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "headers",
    [
        [(b"transfer-encoding", b"chunked")],
        [],  # as HTTP/2 may
        [(b"content-length", b"abc")],
    ],
)
def test_a_body_of_unknown_length_is_not_taken_for_none(
    company: None, agent: Any, headers: list[tuple[bytes, bytes]]
) -> None:
    secret = agent("analyst").headers["Authorization"].encode()
    status, answer = asyncio.run(_over_asgi([(b"authorization", secret), *headers], b'{"id": "7", "show": "answer"}'))
    assert status == 400
    assert answer["code"] == "read_targets.body_unreadable"
    assert not ToolCall.objects.exists()
    assert not Card.objects.exists()


async def _over_asgi(headers: list[tuple[bytes, bytes]], body: bytes) -> tuple[int, dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    asked = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if asked:
            return asked.pop()
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    path = f"/agent/tools/{TOOL}"
    headers = [(b"host", b"testserver"), (b"content-type", b"application/json"), *headers]
    scope = {"type": "http", "http_version": "1.1", "method": "POST", "path": path, "query_string": b""}
    await get_asgi_application()({**scope, "headers": headers}, receive, send)  # type: ignore[arg-type]
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.mark.parametrize("body", ["", "{}"])
def test_a_call_without_arguments_is_one_still(agent: Any, body: str) -> None:
    assert agent("analyst").post(TOOL, body).status_code == 200


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_toolset_with_a_nul_is_unknown(agent: Any, method: str) -> None:
    one = agent("analyst")
    path = "/agent/tools" if method == "get" else f"/agent/tools/{TOOL}"
    send = getattr(one.client, method)
    response = send(f"{path}?toolset=%00", content_type="application/json", headers=one.headers)
    assert response.status_code == 403
    assert response.json()["code"] == "read_targets.unknown_toolset"


@pytest.mark.parametrize("path", ["/desk/workspaces/a%00b", "/desk/workspaces/a%00b/1"])
def test_a_workspace_name_with_a_nul_is_missing(signed_in: Any, path: str) -> None:
    assert signed_in("analyst").get(path).status_code == 404
    assert signed_in("analyst").post(f"{path}/read-again").status_code == 404


@pytest.mark.parametrize("path", ["/agent/tools", "/agent/cards", "/graphql?query={me}"])
def test_an_empty_header_ignores_the_session_too(signed_in: Any, path: str) -> None:
    response = signed_in("analyst").get(path, HTTP_AUTHORIZATION="")
    assert response.status_code == 401


@pytest.mark.parametrize(("raised", "status"), [(DatabaseError, 503), (RuntimeError, 500)])
def test_what_fails_before_a_call_has_the_shape_of_a_refusal(
    agent: Any, monkeypatch: pytest.MonkeyPatch, raised: type[Exception], status: int
) -> None:
    def fail(*_args: Any) -> Any:
        raise raised("secret words of the database")

    monkeypatch.setattr(views, "list_tools", fail)
    response = agent("analyst").tools()
    answer = response.json()
    assert response.status_code == status
    assert answer["outcome"] == ("DEPENDENCY" if status == 503 else "INTERNAL")
    assert answer["callId"]
    assert b"secret" not in response.content


def test_a_name_of_a_tool_is_told_back_in_plain_characters(agent: Any) -> None:
    one = agent("analyst")
    response = one.client.get("/agent/tools/query%00%3Cscript%3E", headers=one.headers)
    assert response.status_code == 405
    assert response.json()["toolName"] == "query??script?"


def test_a_nonce_that_is_no_text_is_no_proof(agent: Any, signed_in: Any) -> None:
    card = agent("analyst").answer(TOOL, show="workspace", rows=0)["card"]
    client: Client = signed_in("analyst")
    body = '{"nonce": "\\ud800:x:y"}'
    response = client.post(
        f"/agent/cards/{card['id']}/open", body, "application/json", headers={"Sec-Fetch-Site": "same-origin"}
    )
    assert response.status_code == 403
    assert response.json()["code"] == "read_targets.click_not_proven"
