"""The server that one request is answered by: what this caller may list, call and read."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ParamSpec, TypeVar

from django.db import DatabaseError
from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from ...lists import Stopped
from ...preferences import as_person
from ..codes import Code
from ..contract import Refused, ToolResult
from ..dispatch import call_tool, list_tools, revisit_call
from ..limits import check_calls
from ..log import quoted
from ..refusals import internal, stopped, unavailable
from ..tokens import renewed
from . import apps, guidance, workspaces
from .polling import CALL_ANSWER_TOOL, asked_again, offers_answers
from .threads import in_thread
from .told import CALL_ANSWER, told_answer, told_refusal, told_tool, unknown_tool
from .visits import Visit

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

NAME = "django-read-targets"

FRESH_MS = 60_000
"""How long a client may keep what it listed; what it then calls is checked all the same."""

LOOK_AGAIN = 1.0
"""Seconds between two looks at whether a person has decided."""

_GUIDED = frozenset({"initialize", "server/discover"})
_LISTS: tuple[Any, ...] = (
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "server/discover",
)
_HINTS = {method: CacheHint(ttl_ms=FRESH_MS, scope="private") for method in _LISTS}
_HINTS["resources/read"] = CacheHint(ttl_ms=0, scope="private")


async def server_for(visit: Visit) -> Server[Any]:
    """Return the server for one request of the caller."""
    instructions = await _run(visit, guidance.instructions, visit) if visit.method in _GUIDED else None
    served = Served(visit)
    server: Server[Any] = Server(
        NAME,
        version=_version(),
        title="Read targets",
        instructions=instructions,
        cache_hints=_HINTS,
        # No argument of ours is repeated in a header, so there is none to compare.
        get_tool_input_schema=lambda name: None,
        on_list_tools=served.list_tools,
        on_call_tool=served.call_tool,
        on_list_resources=served.list_resources,
        on_list_resource_templates=served.list_resource_templates,
        on_read_resource=served.read_resource,
        on_list_prompts=served.list_prompts,
        on_get_prompt=served.get_prompt,
    )
    server.extensions = apps.SETTINGS
    server.middleware.clear()
    return server


class Served:
    """What the methods of the protocol answer to one caller. All of it asks their rights anew."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit

    async def list_tools(self, ctx: Any, params: Any) -> types.ListToolsResult:
        """Every tool that the caller may call, on one page, by name."""
        return types.ListToolsResult(tools=await self._counted(self._tools))

    async def call_tool(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        """The answer of a tool; a tool that is not there for the caller is an error of the protocol."""
        until = time.monotonic() + self.visit.wait
        if params.name == CALL_ANSWER:
            if not await _run(self.visit, offers_answers, self.visit):
                raise unknown_tool()
            asked = await _run(self.visit, asked_again, self.visit)
            result, until = asked.result, time.monotonic() + asked.wait
        else:
            result = await _run(self.visit, self._called, params.name)
        if getattr(result, "code", "") == Code.UNKNOWN_TOOL:
            raise unknown_tool()
        while result.outcome == "NOT_READY" and (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(LOOK_AGAIN, left))
            result = await _run(self.visit, self._as_it_stands, result)
        return told_answer(result, self.visit.site)

    async def list_resources(self, ctx: Any, params: Any) -> types.ListResourcesResult:
        """The workspaces that the caller may read."""
        return types.ListResourcesResult(resources=await self._counted(workspaces.listed, self.visit))

    async def list_resource_templates(self, ctx: Any, params: Any) -> types.ListResourceTemplatesResult:
        """How the address of a workspace is made."""
        return types.ListResourceTemplatesResult(resource_templates=[workspaces.TEMPLATE])

    async def read_resource(self, ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """A workspace, less what the caller may no longer view; what is missing and what is forbidden read the same.

        The page that shows one is there for everybody.
        """
        if str(params.uri) == apps.URI:
            return await self._counted(apps.read)
        found = await self._counted(workspaces.read, self.visit, str(params.uri))
        if found is None:
            is_older = ctx.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
            code = workspaces.NOT_FOUND_OLDER if is_older else types.INVALID_PARAMS
            raise MCPError(code, "There is no such resource for you.", {"uri": str(params.uri)})
        return found

    async def list_prompts(self, ctx: Any, params: Any) -> types.ListPromptsResult:
        """Guidance for the tools, whole and by toolset."""
        return types.ListPromptsResult(prompts=await self._counted(guidance.prompts, self.visit))

    async def get_prompt(self, ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """The guidance of that name."""
        found = await self._counted(guidance.prompt, self.visit, params.name)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, "There is no prompt of that name for you.")
        return found

    async def _counted(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what is asked for where the caller has not asked too often."""

        def counted() -> T:
            check_calls(self.visit.actor)
            return function(*args, **kwargs)

        return await _run(self.visit, counted)

    def _tools(self) -> list[types.Tool]:
        tools = list_tools(self.visit.actor, self.visit.toolset)
        told = [told_tool(tool) for tool in tools]
        if offers_answers(self.visit, tools):
            told.append(CALL_ANSWER_TOOL)
        return sorted(told, key=lambda tool: tool.name)

    def _called(self, name: str) -> ToolResult:
        visit = self.visit
        try:
            # A call too many is an answer that the model reads, and not an error that only its host sees.
            check_calls(visit.actor, name)
            key = visit.key()
        except Refused as refused:
            return refused.result(quoted(name), str(uuid.uuid4()))
        return call_tool(visit.actor, name, visit.arguments, toolset=visit.toolset, key=key)

    def _as_it_stands(self, waiting: ToolResult) -> ToolResult:
        """The answer of a call that waits, its caller's rights asked anew."""
        try:
            return revisit_call(renewed(self.visit.actor), waiting.call_id)
        except Refused as refused:
            return refused.result(waiting.tool_name, waiting.call_id)


async def _run(visit: Visit, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what asks the database in a thread, in the person's words; whatever it raises becomes an error to tell."""

    def said() -> T:
        with as_person(visit.actor.user):
            return function(*args, **kwargs)

    try:
        return await in_thread(said)
    except MCPError:
        raise
    except Refused as refused:
        raise told_refusal(refused) from None
    except Stopped as raised:
        logger.info("%s over MCP was stopped: %s", visit.method, raised)
        raise told_refusal(stopped(raised)) from None
    except Exception as raised:  # the last line of defence: nothing of an exception reaches the agent
        logger.exception("%s over MCP failed", visit.method)
        raise told_refusal(unavailable() if isinstance(raised, DatabaseError) else internal()) from None


@lru_cache(maxsize=1)
def _version() -> str:
    try:
        return version(NAME)
    except PackageNotFoundError:  # served from its sources
        return ""
