"""Who gets in: tokens, sessions, toolsets, the switch, and a person's own stop."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from rest_framework.throttling import BaseThrottle

from read_targets.agent.tokens import create_token, revoke
from read_targets.models import AgentDoors, AgentToken, Preference, ReadTarget, ToolCall, Toolset

TOOL = "queryLedgerCashTransactions"


def test_without_a_credential_the_answer_says_how_to_get_one(client: Client, db: None) -> None:
    for response in (client.get("/agent/tools"), client.post(f"/agent/tools/{TOOL}", "{}", "application/json")):
        assert response.status_code == 401
        assert response["WWW-Authenticate"].startswith("Bearer")
        answer = response.json()
        assert answer["code"] == "read_targets.no_credential"
        assert answer["outcome"] == "REJECTED"
        assert "Bearer" in answer["error"]


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer ", "Bearer rt_\xe9", "Basic YTpi", "Token x", "rt_x"])
def test_a_bad_header_is_refused_even_where_a_session_would_do(signed_in: Any, header: str) -> None:
    client = signed_in("analyst")
    assert client.get("/agent/tools").status_code == 200
    response = client.get("/agent/tools", HTTP_AUTHORIZATION=header)
    assert response.status_code == 401
    assert response.json()["code"] == "read_targets.bad_credential"


def test_a_token_that_no_longer_holds_is_refused(agent: Any) -> None:
    one = agent("analyst")
    token = AgentToken.objects.get()
    assert one.tools().status_code == 200
    AgentToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert one.tools().status_code == 401
    AgentToken.objects.update(expires_at=None)
    assert one.tools().status_code == 200
    revoke(token)
    assert one.tools().status_code == 401


def test_a_token_of_an_inactive_person_is_refused(agent: Any) -> None:
    one = agent("analyst")
    User.objects.filter(username="analyst").update(is_active=False)
    assert one.tools().status_code == 401


def test_only_the_digest_of_a_token_is_stored(person: Any) -> None:
    token, secret = create_token(person("clerk"), "mine")
    token.refresh_from_db()
    assert secret not in {str(value) for value in vars(token).values()}
    assert secret.startswith(token.hint)


def test_a_session_calls_as_the_person_and_needs_csrf(signed_in: Any, person: Any) -> None:
    client = signed_in("analyst")
    assert client.post(f"/agent/tools/{TOOL}", "{}", "application/json").json()["outcome"] == "READY"
    assert ToolCall.objects.get().agent == ""
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(person("analyst"), backend="django.contrib.auth.backends.ModelBackend")
    response = strict.post(f"/agent/tools/{TOOL}", "{}", "application/json")
    assert response.status_code == 403
    assert response.json()["code"] == "read_targets.not_permitted"


@pytest.mark.parametrize(
    "path", ["/agent/tools", "/agent/tools/", "/agent/cards", "/agent/cards/", "/agent/schema", "/agent/schema/"]
)
def test_every_path_answers_with_and_without_its_slash(agent: Any, path: str) -> None:
    one = agent("analyst")
    assert one.client.get(path, headers=one.headers).status_code == 200


def test_a_call_is_never_redirected(agent: Any) -> None:
    one = agent("analyst")
    for path in (f"/agent/tools/{TOOL}", f"/agent/tools/{TOOL}/"):
        assert one.client.post(path, "{}", "application/json", headers=one.headers).status_code == 200


def test_the_list_of_tools_is_this_callers_alone(agent: Any) -> None:
    response = agent("clerk").tools()
    assert response["Cache-Control"] == "private, no-store"
    assert "Authorization" in response["Vary"]


def test_a_tool_as_it_is_told(agent: Any) -> None:
    listing = agent("analyst").tools().json()
    names = [tool["name"] for tool in listing["tools"]]
    assert names == sorted(names)
    assert {TOOL, "openLedgerCashTransactionsScreen", "queryLedgerAccounts"} <= set(names)
    tool = next(tool for tool in listing["tools"] if tool["name"] == TOOL)
    assert tool["toolClass"] == "BACKEND_QUERY"
    assert tool["shortDescription"]
    assert tool["parameters"]["additionalProperties"] is False
    properties = tool["parameters"]["properties"]
    assert {"id", "from", "to", "flow", "text", "groupBy", "orderBy", "rows", "show", "title", "name"} <= set(
        properties
    )
    assert properties["flow"]["enum"] == ["INCOME", "EXPENSE"]
    assert properties["month"] | {"description": ""} == {
        "type": "integer", "minimum": 1, "maximum": 12, "description": "",
    }  # fmt: skip
    assert all(isinstance(one["type"], str) for one in properties.values())
    assert TOOL in listing["guidance"]
    assert len(listing["guidance"].splitlines()) > 1


def test_too_many_calls_are_told_when_to_try_again(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Never(BaseThrottle):
        def allow_request(self, request: Any, view: Any) -> bool:
            return False

        def wait(self) -> float:
            return 1.5

    monkeypatch.setattr("read_targets.agent.views.AgentView.throttle_classes", [Never])
    response = agent("analyst").call(TOOL)
    assert response.status_code == 429
    assert response.json()["outcome"] == "REJECTED"
    assert response.json()["nextAction"] == {"type": "WAIT", "delayMs": 2000}


def test_a_screen_that_is_gone_takes_its_tool_with_it(agent: Any) -> None:
    ReadTarget.objects.filter(key="ledger.cash-transactions").update(screen="ledger:gone")
    listing = agent("analyst").tools().json()
    names = {tool["name"] for tool in listing["tools"]}
    assert TOOL in names
    assert "openLedgerCashTransactionsScreen" not in names
    assert "openLedgerCashTransactionsScreen" not in listing["guidance"]


def test_a_format_that_is_not_there_is_refused_with_those_that_are(agent: Any) -> None:
    answer = agent("analyst").tools("?format=yaml").json()
    assert answer["params"]["format"]["values"][0] == "native"
    assert {"openai", "openai-strict", "anthropic", "gemini"} <= set(answer["params"]["format"]["values"])


@pytest.fixture
def toolsets(db: None) -> dict[str, Toolset]:
    made = {}
    for key, tools in {"money": ["ledger.cash-transactions"], "works": ["factory.tenants", "drilling.wells"]}.items():
        made[key] = Toolset.objects.create(key=key, guidance=f"How {key} is used.")
        for tool_key in tools:
            made[key].entries.create(tool_key=tool_key)
    return made


def test_a_toolset_is_asked_for_with_its_guidance(agent: Any, toolsets: dict[str, Toolset]) -> None:
    listing = agent("clerk").tools("?toolset=money").json()
    assert {tool["name"] for tool in listing["tools"]} == {TOOL, "openLedgerCashTransactionsScreen"}
    assert listing["guidance"].startswith("How money is used.")


def test_a_token_of_one_toolset_calls_no_tool_of_another(agent: Any, toolsets: dict[str, Toolset]) -> None:
    one = agent("clerk", toolsets=[toolsets["works"]])
    assert {tool["name"] for tool in one.tools().json()["tools"]} == {
        "queryFactoryTenants", "openFactoryTenantsScreen", "queryDrillingWells", "openDrillingWellsScreen",
    }  # fmt: skip
    assert one.call("queryFactoryTenants").status_code == 200
    assert one.call(TOOL).json()["code"] == "read_targets.unknown_tool"
    assert one.post(TOOL, {}, "?toolset=money").json()["code"] == "read_targets.unknown_toolset"
    assert one.tools("?toolset=money").status_code == 403
    assert one.tools("?toolset=money").json()["code"] == one.tools("?toolset=nothing").json()["code"]


def test_a_token_bound_to_nothing_reaches_nothing(agent: Any, toolsets: dict[str, Toolset]) -> None:
    one = agent("clerk", toolsets=[toolsets["works"]])
    AgentToken.objects.get().toolsets.clear()
    assert one.tools().json()["tools"] == []
    assert one.call("queryFactoryTenants").status_code == 403


def test_the_switch_closes_every_agent_door_at_once(agent: Any, signed_in: Any) -> None:
    one, browser = agent("clerk"), signed_in("clerk")
    AgentDoors.objects.create(is_open=False)
    for response in (one.call(TOOL), one.tools(), browser.get("/agent/tools")):
        assert response.status_code == 403
        assert response.json()["code"] == "read_targets.doors_closed"
        assert response.json()["nextAction"] == {"type": "CONFIGURE_APP"}
    AgentDoors.objects.get().delete()
    assert one.call(TOOL).status_code == 200


def test_a_person_stops_their_agents_and_not_themselves(agent: Any, signed_in: Any, person: Any) -> None:
    clerks, analysts = agent("clerk"), agent("analyst")
    Preference.objects.create(user=person("clerk"), agents_stopped=True)
    assert clerks.call(TOOL).json()["code"] == "read_targets.agents_stopped"
    assert analysts.call(TOOL).status_code == 200
    assert signed_in("clerk").post(f"/agent/tools/{TOOL}", "{}", "application/json").status_code == 200


def test_a_disabled_target_is_gone_at_once(agent: Any) -> None:
    one = agent("clerk")
    assert one.call(TOOL).status_code == 200
    ReadTarget.objects.filter(key="ledger.cash-transactions").update(enabled=False)
    assert one.call(TOOL).json()["code"] == "read_targets.unknown_tool"
    assert TOOL not in str(one.tools().json())


def test_calls_that_are_refused_are_logged_too(agent: Any) -> None:
    one = agent("clerk")
    one.call("noSuchTool")
    one.call(TOOL, month=13)
    assert list(ToolCall.objects.order_by("at").values_list("tool", "outcome", "code")) == [
        ("noSuchTool", "REJECTED", "read_targets.unknown_tool"),
        (TOOL, "INVALID_INPUT", "read_targets.condition_unreadable"),
    ]
