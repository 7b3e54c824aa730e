"""How the tests speak MCP: by the official client, and by bare requests where that would never send such a thing."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any, TypeVar

import anyio
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.live.servers import Server, Servers

T = TypeVar("T")

NEWEST, OLDER = "2026-07-28", "2025-11-25"
BOTH = ("application/json", "text/event-stream")


@dataclass
class Agent:
    """A token of one of the company's people, at one of the servers."""

    server: Server
    token: str
    toolset: str = ""

    def at(self, server: Server) -> Agent:
        """The same token at another server."""
        return Agent(server, self.token, self.toolset)

    def within(self, toolset: str) -> Agent:
        """The same token, asking for a toolset."""
        return Agent(self.server, self.token, toolset)

    @property
    def path(self) -> str:
        """Where the door is."""
        return f"/mcp?toolset={self.toolset}" if self.toolset else "/mcp"

    def speak(self, talk: Callable[[Client], Awaitable[T]], version: str = NEWEST) -> T:
        """Do what `talk` does with the official client, connected in one of the protocol's versions."""

        async def session() -> T | MCPError:
            async with AsyncExitStack() as stack:
                headers = {"Authorization": f"Bearer {self.token}"}
                http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
                transport = streamable_http_client(f"{self.server.url}{self.path}", http_client=http)
                client = await stack.enter_async_context(
                    Client(transport, mode="legacy" if version == OLDER else "auto")
                )
                assert client.protocol_version == version
                try:
                    return await talk(client)
                except MCPError as error:  # which the client's own tasks would wrap on its way out
                    return error

        told = anyio.run(session)
        if isinstance(told, MCPError):
            raise told
        return told

    def call(self, name: str, version: str = NEWEST, meta: Any = None, /, **arguments: Any) -> Any:
        """The result of a tool."""
        return self.speak(lambda client: client.call_tool(name, arguments, meta=meta), version)

    def rest(self, name: str, /, **arguments: Any) -> Any:
        """The answer of the same tool over REST."""
        path = f"/agent/tools/{name}" + (f"?toolset={self.toolset}" if self.toolset else "")
        return self.send("POST", path, arguments).json()

    def send(self, method: str, path: str = "/mcp", body: Any = None, **headers: str) -> Reply:
        """Send any request with the token; a header that is empty is left out."""
        return send(self.server, method, path, body, **{"Authorization": f"Bearer {self.token}", **headers})

    def rpc(self, method: str, params: Any = None, *, meta: Any = True, **headers: str) -> Reply:
        """Send a request of the newest protocol, as it should be but for what is given."""
        return self.send("POST", self.path, request(method, params, meta), **{**headers_of(method, params), **headers})


def request(method: str, params: Any = None, meta: Any = True, version: str = NEWEST) -> dict[str, Any]:
    """A request of the newest protocol."""
    envelope = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    told = {**(params or {}), **({"_meta": envelope} if meta is True else {"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": told}


def headers_of(method: str, params: Any = None) -> dict[str, str]:
    """The headers that go with it."""
    name = (params or {}).get("name") or (params or {}).get("uri")
    headers = {"Accept": ", ".join(BOTH), "MCP-Protocol-Version": NEWEST, "Mcp-Method": method}
    return {**headers, "Mcp-Name": name} if name else headers


@dataclass
class Reply:
    """What a server answered."""

    status: int
    headers: dict[str, str] = field(repr=False)
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> Any:
        """The code of an error of JSON-RPC."""
        return self.json()["error"]["code"]


def send(server: Server, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    """Send any request; `body` is JSON values, or bytes as they are. A header that is empty is left out."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    given = {"Content-Type": "application/json", **headers}
    try:
        connection.request(method, path, raw, {name: value for name, value in given.items() if value})
        response = connection.getresponse()
        return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        connection.close()


def token_of(servers: Servers, person: str, *options: str) -> str:
    """A new token of one of the company's people, made by the command that an administrator runs."""
    given = ", ".join(map(repr, ("agent_token", person, *options)))
    printed = servers.run(f"from django.core.management import call_command; call_command({given})")
    return printed.strip().splitlines()[-1]
