"""The official MCP client signs in by itself at a real server: it is told where by the refusal of its first request."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from html import unescape
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import anyio
import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from tests.live.servers import Answer, Person, Servers
from tests.mcp.client import NEWEST, OLDER, Agent, headers_of, send

from .conftest import BACK, answered

T = TypeVar("T")
QUERY = "queryLedgerCashTransactions"


@dataclass
class Kept:
    """What a host keeps of its sign-in."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """What it has."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep it."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """What it is known as."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep it."""
        self.client = client_info


@dataclass
class Host:
    """An MCP host, and the browser of the person in front of it."""

    url: str
    person: Person
    said: dict[str, str] = field(default_factory=lambda: {"decision": "allow", "reach": "all", "days": "3"})
    kept: Kept = field(default_factory=Kept)
    asked: list[dict[str, str]] = field(default_factory=list)
    seen: list[tuple[str, str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        metadata = OAuthClientMetadata(client_name="Official", redirect_uris=[BACK])
        self.provider = OAuthClientProvider(f"{self.url}/mcp", metadata, self.kept, self._lead, self._come_back)

    def speak(self, talk: Callable[[Client], Awaitable[T]], version: str = NEWEST) -> T:
        """Do what `talk` does, signed in."""

        async def session() -> T:
            async with AsyncExitStack() as stack:
                http = await stack.enter_async_context(httpx2.AsyncClient(auth=self.provider, timeout=60))
                http.event_hooks["response"].append(self._note)
                transport = streamable_http_client(f"{self.url}/mcp", http_client=http)
                mode = "legacy" if version == OLDER else "auto"
                client = await stack.enter_async_context(Client(transport, mode=mode))
                assert client.protocol_version == version
                return await talk(client)

        return anyio.run(session)

    def call(self, name: str, version: str = NEWEST, /, **arguments: Any) -> Any:
        """The result of a tool."""
        return self.speak(lambda client: client.call_tool(name, arguments), version)

    async def _note(self, response: httpx2.Response) -> None:
        self.seen.append((response.request.method, response.request.url.path, response.status_code))

    async def _lead(self, address: str) -> None:
        self.asked.append(dict(parse_qsl(urlsplit(address).query)))
        self.address = await anyio.to_thread.run_sync(lambda: decide(self.person, address, **self.said))

    async def _come_back(self) -> AuthorizationCodeResult:
        told = answered(self.address)
        return AuthorizationCodeResult(code=told.get("code", ""), state=told.get("state"), iss=told.get("iss"))


def decide(person: Person, address: str, **said: str) -> str:
    """Click in the person's browser, and return where that leads."""
    page = person.get(address.partition(person.server.url)[2])
    assert page.status == 200, page.text[-2_000:]
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text)
    answer: Answer = person.post_form("/oauth/authorize", **{name: unescape(value) for name, value in hidden} | said)
    found = re.search(r'http-equiv="refresh" content="0; url=([^"]*)"', answer.text)
    assert found is not None, answer.text[-2_000:]
    return unescape(found[1])


@pytest.fixture
def host(two_servers: Servers) -> Host:
    """A host that nobody knows yet, in front of the clerk."""
    return Host(two_servers.first.url, Person(two_servers.first).sign_in("clerk"))


@pytest.mark.parametrize("version", [NEWEST, OLDER])
def test_it_gets_in_by_what_it_is_told(host: Host, clerk_by_hand: Agent, version: str) -> None:
    result = host.call(QUERY, version, rows=3, show="answer")
    by_hand = clerk_by_hand.call(QUERY, version, rows=3, show="answer")
    assert result.structured_content["sampleRows"] == by_hand.structured_content["sampleRows"]
    assert result.structured_content["summary"] == by_hand.structured_content["summary"]
    assert host.seen[:4] == [
        ("POST", "/mcp", 401),
        ("GET", "/.well-known/oauth-protected-resource/mcp", 200),
        ("GET", "/.well-known/oauth-authorization-server", 200),
        ("POST", "/oauth/register", 201),
    ]
    assert ("POST", "/oauth/token", 200) in host.seen
    (asked,) = host.asked
    assert asked["scope"] == "read act"
    assert asked["resource"] == f"{host.url}/mcp"
    assert host.kept.tokens is not None
    assert host.kept.tokens.scope == "read"


def test_it_comes_back_by_its_refresh_token(host: Host, two_servers: Servers) -> None:
    host.call(QUERY, rows=0)
    first = host.kept.tokens
    assert first is not None
    end = "from oauth2_provider.models import AccessToken as A; A.objects.update(expires='2020-01-01T00:00Z')"
    two_servers.run(end)
    # As if the hour had passed.
    host.provider.context.token_expiry_time = 1.0
    result = host.call(QUERY, rows=0)
    assert result.structured_content["success"]
    assert len(host.asked) == 1
    assert host.kept.tokens.refresh_token != first.refresh_token


def test_it_asks_for_more_where_a_call_takes_more(host: Host) -> None:
    host.call(QUERY, rows=0)
    host.said |= {"may_act": "on"}
    result = host.call("runPageCommand", command="x")
    # The tool itself answers now: what, depends on the pages that other tests of the same servers leave open.
    assert result.structured_content["code"].startswith("page_commands.")
    assert [one["scope"] for one in host.asked] == ["read act", "read act"]
    assert ("POST", "/mcp", 403) in host.seen
    assert host.kept.tokens is not None
    assert host.kept.tokens.scope == "read act"


def test_a_call_that_takes_more_is_in_the_log(host: Host, two_servers: Servers) -> None:
    host.call(QUERY, rows=0)
    assert host.kept.tokens is not None
    agent = Agent(two_servers.first, host.kept.tokens.access_token)
    told = agent.rpc("tools/call", {"name": "runPageCommand", "arguments": {"command": "x"}})
    assert (told.status, told.json()["code"]) == (403, "read_targets.token_may_not_act")
    assert 'error="insufficient_scope"' in told.headers["www-authenticate"]
    assert (
        f'resource_metadata="{host.url}/.well-known/oauth-protected-resource/mcp"' in told.headers["www-authenticate"]
    )
    client = host.kept.client
    assert client is not None
    log = (
        "from read_targets.models import ToolCall as C;"
        f"print([(c.tool, c.outcome) for c in C.objects.filter(token__client={client.client_id!r}).order_by('at')])"
    )
    assert two_servers.run(log).strip() == f"[({QUERY!r}, 'READY'), ('runPageCommand', 'REJECTED')]"


def test_whoever_declines_lets_nobody_in(host: Host) -> None:
    host.said = {"decision": "decline"}
    with pytest.raises(BaseExceptionGroup) as raised:
        host.call(QUERY)
    assert raised.group_contains(OAuthFlowError)
    assert host.kept.tokens is None


def test_a_token_for_the_mcp_door_opens_it_at_every_process_and_no_other_door(host: Host, two_servers: Servers) -> None:
    host.call(QUERY, rows=0)
    assert host.kept.tokens is not None
    bearer = {"Authorization": f"Bearer {host.kept.tokens.access_token}"}
    for server in (two_servers.first, two_servers.second):
        assert send(server, "GET", "/agent/tools", **bearer).status == 401
    # The second server has another port, and so is another resource.
    headers = headers_of("tools/list")
    assert Agent(two_servers.first, host.kept.tokens.access_token).rpc("tools/list", **headers).status == 200
    assert Agent(two_servers.second, host.kept.tokens.access_token).rpc("tools/list", **headers).status == 401


def test_of_two_that_bring_one_code_or_one_refresh_token_one_gets_in(host: Host, two_servers: Servers) -> None:
    host.call(QUERY, rows=0)
    client, tokens = host.kept.client, host.kept.tokens
    assert client is not None
    assert tokens is not None
    verifier, challenge = "v" * 64, "w1TpKUdYE9hUAcNSeeSRFioHDxfUxuHho_JHAfZ_vDM"
    asked = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": BACK,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    code = answered(decide(host.person, f"{host.url}/oauth/authorize?{urlencode(asked)}", **host.said))["code"]
    brought = {"client_id": client.client_id, "redirect_uri": BACK, "code": code, "code_verifier": verifier}
    refreshed = {"client_id": client.client_id, "refresh_token": tokens.refresh_token}

    def bring(grant: str, given: dict[str, Any]) -> list[int]:
        body = urlencode({"grant_type": grant, **given}).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        servers = (two_servers.first, two_servers.second) * 2
        with ThreadPoolExecutor(4) as pool:
            sent = [pool.submit(send, server, "POST", "/oauth/token", body, **kind) for server in servers]
            return sorted(one.result().status for one in sent)

    assert bring("authorization_code", brought) == [200, 400, 400, 400]
    assert bring("refresh_token", refreshed) == [200, 400, 400, 400]


@pytest.fixture(scope="session")
def clerk_by_hand(two_servers: Servers) -> Agent:
    """An agent of the clerk's with a token made by hand."""
    from tests.mcp.client import token_of

    return Agent(two_servers.first, token_of(two_servers, "clerk", "--name", "by hand"))
