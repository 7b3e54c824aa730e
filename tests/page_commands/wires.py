"""Two ways to speak HTTP with the site: within the process of the test, and with a real server over its port."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from typing import Any, Protocol
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.test import Client

PATIENCE = 60.0
"""Seconds that any answer may take to come."""

CSRF = "c" * 32
"""The secret of the CSRF cookie that our browsers have; a site takes any that is one."""

JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Reply:
    """What the site answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Wire(Protocol):
    """Sends requests, each with the cookies of one browser, or none."""

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies by name."""

    def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        """Send a request and return the whole answer; redirects are not followed."""


@dataclass
class InProcess:
    """The test's own process; what is asked runs in the test's transaction. The CSRF check is on."""

    client: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True, raise_request_exception=False))

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies by name."""
        return {name: morsel.value for name, morsel in self.client.cookies.items()}

    def sign_in(self, user: User) -> InProcess:
        """Sign in, as an authentication that went well does."""
        self.client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        self.client.cookies["csrftoken"] = CSRF
        return self

    def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        """Send a request and return the whole answer."""
        kind = headers.pop("Content-Type", "application/octet-stream")
        answer = self.client.generic(method, path, body, kind, headers=headers)
        return Reply(
            answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, answer.content
        )


@dataclass
class Remote:
    """A server that listens on a port of this machine; every request has a connection of its own."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)

    def at(self, port: int) -> Remote:
        """The same browser, speaking to another server."""
        return Remote(port, self.cookies)

    def with_cookies(self, other: Wire) -> Remote:
        """A wire to the same server, as the browser of another."""
        return Remote(self.port, other.cookies)

    def sign_in(self, name: str) -> Remote:
        """Sign in as a person whose password is their name."""
        self.cookies["csrftoken"] = CSRF
        form = {"username": name, "password": name, "csrfmiddlewaretoken": CSRF}
        origin = f"http://127.0.0.1:{self.port}"
        body = urlencode(form).encode()
        reply = self.send("POST", "/accounts/login/", body, **{"Content-Type": FORM, "Origin": origin})
        assert reply.status == 302, reply.text[:2000]
        self.cookies["csrftoken"] = CSRF
        return self

    def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        """Send a request and return the whole answer."""
        connection = self.begin(method, path, body, **headers)
        try:
            response = connection.getresponse()
            for text in response.headers.get_all("Set-Cookie") or []:
                self.cookies.update({name: morsel.value for name, morsel in SimpleCookie(text).items()})
            told = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, told, response.read())
        finally:
            connection.close()

    def begin(self, method: str, path: str, body: bytes = b"", **headers: str) -> HTTPConnection:
        """Send a request and return the connection, on which nothing of the answer has been read."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body or None, {"Cookie": cookies, **headers})
        return connection
