"""What a person does with a card: open it, or put it away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from ..agent.codes import Code
from ..agent.contract import NextAction, Refused
from ..lists import writing
from ..preferences import as_person
from .addresses import ForeignAddress, own_address
from .facts import address_of
from .models import Card
from .notices import Notice, refusal_of
from .sources import door_of

Verdict = Card.Verdict


def open_card(user: Any, card_id: Any, deliver: Callable[[Notice], object]) -> Card:
    """Give the verdict on a person's click to open a card and return it; `address_of` an accepted card leads on.

    A card that is out of date is `expired`; a door that is closed now, or an address that is not ours, make it
    `refused`. The verdict is written first; then a refused click, and only that, gives the person one notice, which
    `deliver` brings. Raises Refused for a card that is not there or not theirs, and for a confirmation, which is
    nothing to open: its verdict stays as it is.
    """
    with writing():
        card = _locked(user, card_id)
        if card.is_confirmation:
            raise _nothing_to_open()
        _judge(card, user)
        card.save(update_fields=["verdict", "code", "required"])
    if card.verdict == Verdict.REFUSED:
        with as_person(user):
            deliver(refusal_of(card))
    return card


def dismiss_card(user: Any, card_id: Any) -> Card:
    """Put a card away from the person's desk, and return it. Raises Refused for one that is not there or not theirs."""
    with writing():
        card = _locked(user, card_id)
        if card.dismissed_at is None:
            card.dismissed_at = timezone.now()
            card.save(update_fields=["dismissed_at"])
    return card


def access_card(user: Any, card_id: Any) -> Card:
    """Return the person's card; raises Refused for one that is not there or not theirs."""
    return _found(Card.objects.all(), user, card_id)


def _locked(user: Any, card_id: Any) -> Card:
    return _found(Card.objects.select_for_update(of=("self",)), user, card_id)


def _found(cards: QuerySet[Card], user: Any, card_id: Any) -> Card:
    cards = cards.select_related("version__workspace")
    cards = cards.defer("version__content", "version__row_keys", "version__relations")
    try:
        return cards.get(pk=card_id, user=user)
    except (Card.DoesNotExist, ValidationError):
        raise Refused(
            "REJECTED",
            Code.CARD_UNAVAILABLE,
            "There is no such card for this person.",
            next_action=NextAction(type="REFRESH_STATE"),
        ) from None


def _nothing_to_open() -> Refused:
    return Refused(
        "REJECTED",
        Code.CARD_REFUSED,
        "A confirmation is not opened: the person decides it in the tab in which its page is open.",
        message=_("This is a question, not a page. It is answered in the tab in which its page is open."),
        next_action=NextAction(type="ASK_USER"),
    )


def _judge(card: Card, user: Any) -> None:
    card.required = {}
    if card.is_stale:
        card.verdict, card.code = Verdict.EXPIRED, "review-stale"
        return
    required = door_of(user, card.source)
    if required is not None:
        card.verdict, card.code = Verdict.REFUSED, "door-closed"
        card.required = {"permission": required.permission, "on": required.on}
        return
    try:
        own_address(address_of(card))
    except ForeignAddress:
        card.verdict, card.code = Verdict.REFUSED, "address-refused"
    else:
        card.verdict, card.code = Verdict.ACCEPTED, ""
