"""A tab of a person's browser, spoken to through Django's test client."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from django.test import Client

from page_commands.live.clicks import bound
from page_commands.live.models import PageSession
from read_targets.cards.clicks import nonce_for

OURS = {"Sec-Fetch-Site": "same-origin"}
"""What a browser says of a request that a page of this origin sends."""

START = "/factory/start/"


@dataclass
class Tab:
    """A tab with an open session."""

    client: Client
    tab: str
    told: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.told["id"])

    @property
    def address(self) -> str:
        return f"/pages/sessions/{self.id}"

    @property
    def session(self) -> PageSession:
        """Its session as it is stored now."""
        return PageSession.objects.select_related("page").get(pk=self.id)

    def news(self, after: Any = 0, query: str = "") -> Any:
        return self.client.get(f"{self.address}?after={after}{query}")

    def beat(self, shown: Any = 0) -> Any:
        return post(self.client, f"{self.address}/beat", {"shown": shown})

    def leave(self, visit: Any = None) -> Any:
        fields = {"visit": self.told["visit"] if visit is None else visit}
        return self.client.post(f"{self.address}/leave", fields)

    def click(self, command: str, **fields: Any) -> Any:
        """Click a button of the page as it is now; with `object`, one that the application rendered for that."""
        key = fields.get("object")
        nonce = self.told["nonce"] if not isinstance(key, str) or not key else self.nonce(command, key)
        body = {"version": self.session.version, "nonce": nonce, **fields}
        return post(self.client, f"{self.address}/commands/{command}", body)

    def nonce(self, command: str, key: str, page: str = "") -> str:
        """The nonce that a button for a command and an object carries in this browser."""
        session = self.session
        request: Any = SimpleNamespace(user=session.user, session=self.client.session)
        return nonce_for(request, bound(page or session.page.key, command, key))


def post(client: Client, path: str, body: Any, **headers: str) -> Any:
    """Send JSON, as the script of our pages does."""
    return client.post(path, body, "application/json", headers={**OURS, **headers})


def ticket_at(client: Client, path: str = START) -> str:
    """The ticket that the page at `path` carries for this browser."""
    page = client.get(path).content.decode()
    found = re.search(r'data-ticket="([^"]+)"', page)
    assert found is not None
    return found[1]


def ask_to_open(client: Client, ticket: Any, tab: Any = None, **fields: Any) -> Any:
    """What opening a session is answered with."""
    body = {"ticket": ticket, "tab": tab or uuid.uuid4().hex, "title": "Factory", **fields}
    return post(client, "/pages/sessions", body)


def open_tab(client: Client, path: str = START, tab: str = "") -> Tab:
    """Load the page in a tab, and open its session."""
    tab = tab or uuid.uuid4().hex
    answer = ask_to_open(client, ticket_at(client, path), tab)
    assert answer.status_code == 200, answer.content
    return Tab(client, tab, answer.json())
