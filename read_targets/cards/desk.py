"""What lies on a person's desk."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from ..agent.labels import text_of
from ..policies import Actor
from ..preferences import Preference
from .models import Card
from .notices import reason_of
from .sources import closed_doors
from .values import Chip, chips_of

CARDS_A_PAGE = 30

_EPOCH, _TICK = datetime.fromtimestamp(0, UTC), timedelta(microseconds=1)
_STAMP = re.compile(r"[0-9]{1,17}")
_HEAVY = ("version__content", "version__row_keys", "version__relations", "version__arguments")


@dataclass(frozen=True)
class DeskCard:
    """A card as the desk shows it. Of one whose door is closed only the site's own label is told."""

    card: Card
    nonce: str
    is_closed: bool
    is_new: bool
    reason: str
    conditions: list[Chip]
    missed: list[str]

    @property
    def label(self) -> str:
        """What the card is of, in the site's words."""
        return text_of(self.card.label, self.card.source)

    @property
    def title(self) -> str:
        """The agent's words for it; none while its door is closed."""
        return "" if self.is_closed else self.card.title

    @property
    def may_open(self) -> bool:
        """Whether there is a page to open."""
        return not self.card.is_confirmation and self.state != Card.Verdict.EXPIRED

    @property
    def waits(self) -> bool:
        """Whether it asks for a yes or no, and the person may still give it."""
        return self.card.is_confirmation and self.state == Card.Verdict.WAITING

    @property
    def state(self) -> str:
        """What became of it, out of date or not."""
        return Card.Verdict.EXPIRED.value if self.card.is_stale else self.card.verdict


def cards_of(actor: Actor) -> QuerySet[Card]:
    """Return the cards that the caller may read, newest first: the person's, or with a token those that it made."""
    cards = Card.objects.filter(user=actor.user).select_related("version__workspace").defer(*_HEAVY)
    if actor.token is not None:
        cards = cards.filter(token=actor.token)
    return cards.order_by("-created_at", "-pk")


def readable_cards(user: Any, cards: Iterable[Card]) -> list[Card]:
    """Return those of `cards` whose door is open to the person."""
    cards = list(cards)
    closed = closed_doors(user, (card.source for card in cards))
    return [card for card in cards if card.source not in closed]


def laid_out(user: Any, cards: Iterable[Card], nonce_for: Callable[[Any], str], seen: str = "") -> list[DeskCard]:
    """Return `cards` as the desk shows them; those made after the state `seen` are new."""
    cards = list(cards)
    closed = closed_doors(user, (card.source for card in cards))
    since = _newest_in(seen)
    return [
        DeskCard(
            card=card,
            nonce=nonce_for(card.pk),
            is_closed=card.source in closed,
            is_new=since is not None and card.created_at > since,
            reason=reason_of(card),
            conditions=[] if card.source in closed else chips_of(card.conditions),
            missed=[text_of(one.get("label"), one["name"]) for one in card.not_applied],
        )
        for card in cards
    ]


def state_of(cards: Iterable[Card]) -> str:
    """Return a word that changes with what the desk shows of `cards`: their number, order, verdicts and age."""
    cards = list(cards)
    newest = max((card.created_at for card in cards), default=_EPOCH)
    shown = "|".join(f"{card.pk}:{card.verdict}:{card.code}:{card.is_stale}" for card in cards)
    return f"{(newest - _EPOCH) // _TICK}-{hashlib.sha256(shown.encode()).hexdigest()[:16]}"


def _newest_in(state: str) -> datetime | None:
    stamp = state.partition("-")[0]
    return _EPOCH + int(stamp) * _TICK if _STAMP.fullmatch(stamp) else None


def stop_agents(user: Any, *, stopped: bool) -> None:
    """Let none of the person's tokens be answered from now on, or let them again."""
    Preference.objects.update_or_create(user=user, defaults={"agents_stopped": stopped})
