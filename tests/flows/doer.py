"""A tool that acts, for the tests of what is kept: what it does is a row, so that each run of it can be counted."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from read_targets.agent import Argument, writing
from read_targets.agent.contract import CancelledResult, NextAction, NotReadyResult, ReadyResult, Refused, ToolResult
from read_targets.agent.kept import keep_answer
from read_targets.agent.registry import Answered, Call, Spoken, Tool, register_provider, unregister_provider
from read_targets.models import KeptAnswer, Toolset
from read_targets.policies import Actor

TOOL, OTHER = "doSomething", "doSomethingElse"
ASK = NextAction(type="ASK_USER")


def ready(call_id: str, **facts: Any) -> ReadyResult:
    """It ran."""
    return ReadyResult(
        success=True, outcome="READY", tool_name=TOOL, call_id=call_id, message="Done.", **{"delivery": "NONE", **facts}
    )


def waiting(call_id: str) -> NotReadyResult:
    """A person is asked."""
    wait = NextAction(type="WAIT", delay_ms=2_000)
    return NotReadyResult(
        success=True, outcome="NOT_READY", is_data_ready=False, tool_name=TOOL, call_id=call_id,
        message="Ask again.", code="tests.asked", next_action=wait,
    )  # fmt: skip


def declined(call_id: str) -> CancelledResult:
    """A person said no."""
    return CancelledResult(
        success=True, outcome="CANCELLED", executed=False, tool_name=TOOL, call_id=call_id,
        message="No.", code="tests.declined", next_action=ASK,
    )  # fmt: skip


def refusal() -> Refused:
    """It does not do it."""
    return Refused("REJECTED", "tests.refused", "It was refused.", next_action=ASK)


def runs() -> int:
    """How often something was done."""
    return Toolset.objects.filter(key__startswith="done-").count()


def do_it() -> None:
    """Do something, once."""
    Toolset.objects.create(key=f"done-{uuid.uuid4()}")


def act(call: Call) -> ToolResult:
    """Do it and keep the answer, in one transaction."""
    with writing():
        do_it()
        result = ready(call.id, changed={"what": call.arguments.get("what")})
        keep_answer(call.id, result)
    return result


def ask(call: Call) -> ToolResult:
    """Ask the person, and keep that they are asked."""
    result = waiting(call.id)
    with writing():
        keep_answer(call.id, result)
    return result


@dataclass
class Doer:
    """A provider of two tools that act, and do what the test says. `allowed`: the names of those who may call them."""

    does: Callable[[Call], ToolResult] = act
    again: Callable[[Call, ToolResult | None], ToolResult | None] | None = None
    allowed: set[str] = field(default_factory=lambda: {"analyst", "clerk"})
    revisited: list[tuple[Call, ToolResult | None]] = field(default_factory=list)
    name: str = "tests.doer"

    def tool_keys(self) -> list[tuple[str, str]]:
        return [("tests.doer", "Doer")]

    def tools(self, actor: Actor) -> Sequence[Tool]:
        return [self._tool(name) for name in (TOOL, OTHER)] if actor.user.username in self.allowed else []

    def tool(self, actor: Actor, name: str) -> Tool | None:
        return next((tool for tool in self.tools(actor) if tool.name == name), None)

    def spoken(self) -> list[Spoken]:
        return [Spoken(TOOL, "Do")]

    def _tool(self, name: str) -> Tool:
        return Tool(
            key="tests.doer", name=name, title="Do", description="Does it.", short_description="Does it.",
            tool_class="UI_COMMAND", arguments=(Argument("what", "string"), Argument("how", "number")), acts=True,
            run=lambda call: Answered(self.does(call)), revisit=self._revisit if self.again is not None else None,
        )  # fmt: skip

    def _revisit(self, call: Call, kept: ToolResult | None) -> ToolResult | None:
        assert self.again is not None
        self.revisited.append((call, kept))
        return self.again(call, kept)


@contextmanager
def offered(doer: Doer) -> Iterator[Doer]:
    """Let agents call the tools inside."""
    register_provider(doer)
    try:
        yield doer
    finally:
        unregister_provider(doer)


def send(one: Any, key: str | None = None, tool: str = TOOL, wait: str | None = None, **arguments: Any) -> Any:
    """Call the tool with a key, and return the response."""
    headers = dict(one.headers)
    if key is not None:
        headers["Idempotency-Key"] = key
    if wait is not None:
        headers["Prefer"] = wait
    return one.client.post(f"/agent/tools/{tool}", arguments, "application/json", headers=headers)


def poll(one: Any, call_id: Any, wait: str | None = None) -> Any:
    """Ask for a call by its id, and return the response."""
    headers = {**one.headers, **({"Prefer": wait} if wait is not None else {})}
    return one.client.get(f"/agent/calls/{call_id}", headers=headers)


def slowly(call: Call) -> ToolResult:
    """Do it, taking long enough that others arrive meanwhile."""
    time.sleep(0.3)
    return act(call)


def cut_off_now(call_id: str) -> None:
    """Leave the call as a process that was killed leaves it, once its lease is over."""
    KeptAnswer.objects.filter(pk=call_id).update(answer="", lease_until="2026-01-01T00:00:00Z")
