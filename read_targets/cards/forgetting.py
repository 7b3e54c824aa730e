"""Forgetting what is past its time: cards and workspace versions are kept `KEEP_DAYS` days, answers 30 days, the log
for as long as an admin says beside the switch of the doors.

An allowance that is full again, and a place of a long reading that is past its time, say the same as none. Other apps
join with what they keep.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q
from django.utils import timezone

from ..agent.limits import full_allowances
from ..agent.models import KEEP_CALLS_DAYS, AgentDoors, KeptAnswer, ToolCall
from ..conf import setting
from ..heavy import free_places
from .models import Card, Workspace, WorkspaceVersion

Forgetting = Callable[[], int]
"""Deletes what is past its time and returns how much went."""

AT_ONCE = 5_000
"""Calls that are deleted by one statement: who writes meanwhile waits for no more."""

_registered: dict[str, Forgetting] = {}


def register_forgetting(name: str, function: Forgetting) -> None:
    """Let `function` delete what it calls `name`; raises ImproperlyConfigured where another holds the name."""
    holder = {**_OWN, **_registered}.get(name)
    if holder is not None and holder is not function:
        where = f"{holder.__module__}.{holder.__qualname__}"
        raise ImproperlyConfigured(f"What is past its time of {name!r} is already deleted by {where}.")
    _registered[name] = function


def unregister_forgetting(name: str) -> None:
    """Take a function back out; raises KeyError where there is none."""
    del _registered[name]


def forget_expired() -> dict[str, int]:
    """Delete everything that is past its time; return how much went, by what it is called."""
    return {name: function() for name, function in {**_OWN, **_registered}.items()}


def _forget_cards() -> int:
    now = timezone.now()
    # A question is answered within minutes, but what became of it is kept as long as any card.
    asked = Q(kind=Card.Kind.CONFIRMATION)
    long_ago = asked & Q(created_at__lte=now - timedelta(days=setting("KEEP_DAYS")))
    return Card.objects.filter(long_ago | (~asked & Q(expires_at__lte=now))).delete()[0]


def _forget_versions() -> int:
    _gone, by_model = WorkspaceVersion.objects.filter(expires_at__lte=timezone.now()).delete()
    Workspace.objects.filter(versions=None).delete()
    return by_model.get(WorkspaceVersion._meta.label, 0)


def _forget_allowances() -> int:
    return full_allowances().delete()[0]


def _forget_long_readings() -> int:
    return free_places().delete()[0]


def _forget_answers() -> int:
    return KeptAnswer.objects.filter(expires_at__lte=timezone.now()).delete()[0]


def _forget_calls() -> int:
    days = AgentDoors.objects.values_list("keep_calls_days", flat=True).first() or KEEP_CALLS_DAYS
    before = timezone.now() - timedelta(days=days)
    forgotten = 0
    while True:
        oldest = ToolCall.objects.filter(at__lte=before).order_by("at").values_list("at", flat=True)
        until = oldest[AT_ONCE - 1 : AT_ONCE].first() or before
        gone = ToolCall.objects.filter(at__lte=until).delete()[0]
        forgotten += gone
        if until == before:
            return forgotten


_OWN: dict[str, Forgetting] = {
    "cards": _forget_cards,
    "workspace versions": _forget_versions,
    "kept answers": _forget_answers,
    "calls of the log": _forget_calls,
    "full allowances": _forget_allowances,
    "long readings": _forget_long_readings,
}
