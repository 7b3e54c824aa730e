"""The page of what a person's agents did, and of the one card that a call made."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from ..policies import Actor
from ..preferences import preference_of, zone_of
from .answers import missing_page
from .calls import NoSuchPlace, calls_of
from .clicks import nonce_for
from .desk import cards_of, laid_out
from .pages import PersonPage


class CallsView(PersonPage):
    """`GET /desk/calls`: what was asked in the person's name; with `before`, what came before that place."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the person's own log, newest first."""
        person: Any = request.user
        try:
            page = calls_of(person, request.GET.get("before", ""))
        except NoSuchPlace:
            return missing_page(request)
        return render(request, "read_targets/calls.html", {"page": page, "zone": zone_of(request.user)})


class CardView(PersonPage):
    """`GET /desk/cards/{id}`: one of the person's cards as it lies on the desk, put away or not."""

    def get(self, request: HttpRequest, card_id: str) -> HttpResponse:
        """Show the card; what is not there and what is somebody else's read the same."""
        cards = list(cards_of(Actor(request.user)).filter(pk=card_id))
        if not cards:
            return missing_page(request)
        context = {
            "is_one": True,
            "stopped": preference_of(request.user).agents_stopped,
            "today": timezone.localdate(),
            "cards": laid_out(request.user, cards, partial(nonce_for, request)),
        }
        return render(request, "read_targets/desk.html", context)
