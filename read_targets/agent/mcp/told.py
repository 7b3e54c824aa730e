"""Tools, answers and refusals as MCP tells them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson
from mcp import types
from mcp.shared.exceptions import MCPError

from ..codes import Code
from ..contract import RESULTS, Refused, ToolResult, result_schemas
from ..registry import Tool
from ..schemas import parameters_schema
from ..texts import text_twin
from .apps import LINK, app_of

CALL_ANSWER = "callAnswer"
"""The tool that asks for the answer of a call that waits for a person."""

TOLD = ("success", "outcome", "message")
"""What the schema of answers names: what tells one answer from another, and what it says."""

_ERRORS = {
    Code.UNKNOWN_TOOL: types.INVALID_PARAMS,
    Code.UNKNOWN_TOOLSET: types.INVALID_PARAMS,
    Code.NOT_FOUND: types.INVALID_PARAMS,
}
SERVER_ERROR = -32000
"""What JSON-RPC leaves to the server to say."""


def told_tool(tool: Tool) -> types.Tool:
    """Return a tool as `tools/list` tells it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool),
        output_schema=output_schema(),
        annotations=annotations_of(acts=tool.acts),
        _meta=app_of(tool),
    )


def input_schema(tool: Tool) -> dict[str, Any]:
    """Return the schema of the arguments; that others are refused, the server says where it comes to that."""
    return {name: value for name, value in parameters_schema(tool).items() if name != "additionalProperties"}


def annotations_of(*, acts: bool) -> types.ToolAnnotations:
    """Return the hints of a tool. One that acts runs what an admin declared, so it may well destroy something.

    The title is the tool's own, which comes before one among the hints.
    """
    return types.ToolAnnotations(
        read_only_hint=not acts,
        destructive_hint=acts,
        idempotent_hint=not acts,
        open_world_hint=False,
    )


@lru_cache(maxsize=1)
def output_schema() -> dict[str, Any]:
    """Return the schema that every answer fits, a refusal too, of what all shapes of the contract must have.

    It comes with every tool of the list, so it names no more than a program needs to tell answers apart; the contract
    as a whole is in the documentation, and the text of an answer says in words what it holds.
    """
    schemas = result_schemas("{model}")
    shapes = [schemas[shape.__name__] for shape in RESULTS]
    return {"type": "object", "required": [name for name in TOLD if all(name in one["required"] for one in shapes)]}


def told_answer(result: ToolResult, site: str) -> types.CallToolResult:
    """Return the answer of a tool: the envelope, and its text twin with addresses of `site`."""
    answer = orjson.loads(orjson.dumps(result.to_json(), default=str))
    again = f"{CALL_ANSWER}(callId, wait)" if answer["outcome"] == "NOT_READY" else ""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text_twin(answer, site, again))],
        structured_content=answer,
        is_error=not answer["success"],
        _meta={LINK: f"{site}{answer['card']['url']}"} if "card" in answer else None,
    )


def told_refusal(refused: Refused) -> MCPError:
    """Return a refusal that is no answer of a tool, with the contract's body as its data."""
    wrong = types.INVALID_PARAMS if refused.outcome == "INVALID_INPUT" else SERVER_ERROR
    code = _ERRORS.get(Code(refused.code), wrong) if refused.code in set(Code) else wrong
    return MCPError(code, refused.error, refused.result("", "").to_json())


def unknown_tool() -> MCPError:
    """Return the error for a tool that is not there for the caller, whether it exists or not."""
    return MCPError(types.INVALID_PARAMS, "There is no tool of that name for this person.")
