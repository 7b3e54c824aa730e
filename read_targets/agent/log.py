"""The log of calls: who asked what, what came of it, how long it took. No row value and no argument is in it."""

from __future__ import annotations

import uuid
from typing import Any

from ..policies import Actor
from .models import ToolCall


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
) -> ToolCall:
    """Write one call to the log. `previewed_by` is the admin who looked through the person's eyes, if one did."""
    return ToolCall.objects.create(
        id=call_id or uuid.uuid4(),
        user=actor.user,
        token=actor.token,
        agent=actor.agent,
        previewed_by=previewed_by,
        tool=quoted(tool),
        outcome=outcome,
        code=code,
        rows=rows,
        milliseconds=milliseconds,
    )


def quoted(name: Any) -> str:
    """Return a name that a caller sent as it may be told back or logged: short, and of plain characters alone."""
    plain = "".join(letter if letter.isalnum() or letter in "_-." else "?" for letter in str(name)[:60])
    return plain or "?"
