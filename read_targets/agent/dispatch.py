"""One call of a tool, from who is calling to the answer. Every door comes through `call_tool`.

1. Who is calling: a person, through their session or a token. A closed switch or a person's *stop my agents* ends it.
2. May they see this tool: the registry gives it to this person, and it is within the toolsets.
3. Do the arguments fit: each is read by its kind; all that do not fit are told at once, with what would.
4. Must a person confirm: no tool that is registered here asks for it yet.
5. Run: the tool reads, in a snapshot of its own that is closed when it returns.
6. Log: what the answer leaves behind and the log of the call are written in a second transaction.
7. Answer: whatever happened becomes the envelope of the contract; nothing of an exception reaches the agent.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.db import DatabaseError

from ..lists import Unreadable, writing
from ..policies import Actor
from ..preferences import preference_of
from .contract import NextAction, Refused, ToolResult
from .log import log_call, quoted
from .models import doors_of
from .refusals import (
    agents_stopped,
    doors_closed,
    internal,
    may_not_act,
    refuse_arguments,
    refuse_body,
    unavailable,
    unknown_tool,
)
from .registry import Answered, Call, Tool, find_tool, tools_of
from .tokens import note_use
from .toolsets import reach_of, within

logger = logging.getLogger(__name__)

MOST_TOLD = 20
"""Unknown arguments that a refusal names one by one."""


def call_tool(actor: Actor, name: str, arguments: Any, *, toolset: str = "") -> ToolResult:
    """Answer one call of the tool `name` with the envelope of the contract; never raises.

    `arguments` is whatever the body held; `toolset` is the one asked for, if any.
    """
    started = time.perf_counter()
    call = Call(actor, str(uuid.uuid4()), name, {})

    def answer() -> Answered:
        tool = access_tool(actor, name, toolset)
        return tool.run(Call(actor, call.id, tool.name, read_arguments(tool, arguments)))

    def keep(answered: Answered) -> Answered:
        with writing():
            if answered.store is not None:
                card = answered.store(call)
                answered = Answered(answered.result.model_copy(update={"card": card}), answered.rows)
            log_call(
                actor=actor,
                tool=name,
                outcome=answered.result.outcome,
                code=getattr(answered.result, "code", ""),
                rows=answered.rows,
                call_id=call.id,
                milliseconds=round((time.perf_counter() - started) * 1000),
            )
            if actor.token is not None:
                note_use(actor.token)
        return answered

    answered = _guarded(call, answer)
    return _guarded(call, lambda: keep(answered)).result


def list_tools(actor: Actor, toolset: str = "") -> list[Tool]:
    """Return the tools that the call may reach; raises Refused as `call_tool` would refuse."""
    check_doors(actor)
    return within(reach_of(actor, toolset), tools_of(actor))


def access_tool(actor: Actor, name: str, toolset: str = "") -> Tool:
    """Return the tool of that name; raises Refused, alike for a tool that is not there and one that is forbidden."""
    check_doors(actor)
    reach = reach_of(actor, toolset)
    tool = find_tool(actor, name)
    if tool is None or not within(reach, [tool]):
        raise unknown_tool()
    if tool.acts and actor.token is not None and not actor.token.may_act:
        raise may_not_act()
    return tool


def read_arguments(tool: Tool, arguments: Any) -> dict[str, Any]:
    """Return the arguments that are set, as values of their kinds; raises Refused naming all that do not fit."""
    if not isinstance(arguments, Mapping):
        raise refuse_body("The arguments must be one JSON object.")
    values: dict[str, Any] = {}
    wrong: dict[str, dict[str, Any]] = {}
    unknown = [name for name in arguments if name not in tool.by_name]
    for name in unknown[:MOST_TOLD]:
        wrong[quoted(name)] = {"code": "argument_unknown", "values": list(tool.by_name)}
    for name, raw in arguments.items():
        if name not in tool.by_name:
            continue
        try:
            value = tool.by_name[name].read(raw)
        except Unreadable as unreadable:
            wrong[name] = unreadable.facts
        else:
            if value is not None:
                values[name] = value
    if wrong:
        raise refuse_arguments(wrong, unknown=bool(unknown))
    if tool.required_any_of and not any(name in values for name in tool.required_any_of):
        refusal = refuse_body("At least one of these arguments must be given.")
        refusal.next_action = NextAction(type="FIX_ARGUMENTS", required_any_of=list(tool.required_any_of))
        raise refusal
    return values


def check_doors(actor: Actor) -> None:
    """Raises Refused while an administrator keeps every door closed, or the person has stopped their agents."""
    if not doors_of(actor).are_open:
        raise doors_closed()
    if actor.token is not None and preference_of(actor.user).agents_stopped:
        raise agents_stopped()


def _guarded(call: Call, step: Callable[[], Answered]) -> Answered:
    """Run one step of a call; whatever it raises becomes an answer."""
    try:
        return step()
    except Refused as raised:
        refused = raised
    except DatabaseError:
        logger.exception("call %s of %s: the database did not answer", call.id, call.tool_name)
        refused = unavailable()
    except Exception:  # the last line of defence: whatever it is, the agent must not see it
        logger.exception("call %s of %s failed", call.id, call.tool_name)
        refused = internal()
    return Answered(refused.result(quoted(call.tool_name), call.id))
