"""The tool that asks for the answer of a call that waits for a person; only this door needs one.

Over REST a call is asked for at an address of its own. MCP has nothing that every host speaks, so here it is a tool:
offered to whoever is offered a tool that acts, read-only, and under the same rights as that address.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from mcp import types

from ...lists import Argument
from ..contract import Refused, ToolResult
from ..dispatch import list_tools, read_arguments, revisit_call
from ..headers import LONGEST_WAIT
from ..limits import check_polls
from ..registry import Answered, Call, Tool
from .told import CALL_ANSWER, told_tool
from .visits import Visit


@dataclass(frozen=True)
class Asked:
    """A call as it stands, and how many seconds its caller waits for it to be answered."""

    result: ToolResult
    wait: float


def _never(call: Call) -> Answered:
    raise NotImplementedError("answered by asked_again")


_TOOL = Tool(
    key="",
    name=CALL_ANSWER,
    title="Answer of a call",
    description=(
        "Tell how a call stands that answered NOT_READY because a person must agree. Only their click on their own "
        "page decides; wait says how many seconds to wait for it."
    ),
    short_description="How a waiting call stands.",
    tool_class="SNAPSHOT_READ",
    arguments=(
        Argument("callId", "string", "the callId that the call answered", is_trimmed=True, required=True),
        Argument("wait", "integer", "seconds", minimum=Decimal(0), maximum=Decimal(LONGEST_WAIT)),
    ),
    run=_never,
)

CALL_ANSWER_TOOL: types.Tool = told_tool(_TOOL)


def offers_answers(visit: Visit, tools: Iterable[Tool] | None = None) -> bool:
    """Whether the caller is offered a tool that acts, of `tools` if they are known already; raises Refused."""
    token = visit.actor.token
    if token is not None and not token.may_act:
        return False
    tools = list_tools(visit.actor, visit.toolset) if tools is None else tools
    return any(tool.acts for tool in tools)


def asked_again(visit: Visit) -> Asked:
    """Return the call that the arguments name, as it stands now."""
    try:
        check_polls(visit.actor)
        values = read_arguments(_TOOL, visit.arguments)
    except Refused as refused:
        return Asked(refused.result(CALL_ANSWER, str(uuid.uuid4())), 0)
    try:
        call = str(uuid.UUID(values["callId"]))
    except ValueError:
        call = str(uuid.UUID(int=0))  # the nil id is nobody's, so that what is no id reads like one that is not there
    return Asked(revisit_call(visit.actor, call), float(values.get("wait", 0)))
