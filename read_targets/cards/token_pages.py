"""The person's tokens: what each of their agents may reach and do, a new one, and the end of one.

A secret is told once, in the answer to the form that made it. It is in no address, no session and no log; the same
form sent again makes no second token, since one of that name is open.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from ..agent.contract import Refused
from ..agent.models import AgentToken
from ..agent.tokens import NotMade, create_own_token, ended_tokens, open_tokens, revoke
from ..conf import setting
from ..preferences import preference_of, zone_of
from .answers import missing_page, see_other, unproven_page
from .clicks import nonce_for, prove_click
from .forms import TokenForm
from .pages import PersonPage

MOST_ENDED = 20
"""Tokens that open nothing any more and are still listed, the newest first."""

MAKING = "tokens"
"""What the click that makes a token is proven for."""


class TokensView(PersonPage):
    """`GET /desk/tokens`: the person's tokens; `POST`: a new one, whose secret the answer tells."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """List the tokens, and the form for a new one."""
        return self._list(request, TokenForm(request.user))

    @method_decorator(sensitive_variables("secret"))
    def post(self, request: HttpRequest) -> HttpResponse:
        """Make a token and tell its secret, this once; or say what does not fit."""
        try:
            prove_click(request, MAKING, request.POST.get("nonce"))
        except Refused:
            return unproven_page(request)
        form = TokenForm(request.user, request.POST)
        if not form.is_valid():
            return self._list(request, form, 400)
        said = form.cleaned_data
        try:
            token, secret = create_own_token(
                request.user, said["name"], days=said["days"], toolsets=said["toolsets"], may_act=said["may_act"]
            )
        except NotMade as not_made:
            form.add_error("name" if not_made.name_is_taken else None, _why(not_made))
            return self._list(request, form, 400)
        tools = request.build_absolute_uri(reverse("read_targets_agent:tools"))
        return render(request, "read_targets/token.html", {"token": token, "secret": secret, "tools": tools})

    def _list(self, request: HttpRequest, form: TokenForm, status: int = 200) -> HttpResponse:
        tokens = [*_told(open_tokens(request.user)), *_told(ended_tokens(request.user))[:MOST_ENDED]]
        context = {
            "form": form,
            "tokens": [(token, nonce_for(request, _click(token.pk)) if token.is_valid else "") for token in tokens],
            "nonce": nonce_for(request, MAKING),
            "stopped": preference_of(request.user).agents_stopped,
            "zone": zone_of(request.user),
            "now": timezone.now(),
        }
        return render(request, "read_targets/tokens.html", context, status=status)


class RevokeView(PersonPage):
    """`POST /desk/tokens/{id}/revoke`: the end of one of the person's tokens."""

    def post(self, request: HttpRequest, token_id: str) -> HttpResponse:
        """Close the token for good, and go back to the list."""
        try:
            prove_click(request, _click(token_id), request.POST.get("nonce"))
        except Refused:
            return unproven_page(request)
        person: Any = request.user
        token = AgentToken.objects.filter(user=person, pk=token_id).first()
        if token is None:
            return missing_page(request)
        revoke(token)
        messages.success(request, _("The token of %(agent)s is revoked.") % {"agent": token.name})
        return see_other(reverse("read_targets_desk:tokens"))


def _told(tokens: Any) -> Any:
    return tokens.prefetch_related("toolsets")


def _click(token_id: Any) -> str:
    """What the click that revokes a token is proven for."""
    return f"token:{token_id}"


def _why(not_made: NotMade) -> str:
    if not_made.name_is_taken:
        return _("You have an open token of this name, whose secret was shown once. Revoke it to make it anew.")
    return _("You hold %(most)d open tokens, which is as many as you may. Revoke one first.") % {
        "most": setting("MOST_TOKENS")
    }
