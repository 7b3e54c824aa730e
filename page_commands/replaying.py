"""An answer told once more: what the person may not read any more is withheld in it, as a fresh look would tell it."""

from __future__ import annotations

from typing import Any

from read_targets.agent.contract import ReadyResult, ToolResult
from read_targets.policies import Actor

from .objects import find_object

WITHHELD = {"withheld": True}


def as_readable(actor: Actor, kept: ToolResult) -> ToolResult:
    """Return the kept answer of a command or a presentation, as far as the person may read now what it names."""
    if not isinstance(kept, ReadyResult):
        return kept
    parts = {"changed": kept.changed, "resulting_state": kept.resulting_state}
    update = {name: _readable(actor, part) for name, part in parts.items() if name in kept.model_fields_set}
    return kept.model_copy(update=update)


def took_away(kept: ToolResult | None) -> bool:
    """Whether the run of that answer deleted its object: then nobody can read it any more, and the answer says why."""
    changed = kept.changed if isinstance(kept, ReadyResult) else None
    return bool((changed or {}).get("object", {}).get("gone"))


def _readable(actor: Actor, part: Any) -> Any:
    if isinstance(part, list):
        return [_readable(actor, one) for one in part]
    if not isinstance(part, dict):
        return part
    if {"type", "id", "name"} <= part.keys():
        return part if find_object(actor, part["type"], part["id"]) is not None else WITHHELD
    return {name: _readable(actor, one) for name, one in part.items()}
