"""The sessions of open pages: one for each tab, from its opening to its end.

A session ends after 90 seconds of silence, when another page appears under its tab's id, and when its person signs out
or may not sign in any more. While its page is switched off it is not there. A reload is the same session again.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from read_targets.agent import writing
from read_targets.cards.words import plain_words
from read_targets.policies import is_someone

from ..models import Page
from .effects import add_effect, note_shown
from .models import MISSED, Effect, PageSession

_SALT = "page_commands.live.browser"

LONGEST_TITLE = 200

MOST_OPEN = 50
"""Pages that a person has open at once; one more ends the one that was silent for longest."""


def browser_of(request: HttpRequest) -> str:
    """Return the digest of the sign-in that the request comes with; empty where it has none.

    Every tab of the browser has the same, and a new sign-in has another.
    """
    key = request.session.session_key
    return salted_hmac(_SALT, key, algorithm="sha256").hexdigest() if key else ""


def open_session(user: Any, browser: str, page: Page, tab: str, path: str, title: str) -> PageSession:
    """Return the session of a tab that shows `page` at `path` now.

    The same page and path in the same tab, before its session has ended, is a reload: the same session, with what it
    holds and shows. Anything else that is open under the tab's id ends, and a new session begins.
    """
    title = plain_words(title, LONGEST_TITLE)
    try:
        return _open(user, browser, page, tab, path, title)
    except IntegrityError:
        # The tab asked twice at once, and the other request was first to make the session.
        return _open(user, browser, page, tab, path, title)


def _open(user: Any, browser: str, page: Page, tab: str, path: str, title: str) -> PageSession:
    here = (user.pk, browser, tab, page.pk, path)
    returned = None
    of_person = PageSession.objects.filter(user=user, ended_at=None)
    silent = Q(user=user, seen_at__lte=timezone.now() - MISSED)
    with writing():
        too_many = Q(pk__in=list(of_person.order_by("-seen_at").values_list("pk", flat=True)[MOST_OPEN:]))
        # Together with those of the person that fell silent, which nobody else ends.
        ending = silent | too_many | Q(browser=browser, tab=tab)
        for session in _locked(PageSession.objects.filter(ending, ended_at=None)):
            there = (session.user_id, session.browser, session.tab, session.page_id, session.path)
            if there == here and session.may_return:
                returned = session
            else:
                _end(session)
        if returned is None:
            return PageSession.objects.create(user=user, browser=browser, page=page, tab=tab, path=path, title=title)
        returned.seen_at, returned.left_at, returned.title = timezone.now(), None, title
        returned.visit += 1
        returned.save(update_fields=["seen_at", "left_at", "title", "visit"])
    return returned


def access_session(request: HttpRequest, session_id: Any, *, returning: bool = False) -> PageSession:
    """Return the session where it is this person's, of this browser, and its page is open.

    With `returning`, also one that was left so lately that it may be reloading. Raises Http404 for all others alike.
    """
    browser = browser_of(request)
    try:
        key = UUID(str(session_id))
    except ValueError:
        raise Http404 from None
    session = PageSession.objects.select_related("page").filter(pk=key, browser=browser).first()
    if session is None or not browser:
        raise Http404
    is_theirs = is_someone(request.user) and session.user_id == request.user.pk
    is_there = session.may_return if returning else session.is_open
    if not (is_theirs and is_there and session.page.enabled):
        raise Http404
    return session


def open_sessions(user: Any) -> list[PageSession]:
    """Return the person's sessions whose page is open now, oldest first, each with its page."""
    if not is_someone(user):
        return []
    sessions = PageSession.objects.filter(
        user=user, page__enabled=True, ended_at=None, left_at=None, seen_at__gt=timezone.now() - MISSED
    )
    return list(sessions.select_related("page").order_by("opened_at", "pk"))


def beat(session: PageSession, shown: int) -> None:
    """Note that the tab is there, and that it has shown all effects up to the number `shown`."""
    PageSession.objects.filter(pk=session.pk, ended_at=None).update(seen_at=timezone.now())
    if shown > session.shown_seq:
        note_shown(session, shown)


def leave(session: PageSession, visit: int) -> None:
    """Note that the tab has left the page; it may still return, as it does on a reload.

    `visit` is the number of the opening that leaves: word of it that comes after the reload changes nothing.
    """
    PageSession.objects.filter(pk=session.pk, visit=visit, ended_at=None).update(left_at=timezone.now())


def end_sessions(sessions: QuerySet[PageSession], *, signed_out: bool = False) -> None:
    """End those of `sessions` that have not ended, and tell their tabs.

    At a sign-out nobody waits for a command that is running: its page then ends by its silence.
    """
    still_open = sessions.filter(ended_at=None)
    if not still_open.exists():
        return
    with writing():
        for session in _locked(still_open, skip_locked=signed_out):
            _end(session, signed_out=signed_out)


def _end(session: PageSession, *, signed_out: bool = False) -> None:
    session.ended_at = timezone.now()
    session.save(update_fields=["ended_at"])
    add_effect(session, Effect.Kind.ENDED, {"signed_out": True} if signed_out else {})


def _locked(sessions: QuerySet[PageSession], *, skip_locked: bool = False) -> list[PageSession]:
    """Lock rows in one order, whoever locks several, so that nobody waits for each other in a circle."""
    return list(sessions.select_for_update(of=("self",), skip_locked=skip_locked).order_by("pk"))
