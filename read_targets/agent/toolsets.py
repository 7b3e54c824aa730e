"""Which tools a call may reach: those of the token's toolsets, and of the toolset that it asks for."""

from __future__ import annotations

from collections.abc import Iterable

from ..policies import Actor
from .models import Toolset, ToolsetEntry
from .refusals import unknown_toolset
from .registry import Tool


def reach_of(actor: Actor, asked: str = "") -> frozenset[str] | None:
    """Return the keys of the tools that the call may reach, or None where no toolset limits it.

    A token that is bound to no toolset, and is not said to reach all, reaches nothing. Raises Refused for a toolset
    that is not there or not the token's: the two read the same.
    """
    if "\0" in asked:  # which PostgreSQL cannot even be asked about
        raise unknown_toolset()
    limited = actor.token is not None and not actor.token.all_toolsets
    if not limited and not asked:
        return None
    toolsets = Toolset.objects.all()
    if limited and actor.token is not None:
        toolsets = toolsets.filter(tokens=actor.token)
    if asked:
        toolsets = toolsets.filter(key=asked)
    entries = ToolsetEntry.objects.filter(toolset__in=toolsets).values_list("tool_key", flat=True)
    keys = frozenset(entries)
    if asked and not keys and not toolsets.exists():
        raise unknown_toolset()
    return keys


def within(reach: frozenset[str] | None, tools: Iterable[Tool]) -> list[Tool]:
    """Return those of `tools` that the call may reach."""
    return [tool for tool in tools if reach is None or tool.key in reach]


def guidance_of(tools: Iterable[Tool], asked: str = "") -> str:
    """Return the guidance for these tools: the toolset's own, then each line of the tools' once."""
    own = Toolset.objects.filter(key=asked).values_list("guidance", flat=True).first() if asked else ""
    lines = dict.fromkeys(line for tool in tools for line in tool.guidance.splitlines())
    return "\n".join(part for part in (own or "", *lines) if part)
