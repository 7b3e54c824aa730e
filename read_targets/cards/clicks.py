"""The proof that a person clicked, in a page of ours. Nothing that an agent can send stands in for it.

Four things together: the person's session (never a token), Django's CSRF check, a request from a page of this very
origin, and a nonce that was rendered into that page for this person, session and card.
"""

from __future__ import annotations

import hmac
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import PermissionDenied

from ..agent.codes import Code
from ..agent.contract import NextAction, Refused

GOOD_FOR = timedelta(days=1)
_SALT = "read_targets.cards.click"


def nonce_for(request: HttpRequest, card_id: Any) -> str:
    """Return the nonce that the page being answered carries for a card; good for a day, in this session alone."""
    return TimestampSigner(salt=_SALT).sign(_bound(request, card_id))


def prove_click(request: HttpRequest, card_id: Any, nonce: Any) -> None:
    """Raises Refused unless the request is a person's click on that card, in a page that we rendered for them."""
    if "Authorization" in request.headers or not request.user.is_authenticated:
        raise _refused("Opening and deciding take the person's own session, never a token.")
    if not _from_our_page(request):
        raise _refused("The request does not come from a page of this site.")
    try:
        SessionAuthentication().enforce_csrf(request)  # type: ignore[arg-type]  # reads what any request has
    except PermissionDenied:
        raise _refused("The CSRF token is missing or wrong.") from None
    if not _is_ours(request, card_id, nonce):
        raise _refused("The page is too old, or was rendered for somebody else. Load it again and click there.")


def _from_our_page(request: HttpRequest) -> bool:
    """Whether a page of this origin sent the request, by what the browser says and scripts cannot forge."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    sender = request.headers.get("Origin") or request.headers.get("Referer") or ""
    try:
        return urlsplit(sender).netloc == request.get_host()
    except ValueError:
        return False


def _is_ours(request: HttpRequest, card_id: Any, nonce: Any) -> bool:
    if not isinstance(nonce, str):
        return False
    try:
        bound = TimestampSigner(salt=_SALT).unsign(nonce, max_age=GOOD_FOR)
    except (BadSignature, ValueError):  # a nonce that is no text at all is a ValueError
        return False
    return hmac.compare_digest(bound, _bound(request, card_id))


def _bound(request: HttpRequest, card_id: Any) -> str:
    """What a nonce stands for. The session key goes in as a digest, since a page must not show it."""
    facts = f"{request.user.pk}:{request.session.session_key}:{card_id}"
    return salted_hmac(_SALT, facts, algorithm="sha256").hexdigest()


def _refused(error: str) -> Refused:
    return Refused("REJECTED", Code.CLICK_NOT_PROVEN, error, next_action=NextAction(type="ASK_USER"))
