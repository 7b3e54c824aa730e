"""The log of calls: who asked what, what came of it, how long it took. No row value is in it.

What was asked is told as conditions: those that could be read, as the answer's scope says them, and of a command its
name and its object. Nothing is in it that no reader of arguments let through, and of the words that were searched for
only that there were some, unless an admin says otherwise.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.dispatch import Signal

from ..lists import Unreadable, plain
from ..policies import Actor
from .contract import ToolResult
from .models import ToolCall, doors_of
from .registry import Tool

logger = logging.getLogger("read_targets.calls")
"""One line a call, for whoever collects logs: with the call's id, and with no row value and no argument."""

call_logged = Signal()
"""Sent with each `call` that was logged; `is_known` says whether its tool is one that the caller may use."""

MOST_CONDITIONS = 30
"""Conditions of a call that are kept; how many more there were is said."""

LONGEST_VALUE = 200
"""Characters of a value that are kept; that it was longer is said."""


def log_call(
    *,
    actor: Actor,
    tool: str,
    outcome: str,
    milliseconds: int,
    code: str = "",
    rows: int | None = None,
    call_id: str | None = None,
    previewed_by: Any = None,
    conditions: Sequence[Mapping[str, Any]] = (),
    is_known: bool = True,
) -> ToolCall:
    """Write one call to the log. `previewed_by` is the admin who looked through the person's eyes, if one did."""
    call = ToolCall.objects.create(
        id=call_id or uuid.uuid4(),
        user=actor.user,
        token=actor.token,
        agent=actor.agent,
        previewed_by=previewed_by,
        tool=quoted(tool),
        conditions=list(conditions),
        outcome=outcome,
        code=code,
        rows=rows,
        milliseconds=milliseconds,
    )
    logger.info(
        "call",
        extra={
            "call": str(call.pk),
            "tool": call.tool,
            "outcome": outcome,
            "code": code,
            "rows": rows,
            "milliseconds": milliseconds,
            "person": actor.user.pk,
            "agent": actor.agent,
        },
    )
    call_logged.send(ToolCall, call=call, is_known=is_known)
    return call


def asked(actor: Actor, tool: Tool | None, arguments: Any, result: ToolResult) -> list[dict[str, Any]]:
    """Return what was asked, for the log: conditions that could be read, or the command and its object.

    Each has a `name` and a `value`. Of words that are not kept there is no value; one that was cut says `cut`. The last
    one says how many `more` there were, where there were too many.
    """
    said = [] if tool is None else _conditions(actor, tool, arguments)
    said += command_in(result)
    left_out = len(said) - MOST_CONDITIONS
    return said if left_out <= 0 else [*said[:MOST_CONDITIONS], {"more": left_out}]


def command_in(result: ToolResult) -> list[dict[str, Any]]:
    """Return the command and the object that an answer tells of, for the log: by name, and by type and key."""
    given = getattr(result, "input", None) or {}
    return told_command(getattr(result, "command", ""), given.get("type", ""), given.get("id", ""))


def told_command(command: str, object_type: str = "", key: Any = "") -> list[dict[str, Any]]:
    """Return a command and its object for the log, each where there is one."""
    said: list[dict[str, Any]] = [{"name": "command", "value": quoted(command)}] if command else []
    if key != "":
        said.append({"name": "input", "type": object_type, "value": quoted(key)})
    return said


def _conditions(actor: Actor, tool: Tool, arguments: Any) -> list[dict[str, Any]]:
    if not isinstance(arguments, Mapping):
        return []
    said = []
    for name in tool.conditions:
        value = _read(tool, name, arguments)
        if value is None:
            continue
        if name in tool.words and not doors_of(actor).keep_words:
            said.append({"name": name})
        else:
            said.append({"name": name, **_cut(plain(value))})
    return said


def _read(tool: Tool, name: str, arguments: Mapping[str, Any]) -> Any:
    """The value as it is read, None where it is not set or no reader takes it."""
    try:
        return tool.by_name[name].read(arguments.get(name))
    except Unreadable:
        return None


def _cut(value: Any) -> dict[str, Any]:
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        return {"value": value[:LONGEST_VALUE], "cut": True}
    return {"value": value}


def quoted(name: Any) -> str:
    """Return a name that a caller sent as it may be told back or logged: short, and of plain characters alone."""
    plain_name = "".join(letter if letter.isalnum() or letter in "_-." else "?" for letter in str(name)[:60])
    return plain_name or "?"
