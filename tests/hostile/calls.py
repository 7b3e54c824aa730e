"""Who calls, and the calls that they make: right ones with something wrong in them, drawn from a seeded generator."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from . import weird
from .site import Request

CSRF = "c" * 32

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Caller:
    """Somebody who calls: as whom an agent's door and a person's door take them (empty: nobody)."""

    agent: str
    person: str
    headers: Headers

    def fits(self, kind: str) -> bool:
        """Whether they may come in there at all: MCP takes no cookie, GraphQL no token, a tool either."""
        has_token = any(name == "Authorization" for name, _ in self.headers)
        if kind == "mcp":
            return bool(self.agent) and has_token
        return bool(self.agent) if kind == "tool" else bool(self.person) and not has_token

    def reads_as(self, path: str) -> str:
        """Whose rights an answer of that address may use."""
        return self.agent if path.startswith(("/agent", "/mcp")) else self.person


@dataclass
class Things:
    """What there is to ask for: the ids of everybody's, whoever asks."""

    tools: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The tools of each person who has some."""
    workspaces: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "string": ("a", "Main", "date", "-amount,date", "factory.open_connection_form"),
    "number": (0, -5, "100.00", 1e3),
    "integer": (1, 5, 2026, 20),
    "boolean": (True, False),
}

DAYS = {"from": "2026-10-01", "to": "2026-10-31", "period": "2026-10", "year": 2026, "month": 10}

HEADERS: tuple[tuple[str, str], ...] = (
    ("Accept", "text/html"),
    ("Accept", "*/*;q=x"),
    ("Accept-Language", "de, ko;q=0.9, ../../x"),
    ("Accept-Encoding", "gzip"),
    ("Content-Type", "text/plain"),
    ("Content-Type", "application/json; charset=utf-16"),
    ("Content-Type", "multipart/form-data"),
    ("Content-Type", "application/x-www-form-urlencoded"),
    ("Content-Length", "-1"),
    ("Content-Length", "9" * 30),
    ("Content-Length", "0"),
    ("Content-Length", "x"),
    ("Transfer-Encoding", "chunked"),
    ("Host", "evil.example"),
    ("Host", ""),
    ("X-Forwarded-Host", "evil.example"),
    ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-For", "x, y"),
    ("Forwarded", "for=1"),
    ("X-HTTP-Method-Override", "DELETE"),
    ("X-Original-URL", "/admin/"),
    ("If-None-Match", "*"),
    ("Range", "bytes=0-99"),
    ("If-None-Match", 'W/"x"'),
    ("If-Modified-Since", "Tue, 01 Jan 2030 00:00:00 GMT"),
    ("Origin", "https://evil.example"),
    ("Referer", "https://evil.example/"),
    ("Sec-Fetch-Site", "cross-site"),
    ("Idempotency-Key", "k" * 300),
    ("Idempotency-Key", "one"),
    ("Idempotency-Key", "é"),
    ("Prefer", "wait=x, wait"),
    ("Authorization", "Bearer rt_nobody"),
    ("Cookie", "sessionid=x; csrftoken=y"),
    ("X-Junk", "j" * 20_000),
    ("HX-Request", "true"),
    ("Mcp-Session-Id", "1"),
    ("Mcp-Name", "=?base64?x?="),
    ("MCP-Protocol-Version", "1999-01-01"),
    ("Last-Event-ID", "7"),
    ("Expect", "100-continue"),
)

METHODS = ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "CONNECT", "GET", "POST", "get", "X" * 100, "")

LISTS = {
    "cashTransactions": "counterparty memo account { name }",
    "accounts": "name",
    "wells": "name field",
    "connectionRuns": "crew well { name }",
    "tenants": "name",
    "projects": "name tenant { name }",
    "gitConnections": "url",
    "conversations": "title",
    "exchangeRates": "currency",
    "rigEvents": "id",
}

MCP_METHODS = (
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "server/discover",
    "ping",
    "completion/complete",
    "resources/read",
    "prompts/get",
    "initialize",
    "tools/call",
    "logging/setLevel",
    "notifications/cancelled",
    "resources/subscribe",
)

NEWEST, OLDER = "2026-07-28", "2025-11-25"


class Calls:
    """A source of calls; the same for the same seed."""

    def __init__(self, seed: int, callers: Sequence[Caller], things: Things) -> None:
        self.chance = Random(seed)
        self.callers, self.things = callers, things
        self.kind = ""
        """What the newest call is."""
        self.asks = ""
        self.kinds = (self.tool, self.tool, self.graphql, self.graphql, self.mcp, self.mcp, self.address, self.page)

    def next(self) -> tuple[Caller, Request]:
        """The next call."""
        make = self.chance.choice(self.kinds)
        self.kind = make.__name__
        fitting = [caller for caller in self.callers if caller.fits(self.kind)]
        caller = self.chance.choice(self.callers if self.chance.random() < 0.15 else fitting)
        self.asks = caller.agent
        request = make()
        headers = self._headers(caller, request)
        method = self.chance.choice(METHODS) if self.chance.random() < 0.04 else request.method
        return caller, Request(method, request.path, request.query, headers, request.body)

    def _headers(self, caller: Caller, request: Request) -> Headers:
        headers = [("Host", "testserver"), *request.headers, *caller.headers]
        if request.body and not any(name == "Content-Type" for name, _ in headers):
            headers.append(("Content-Type", "application/json"))
        while self.chance.random() < 0.15:
            name, told = self.chance.choice(HEADERS)
            # Most servers make one of a header that comes twice; sometimes it takes the other's place.
            if self.chance.random() < 0.7:
                headers = [one for one in headers if one[0] != name]
            headers.append((name, told))
        return tuple(headers)

    def arguments(self, tool: dict[str, Any]) -> dict[str, Any]:
        """Arguments as the tool takes them, as a rule."""
        told = {}
        for name, schema in tool["parameters"]["properties"].items():
            if name in tool["parameters"].get("required", ()) or self.chance.random() < 0.25:
                told[name] = self._argument(name, schema)
        for _ in range(self.chance.choice((0, 0, 1, 1, 2))):
            told = weird.mutated(self.chance, told) if told else {}
        return told

    def _argument(self, name: str, schema: dict[str, Any]) -> Any:
        if name in DAYS:
            return DAYS[name]
        if name in ("id", "input"):
            return self.chance.choice(self.things.rows)
        if name in ("page", "callId"):
            return self.chance.choice(self.things.ids)
        return self.chance.choice(schema.get("enum") or ARGUMENTS[schema["type"]])

    def _tool(self) -> dict[str, Any]:
        """A tool of the caller's, or, rarely or where they have none, of somebody else's."""
        of = self.asks if self.chance.random() < 0.85 else ""
        tools = self.things.tools.get(of) or self.things.tools[self.chance.choice(tuple(self.things.tools))]
        return self.chance.choice(tools)

    def _query(self) -> bytes:
        """What stands behind a tool's address: as a rule nothing."""
        odd = (b"toolset=x", b"toolset=%00", b"toolset=" + b"y" * 500, b"%FF=%ED%A0%80")
        return self.chance.choice(odd) if self.chance.random() < 0.15 else b""

    def tool(self) -> Request:
        """A tool over REST."""
        tool = self._tool()
        query = self._query()
        body = weird.body(self.chance, self.arguments(tool))
        return Request("POST", f"/agent/tools/{tool['name']}", query, body=body)

    def mcp(self) -> Request:
        """A message to MCP."""
        chance = self.chance
        method = chance.choice((*MCP_METHODS, *["tools/call"] * 8))
        params: dict[str, Any] = {}
        if method == "tools/call":
            tool = self._tool()
            params = {"name": tool["name"], "arguments": self.arguments(tool)}
            if chance.random() < 0.1:
                params = {"name": "callAnswer", "arguments": {"callId": chance.choice(self.things.ids), "wait": 0}}
        elif method == "resources/read":
            params = {"uri": f"workspace://desk/{chance.choice(self.things.workspaces)}/1"}
        elif method == "initialize":
            params = {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        elif method == "prompts/get":
            params = {"name": "guidance"}
        is_newest = chance.random() < 0.6
        version = NEWEST if is_newest else OLDER
        if is_newest:
            meta = {"protocolVersion": NEWEST, "clientCapabilities": {}}
            params["_meta"] = {f"io.modelcontextprotocol/{name}": told for name, told in meta.items()}
        message: Any = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", version)]
        if is_newest:
            headers.append(("Mcp-Method", method))
            named = params.get("name") or params.get("uri")
            headers += (
                [("Mcp-Name", named)] if isinstance(named, str) and named.isascii() and named.isprintable() else []
            )
        for _ in range(chance.choice((0, 0, 0, 1, 2))):
            message = weird.mutated(chance, message)
        if _waits(message):
            message = {}
        query = self._query()
        return Request("POST", chance.choice(("/mcp", "/mcp/")), query, tuple(headers), weird.body(chance, message))

    def graphql(self) -> Request:
        """A document to GraphQL."""
        chance = self.chance
        document, variables = chance.choice((self._list, self._list, self._list, self._flood, self._deep, self._odd))()
        if chance.random() < 0.1:
            at = chance.randint(0, len(document))
            document = (
                document[:at] + chance.choice(("{", "}", "\0", "...", "@x", '"', "\ud800", "#", "$")) + document[at:]
            )
        told: Any = {"query": document, "variables": variables}
        if chance.random() < 0.1:
            told = weird.mutated(chance, told)
        if chance.random() < 0.05:
            told = [told] * chance.choice((1, 3, 500))
        if chance.random() < 0.05:
            return Request("GET", "/graphql", b"query=" + document[:2000].encode("utf-8", "replace").replace(b"&", b""))
        return Request("POST", chance.choice(("/graphql", "/graphql/")), body=weird.body(chance, told))

    def _list(self) -> tuple[str, Any]:
        chance = self.chance
        name = chance.choice(tuple(LISTS))
        columns = LISTS[name]
        first = columns.split()[0]
        shown = chance.choice(
            (f"items {{ id {columns} }}", "rows", f'groups(by: "{first}")', "sums", "startCursor endCursor")
        )
        document = (
            "query($filters: [Filter!], $pagination: Pagination, $sortings: [Sorting!], $search: String) { "
            f"{name}(filters: $filters, pagination: $pagination, sortings: $sortings, search: $search) "
            f"{{ total {shown} }} }}"
        )
        path = chance.choice((first, "id", "account.name", "account__name", "tenant.name", "well.name", "pk", "user"))
        filters = [{"name": path, "operator": chance.choice(("eq", "contains", "in", "isnull", "gte")), "value": "zqk"}]
        variables: Any = {
            "filters": filters if chance.random() < 0.5 else [],
            "search": chance.choice(("", "zqk", None)),
        }
        variables["sortings"] = [{"name": path, "desc": True}] if chance.random() < 0.4 else []
        variables["pagination"] = {"page": chance.choice((1, 2, 10**6)), "limit": chance.choice((1, 20, 1000))}
        for _ in range(chance.choice((0, 1, 1, 2))):
            variables = weird.mutated(chance, variables)
        return document, variables

    def _flood(self) -> tuple[str, Any]:
        chance = self.chance
        name = chance.choice(tuple(LISTS))
        many = chance.choice((10, 100, 600, 3000))
        field = f"{name} {{ total }}" if name != "rigEvents" else "me"
        aliases = " ".join(f"a{number}: {field}" for number in range(many))
        directives = "@include(if: true) " * chance.choice((0, 1, 300))
        return f"{{ {aliases} me {directives} }}", {}

    def _deep(self) -> tuple[str, Any]:
        chance = self.chance
        depth = chance.choice((5, 19, 25, 300, 3000))
        kind = chance.random()
        if kind < 0.3:
            return (
                "{ __schema { types { fields { type " + "{ ofType " * depth + "{ name }" + " }" * depth + " } } } }",
                {},
            )
        if kind < 0.6:
            return "{ cashTransactions { items " + "{ account " * depth + "{ name }" + " }" * depth + " } }", {}
        many = chance.choice((5, 25, 60))
        spread = [
            f"fragment f{n} on Query {{ ...f{(n + 1) % (many + 1)} ...f{(n + 1) % (many + 1)} }}" for n in range(many)
        ]
        end = chance.choice((f"fragment f{many} on Query {{ me }}", f"fragment f{many} on Query {{ ...f0 }}"))
        return " ".join(["{ ...f0 }", *spread, end]), {}

    def _odd(self) -> tuple[str, Any]:
        chance = self.chance
        text = json.dumps(chance.choice(weird.TEXTS)).replace("/", "")
        row = chance.choice(self.things.rows)
        number = chance.choice(("1e400", "9" * 300, "-0", "1.5", "null", "ENUM", "{a: 1}", "[[[]]]"))
        odd = (
            f"{{ cashTransactions(search: {text}) {{ total items {{ memo }} }} }}",
            f"{{ cashTransactions(pagination: {{limit: {number}, page: {number}}}) {{ total }} }}",
            f'{{ accounts(filters: [{{name: "name", operator: "eq", value: {number}}}]) {{ items {{ name }} }} }}',
            f"mutation {{ renameProject(id: {text}, name: {text}) {{ project {{ id name }} }} }}",
            f'mutation {{ renameProject(id: "{row}", name: "x") {{ project {{ name }} }} }}',
            "subscription { me }",
            "query a { me } query b { me }",
            '{ __type(name: "Query") { fields { name } } }',
            "#",
            "{me}" * 200,
            f"{{ cashTransactions(pagination: {{after: {text}}}) {{ items {{ memo }} endCursor }} }}",
        )
        return chance.choice(odd), chance.choice(({}, None, [], "x", {"a": 10**400}))

    def _name(self) -> str:
        return self.chance.choice((*self.things.workspaces, "nothing", *weird.TEXTS))

    def address(self) -> Request:
        """An address that names a thing: everybody's, nobody's, or no name at all."""
        chance = self.chance
        one = chance.choice((*self.things.ids, *self.things.ids, *weird.TEXTS))
        get, post = (
            (
                f"/agent/calls/{one}",
                f"/desk/workspaces/{self._name()}/1",
                f"/desk/workspaces/{self._name()}",
                f"/desk/workspaces/{self._name()}/{chance.choice(('0', '2', '٣', '9' * 9, '-1'))}",
                f"/pages/sessions/{one}",
                f"/desk/exports/{one}",
                f"/desk/exports/{one}/file",
                f"/desk/workspaces/{self._name()}/1/rows",
                f"/desk/cards/{one}",
            ),
            (
                f"/agent/cards/{one}/open",
                f"/agent/cards/{one}/decide",
                f"/desk/workspaces/{self._name()}/1/read-again",
                f"/desk/workspaces/{self._name()}/1/export.csv",
                f"/desk/tokens/{one}/revoke",
                f"/pages/sessions/{one}/beat",
                f"/pages/sessions/{one}/commands/{self._name()}",
                f"/desk/exports/{one}/end",
                f"/agent/tools/{one}",
            ),
        )
        query = chance.choice(
            (b"", b"page=2&sort=-memo", b"after=x&parts=1", b"page=%00&order=%FF", b"version=1", b"&&==;")
        )
        if chance.random() < 0.5:
            return Request("GET", self._tricked(chance.choice(get)), query)
        fields = {
            "nonce": "x",
            "decision": "approve",
            "shown": 1,
            "version": 1,
            "object": self.chance.choice(self.things.rows),
        }
        return Request(
            "POST", self._tricked(chance.choice(post)), query, body=weird.body(chance, weird.mutated(chance, fields))
        )

    def page(self) -> Request:
        """A page of lists, with questions in its address."""
        chance = self.chance
        path = chance.choice(
            (
                "/",
                "/desk/",
                "/desk/news",
                "/desk/tokens",
                "/desk/settings",
                "/agent/tools",
                "/agent/cards",
                "/agent/schema/",
                "/ledger/cash-transactions/",
                "/ledger/accounts/",
                "/factory/tenants/",
                "/factory/projects/",
                "/drilling/wells/",
                "/factory/conversations/",
                "/factory/start/",
                "/healthz",
                "/accounts/login/",
                "/admin/read_targets/readtarget/",
                "/drilling/connection-runs/",
                "/desk/calls",
                "/factory/git-connections/",
            )
        )
        name = chance.choice(
            (
                "search",
                "account",
                "page",
                "o",
                "sort",
                "from",
                "year",
                "month",
                "flow",
                "format",
                "state",
                "next",
                "show",
            )
        )
        given = chance.choice((*weird.TEXTS, "zqk", "1", "2026", "native", "gemini", "openai-strict"))
        query = f"{name}={given}".encode("utf-8", "surrogatepass").replace(b"\0", b"%00").replace(b"\r\n", b"%0D%0A")
        return Request("GET", self._tricked(path), query if chance.random() < 0.8 else query * 200)

    def _tricked(self, path: str) -> str:
        """The path, sometimes with a trick in it that servers have fallen for."""
        if self.chance.random() > 0.1:
            return path
        at = path.rfind("/", 0, -1)
        tricks = (
            "/..",
            "/./",
            "//",
            "\\",
            ";a=b",
            "/%2e%2e/",
            "\0",
            "\udcff",
            "/..;/",
            "?",
            "#",
            " ",
            "\r\n",
            "/" * 2000,
            "\u202e",
        )
        return path[:at] + self.chance.choice(tricks) + path[at:]


def _waits(message: Any) -> bool:
    """Whether the message asks to wait, or for a stream that never ends."""
    text = json.dumps(message)
    return "subscriptions/listen" in text or ('"wait"' in text and '"wait": 0' not in text)
