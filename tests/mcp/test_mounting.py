"""What every request over MCP must be before the SDK sees it, and what passes by untouched."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from read_targets.agent.mcp import answering, mounting
from read_targets.agent.mcp.mounting import Mounted, exact

GOOD = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"arguments":{"amount":0.10}}}'


class Heard:
    """An application that notes what reaches it."""

    def __init__(self) -> None:
        self.scopes: list[Any] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)


class Reached:
    """An endpoint that notes what reaches it, and answers nothing."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.bodies: list[bytes] = []

    async def __call__(self, request: Any, message: Any, scope: Any, receive: Any, send: Any) -> None:
        self.messages.append(message)
        self.bodies.append((await receive())["body"])
        await mounting.respond(send, 200, {})


class Site:
    """A mounted door between an application and an endpoint that only listen."""

    def __init__(self, path: str = "/mcp") -> None:
        self.application, self.endpoint = Heard(), Reached()
        self.mounted = Mounted(self.application, path, self.endpoint)

    def send(
        self,
        path: str = "/mcp",
        method: str = "POST",
        parts: Any = (GOOD,),
        root: str = "",
        kind: str = "http",
        **headers: str,
    ) -> tuple[int, dict[str, str], Any]:
        """Send a request in parts and return status, headers and body of the answer."""
        given = {"host": "localhost", "content-type": "application/json", **headers}
        scope = {
            "type": kind, "method": method, "path": path, "root_path": root, "query_string": b"",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items() if value],
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "scheme": "http",
        }  # fmt: skip
        events = [
            {"type": "http.request", "body": part, "more_body": number < len(parts)}
            for number, part in enumerate(parts, 1)
        ]
        sent: list[Any] = []

        async def receive() -> Any:
            if not events:
                await asyncio.sleep(3600)
            event = events.pop(0)
            return {"type": "http.disconnect"} if event["body"] is None else event

        async def note(event: Any) -> None:
            sent.append(event)

        asyncio.run(self.mounted(scope, receive, note))
        if not sent:
            return 0, {}, None
        told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], told, json.loads(sent[1]["body"])


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_it_answers_with_and_without_its_slash(site: Site, path: str) -> None:
    assert site.send(path)[0] == 200
    assert site.application.scopes == []


@pytest.mark.parametrize("path", ["/", "/mcp/more", "/mcpx", "/agent/mcp", "/MCP"])
def test_everything_else_passes_on(site: Site, path: str) -> None:
    site.send(path)
    assert [scope["path"] for scope in site.application.scopes] == [path]
    assert site.endpoint.messages == []


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
def test_another_kind_of_scope_passes_on(site: Site, kind: str) -> None:
    site.send(kind=kind)
    assert [scope["type"] for scope in site.application.scopes] == [kind]


def test_it_is_found_below_the_root_path_of_a_site_and_at_any_path() -> None:
    assert Site().send("/site/mcp", root="/site")[0] == 200
    assert Site("doors/mcp/").send("/doors/mcp")[0] == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
def test_only_post_is_taken(site: Site, method: str) -> None:
    status, headers, body = site.send(method=method)
    assert (status, headers["allow"]) == (405, "POST")
    assert (body["success"], body["code"]) == (False, "read_targets.method_not_allowed")
    assert site.endpoint.messages == []


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "localhost/"])
def test_a_host_that_is_not_the_sites_is_refused(site: Site, host: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    status, headers, body = site.send(host=host or "127.0.0.1")
    assert (status, body["outcome"]) == (421, "REJECTED")
    assert headers["cache-control"] == "no-store, private"
    assert site.endpoint.messages == []


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost", 200),
        ("https://app.example", 200),
        ("https://a.partner.example", 200),
        ("https://localhost", 403),
        ("http://localhost:81", 403),
        ("http://evil.example", 403),
        ("https://app.example.evil.example", 403),
        ("null", 403),
        ("http://[", 403),
    ],
)
def test_an_origin_must_be_the_sites_own_or_one_that_it_trusts(
    site: Site, settings: Any, origin: str, status: int
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://app.example", "https://*.partner.example"]
    assert site.send(origin=origin)[0] == status
    assert len(site.endpoint.messages) == (status == 200)


@pytest.mark.parametrize(
    ("headers", "exempt", "status"),
    [({}, [], 403), ({"x_forwarded_proto": "https"}, [], 200), ({}, [r"^mcp$"], 200), ({}, [r"^desk"], 403)],
)
def test_a_site_over_tls_alone_answers_no_plain_http(
    site: Site, settings: Any, headers: dict[str, str], exempt: list[str], status: int
) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_REDIRECT_EXEMPT = exempt
    assert site.send(**headers)[0] == status


def test_a_body_comes_whole_and_with_exact_numbers(site: Site) -> None:
    assert site.send(parts=(GOOD[:9], GOOD[9:]))[0] == 200
    assert site.endpoint.bodies == [GOOD]
    amount = site.endpoint.messages[0]["params"]["arguments"]["amount"]
    assert (type(amount).__name__, str(amount)) == ("Decimal", "0.10")


@pytest.mark.parametrize("length", ["", "100001", "-1", "x", "9" * 500])
def test_a_body_that_is_too_large_is_refused(site: Site, settings: Any, length: str) -> None:
    settings.READ_TARGETS = {"MAX_BODY_BYTES": 100_000}
    parts = (b"[" * 60_000, b"[" * 60_000) if not length else (GOOD,)
    status, _headers, body = site.send(parts=parts, content_length=length)
    assert (status, body["code"]) == (413, "read_targets.body_too_large")
    assert site.endpoint.messages == []


def test_a_body_that_is_too_slow_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounting, "BODY_SECONDS", 0.05)
    status, _headers, body = send_unfinished(site, (b"{",))
    assert (status, body["code"]) == (408, "read_targets.body_unreadable")


def send_unfinished(site: Site, parts: Any) -> tuple[int, dict[str, str], Any]:
    """Send parts of a body of which the rest never comes."""
    sent: list[Any] = []
    events = [{"type": "http.request", "body": part, "more_body": True} for part in parts]

    async def receive() -> Any:
        if not events:
            await asyncio.sleep(3600)
        return events.pop(0)

    async def note(event: Any) -> None:
        sent.append(event)

    scope = {
        "type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "scheme": "http",
    }  # fmt: skip
    asyncio.run(site.mounted(scope, receive, note))
    return sent[0]["status"], {}, json.loads(sent[1]["body"])


def test_a_client_that_hangs_up_before_its_body_is_there_is_answered_nothing(site: Site) -> None:
    assert site.send(parts=(b"{", None))[0] == 0
    assert site.endpoint.messages == []


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b"\xff",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"[" * 100_000,
        b'{"a":' + b"[" * 30 + b"]" * 30 + b"}",
        b'{"a":' + b"9" * 5000 + b"}",
    ],
    ids=["cut", "words", "bytes", "nan", "infinity", "bottomless", "deep", "digits"],
)
def test_what_is_no_json_or_nested_too_deeply_is_a_parse_error(site: Site, body: bytes) -> None:
    status, _headers, told = site.send(parts=(body,))
    assert (status, told["error"]["code"], told["id"]) == (400, -32700, None)
    assert site.endpoint.messages == []


def test_arguments_may_be_nested_as_deeply_as_over_rest() -> None:
    arguments = '{"a":' * 19 + "1" + "}" * 19
    assert exact(f'{{"params":{{"arguments":{arguments}}}}}'.encode())


def test_a_host_that_does_not_mount_it_does_not_import_the_sdk() -> None:
    code = (
        "import sys, django; django.setup(); import read_targets.agent.mcp; import project.wsgi;"
        "print([name for name in sys.modules if name.partition('.')[0] in ('mcp', 'mcp_types', 'starlette')])"
    )
    assert run(code).strip() == "[]"


def test_without_the_sdk_mounting_says_what_to_install() -> None:
    code = (
        "import sys, django; django.setup(); sys.modules['mcp'] = None;"
        "from django.core.exceptions import ImproperlyConfigured as E; from read_targets.agent.mcp import mount_mcp\n"
        "try: mount_mcp(None)\n"
        "except E as raised: print(raised)"
    )
    assert "django-read-targets[mcp]" in run(code)


def run(code: str) -> str:
    """What a new process prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("raised", "status", "code"),
    [
        (OperationalError("gone"), 503, "read_targets.database_unavailable"),
        (KeyError("secret"), 500, "read_targets.internal"),
    ],
)
def test_a_token_that_cannot_be_looked_up_tells_nothing_of_why(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, status: int, code: str
) -> None:
    def fail(secret: str) -> None:
        raise raised

    monkeypatch.setattr(answering, "token_in", fail)
    site = Site()
    site.mounted.endpoint = answering.answer
    told, _headers, body = site.send(authorization="Bearer rt_x")
    assert (told, body["code"]) == (status, code)
    assert str(raised.args[0]) not in json.dumps(body)
