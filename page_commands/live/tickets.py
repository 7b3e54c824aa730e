"""The ticket that a rendered page carries: by it, its tab opens a session of this page, for this person, from here."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core import signing
from django.http import HttpRequest

from ..models import Page
from .sessions import browser_of

GOOD_FOR = timedelta(days=1)
"""How long a page may be open before its tab can begin a session anew only by loading it again."""

LONGEST_PATH = 2_000

_SALT = "page_commands.live.ticket"


class BadTicket(Exception):
    """The ticket is not ours, is too old, is another person's or another sign-in's, or its page is gone."""


def ticket_for(request: HttpRequest, page: Page) -> str:
    """Return the ticket for the page that is being rendered at the request's address."""
    path = request.get_full_path()[:LONGEST_PATH]
    return signing.dumps([page.key, str(request.user.pk), browser_of(request), path], salt=_SALT, compress=True)


def page_of(request: HttpRequest, ticket: Any) -> tuple[Page, str]:
    """Return the page that the ticket is for, and the address at which it was rendered; raises BadTicket."""
    if not isinstance(ticket, str):
        raise BadTicket
    try:
        key, person, browser, path = signing.loads(ticket, salt=_SALT, max_age=GOOD_FOR)
    except (signing.BadSignature, ValueError):  # a ticket that is no text that can be encoded is a ValueError
        raise BadTicket from None
    if (person, browser) != (str(request.user.pk), browser_of(request)) or not browser:
        raise BadTicket
    page = Page.objects.filter(key=key, enabled=True).first()
    if page is None:
        raise BadTicket
    return page, path
