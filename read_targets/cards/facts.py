"""A card as the contract tells it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from ..agent.contract import CardFacts, Part, WorkspaceFacts
from ..agent.labels import text_of
from .models import Card


class CardEntry(CardFacts):
    """A card in the list of cards: what it is, and what became of it."""

    title: str = Field("", description="The agent's own words for it, empty where it chose none.")
    agent: str = Field("", description="The agent that made it, empty for the person's own call.")
    source: str
    verdict: str = Field(description="waiting, accepted, refused, cancelled, expired or superseded.")
    code: str = Field("", description="Why it was not opened, or not done.")
    created_at: str
    expires_at: str
    dismissed: bool


class CardList(Part):
    """The newest cards; `has_more` where there are older ones than are told."""

    cards: list[CardEntry]
    has_more: bool


def facts_of(card: Card, language: str | None = None) -> CardFacts:
    """Return the card as a tool's answer carries it, in `language` (default: the active one)."""
    return CardFacts(**_facts(card, language))


def entry_of(card: Card, language: str | None = None) -> CardEntry:
    """Return the card as the list of cards carries it."""
    return CardEntry(
        **_facts(card, language),
        title=card.title,
        agent=card.agent,
        source=card.source,
        verdict=Card.Verdict.EXPIRED.value if card.is_stale else card.verdict,
        code=card.code,
        created_at=_moment(card.created_at),
        expires_at=_moment(card.expires_at),
        dismissed=card.dismissed_at is not None,
    )


def _facts(card: Card, language: str | None) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "id": str(card.pk),
        "kind": card.kind,
        "icon": card.icon,
        "label": text_of(card.label, card.source, language),
        "url": address_of(card),
    }
    if card.version is not None:
        workspace = card.version.workspace.name
        facts["workspace"] = WorkspaceFacts(name=workspace, version=card.version.number, contents=card.contents)
    if card.kind == Card.Kind.OPEN_PAGE:
        facts["applied"] = card.applied
        facts["not_applied"] = [one["name"] for one in card.not_applied]
        facts["not_applied_labels"] = [text_of(one.get("label"), one["name"], language) for one in card.not_applied]
    return facts


def address_of(card: Card) -> str:
    """Return where the card leads; not checked again here."""
    return card.version.get_absolute_url() if card.version is not None else card.href


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
