"""Reading a workspace again: the same conditions, now, as the person; what comes of it is the next version."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from ..agent.dispatch import call_tool
from ..policies import Actor
from .models import Card, WorkspaceVersion
from .stopping import why_stopped


def read_again(user: Any, version: WorkspaceVersion, order_by: str = "") -> tuple[str, str]:
    """Call the tool of `version` once more, ordered by `order_by` where that is given.

    Return the address to go to and, where it was refused, why, in the active language. The card that comes with the
    new version counts as opened: the person asked for it and is led there.
    """
    arguments = {
        **version.arguments,
        "show": "workspace",
        "name": version.workspace.name,
        "title": version.content.get("title", ""),
    }
    if order_by:
        arguments["orderBy"] = order_by
    result = call_tool(Actor(user), version.tool, arguments)
    card = getattr(result, "card", None)
    if card is None:
        return version.get_absolute_url(), why_stopped(getattr(result, "code", "")) or _why(result.outcome)
    Card.objects.filter(pk=card.id, user=user).update(verdict=Card.Verdict.ACCEPTED)
    return str(card.url), ""


def _why(outcome: str) -> str:
    """Why nothing was read, for the person; the answer's own words are for a model."""
    if outcome == "REJECTED":
        return _("It was not read again: this list is closed to you, or to all agents.")
    if outcome == "INVALID_INPUT":
        return _("It was not read again: the list no longer takes these conditions.")
    if outcome == "DEPENDENCY":
        return _("It was not read again: the database did not answer. Try once more.")
    return _("It was not read again. What went wrong is logged.")
