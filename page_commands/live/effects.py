"""The outbox of a tab: what it must show, numbered without gaps, and what it said it has shown.

Numbers are given under the lock of the session's row, so effects become visible in the order of their numbers. A tab
fetches what comes after the number that it saw last; nothing is lost, doubled or out of order, whatever rings or not.
"""

from __future__ import annotations

import time
from typing import Any, Literal
from uuid import UUID

from django.db import connection

from .hub import ring_for
from .models import Effect, PageSession

Delivery = Literal["SHOWN", "DELIVERED", "NONE"]

MOST_FETCHED = 200
"""Effects that one fetch answers; the tab fetches again while there are more."""

_FIRST_LOOK, _LAST_LOOK = 0.01, 0.1
"""Seconds between two looks for a receipt: at first, and at most."""


def add_effect(session: PageSession, kind: str, payload: dict[str, Any] | None = None, call: UUID | None = None) -> int:
    """Add what the tab must show and return its number; the tab is rung when the transaction commits.

    The caller holds the lock of the session's row, inside a transaction, and `session` is as it was read under it.
    """
    payload = payload or {}
    session.last_seq += 1
    session.save(update_fields=["last_seq"])
    Effect.objects.create(session=session, seq=session.last_seq, kind=kind, payload=payload, call=call)
    ring_for(session, is_end=kind == Effect.Kind.ENDED and bool(payload.get("signed_out")))
    return session.last_seq


def effects_after(session: PageSession, seq: int) -> list[Effect]:
    """Return the next effects after the number `seq`, in order, at most `MOST_FETCHED`."""
    return list(session.effects.filter(seq__gt=seq).order_by("seq")[:MOST_FETCHED])


def note_fetched(session: PageSession, seq: int) -> None:
    """Note that the tab has fetched all up to `seq`. The number never goes back, nor beyond what there is."""
    rows = PageSession.objects.filter(pk=session.pk, fetched_seq__lt=seq, last_seq__gte=seq)
    rows.update(fetched_seq=seq)


def note_shown(session: PageSession, seq: int) -> None:
    """Note that the tab says it has shown all up to `seq`. Never goes back; believed only of what it has fetched."""
    rows = PageSession.objects.filter(pk=session.pk, shown_seq__lt=seq, fetched_seq__gte=seq)
    rows.update(shown_seq=seq)


def delivery_of(session_id: UUID | str, seq: int, seconds: float) -> Delivery:
    """Return how far the effect `seq` has come, waiting up to `seconds` for the tab to say that it has shown it.

    To be called after the commit, outside of any transaction. A tab that is closed is not waited for.
    """
    end = time.monotonic() + seconds
    pause = _FIRST_LOOK
    while True:
        delivery, is_final = _look(session_id, seq)
        left = end - time.monotonic()
        if is_final or left <= 0:
            return delivery
        _give_back()
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _LAST_LOOK)


def _look(session_id: UUID | str, seq: int) -> tuple[Delivery, bool]:
    """How far the effect has come, and whether it can come no further."""
    session = PageSession.objects.filter(pk=session_id).first()
    if session is None:
        return "NONE", True
    if session.shown_seq >= seq:
        return "SHOWN", True
    return ("DELIVERED" if session.fetched_seq >= seq else "NONE"), not session.may_return


def _give_back() -> None:
    """Let others have the connection while we wait: the receipt itself may need it, where all come from one pool."""
    if getattr(connection, "pool", None) is not None and not connection.in_atomic_block:
        connection.close()
