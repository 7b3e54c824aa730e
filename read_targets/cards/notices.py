"""What a person is told when their click is refused: once for each click, in their language."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from ..agent.labels import text_of
from .models import Card

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Notice:
    """Why a card stayed closed: a sentence in the person's language, and the facts behind it."""

    card: Card
    text: str


Delivery = Callable[[HttpRequest, Notice], object]


def by_message(request: HttpRequest, notice: Notice) -> None:
    """Show the notice on the person's next page, as django's messages do."""
    messages.error(request, notice.text)


_delivery: Delivery = by_message


def deliver_by(delivery: Delivery) -> None:
    """Let `delivery` bring the notices from now on; a host calls this when its app is ready."""
    global _delivery
    _delivery = delivery


def deliver(request: HttpRequest, notice: Notice) -> None:
    """Bring a notice to the person. It is told after the verdict stands, so a failure is logged and changes nothing."""
    try:
        _delivery(request, notice)
    except Exception:  # whatever the host's delivery does, the verdict has been given and must be answered
        logger.exception("card %s: its notice could not be delivered", notice.card.pk)


def refusal_of(card: Card) -> Notice:
    """Return the notice of a refused card, in the active language."""
    return Notice(card, reason_of(card))


def reason_of(card: Card) -> str:
    """Return why a card was refused or is out of date, in the active language; empty where it was not."""
    label = text_of(card.label, card.source)
    if card.is_confirmation:
        return _reason_of_confirmation(card) % {"label": label}
    if card.is_stale:
        return _("“%(label)s” is out of date. Ask your agent again for what stands there now.") % {"label": label}
    if card.code == "address-refused":
        return _("“%(label)s” was not opened: its address is not one of this site.") % {"label": label}
    if card.code != "door-closed":
        return ""
    facts = {"label": label, "permission": card.required.get("permission"), "on": card.required.get("on")}
    if facts["permission"]:
        return _("“%(label)s” was not opened: that needs the permission %(permission)s on “%(on)s”.") % facts
    return _("“%(label)s” was not opened: “%(on)s” is switched off for agents.") % facts


def _reason_of_confirmation(card: Card) -> str:
    """Why what was asked was not done, with the place for its label; empty where it was, or may be still."""
    if card.is_stale or card.code == "confirmation_expired":
        return _("“%(label)s” was not done: nobody answered in time.")
    if card.code == "page_closed":
        return _("“%(label)s” was not done: its page was closed before you answered.")
    if card.code in ("object_changed", "page_changed"):
        return _("“%(label)s” was not done: what you were asked about has changed since.")
    if card.code == "outcome_unknown":
        return _("Whether “%(label)s” was done is not known: it was cut off. Look before you ask for it again.")
    if card.verdict == Card.Verdict.CANCELLED:
        return _("“%(label)s” was not done: you declined.")
    if card.verdict == Card.Verdict.SUPERSEDED:
        return _("“%(label)s” was not done: it was asked for once more.")
    if card.verdict in (Card.Verdict.REFUSED, Card.Verdict.EXPIRED):
        return _("“%(label)s” was not done: when you answered, it could not be done any more.")
    return ""
