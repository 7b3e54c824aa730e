"""The MCP door as a host finds it, over real servers: the official client, and what no good client would send."""

from __future__ import annotations

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.live.servers import Person, Servers, open_tab

from .client import NEWEST, OLDER, Agent, Reply, headers_of, request, send, token_of

LEDGER = "queryLedgerCashTransactions"
VERSIONS = (NEWEST, OLDER)


def without(answer: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in names}


# Lists


@pytest.mark.parametrize("version", VERSIONS)
def test_the_clerks_tools_are_those_of_rest_with_title_hints_and_schemas(clerk: Agent, version: str) -> None:
    listed = clerk.speak(lambda client: client.list_tools(), version)
    rest = clerk.send("GET", "/agent/tools").json()["tools"]
    tools = {tool.name: tool for tool in listed.tools}
    assert sorted(tools) == sorted([*(one["name"] for one in rest), "callAnswer"])
    assert [tool.name for tool in listed.tools] == sorted(tools)
    assert listed.next_cursor is None
    for one in rest:
        tool = tools[one["name"]]
        assert (tool.title, tool.description, tool.input_schema) == (
            one["title"],
            one["description"],
            {name: value for name, value in one["parameters"].items() if name != "additionalProperties"},
        )
        acts = one["toolClass"] == "UI_COMMAND"
        hints = tool.annotations
        assert (hints.read_only_hint, hints.destructive_hint) == (not acts, acts)
        assert (hints.idempotent_hint, hints.open_world_hint) == (not acts, False)
        assert tool.output_schema["type"] == "object"


def test_the_list_says_how_long_and_for_whom_it_may_be_kept_and_is_the_same_again(clerk: Agent) -> None:
    first, second = (clerk.rpc("tools/list") for _ in range(2))
    assert first.body == second.body
    result = first.json()["result"]
    assert (result["cacheScope"], result["resultType"]) == ("private", "complete")
    assert result["ttlMs"] > 0
    assert "no-store" in first.headers.get("cache-control", "no-store")


def test_the_list_is_the_same_at_every_process_and_whatever_else_was_asked(clerk: Agent, two_servers: Servers) -> None:
    before = clerk.rpc("tools/list").json()
    clerk.rpc("tools/call", {"name": LEDGER, "arguments": {"rows": 1, "show": "workspace"}})
    assert clerk.at(two_servers.second).rpc("tools/list").json() == before


def test_a_guest_is_offered_nothing(guest: Agent) -> None:
    assert guest.rpc("tools/list").json()["result"]["tools"] == []


def test_who_may_only_read_is_not_offered_to_ask_again(reader: Agent) -> None:
    names = [tool["name"] for tool in reader.rpc("tools/list").json()["result"]["tools"]]
    assert "callAnswer" not in names
    assert LEDGER in names
    reply = reader.rpc("tools/call", {"name": "callAnswer", "arguments": {"callId": "x"}})
    assert reply.code == -32602


def test_a_toolset_narrows_the_list_and_the_calls(clerk: Agent, two_servers: Servers) -> None:
    two_servers.run(
        "from read_targets.agent.models import *\n"
        "made, _ = Toolset.objects.get_or_create(key='narrow', defaults={'guidance': 'Only wells. Nothing else.'})\n"
        "ToolsetEntry.objects.get_or_create(toolset=made, tool_key='drilling.wells')\n"
    )
    narrow = clerk.within("narrow")
    names = [tool["name"] for tool in narrow.rpc("tools/list").json()["result"]["tools"]]
    assert names == ["openDrillingWellsScreen", "queryDrillingWells"]
    assert narrow.rpc("tools/call", {"name": LEDGER, "arguments": {}}).code == -32602
    assert narrow.rpc("tools/call", {"name": "callAnswer", "arguments": {"callId": "x"}}).code == -32602
    assert narrow.call("queryDrillingWells", rows=0).is_error is False
    missing = clerk.within("nothing").rpc("tools/list")
    assert (missing.code, missing.json()["error"]["data"]["code"]) == (-32602, "read_targets.unknown_toolset")
    prompts = narrow.rpc("prompts/list").json()["result"]["prompts"]
    assert [prompt["name"] for prompt in prompts] == ["guidance", "guidance-narrow"]
    got = narrow.rpc("prompts/get", {"name": "guidance-narrow"}).json()["result"]
    assert "Only wells." in got["messages"][0]["content"]["text"]
    assert narrow.rpc("prompts/get", {"name": "guidance-other"}).code == -32602


@pytest.mark.parametrize("version", VERSIONS)
def test_instructions_are_short_and_begin_the_whole_guidance(clerk: Agent, version: str) -> None:
    async def talk(client: Any) -> Any:
        return client.instructions

    instructions = clerk.speak(talk, version)
    assert 200 < len(instructions.encode()) <= 2_000
    whole = clerk.rpc("prompts/get", {"name": "guidance"}).json()["result"]["messages"][0]["content"]["text"]
    assert whole.startswith(instructions)
    assert f"{LEDGER}, openLedgerCashTransactionsScreen" in instructions


# Calls


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "arguments",
    [
        {"rows": 20, "orderBy": "-amount"},
        {"groupBy": "date", "rows": 0},
        {"minAmount": 0.1, "rows": 5},
        {"text": "no such word"},
    ],
)
def test_the_clerk_gets_the_clerks_rows_as_over_rest(clerk: Agent, version: str, arguments: dict[str, Any]) -> None:
    result = clerk.call(LEDGER, version, **arguments)
    volatile = ("callId", "provenance", "card")
    assert without(result.structured_content, *volatile) == without(clerk.rest(LEDGER, **arguments), *volatile)
    assert result.is_error is False
    assert result.content[0].text.startswith("READY")


def test_the_analyst_gets_other_rows(analyst: Agent, clerk: Agent) -> None:
    totals = [one.call(LEDGER, rows=0).structured_content["coverage"]["requestedRows"] for one in (analyst, clerk)]
    assert totals[0] > totals[1] > 0


@pytest.mark.parametrize("version", VERSIONS)
def test_a_refusal_is_an_answer_of_the_tool(clerk: Agent, version: str) -> None:
    result = clerk.call(LEDGER, version, **{"from": "soon", "nonsense": 1})
    assert result.is_error is True
    assert without(result.structured_content, "callId") == without(
        clerk.rest(LEDGER, **{"from": "soon", "nonsense": 1}), "callId"
    )
    assert "next: FIX_ARGUMENTS" in result.content[0].text


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["queryNothingAtAll", "queryLedgerCashTransactions", "openPages", "callAnswer", ""])
def test_an_unknown_tool_and_a_forbidden_one_are_the_same_error(guest: Agent, version: str, name: str) -> None:
    with pytest.raises(MCPError) as raised:
        guest.call(name, version)
    assert (raised.value.code, raised.value.message) == (-32602, "There is no tool of that name for this person.")


def test_an_amount_is_read_exactly(clerk: Agent) -> None:
    amount = "0.10000000000000000000000000000001"
    body = request("tools/call", {"name": LEDGER, "arguments": {"minAmount": 0, "rows": 0}})
    raw = json.dumps(body).replace('"minAmount": 0', f'"minAmount": {amount}').encode()
    reply = clerk.send("POST", "/mcp", raw, **headers_of("tools/call", {"name": LEDGER}))
    assert reply.json()["result"]["structuredContent"]["scope"]["filters"]["minAmount"] == amount


# Acting, and the person who is asked


@pytest.fixture
def conversation(two_servers: Servers) -> str:
    """A conversation that the clerk may close."""
    return two_servers.run(
        "from django.contrib.auth.models import User\n"
        "from project.demo.factory.models import Conversation\n"
        "from read_targets.policies import permitted\n"
        "open = Conversation.objects.exclude(state=Conversation.State.CLOSED)\n"
        "clerk = User.objects.get(username='clerk')\n"
        "print(permitted(clerk, 'factory.change_conversation', open).order_by('pk').first().pk)"
    ).strip()


def test_a_command_without_an_open_page_is_refused(two_servers: Servers) -> None:
    # The clerk's tabs of other tests may still be open; nobody here opens one as the administrator.
    admin = Agent(two_servers.first, token_of(two_servers, "admin", "--may-act"))
    result = admin.call("runPageCommand", command="archive_conversation")
    assert result.is_error is True
    assert result.structured_content["code"] == "page_commands.no_page"


def test_who_may_only_read_is_refused_to_act(reader: Agent) -> None:
    result = reader.call("runPageCommand", command="archive_conversation")
    assert (result.is_error, result.structured_content["code"]) == (True, "read_targets.token_may_not_act")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_command_that_waits_is_asked_for_again_and_only_the_persons_click_decides(
    clerk: Agent, two_servers: Servers, conversation: str, version: str
) -> None:
    browser = Person(two_servers.first).sign_in("clerk")
    tab = open_tab(browser)
    arguments = {"command": "archive_conversation", "input": conversation, "page": tab.id}
    waiting = clerk.call("runPageCommand", version, **arguments)
    told = waiting.structured_content
    assert (waiting.is_error, told["outcome"]) == (False, "NOT_READY")
    text = waiting.content[0].text
    assert f"callId: {told['callId']}" in text
    assert f"{two_servers.first.url}/factory/start/" in text
    assert "callAnswer" in text
    # Whatever the agent sends, nothing but the person's click agrees.
    elsewhere = clerk.at(two_servers.second)
    again = elsewhere.call("callAnswer", version, callId=told["callId"])
    assert without(again.structured_content, "card") == without(told, "card")
    with ThreadPoolExecutor(1) as pool:
        began = time.monotonic()
        awaited = pool.submit(elsewhere.call, "callAnswer", version, callId=told["callId"], wait=20)
        time.sleep(1.5)
        decide(tab, told["card"]["id"], "decline")
        declined = awaited.result(30)
    assert declined.structured_content["outcome"] == "CANCELLED"
    assert (declined.structured_content["executed"], declined.is_error) == (False, False)
    assert 1.0 < time.monotonic() - began < 15.0
    tab.person.post_form(f"{tab.address}/leave", visit=str(tab.session["visit"]))


def test_a_call_waits_for_the_person_where_it_says_so(clerk: Agent, two_servers: Servers, conversation: str) -> None:
    tab = open_tab(Person(two_servers.first).sign_in("clerk"))
    arguments = {"command": "archive_conversation", "input": conversation, "page": tab.id}
    with ThreadPoolExecutor(1) as pool:
        meta = {"read-targets/wait": 20, "read-targets/idempotencyKey": "waited-for"}
        awaited = pool.submit(clerk.call, "runPageCommand", NEWEST, meta, **arguments)
        decide(tab, card_of(tab), "approve")
        done = awaited.result(30)
    assert done.structured_content["outcome"] == "READY"
    assert "delivery: " in done.content[0].text
    # The same key again is the same call, wherever it comes in.
    again = clerk.at(two_servers.second).call("runPageCommand", OLDER, meta, **arguments)
    assert again.structured_content["callId"] == done.structured_content["callId"]
    other = clerk.call("runPageCommand", NEWEST, meta, **{**arguments, "input": "1"})
    assert (other.is_error, other.structured_content["code"]) == (True, "read_targets.key_reused")
    wrong = clerk.call("runPageCommand", NEWEST, {"read-targets/idempotencyKey": "no blanks"}, **arguments)
    assert (wrong.is_error, wrong.structured_content["outcome"]) == (True, "INVALID_INPUT")
    tab.person.post_form(f"{tab.address}/leave", visit=str(tab.session["visit"]))


@pytest.mark.parametrize(
    "call", ["", "nonsense", "00000000-0000-0000-0000-000000000000", "9f0c8d3e-0000-4000-8000-000000000000"]
)
def test_a_call_that_is_not_there_reads_the_same_whatever_its_id(clerk: Agent, call: str) -> None:
    result = clerk.call("callAnswer", callId=call or " x ")
    assert (result.is_error, result.structured_content["code"]) == (True, "read_targets.not_found")


def test_another_tokens_call_reads_as_missing(
    clerk: Agent, analyst: Agent, two_servers: Servers, conversation: str
) -> None:
    tab = open_tab(Person(two_servers.first).sign_in("clerk"))
    arguments = {"command": "archive_conversation", "input": conversation, "page": tab.id}
    call = clerk.call("runPageCommand", **arguments).structured_content["callId"]
    other = analyst.rpc("tools/call", {"name": "callAnswer", "arguments": {"callId": call}})
    missing = analyst.rpc("tools/call", {"name": "callAnswer", "arguments": {"callId": "nonsense"}})
    same = [without(one.json().get("result", {}).get("structuredContent", {}), "callId") for one in (other, missing)]
    assert same[0] == same[1]
    assert other.status == missing.status
    decide(tab, card_of(tab), "decline")
    tab.person.post_form(f"{tab.address}/leave", visit=str(tab.session["visit"]))


def card_of(tab: Any) -> str:
    """The card that the tab shows, as soon as it does."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        parts = tab.person.get(f"{tab.address}?after=0&parts=1").json()["parts"]
        found = re.search(r'data-card="([0-9a-f-]{36})"', parts["cards"])
        if found:
            return found[1]
        time.sleep(0.1)
    raise AssertionError("no card appeared")


def decide(tab: Any, card: str, decision: str) -> None:
    """Click on a button of the card that the tab shows."""
    html = tab.person.get(f"{tab.address}?after=0&parts=1").json()["parts"]["cards"]
    at = html.index(card)
    nonce = re.search(r'name="nonce" value="([^"]+)"', html[at:])
    assert nonce is not None, html
    body = {"decision": decision, "nonce": nonce[1], "session": tab.id}
    answer = tab.person.post(f"/agent/cards/{card}/decide", body)
    assert answer.status == 200, answer.text


# Workspaces


@pytest.mark.parametrize("version", VERSIONS)
def test_a_workspace_is_listed_and_read_by_the_token_that_made_it(clerk: Agent, version: str) -> None:
    made = clerk.rest(LEDGER, show="workspace", name=f"for {version}", title="Mine", groupBy="flow")["card"]

    async def talk(client: Any) -> Any:
        return await client.list_resources(), await client.list_resource_templates()

    listed, templates = clerk.speak(talk, version)
    name = made["workspace"]["name"]
    uri = f"workspace://desk/{name}/{made['workspace']['version']}"
    assert uri in [str(resource.uri) for resource in listed.resources]
    assert [one.uri_template for one in templates.resource_templates] == ["workspace://desk/{name}/{version}"]
    read = clerk.speak(lambda client: client.read_resource(uri), version).contents[0]
    told = json.loads(read.text)
    rest = clerk.rest(LEDGER, groupBy="flow", show="answer")
    assert (read.mime_type, told["name"], told["title"]) == ("application/json", name, "Mine")
    assert told["metrics"] == rest["summary"]["metrics"]
    assert told["groups"] == rest["summary"]["groups"]
    assert {row["id"] for row in told["rows"]} >= {row["id"] for row in rest["sampleRows"]["items"]}
    assert (told["rowsWithheld"], told["figuresWithheld"]) == (0, False)
    assert told["url"] == f"{clerk.server.url}{made['url']}"


def test_a_workspace_that_is_somebody_elses_reads_as_one_that_is_missing(
    clerk: Agent, reader: Agent, analyst: Agent
) -> None:
    made = clerk.rest(LEDGER, show="workspace", name="private")["card"]["workspace"]
    uri, missing = f"workspace://desk/private/{made['version']}", "workspace://desk/private/999"
    assert clerk.rpc("resources/read", {"uri": uri}).status == 200
    for agent in (reader, analyst):
        told = [strip(agent.rpc("resources/read", {"uri": one}), one) for one in (uri, missing)]
        assert told[0] == told[1]
        assert told[0][1]["error"]["code"] == -32602
        uris = [one["uri"] for one in agent.rpc("resources/list").json()["result"]["resources"]]
        assert uri not in uris
    with pytest.raises(MCPError) as raised:
        reader.speak(lambda client: client.read_resource(uri), OLDER)
    assert raised.value.code == -32002


def strip(reply: Reply, uri: str) -> tuple[int, Any]:
    return reply.status, json.loads(reply.body.decode().replace(uri, "URI"))


@pytest.mark.parametrize(
    "uri",
    ["workspace://desk/private/01", "workspace://desk/%00/1", "file:///etc/passwd", "x", "workspace://desk/a/b/1"],
)
def test_an_address_that_is_no_workspace_reads_as_missing(clerk: Agent, uri: str) -> None:
    reply = clerk.rpc("resources/read", {"uri": uri})
    assert (reply.status, reply.code) == (400, -32602)


# What is refused


def test_without_a_token_nothing_is_answered(two_servers: Servers, clerk: Agent) -> None:
    browser = Person(two_servers.first).sign_in("clerk")
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    body, headers = request("tools/list"), headers_of("tools/list")
    for sent in (
        send(two_servers.first, "POST", "/mcp", body, **headers),
        send(two_servers.first, "POST", "/mcp/", body, Cookie=cookies, **headers),
    ):
        assert sent.status == 401
        assert sent.headers["www-authenticate"].startswith("Bearer")
        told = sent.json()
        assert (told["success"], told["outcome"], told["code"]) == (False, "REJECTED", "read_targets.no_credential")
        assert "Authorization: Bearer" in told["error"]


@pytest.mark.parametrize("header", ["Bearer rt_nonsense", "Basic Y2xlcms6Y2xlcms=", "Bearer", "rt_x", "Bearer é"])
def test_a_credential_that_does_not_hold_is_401(clerk: Agent, header: str) -> None:
    reply = clerk.rpc("tools/list", Authorization=header)
    assert (reply.status, reply.json()["code"]) == (401, "read_targets.bad_credential")
    assert "invalid_token" in reply.headers["www-authenticate"]


def test_a_revoked_token_is_401_from_then_on(two_servers: Servers) -> None:
    agent = Agent(two_servers.first, token_of(two_servers, "clerk", "--name", "revoked"))
    assert agent.rpc("tools/list").status == 200
    two_servers.run(
        "from read_targets.agent.models import AgentToken; from read_targets.agent.tokens import revoke\n"
        "revoke(AgentToken.objects.get(name='revoked'))"
    )
    assert agent.rpc("tools/list").status == 401


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_a_bad_origin_is_403(clerk: Agent, origin: str) -> None:
    assert clerk.rpc("tools/list", Origin=origin).status == 403
    assert clerk.rpc("tools/list", Origin=clerk.server.url).status == 200


def test_a_host_that_is_not_the_sites_is_refused(clerk: Agent) -> None:
    assert clerk.rpc("tools/list", Host="evil.example").status == 421


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
@pytest.mark.parametrize("version", VERSIONS)
def test_no_method_but_post_is_taken(clerk: Agent, method: str, version: str) -> None:
    reply = clerk.send(method, "/mcp", **{"MCP-Protocol-Version": version, "Accept": "text/event-stream"})
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("status", "code", "changes"),
    [
        (400, -32602, {"meta": None}),
        (400, -32602, {"meta": {"io.modelcontextprotocol/protocolVersion": NEWEST}}),
        (400, -32020, {"Mcp-Method": "prompts/list"}),
        (400, -32020, {"Mcp-Method": ""}),
        (400, -32022, {"MCP-Protocol-Version": "2027-01-01"}),
    ],
    ids=["no meta", "half a meta", "header mismatch", "header missing", "bad version"],
)
def test_a_request_that_is_not_as_the_newest_protocol_asks_is_refused(
    clerk: Agent, status: int, code: int, changes: dict[str, Any]
) -> None:
    meta = changes.pop("meta", True)
    version = changes.get("MCP-Protocol-Version", NEWEST)
    body = request("tools/list", {}, meta, version)
    reply = clerk.send("POST", "/mcp", body, **{**headers_of("tools/list"), **changes})
    assert (reply.status, reply.code) == (status, code)
    if code == -32022:
        assert NEWEST in reply.json()["error"]["data"]["supported"]


def test_an_unknown_method_is_404(clerk: Agent) -> None:
    reply = clerk.rpc("tools/nothing")
    assert (reply.status, reply.code) == (404, -32601)


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
def test_an_answer_is_json_where_nothing_is_told_in_between(clerk: Agent, accept: str) -> None:
    reply = clerk.rpc("tools/call", {"name": LEDGER, "arguments": {"rows": 0}}, Accept=accept)
    assert reply.headers["content-type"].startswith("application/json")
    assert reply.json()["result"]["structuredContent"]["outcome"] == "READY"


def test_a_session_of_the_older_protocol_is_none(clerk: Agent) -> None:
    """Whatever session is named, the answer is the token's."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"MCP-Protocol-Version": OLDER, "Accept": "application/json, text/event-stream"}
    replies = [clerk.send("POST", "/mcp", body, **headers, **extra) for extra in ({}, {"Mcp-Session-Id": "another's"})]
    assert [reply.status for reply in replies] == [200, 200]
    assert replies[0].body == replies[1].body
    assert "mcp-session-id" not in replies[0].headers


def test_closed_doors_answer_nothing_and_say_so(clerk: Agent, two_servers: Servers) -> None:
    def switch(is_open: bool) -> None:
        two_servers.run(f"from read_targets.agent.models import AgentDoors; AgentDoors(is_open={is_open}).save()")

    switch(False)
    try:
        listed = clerk.rpc("tools/list").json()["error"]
        assert (listed["code"], listed["data"]["code"]) == (-32000, "read_targets.doors_closed")
        called = clerk.call(LEDGER)
        assert (called.is_error, called.structured_content["code"]) == (True, "read_targets.doors_closed")
        assert clerk.rpc("resources/list").code == -32000
        assert clerk.rpc("prompts/list").code == -32000
    finally:
        switch(True)
    assert clerk.rpc("tools/list").status == 200


def test_a_call_too_many_says_when_to_come_again(two_servers: Servers) -> None:
    agent = Agent(two_servers.first, token_of(two_servers, "clerk", "--name", "hasty"))
    two_servers.run(
        "from read_targets.agent.models import AgentToken\n"
        "AgentToken.objects.filter(name='hasty').update(calls_a_minute=2)"
    )
    params = {"name": LEDGER, "arguments": {"rows": 0}}
    assert [agent.rpc("tools/call", params).json()["result"]["isError"] for _ in range(2)] == [False, False]
    result = agent.rpc("tools/call", params).json()["result"]
    assert result["isError"] is True
    action = result["structuredContent"]["nextAction"]
    assert (result["structuredContent"]["code"], action["type"]) == ("read_targets.too_many", "WAIT")
    assert 0 < action["delayMs"] <= 60_000
    listed = agent.rpc("tools/list").json()["error"]
    assert (listed["code"], listed["data"]["code"]) == (-32000, "read_targets.too_many")


def test_tokens_that_are_guessed_are_429_in_the_end_and_a_good_one_is_answered_all_the_same(
    clerk: Agent, two_servers: Servers
) -> None:
    headers = {**headers_of("tools/list"), "Authorization": "Bearer rt_guessed"}
    replies = [send(two_servers.first, "POST", "/mcp", request("tools/list"), **headers) for _ in range(80)]
    assert {reply.status for reply in replies} == {401, 429}
    refused = replies[-1]
    assert (refused.status, refused.json()["nextAction"]["type"]) == (429, "WAIT")
    assert int(refused.headers["retry-after"]) >= 1
    assert clerk.rpc("tools/list").status == 200
    two_servers.run("from read_targets.agent.models import Allowance; Allowance.objects.all().delete()")


# Servers


def test_every_call_is_in_the_log(clerk: Agent, two_servers: Servers) -> None:
    call = clerk.call(LEDGER, rows=0).structured_content["callId"]
    logged = two_servers.run(
        f"from read_targets.agent.models import ToolCall; c = ToolCall.objects.get(pk='{call}')\n"
        "print(c.user.username, c.agent, c.tool, c.outcome)"
    )
    assert logged.split() == ["clerk", "one", LEDGER, "READY"]


def test_calls_at_once_are_all_answered_at_both_processes(clerk: Agent, two_servers: Servers) -> None:
    agents = [clerk, clerk.at(two_servers.second)] * 20
    params = {"name": LEDGER, "arguments": {"rows": 1, "orderBy": "-amount"}}
    with ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda agent: agent.rpc("tools/call", params), agents))
    assert {reply.status for reply in replies} == {200}
    answers = [reply.json()["result"]["structuredContent"] for reply in replies]
    assert len({answer["callId"] for answer in answers}) == len(answers)
    figures = [without(answer, "callId", "provenance") for answer in answers]
    assert all(one == figures[0] for one in figures)


def test_pages_rest_and_streams_answer_beside_it(clerk: Agent, two_servers: Servers) -> None:
    browser = Person(two_servers.first).sign_in("clerk")
    assert browser.get("/desk/").status == 200
    assert clerk.send("GET", "/agent/tools").status == 200
    stream = browser.listen()
    try:
        assert stream.status in (200, 204)
    finally:
        stream.close()
    assert browser.get("/mcp/nothing").status == 404


def test_a_server_stops_though_a_call_waits_for_a_person(clerk: Agent, two_servers: Servers, conversation: str) -> None:
    tab = open_tab(Person(two_servers.second).sign_in("clerk"))
    arguments = {"command": "archive_conversation", "input": conversation, "page": tab.id}
    params = {"name": "runPageCommand", "arguments": arguments}
    body = request("tools/call", params)
    body["params"]["_meta"]["read-targets/wait"] = 30
    at_second = clerk.at(two_servers.second)

    def wait() -> Any:
        try:
            return at_second.send("POST", "/mcp", body, **headers_of("tools/call", params)).status
        except OSError:
            return "cut off"

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        card_of(tab)
        took = two_servers.second.stop()
        waiting.result(10)
    two_servers.second.start()
    assert took < 6.0
    assert at_second.rpc("tools/list").status == 200


# The page of a workspace


def test_the_page_of_a_workspace_is_there_for_whoever_may_call_and_holds_no_data(clerk: Agent, guest: Agent) -> None:
    discovered = clerk.rpc("server/discover").json()["result"]
    assert "io.modelcontextprotocol/ui" in discovered["capabilities"]["extensions"]
    tools = {tool["name"]: tool for tool in clerk.rpc("tools/list").json()["result"]["tools"]}
    uri = tools[LEDGER]["_meta"]["ui"]["resourceUri"]
    assert "_meta" not in tools["openPages"]
    pages = [agent.rpc("resources/read", {"uri": uri}).json()["result"]["contents"][0] for agent in (clerk, guest)]
    assert pages[0] == pages[1]
    assert (pages[0]["uri"], pages[0]["mimeType"]) == (uri, "text/html;profile=mcp-app")
    assert "csp" not in pages[0]["_meta"]["ui"]
    assert not re.search(r"https?://|fetch\(|XMLHttpRequest|WebSocket|innerHTML", pages[0]["text"])
    result = clerk.rpc("tools/call", {"name": LEDGER, "arguments": {"show": "workspace"}}).json()["result"]
    link = result["_meta"]["read-targets/link"]
    assert link == f"{clerk.server.url}{result['structuredContent']['card']['url']}"
