"""The log of calls: who asked what, what came of it, how long it took. No row value and no argument is in it."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from ..policies import Actor
from .models import ToolCall

logger = logging.getLogger("read_targets.calls")
"""One line a call, for whoever collects logs: with the call's id, and with no row value and no argument either."""


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
    call = ToolCall.objects.create(
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
    return call


def quoted(name: Any) -> str:
    """Return a name that a caller sent as it may be told back or logged: short, and of plain characters alone."""
    plain = "".join(letter if letter.isalnum() or letter in "_-." else "?" for letter in str(name)[:60])
    return plain or "?"
