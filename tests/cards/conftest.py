"""A source of cards that a test steers, cards of it, and clicks as a browser sends them."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from read_targets.agent.contract import CardFacts
from read_targets.agent.registry import Call
from read_targets.cards.making import make_confirmation, make_open_page, make_workspace
from read_targets.cards.models import Card, WorkspaceVersion
from read_targets.cards.sources import Listing, NoListing, Required, Review, register_source, unregister_source
from read_targets.policies import Actor

KEY = "stories"
"""What the cards of these tests come from."""


@dataclass
class Stories:
    """A source whose answers the test sets."""

    required: Required | None = None
    hidden: set[str] = field(default_factory=set)
    figures_open: bool = True
    closed_columns: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)

    def has(self, key: str) -> bool:
        return key.startswith(KEY)

    def closed(self, user: Any, keys: Collection[str]) -> dict[str, Required]:
        self.asked += keys
        return dict.fromkeys(keys, self.required) if self.required else {}

    def review(self, user: Any, version: WorkspaceVersion) -> Review:
        ids = {row["id"] for row in version.content["rows"]}
        return Review(ids - self.hidden, self.figures_open, self.closed_columns)

    def listing(self, user: Any, version: WorkspaceVersion) -> Listing:
        raise NoListing(version.source)


@pytest.fixture
def stories() -> Iterator[Stories]:
    source = Stories()
    register_source(source)
    yield source
    unregister_source(source)


def row(number: int, **values: Any) -> dict[str, Any]:
    """A stored row."""
    return {"id": str(number), "day": "2026-10-31", "who": f"person {number}", "amount": f"{number}.50", **values}


def content(rows: list[dict[str, Any]] | None = None, **changes: Any) -> dict[str, Any]:
    """What is stored of a reading: three rows of 48,211."""
    rows = [row(1), row(2), row(3)] if rows is None else rows
    return {
        "label": {"en": "Cash transactions", "ko": "입출금", "de": "Zahlungen"},
        "columns": [
            {"name": "day", "label": {"en": "Day"}, "kind": "date", "unit": "", "total": False},
            {"name": "who", "label": {}, "kind": "string", "unit": "", "total": False},
            {"name": "amount", "label": {"en": "Amount"}, "kind": "number", "unit": "KRW", "total": True},
        ],
        "total": len(rows),
        "analysed": len(rows),
        "isComplete": True,
        "metrics": {
            "amount": {"count": 3, "sum": "12345678901234567.50", "average": "2.500000", "min": "1.50", "max": "3.50"}
        },
        "groupBy": "who",
        "groups": [
            {"key": "person 1", "rowCount": 2, "metrics": {"amount": {"sum": "-7654321.25"}}},
            {"key": None, "rowCount": 1, "metrics": {"amount": {"sum": "3.50"}}},
            {"key": None, "withheld": True, "rowCount": 1, "metrics": {"amount": {"sum": "4.25"}}},
        ],
        "rest": {"groupCount": 17, "rowCount": 40, "metrics": {"amount": {"sum": "33.00"}}},
        "rows": rows,
        "conditions": [{"name": "from", "label": {"en": "From", "ko": "부터"}, "value": "2026-10-01"}],
        "timeRange": {"start": "2026-10-01T00:00:00+09:00", "end": "2026-11-01T00:00:00+09:00"},
        "timeZone": "Asia/Seoul",
        "person": "clerk",
        "omissions": [],
        "orderBy": "",
        **changes,
    }


def call_of(user: User, token: Any = None) -> Call:
    """A call of the person's agent, or of their own."""
    return Call(Actor(user, token), str(uuid.uuid4()), "queryStories", {})


def workspace(user: User, token: Any = None, **options: Any) -> Any:
    """Put a reading on the person's workspace."""
    given = {
        "source": KEY,
        "tool": "queryStories",
        "name": "stories",
        "title": "Was im Oktober geschah",
        "label": {"en": "Cash transactions", "ko": "입출금", "de": "Zahlungen"},
        "content": content(),
        "arguments": {"from": "2026-10-01"},
        "time_zone": "Asia/Seoul",
        "row_keys": None,
        "unrestricted": True,
        "relations": {},
    }
    return make_workspace(call_of(user, token), **(given | options))


def screen(user: User, token: Any = None, **options: Any) -> Any:
    """Offer the person a screen."""
    given = {
        "source": KEY,
        "label": {"en": "Cash transactions", "ko": "입출금", "de": "Zahlungen"},
        "title": "",
        "href": "/ledger/cash-transactions/?flow=EXPENSE",
        "applied": ["flow"],
        "not_applied": [{"name": "from", "label": {"en": "From", "ko": "부터"}}],
    }
    return make_open_page(call_of(user, token), **(given | options))


def question(user: User, token: Any = None, **options: Any) -> Card:
    """Ask the person for a yes or no."""
    given = {
        "user": user,
        "token": token,
        "agent": token.name if token else "",
        "call_id": uuid.uuid4(),
        "source": KEY,
        "label": {"en": "Archive conversation", "ko": "대화 보관", "de": "Gespräch archivieren"},
        "title": "",
        "href": "/factory/projects/",
        "expires_at": timezone.now() + timedelta(minutes=5),
    }
    return make_confirmation(**(given | options))


@pytest.fixture
def clerk(person: Callable[[str], User]) -> User:
    return person("clerk")


@pytest.fixture
def desk(signed_in: Callable[[str], Client]) -> Client:
    """The clerk's browser."""
    return signed_in("clerk")


OURS = {"Sec-Fetch-Site": "same-origin"}
"""What a browser says of a request that a page of this origin sends."""

FORM = {**OURS, "Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def nonce_in(client: Client, card_id: Any) -> str:
    """The nonce that the desk renders for a card in this browser."""
    for query in ("", "?show=put-away"):
        page = client.get(f"/desk/{query}").content.decode()
        found = re.search(rf'/agent/cards/{card_id}/(?:open|decide)".*?name="nonce" value="([^"]+)"', page, re.DOTALL)
        if found:
            return found.group(1)
    raise AssertionError(f"the desk has no card {card_id}")


def post(client: Client, address: str, fields: dict[str, str], headers: dict[str, str]) -> Any:
    """Send a form."""
    return client.post(address, urlencode(fields), "application/x-www-form-urlencoded", headers=headers)


def click(client: Client, card_id: Any, headers: dict[str, str] = OURS, **fields: str) -> Any:
    """Open a card as the button on the desk does."""
    if "nonce" not in fields:
        fields["nonce"] = nonce_in(client, card_id)
    return post(client, f"/agent/cards/{card_id}/open", fields, headers)


def dismiss(client: Client, card_id: Any, headers: dict[str, str] = OURS, **fields: str) -> Any:
    """Put a card away as the button on the desk does."""
    if "nonce" not in fields:
        fields["nonce"] = nonce_in(client, card_id)
    return post(client, f"/agent/cards/{card_id}/decide", {"decision": "dismiss", **fields}, headers)


def card_of(facts: CardFacts) -> Card:
    """The card as it is stored now."""
    return Card.objects.get(pk=facts.id)
