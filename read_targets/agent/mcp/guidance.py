"""How the caller's tools are used well: the server's instructions, cut to what hosts read, and whole as prompts."""

from __future__ import annotations

import re

from mcp import types

from ..contract import Refused
from ..dispatch import list_tools
from ..models import Toolset
from ..toolsets import guidance_of
from .visits import Visit

MOST_BYTES = 2_000
"""Bytes of instructions; some hosts read no more than two kilobytes."""

WHOLE = "guidance"
"""The prompt with the guidance of every tool; a toolset's has the key of the toolset after it."""

GENERAL = (
    "These tools read this site's lists and act on its pages as one person, under that person's own rights. Say only "
    "numbers that an answer holds. A refusal says in next what to do. Where an answer is NOT_READY, the person must "
    "agree on their own page: give them the link; nothing that you or your host accept counts."
)

_END = re.compile(r"(?<=[.!?])\s+|\n+")


def instructions(visit: Visit) -> str:
    """Return the guidance for the caller's tools, cut at a sentence or a line.

    Where the caller is offered none, as long as the doors are closed say, what holds for all; a call is told why.
    """
    try:
        return cut(f"{GENERAL}\n{_guidance(visit, visit.toolset)}")
    except Refused:
        return GENERAL


def prompts(visit: Visit) -> list[types.Prompt]:
    """Return the prompts that the caller may get: the whole guidance, and that of each toolset; raises Refused."""
    list_tools(visit.actor, visit.toolset)
    whole = types.Prompt(name=WHOLE, title="How to use these tools", description="Guidance for all of your tools.")
    by_toolset = [
        types.Prompt(name=_name_of(toolset), title=str(toolset), description="Guidance for the tools of a toolset.")
        for toolset in _toolsets(visit)
    ]
    return [whole, *by_toolset]


def prompt(visit: Visit, name: str) -> types.GetPromptResult | None:
    """Return the guidance of that name, None where there is none for the caller; raises Refused."""
    list_tools(visit.actor, visit.toolset)
    keys = {WHOLE: visit.toolset} | {_name_of(toolset): toolset.key for toolset in _toolsets(visit)}
    if name not in keys:
        return None
    text = types.TextContent(type="text", text=f"{GENERAL}\n{_guidance(visit, keys[name])}".strip())
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])


def cut(text: str, most: int = MOST_BYTES) -> str:
    """Return as many whole sentences and lines of `text` as fit into `most` bytes."""
    kept = ""
    for sentence in _sentences(text.strip()):
        if len(f"{kept}{sentence}".rstrip().encode()) > most:
            break
        kept += sentence
    return kept.rstrip()


def _sentences(text: str) -> list[str]:
    ends = [found.end() for found in _END.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def _guidance(visit: Visit, toolset: str) -> str:
    return guidance_of(list_tools(visit.actor, toolset), toolset)


def _toolsets(visit: Visit) -> list[Toolset]:
    """The toolsets that the caller may ask for: all, or those that the token is bound to."""
    token = visit.actor.token
    toolsets = Toolset.objects.order_by("key")
    if visit.toolset:
        toolsets = toolsets.filter(key=visit.toolset)
    return list(toolsets if token is None or token.all_toolsets else toolsets.filter(tokens=token))


def _name_of(toolset: Toolset) -> str:
    return f"{WHOLE}-{toolset.key}"
