"""What ends open pages from outside of them: signing out. The app imports this module when it is ready."""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.db import DatabaseError
from django.dispatch import receiver
from django.http import HttpRequest

from .models import PageSession
from .sessions import browser_of, end_sessions

logger = logging.getLogger(__name__)


@receiver(user_logged_out, dispatch_uid="page_commands.live.end_of_browser")
def end_of_browser(sender: Any, request: HttpRequest | None, **kwargs: Any) -> None:
    """End every session of the browser; the sign-in is still there to be recognised by."""
    browser = browser_of(request) if request is not None and hasattr(request, "session") else ""
    if not browser:
        return
    try:
        end_sessions(PageSession.objects.filter(browser=browser), signed_out=True)
    except DatabaseError:
        # Nothing may keep a person from signing out; their pages end by their silence.
        logger.exception("the open pages of a browser could not be ended at its sign-out")
