"""One call of a tool, from who is calling to the answer. Every door comes through `call_tool`, or `revisit_call`.

1. Who is calling: a person, through their session or a token. A closed switch or a person's *stop my agents* ends it.
2. May they see this tool: the registry gives it to this person, and it is within the toolsets.
3. Do the arguments fit: each is read by its kind; all that do not fit are told at once, with what would.
4. Was it called before: a call that acts is claimed by its key before anything is done. Of those with the same key one
   runs; the others are told its answer as it stands now, their rights asked again.
5. Run: the tool reads, in a snapshot of its own that is closed when it returns, for as long as a call may and somebody
   waits for it; or it acts, and keeps its answer in the same transaction, and is never ended midway. Must a person
   confirm, it does nothing yet and answers `NOT_READY`.
6. Log: what the answer leaves behind and the log of the call are written in a second transaction.
7. Wait: while a person decides, for as long as the caller is willing to. What they decided is asked for by the call's
   id, now or later.
8. Answer: whatever happened becomes the envelope of the contract; nothing of an exception reaches the agent.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django.db import DatabaseError

from ..heavy import one_call
from ..lists import Stopped, Unreadable, writing
from ..policies import Actor
from ..preferences import preference_of
from .contract import NextAction, Refused, ToolResult
from .kept import (
    Claim,
    access_answer,
    begin,
    finish,
    free,
    give_up,
    holding,
    let_go,
    settle_log,
    stands_now,
    wait_for_change,
)
from .log import asked, log_call, quoted
from .models import doors_of
from .refusals import (
    agents_stopped,
    cut_off,
    doors_closed,
    internal,
    key_in_use,
    may_not_act,
    refuse_arguments,
    refuse_body,
    stopped,
    unavailable,
    unknown_tool,
)
from .registry import Answered, Call, Tool, find_tool, tools_of
from .tokens import note_use, renewed
from .toolsets import reach_of, within

logger = logging.getLogger(__name__)

MOST_TOLD = 20
"""Unknown arguments that a refusal names one by one."""

REVISIT = "getCall"
"""What the refusal to tell how a call stands calls itself."""

LOOK_AGAIN = 1.0
"""Seconds after which a tool is asked how a waiting call stands, where nobody kept an answer: it may be out of time."""


def call_tool(
    actor: Actor, name: str, arguments: Any, *, toolset: str = "", key: str = "", wait: float = 0.0
) -> ToolResult:
    """Answer one call of the tool `name` with the envelope of the contract; never raises.

    `arguments` is whatever the body held; `toolset` is the one asked for, if any. `key` is the Idempotency-Key: a call
    that acts runs once for it. `wait` is how many seconds the caller is willing to wait for a person.
    """
    started = time.perf_counter()
    call = Call(actor, str(uuid.uuid4()), name, {}, key, wait)
    log_id = call.id
    claim: Claim | None = None
    tool: Tool | None = None

    def answer() -> Answered:
        nonlocal call, claim, tool
        tool = access_tool(actor, name, toolset)
        call = replace(call, tool_name=tool.name, arguments=read_arguments(tool, arguments))
        if not tool.acts:
            with one_call(actor.user):
                return tool.run(call)
        claim = begin(tool, call, arguments)
        call = claim.call
        return Answered(claim.answer) if claim.answer is not None else _run_claimed(tool, claim)

    def keep(answered: Answered) -> Answered:
        with writing():
            if answered.store is not None:
                card = answered.store(call)
                answered = Answered(answered.result.model_copy(update={"card": card}), answered.rows)
            if claim is not None and claim.answer is None and answered.result.success:
                answered = Answered(finish(claim, answered.result), answered.rows)
            log_call(
                actor=actor,
                tool=name,
                outcome=answered.result.outcome,
                code=getattr(answered.result, "code", ""),
                rows=answered.rows,
                conditions=asked(actor, tool, arguments, answered.result),
                is_known=tool is not None,
                call_id=log_id,
                milliseconds=round((time.perf_counter() - started) * 1000),
            )
            if actor.token is not None:
                note_use(actor.token)
        return answered

    def decided() -> Answered:
        result = _awaited(actor, call.id, wait)
        settle_log(log_id, result)
        return Answered(result)

    answered = _guarded(call, answer)
    answered = _guarded(call, lambda: keep(answered))
    if wait > 0 and answered.result.outcome == "NOT_READY":
        answered = _guarded(call, decided)
    return answered.result


def revisit_call(actor: Actor, call_id: Any, *, wait: float = 0.0) -> ToolResult:
    """Answer a call that acts once more, by its id, as it stands now; never raises.

    While it waits for a person, that is waited for up to `wait` seconds. The rights are asked again. A call that is not
    there and one that is somebody else's read the same.
    """

    def answer() -> Answered:
        result = _awaited(actor, call_id, wait)
        if actor.token is not None:
            note_use(actor.token)
        return Answered(result)

    return _guarded(Call(actor, str(call_id), REVISIT, {}), answer).result


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
    for argument in tool.arguments:
        if argument.required and argument.name not in values and argument.name not in wrong:
            wrong[argument.name] = {"code": "required", "type": argument.kind}
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


def _run_claimed(tool: Tool, claim: Claim) -> Answered:
    """Run a call that this caller claimed. What the tool kept stands, whatever happened to it afterwards."""
    try:
        with holding(claim):
            answered = tool.run(claim.call)
    except Refused as refused:
        answered = Answered(refused.result(tool.name, claim.call.id))
    except Exception as raised:  # whatever it is, what was done is not known: the key stays with the call
        answered = _failed(claim.call, raised)
        return _what_stands(answered, let_go(claim))
    return answered if answered.result.success else _what_stands(answered, free(claim))


def _what_stands(answered: Answered, kept: ToolResult | None) -> Answered:
    return answered if kept is None else Answered(kept)


def _awaited(actor: Actor, call_id: Any, wait: float) -> ToolResult:
    """Return the answer of a kept call, waited for while it is not there yet; raises Refused.

    At each look the caller's rights are asked anew: a person may take as long to decide as to take them away.
    """
    until = time.monotonic() + wait
    while True:
        check_doors(actor)
        row = access_answer(actor, call_id)
        tool = access_tool(actor, row.tool)
        is_running = row.is_held and not row.answer
        result = None if is_running else stands_now(tool, Call(actor, str(row.call), tool.name, {}, wait=wait), row)
        if result is None and not is_running and give_up(row):
            raise cut_off()
        if time.monotonic() >= until or (result is not None and result.outcome != "NOT_READY"):
            break
        wait_for_change(row, min(until, time.monotonic() + LOOK_AGAIN))
        actor = renewed(actor)
    if result is None:
        raise key_in_use()
    return result


def _guarded(call: Call, step: Callable[[], Answered]) -> Answered:
    """Run one step of a call; whatever it raises becomes an answer."""
    try:
        return step()
    except Exception as raised:  # the last line of defence: whatever it is, the agent must not see it
        return _failed(call, raised)


def _failed(call: Call, raised: Exception) -> Answered:
    """Return the answer to what was raised, which is logged unless it is a refusal."""
    refused = raised if isinstance(raised, Refused) else internal()
    if isinstance(raised, Stopped):
        logger.info("call %s of %s was stopped: %s", call.id, call.tool_name, raised)
        refused = stopped(raised)
    elif isinstance(raised, DatabaseError):
        logger.error("call %s of %s: the database did not answer", call.id, call.tool_name, exc_info=raised)
        refused = unavailable()
    elif refused is not raised:
        logger.error("call %s of %s failed", call.id, call.tool_name, exc_info=raised)
    return Answered(refused.result(quoted(call.tool_name), call.id))
