"""What is somebody else's reads like what does not exist, byte for byte, at every door, by session and by token.

Two people hold the very same rights; one of them has things: a workspace, cards, a call that waits, an export, an open
page, tokens. The other asks for these, and for what nobody has.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User

from project.demo.factory.models import Conversation
from project.demo.ledger.models import CashTransaction
from read_targets.cards.exports.running import run_export
from read_targets.cards.exports.starting import start_export
from read_targets.models import AgentToken, Card, Export, ToolCall, WorkspaceVersion
from tests.hostile.site import Request, Site, site_in_process
from tests.page_commands.conftest import Person
from tests.page_commands.desk import Desk, permission
from tests.page_commands.tab import OURS, Agent, Tab
from tests.page_commands.wires import CSRF, FORM, JSON, InProcess, Reply

QUERY = "queryLedgerCashTransactions"
MARK = "words-of-hers"
NEVER = {"uuid": str(uuid.UUID(int=7)), "name": "nothing-of-that-name", "number": "999999"}
"""What nobody has."""

MCP = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


@dataclass(frozen=True)
class Theirs:
    """What one of them has."""

    workspace: str
    card: str
    asking: str
    call: str
    export: str
    session: str
    token: str


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with site_in_process(monkeypatch) as site:
        yield site


@pytest.fixture
def ledger(mina: Person, other: Person) -> None:
    """Both may read the whole ledger."""
    for person in (mina, other):
        person.user.user_permissions.add(
            permission("ledger.view_cashtransaction"), permission("read_targets.query_readtarget")
        )


@pytest.fixture
def theirs(
    ledger: None, desk: Desk, mina: Person, robot: Agent, tab: Tab, talk: Conversation, settings: Any, tmp_path: Path
) -> Theirs:
    """Mina's things, with words in them by which they are known."""
    exports = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "exports": exports}
    desk.asks()
    read = robot.call(QUERY, {"show": "workspace", "name": "hers", "title": MARK}).json()
    asked = robot.run("note", talk.pk, tab).json()
    version = WorkspaceVersion.objects.get(workspace__user=mina.user)
    export = start_export(mina.user, version, "csv")
    run_export(str(export.pk))
    return Theirs(
        workspace="hers",
        card=read["card"]["id"],
        asking=str(Card.objects.get(kind="confirmation").pk),
        call=asked["callId"],
        export=str(export.pk),
        session=tab.id,
        token=str(mina.token().pk),
    )


def masked(text: str, known: str = "") -> str:
    """An answer without what differs from one to the next: its own id, the forms' secrets, and what was asked for."""
    if known.isdigit():
        text = text.replace(f'"{known}"', "ASKED").replace(f"id={known}", "id=ASKED")
    elif known:
        text = text.replace(known, "ASKED")
    text = re.sub(r'("(?:callId|computedAt)": ?")[^"]*"', r'\1ID"', text)
    return re.sub(r'(name="(?:csrfmiddlewaretoken|nonce)" value=")[^"]+', r"\1SECRET", text)


def alike(door: str, asked: Callable[[str], Reply], theirs: str, never: str) -> None:
    """Ask for somebody's and for nobody's; they are answered alike, and kept by no cache."""
    hers, nobodys = asked(theirs), asked(never)
    assert hers.status == nobodys.status >= 400, door
    assert masked(hers.text, theirs) == masked(nobodys.text, never), door
    assert MARK not in hers.text, door
    for headers in (hers.headers, nobodys.headers):
        assert {"private", "no-store"} <= set(re.split(r",\s*", headers["cache-control"])), door
        assert not {"etag", "last-modified"} & headers.keys(), door
    told = [
        {
            name: masked(value, one)
            for name, value in reply.headers.items()
            if name not in ("content-length", "set-cookie")
        }
        for reply, one in ((hers, theirs), (nobodys, never))
    ]
    assert told[0] == told[1], door


# By the person's session

CLICK = {"decision": "dismiss", "nonce": "x"}

PAGES: dict[str, tuple[str, str, str, dict[str, Any] | None]] = {
    "workspace": ("GET", "/desk/workspaces/{}/1", "workspace", None),
    "newest workspace": ("GET", "/desk/workspaces/{}", "workspace", None),
    "whole list": ("GET", "/desk/workspaces/{}/1/rows", "workspace", None),
    "read again": ("FORM", "/desk/workspaces/{}/1/read-again", "workspace", {}),
    "export": ("FORM", "/desk/workspaces/{}/1/export.csv", "workspace", {}),
    "progress of an export": ("GET", "/desk/exports/{}", "export", None),
    "end of an export": ("FORM", "/desk/exports/{}/end", "export", {}),
    "file of an export": ("GET", "/desk/exports/{}/file", "export", None),
    "token": ("FORM", "/desk/tokens/{}/revoke", "token", {}),
    "card": ("GET", "/desk/cards/{}", "card", None),
    "call": ("GET", "/agent/calls/{}", "call", None),
    "opening a card": ("POST", "/agent/cards/{}/open", "card", CLICK),
    "putting a card away": ("POST", "/agent/cards/{}/decide", "card", CLICK),
    "agreeing": ("POST", "/agent/cards/{}/decide", "asking", {**CLICK, "decision": "approve"}),
    "open page": ("GET", "/pages/sessions/{}?after=0&parts=1", "session", None),
    "heartbeat": ("POST", "/pages/sessions/{}/beat", "session", {"shown": 0}),
    "leaving": ("FORM", "/pages/sessions/{}/leave", "session", {"visit": "1"}),
    "button": ("POST", "/pages/sessions/{}/commands/note", "session", {"nonce": "x", "version": 1}),
}

KINDS = {"workspace": "name", "token": "number"}


def never_of(what: str) -> str:
    """What nobody has, of the form that these ids are of."""
    return NEVER[KINDS.get(what, "uuid")]


def test_a_session_is_told_of_anothers_what_it_is_told_of_nothing(theirs: Theirs, other: Person) -> None:
    browser = other.browser()

    def asked(method: str, path: str, fields: Any, one: str) -> Reply:
        address = path.format(one)
        if method == "GET":
            return browser.get(address, **OURS)
        if method == "FORM":
            body = urlencode({"csrfmiddlewaretoken": CSRF, **fields}).encode()
            return browser.wire.send("POST", address, body, **{**OURS, "Content-Type": FORM})
        nonce = browser.nonce(one) if "nonce" in fields else ""
        return browser.post(address, {**fields, **({"nonce": nonce} if nonce else {})})

    before = tables()
    for door, (method, path, what, fields) in PAGES.items():
        alike(door, partial(asked, method, path, fields), getattr(theirs, what), never_of(what))
    assert tables() == before


def tables() -> list[Any]:
    """What of hers a stranger might change."""
    return [list(model.objects.order_by("pk").values()) for model in (Card, Export, WorkspaceVersion, AgentToken)]


def test_a_condition_of_a_cache_changes_nothing(theirs: Theirs, mina: Person, other: Person) -> None:
    """Whatever a cache or a stranger knows of an answer, it is asked for anew."""
    for door, (method, path, what, _fields) in PAGES.items():
        address = path.format(getattr(theirs, what))
        for browser in (mina.browser(), other.browser()) if method == "GET" and "file" not in door else ():
            plain = browser.get(address)
            for name, value in (("If-None-Match", "*"), ("If-Modified-Since", "Fri, 01 Jan 2038 00:00:00 GMT")):
                again = browser.get(address, **{name: value})
                assert again.status == plain.status != 304, door
            assert "etag" not in plain.headers, door
            assert "no-store" in plain.headers["cache-control"], door
            assert "cookie" in plain.headers["vary"].lower(), door


# By a token

REST: dict[str, tuple[str, str, str, Any]] = {
    "call": ("GET", "/agent/calls/{}", "call", None),
    "opening a card": ("POST", "/agent/cards/{}/open", "card", CLICK),
    "deciding a card": ("POST", "/agent/cards/{}/decide", "asking", {**CLICK, "decision": "approve"}),
    "commands of a page": ("POST", "/agent/tools/pageCommands", "session", {"page": "{}"}),
    "run on a page": (
        "POST",
        "/agent/tools/runPageCommand",
        "session",
        {"command": "note", "input": "1", "page": "{}"},
    ),
    "present on a page": ("POST", "/agent/tools/present", "session", {"channel": "talk", "input": "1", "page": "{}"}),
}


@pytest.mark.parametrize("whose", ["another person", "another agent"])
def test_a_token_is_told_of_anothers_what_it_is_told_of_nothing(
    theirs: Theirs, mina: Person, other: Person, whose: str
) -> None:
    agent = (other if whose == "another person" else mina).agent("Another")

    def asked(method: str, path: str, fields: Any, one: str) -> Reply:
        body = json.dumps(fields).replace("{}", one).encode() if fields else b""
        return agent.wire.send(method, path.format(one), body, **agent.headers)

    for door, (method, path, what, fields) in REST.items():
        # An open page is the person's, and so it is that of every agent of theirs that may act.
        if whose == "another person" or what != "session":
            alike(door, partial(asked, method, path, fields), getattr(theirs, what), never_of(what))


@pytest.mark.parametrize("whose", ["another person", "another agent"])
def test_cards_and_workspaces_of_another_are_not_listed(
    theirs: Theirs, mina: Person, other: Person, site: Site, whose: str
) -> None:
    agent = (other if whose == "another person" else mina).agent("Another")
    listed = agent.wire.send("GET", "/agent/cards", **agent.headers)
    assert listed.json() == {"cards": [], "hasMore": False}
    resources = rpc(site, agent, "resources/list")
    assert json.loads(resources.body)["result"]["resources"] == []


def rpc(site: Site, agent: Agent | None, method: str, params: Any = None, **headers: str) -> Reply:
    """Send a message to MCP."""
    told = {**MCP, "Host": "testserver", **(agent.headers if agent else {"Content-Type": JSON}), **headers}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}).encode()
    answer = site.send(Request("POST", "/mcp", headers=tuple(told.items()), body=body))
    return Reply(int(answer.status), {name.lower(): value for name, value in answer.headers}, answer.body)


OVER_MCP: dict[str, tuple[str, str, dict[str, Any]]] = {
    "workspace": ("workspace", "resources/read", {"uri": "workspace://desk/{}/1"}),
    "call": ("call", "tools/call", {"name": "callAnswer", "arguments": {"callId": "{}", "wait": 0}}),
    "commands of a page": ("session", "tools/call", {"name": "pageCommands", "arguments": {"page": "{}"}}),
    "run on a page": (
        "session",
        "tools/call",
        {"name": "runPageCommand", "arguments": {"command": "note", "input": "1", "page": "{}"}},
    ),
    "present on a page": (
        "session",
        "tools/call",
        {"name": "present", "arguments": {"channel": "talk", "input": "1", "page": "{}"}},
    ),
}


@pytest.mark.parametrize("whose", ["another person", "another agent"])
def test_over_mcp_another_is_told_the_same(theirs: Theirs, mina: Person, other: Person, site: Site, whose: str) -> None:
    agent = (other if whose == "another person" else mina).agent("Another")
    for door, (what, method, params) in OVER_MCP.items():
        if whose == "another agent" and what == "session":
            continue
        answers = []
        for one in (getattr(theirs, what), never_of(what)):
            reply = rpc(site, agent, method, json.loads(json.dumps(params).replace("{}", one)))
            told = json.loads(reply.body)
            told.get("result", {}).get("structuredContent", {}).pop("callId", None)
            answers.append((reply.status, masked(json.dumps(told), one), reply.headers["cache-control"]))
            assert MARK not in reply.text, door
            assert "error" in told or told["result"]["isError"], door
        assert answers[0] == answers[1], door
        assert "no-store" in answers[0][2], door


# A row that may not be viewed


@pytest.fixture
def hidden(db: None, person: Any) -> tuple[User, str]:
    """The clerk, who holds grants on single rows, and the id of one that they may not view."""
    clerk = person("clerk")
    CashTransaction.objects.update(memo=MARK)
    granted = set(CashTransaction.objects.filter(pk__in=_granted(clerk)).values_list("pk", flat=True))
    row = CashTransaction.objects.exclude(pk__in=granted).order_by("pk").first()
    assert row is not None
    return clerk, str(row.pk)


def _granted(user: User) -> set[Any]:
    """The rows that the tables of grants name for the person."""
    from project.demo.ledger.models import CashTransactionGroupGrant, CashTransactionUserGrant

    own = CashTransactionUserGrant.objects.filter(user=user).values_list("content_object", flat=True)
    groups = CashTransactionGroupGrant.objects.filter(group__user=user).values_list("content_object", flat=True)
    return {*own, *groups}


def test_a_row_that_may_not_be_viewed_reads_like_none(hidden: tuple[User, str], agent: Any, site: Site) -> None:
    clerk, row = hidden
    one, browser = agent("clerk"), InProcess().sign_in(clerk)
    filters = 'filters: [{name: "id", operator: "eq", value: "%s"}]'
    asked: dict[str, Callable[[str], str]] = {
        "REST": lambda key: one.call(QUERY, id=key).content.decode(),
        "MCP": lambda key: (
            rpc(
                site,
                Agent(browser, one.headers["Authorization"][7:]),
                "tools/call",
                {
                    "name": QUERY,
                    "arguments": {"id": key},
                },
            ).text
        ),
        "GraphQL": lambda key: (
            browser.send(
                "POST",
                "/graphql",
                json.dumps(
                    {"query": "{ cashTransactions(%s) { total items { id memo } sums } }" % (filters % key)}
                ).encode(),
                **{"Content-Type": JSON, "X-CSRFToken": CSRF},
            ).text
        ),
        "screen": lambda key: browser.send("GET", f"/ledger/cash-transactions/?id={key}").text,
    }
    for door, ask in asked.items():
        hers, nobodys = ask(row), ask(NEVER["number"])
        assert masked(hers, row) == masked(nobodys, NEVER["number"]), door
        assert MARK not in hers or door == "screen", door


# One person's token in another's browser


def test_a_token_in_anothers_browser_is_the_tokens_person_and_nobody_else(
    theirs: Theirs, mina: Person, other: Person, robot: Agent
) -> None:
    browser = other.browser()
    reply = browser.post(f"/agent/tools/{QUERY}", {"rows": 0, "show": "answer"}, Authorization=f"Bearer {robot.secret}")
    assert reply.status == 200
    assert ToolCall.objects.latest("at").user == mina.user
    cards = browser.get("/agent/cards", Authorization=f"Bearer {robot.secret}").json()["cards"]
    assert {card["id"] for card in cards} == {theirs.card, theirs.asking}


def test_a_bad_token_takes_the_session_with_it(theirs: Theirs, mina: Person) -> None:
    browser = mina.browser()
    assert browser.get("/agent/cards").json()["cards"]
    reply = browser.get("/agent/cards", Authorization="Bearer rt_nobody")
    assert (reply.status, MARK in reply.text) == (401, False)


@pytest.mark.parametrize("path", ["/desk/", "/desk/workspaces/hers/1", "/desk/tokens", "/desk/calls"])
def test_a_page_knows_its_session_alone_whatever_token_comes_along(
    theirs: Theirs, other: Person, robot: Agent, path: str
) -> None:
    browser = other.browser()
    without = browser.get(path)
    along = browser.get(path, Authorization=f"Bearer {robot.secret}")
    assert (along.status, masked(along.text)) == (without.status, masked(without.text))
    assert MARK not in along.text
    nobody = InProcess().send("GET", path, Authorization=f"Bearer {robot.secret}")
    assert nobody.status == 302


def test_a_token_helps_no_click_and_no_open_page(theirs: Theirs, mina: Person, other: Person, robot: Agent) -> None:
    for browser in (other.browser(), mina.browser()):
        token = {"Authorization": f"Bearer {robot.secret}"}
        clicked = browser.post(f"/agent/cards/{theirs.card}/open", {"nonce": browser.nonce(theirs.card)}, **token)
        assert (clicked.status, clicked.json()["code"]) == (403, "read_targets.click_not_proven")
        assert browser.get(f"/pages/sessions/{theirs.session}", **token).status == 403
        assert browser.post("/graphql", {"query": "{ me }"}, **token).status == 401
    assert Card.objects.get(pk=theirs.card).verdict == "waiting"


def test_a_nonce_of_one_browser_is_worth_nothing_in_another(theirs: Theirs, mina: Person, other: Person) -> None:
    nonce = mina.browser().nonce(theirs.card)
    for browser in (other.browser(), mina.browser()):
        reply = browser.post(f"/agent/cards/{theirs.card}/open", {"nonce": nonce})
        assert (reply.status, reply.json()["code"]) == (403, "read_targets.click_not_proven")


# A session in MCP


def test_mcp_knows_no_cookie_and_no_session_of_anybodys(
    theirs: Theirs, mina: Person, other: Person, robot: Agent, site: Site
) -> None:
    cookie = f"sessionid={mina.browser().wire.cookies['sessionid']}"
    for agent in (None, Agent(InProcess(), "rt_nobody")):
        reply = rpc(site, agent, "tools/list", Cookie=cookie)
        assert reply.status == 401
    stranger = other.agent("Another")
    read = {"uri": "workspace://desk/hers/1"}
    plain = rpc(site, stranger, "resources/read", read)
    assert MARK not in plain.text
    for told in ({"Cookie": cookie}, {"Mcp-Session-Id": theirs.session}, {"Mcp-Session-Id": cookie}):
        again = rpc(site, stranger, "resources/read", read, **told)
        assert (again.status, again.body) == (plain.status, plain.body)
    assert MARK in rpc(site, robot, "resources/read", read).text


# A list in a cache


def test_what_is_told_to_one_is_kept_for_nobody(theirs: Theirs, mina: Person, other: Person, robot: Agent) -> None:
    for path in ("/agent/tools", "/agent/cards", "/agent/schema/", "/agent/nothing"):
        headers = robot.wire.send("GET", path, **robot.headers).headers
        assert headers["cache-control"] == "private, no-store"
        assert {"authorization", "cookie"} <= set(re.split(r",\s*", headers["vary"].lower()))
        assert "etag" not in headers
    for person in (mina, other):
        pages = ("/", "/desk/", "/desk/news", "/desk/tokens", "/desk/settings", "/desk/calls")
        for path in (*pages, "/ledger/cash-transactions/"):
            headers = person.browser().get(path).headers
            assert "no-store" in headers.get("cache-control", ""), path
            assert "private" in headers["cache-control"], path
            assert "etag" not in headers, path
        reply = person.browser().post("/graphql", {"query": "{ me }"})
        assert (reply.status, reply.headers["cache-control"]) == (200, "private, no-store")
