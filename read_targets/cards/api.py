"""The doors of cards: what there is, open one, decide one, put one away. A click is a person's own, and proven.

A script gets JSON in the contract's shape; a browser that posts a form is led on to the address, or back to the desk.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from ..agent.authentication import actor_of
from ..agent.codes import Code
from ..agent.contract import NextAction, ReadyResult, Refused
from ..agent.dispatch import check_doors
from ..agent.limits import check_polls
from ..agent.refusals import refuse_arguments
from ..agent.views import AgentView
from ..preferences import as_person, language_of
from .answers import missing_page, see_other, unproven_page
from .clicks import prove_click
from .deciding import decider_of
from .desk import cards_of, readable_cards
from .facts import CardList, address_of, entry_of, facts_of
from .models import Card
from .notices import deliver, reason_of
from .opening import access_card, dismiss_card, open_card

MOST_LISTED = 100
"""Cards that the list tells; `hasMore` says where there are more."""

DECISIONS = ("dismiss", "approve", "decline")
"""What a person may decide about a card: the first about any, the others about one that asks."""


class CardListView(AgentView):
    """`GET /agent/cards`: the person's newest cards, or with a token those that it made."""

    tool_name = "listCards"
    limit = staticmethod(check_polls)

    @extend_schema(operation_id="list_cards", responses={200: dict})
    def get(self, request: Request) -> Response:
        """List the cards whose door is open to the person, newest first."""
        actor = actor_of(request)
        if actor.token is not None:
            check_doors(actor)
        cards = list(cards_of(actor)[: MOST_LISTED + 1])
        language = language_of(actor.user)
        entries = [entry_of(card, language) for card in readable_cards(actor.user, cards[:MOST_LISTED])]
        return Response(CardList(cards=entries, has_more=len(cards) > MOST_LISTED).to_json())


class ClickView(AgentView):
    """A click on a card: proven, done, and answered as JSON or by leading the browser on."""

    def post(self, request: Request, card_id: str) -> HttpResponse | Response:
        """Do what the click asks for."""
        fields = request.data if isinstance(request.data, Mapping) else {}
        try:
            card = UUID(card_id)
        except ValueError:
            raise exceptions.NotFound from None
        prove_click(_django(request), card, fields.get("nonce"))
        with as_person(request.user):
            return self.clicked(request, card, fields)

    def clicked(self, request: Request, card_id: UUID, fields: Any) -> HttpResponse | Response:
        """Do what the click asks for, in the person's language; raises Refused."""
        raise NotImplementedError

    def handle_exception(self, exc: Exception) -> Any:
        """Answer a browser's form with a page, and everything else in the contract's shape."""
        if not _wants_page(self.request) or not isinstance(exc, (Refused, exceptions.APIException)):
            return super().handle_exception(exc)
        request = _django(self.request)
        if isinstance(exc, exceptions.NotAuthenticated):
            return redirect_to_login(reverse("read_targets_desk:desk"))
        code = getattr(exc, "code", "")
        with as_person(request.user):
            if isinstance(exc, exceptions.NotFound) or code == Code.CARD_UNAVAILABLE:
                return missing_page(request)
            if not isinstance(exc, Refused) or code in (Code.CLICK_NOT_PROVEN, Code.CONDITION_UNREADABLE):
                return unproven_page(request)
            messages.error(request, exc.facts.get("reasons", [exc.message])[0])
            return see_other(reverse("read_targets_desk:desk"))


@extend_schema_view(post=extend_schema(operation_id="open_card", request=dict, responses={200: dict, 303: None}))
class CardOpenView(ClickView):
    """`POST /agent/cards/{id}/open`, with the nonce of the page in `nonce`."""

    tool_name = "openCard"

    def clicked(self, request: Request, card_id: UUID, fields: Any) -> HttpResponse | Response:
        """Give the verdict, and lead on where it is accepted."""
        card = open_card(request.user, card_id, partial(deliver, _django(request)))
        accepted = card.verdict == Card.Verdict.ACCEPTED
        if _wants_page(request):
            return see_other(address_of(card) if accepted else reverse("read_targets_desk:desk"))
        if not accepted:
            raise _refusal_of(card)
        return Response(_done(self.tool_name, card, "The card is open; its url is where it leads.").to_json())


@extend_schema_view(post=extend_schema(operation_id="decide_card", request=dict, responses={200: dict, 303: None}))
class CardDecideView(ClickView):
    """`POST /agent/cards/{id}/decide`: `{"decision": …, "nonce": …}`.

    `dismiss` puts any card away; `approve` and `decline` answer one that asks.
    """

    tool_name = "decideCard"

    def clicked(self, request: Request, card_id: UUID, fields: Any) -> HttpResponse | Response:
        """Put the card away, or let the app whose card it is do what was decided."""
        card = access_card(request.user, card_id)
        decide = decider_of(card.kind)
        decisions = DECISIONS if decide is not None else DECISIONS[:1]
        decision = fields.get("decision")
        if decision not in decisions:
            raise refuse_arguments({"decision": {"code": "not_one_of", "type": "enum", "values": list(decisions)}})
        if decide is None or decision == "dismiss":
            dismiss_card(request.user, card_id)
            said, told = _("The card is put away; it is under “Put away” still."), "The card is put away."
        elif decision == "approve":
            decide(_django(request), card, True, fields)
            said, told = _("You agreed, and it was done."), "The person agreed, and it was done."
        else:
            decide(_django(request), card, False, fields)
            said, told = _("You declined; nothing was done."), "The person declined; nothing was done."
        if _wants_page(request):
            messages.success(_django(request), said)
            return see_other(reverse("read_targets_desk:desk"))
        return Response(_done(self.tool_name, access_card(request.user, card_id), told).to_json())


def _refusal_of(card: Card) -> Refused:
    stale = card.verdict == Card.Verdict.EXPIRED
    return Refused(
        "CONFLICT" if stale else "REJECTED",
        Code.CARD_STALE if stale else Code.CARD_REFUSED,
        "The card is out of date." if stale else "The card was not opened.",
        message=reason_of(card),
        params={"verdict": card.verdict, "code": card.code, **card.required},
        next_action=NextAction(type="REFRESH_STATE" if stale else "ASK_USER"),
    )


def _done(tool_name: str, card: Card, message: str) -> ReadyResult:
    return ReadyResult(
        success=True,
        outcome="READY",
        tool_name=tool_name,
        call_id=str(card.call or ""),
        message=message,
        card=facts_of(card),
        state={"verdict": card.verdict},
    )


def _wants_page(request: Request) -> bool:
    """Whether a browser posted a form; a script says that it takes anything, or JSON."""
    return "text/html" in request.headers.get("Accept", "")


def _django(request: Request) -> HttpRequest:
    return request._request
