"""Which open page an agent means: the one it names, or the only one there is (design, section 8)."""

from __future__ import annotations

from typing import Any

from read_targets.agent.labels import text_of
from read_targets.cards.words import quoted_words
from read_targets.policies import Actor

from .live.models import PageSession
from .live.sessions import open_sessions
from .refusals import no_page, which_page


def access_page(actor: Actor, page_id: str | None) -> PageSession:
    """Return the person's open page of that id, or their only one; raises Refused where there is none or several."""
    sessions = open_sessions(actor.user)
    if page_id:
        sessions = [session for session in sessions if str(session.pk) == page_id.lower()]
    if not sessions:
        raise no_page()
    if len(sessions) > 1:
        raise which_page([told_page(session) for session in sessions])
    return sessions[0]


def told_page(session: PageSession) -> dict[str, Any]:
    """Return an open page as agents are told of it. Its title is the page's own, which may quote strangers."""
    return {
        "id": str(session.pk),
        "page": session.page.key,
        "label": text_of(session.page.label, session.page.key),
        "title": quoted_words(session.title),
        "version": session.version,
    }
