"""What the tests of signing in share: a client that is a stranger, and the browser of the person it sends there."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.test import Client

SITE = "http://testserver"
MCP = f"{SITE}/mcp"
AUTHORIZE, TOKEN, REGISTER, REVOKE = "/oauth/authorize", "/oauth/token", "/oauth/register", "/oauth/revoke"
BACK = "http://127.0.0.1:33418/callback"
OURS = {"HTTP_SEC_FETCH_SITE": "same-origin"}


@dataclass
class Stranger:
    """A client that registered itself, and what it keeps between its steps."""

    client_id: str = ""
    redirect_uri: str = BACK
    verifier: str = "v" * 64
    tokens: dict[str, Any] = field(default_factory=dict)

    @property
    def challenge(self) -> str:
        """The proof that it can make later."""
        return base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()

    def registered(self, **metadata: Any) -> Stranger:
        """The same client, known to the site."""
        answer = register(**({"client_name": "Helper", "redirect_uris": [self.redirect_uri]} | metadata))
        assert answer.status_code == 201, answer.content
        self.client_id = answer.json()["client_id"]
        return self

    def query(self, **changes: Any) -> str:
        """What it sends the person's browser with; None leaves a parameter out."""
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "state": "s t&a=te",
            "scope": "read act",
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "resource": SITE,
        }
        return urlencode({name: value for name, value in (asked | changes).items() if value is not None}, doseq=True)

    def redeem(self, code: str, **changes: Any) -> Any:
        """Bring a code, and return the response."""
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "client_id": self.client_id,
            "code_verifier": self.verifier,
        }
        return form(TOKEN, asked | changes)

    def refresh(self, token: str | None = None, **changes: Any) -> Any:
        """Bring the refresh token, or another, and return the response."""
        asked = {
            "grant_type": "refresh_token",
            "refresh_token": token or self.tokens["refresh_token"],
            "client_id": self.client_id,
        }
        return form(TOKEN, asked | changes)

    def signed_in(self, browser: Client, *, agreed: dict[str, Any] | None = None, **changes: Any) -> Stranger:
        """Walk the whole way in, with what the person says."""
        code = code_in(allow(browser, self.query(**changes), **(agreed or {})))
        answer = self.redeem(code)
        assert answer.status_code == 200, answer.content
        self.tokens = answer.json()
        return self

    def get(self, path: str) -> Any:
        """Ask something with its access token."""
        return Client().get(path, headers={"Authorization": f"Bearer {self.tokens['access_token']}"})

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool with its access token."""
        header = {"Authorization": f"Bearer {self.tokens['access_token']}"}
        return Client().post(f"/agent/tools/{tool}", arguments, "application/json", headers=header)


def form(path: str, fields: dict[str, Any], **headers: str) -> Any:
    """Post a form as a client does, without a cookie."""
    body = urlencode({name: value for name, value in fields.items() if value is not None}, doseq=True)
    return Client(enforce_csrf_checks=True).post(path, body, "application/x-www-form-urlencoded", headers=headers)


def register(**metadata: Any) -> Any:
    """Make a client known, and return the response."""
    return Client(enforce_csrf_checks=True).post(REGISTER, json.dumps(metadata), "application/json")


def page_of(browser: Client, query: str) -> Any:
    """Open the page on which a person agrees."""
    return browser.get(f"{AUTHORIZE}?{query}")


def fields_of(page: Any) -> dict[str, str]:
    """What the form of the page holds that the person does not see."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.content.decode())
    return {name: unescape(value) for name, value in found}


def answer(browser: Client, query: str, decision: str, **said: Any) -> Any:
    """Click one of the page's buttons, and return what is answered."""
    page = page_of(browser, query)
    assert page.status_code == 200, page.content.decode()[-2_000:]
    return browser.post(AUTHORIZE, fields_of(page) | {"decision": decision, **said}, **OURS)


def allow(browser: Client, query: str, **said: Any) -> Any:
    """Agree: to all that the person may use, for thirty days, and to reading alone unless said otherwise."""
    return answer(browser, query, "allow", **({"reach": "all", "days": "30"} | said))


def leads_to(response: Any) -> str:
    """The address that a page leads on to by itself, or empty."""
    assert "Location" not in response
    found = re.search(r'<meta http-equiv="refresh" content="0; url=([^"]*)"', response.content.decode())
    return unescape(found[1]) if found else ""


def link_back(response: Any) -> str:
    """The address that a page offers a link to."""
    found = re.search(r'<a href="([^"]*)"[^>]* id="back"', response.content.decode())
    return unescape(found[1]) if found else ""


def answered(address: str) -> dict[str, str]:
    """What is said in an address that a client is answered at."""
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query, keep_blank_values=True).items()}


def code_in(response: Any) -> str:
    """The code that a page leads back with."""
    address = leads_to(response)
    assert address, response.content.decode()[-3_000:]
    return answered(address)["code"]


@pytest.fixture
def stranger(db: None) -> Stranger:
    """A client that registered itself."""
    return Stranger().registered()


@pytest.fixture
def clerk(signed_in: Callable[[str], Client]) -> Client:
    """The clerk's browser."""
    return signed_in("clerk")
