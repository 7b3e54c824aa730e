"""The server that the official conformance suite is run against: what the suite asks for, behind our own transport.

Nobody has to sign in, and everything that MCP can do is there; so it is for tests alone. It is mounted as the product
is, and requests of the newest protocol go the very way of the product. The older protocol's sampling and elicitation
need a session that a stateless server does not have, so for those, behind the same checks, the SDK keeps some.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.demo.settings")

django_application = get_asgi_application()

from mcp import types  # noqa: E402
from mcp.server.caching import CacheHint  # noqa: E402
from mcp.server.lowlevel import Server  # noqa: E402
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity  # noqa: E402
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: E402
from mcp.server.subscriptions import (  # noqa: E402
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError  # noqa: E402
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS  # noqa: E402

from read_targets.agent.mcp.answering import serve  # noqa: E402
from read_targets.agent.mcp.mounting import Mounted  # noqa: E402

NAME = "conformance-fixture"
MISSING_CAPABILITY = -32021
STEP = 0.05
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

Answer = dict[str, Any]
Run = Callable[[Any, Any], Awaitable[Answer]]

BUS = InMemorySubscriptionBus()
TOOLS: dict[str, Run] = {}


def whole(run: Run) -> Run:
    """Let what the handler answers say that it is complete, where it does not say otherwise."""

    async def answer(ctx: Any, params: Any) -> Answer:
        return {"resultType": "complete", **await run(ctx, params)}

    return answer


def text(words: str) -> Answer:
    """A block of text."""
    return {"type": "text", "text": words}


def image() -> Answer:
    """A block with a picture of one pixel."""
    return {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def embedded(uri: str, words: str, kind: str = "text/plain") -> Answer:
    """A block with a resource in it."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


def said(words: str) -> Answer:
    """The result of a tool that answers text."""
    return {"content": [text(words)]}


def form(message: str, **properties: Any) -> Answer:
    """A request for input by a form."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def sampling(prompt: str, most: int = 100) -> Answer:
    """A request for words of the client's model."""
    messages = [{"role": "user", "content": text(prompt)}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": most}}


ROOTS: Answer = {"method": "roots/list", "params": {}}
WORD: Answer = {"type": "string"}


def wanted(requests: dict[str, Answer], state: str | None = None) -> Answer:
    """The result that asks the client for input."""
    told: Answer = {"resultType": "input_required", "inputRequests": requests}
    return told if state is None else {**told, "requestState": state}


def given(params: Any, name: str) -> Answer | None:
    """What the client answered to a request for input, None where it did not, or not as it was asked."""
    answers = params.input_responses or {}
    answer = answers.get(name)
    return None if answer is None else answer.model_dump(by_alias=True, exclude_none=True, mode="json")


def form_given(params: Any, name: str, field: str) -> Any:
    """What the person filled in, None where they did not."""
    answer = given(params, name) or {}
    return (answer.get("content") or {}).get(field) if answer.get("action") == "accept" else None


def tool(name: str) -> Callable[[Run], Run]:
    """Register a tool of the fixture."""

    def register(run: Run) -> Run:
        TOOLS[name] = run
        return run

    return register


def tool_that_says(name: str, *blocks: Answer, is_error: bool = False) -> None:
    """Register a tool that always answers the same."""

    async def run(ctx: Any, params: Any) -> Answer:
        return {"content": list(blocks), "isError": is_error}

    TOOLS[name] = run


tool_that_says("test_simple_text", text("This is a simple text response for testing."))
tool_that_says("test_image_content", image())
tool_that_says("test_audio_content", {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"})
tool_that_says("test_embedded_resource", embedded("test://embedded-resource", "This is an embedded resource content."))
tool_that_says(
    "test_multiple_content_types",
    text("Multiple content types test:"),
    image(),
    embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
)
tool_that_says("test_error_handling", text("This tool intentionally returns an error for testing"), is_error=True)


@tool("test_tool_with_progress")
async def with_progress(ctx: Any, params: Any) -> Answer:
    """Tell how far it has come."""
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100, f"{done} of 100")
        await asyncio.sleep(STEP)
    return said("Done.")


@tool("test_tool_with_logging")
@tool("test_logging_tool")
async def with_logging(ctx: Any, params: Any) -> Answer:
    """Tell the client's log how it goes."""
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
        await asyncio.sleep(STEP)
    return said("Done.")


@tool("test_missing_capability")
async def missing_capability(ctx: Any, params: Any) -> Answer:
    """Refuse a client that cannot sample."""
    if not ctx.session.check_client_capability(types.ClientCapabilities(sampling=types.SamplingCapability())):
        raise MCPError(MISSING_CAPABILITY, "This needs sampling.", {"requiredCapabilities": {"sampling": {}}})
    return said("The client can sample.")


@tool("test_trigger_tool_change")
async def trigger_tool_change(ctx: Any, params: Any) -> Answer:
    """Say that the list of tools changed."""
    await BUS.publish(ToolsListChanged())
    return said("Said.")


@tool("test_trigger_prompt_change")
async def trigger_prompt_change(ctx: Any, params: Any) -> Answer:
    """Say that the list of prompts changed."""
    await BUS.publish(PromptsListChanged())
    return said("Said.")


@tool("test_sampling")
async def samples(ctx: Any, params: Any) -> Answer:
    """Ask the client's model, over the session."""
    message = types.SamplingMessage(role="user", content=types.TextContent(text=params.arguments["prompt"]))
    answer = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_id)
    return said(f"LLM response: {answer.content.text}")


async def elicited(ctx: Any, message: str, schema: Answer) -> Any:
    """Ask the person, over the session."""
    return await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)


@tool("test_elicitation")
async def elicits(ctx: Any, params: Any) -> Answer:
    """Ask for a name and an address."""
    schema = {"type": "object", "properties": {"username": WORD, "email": WORD}, "required": ["username", "email"]}
    answer = await elicited(ctx, params.arguments["message"], schema)
    return said(f"User response: action={answer.action}, content={json.dumps(answer.content)}")


@tool("test_elicitation_sep1034_defaults")
async def elicits_defaults(ctx: Any, params: Any) -> Answer:
    """Ask with a default of each kind."""
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    answer = await elicited(ctx, "Please fill this in", {"type": "object", "properties": properties})
    return said(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


@tool("test_elicitation_sep1330_enums")
async def elicits_choices(ctx: Any, params: Any) -> Answer:
    """Ask for a choice of each kind."""
    plain = ["option1", "option2", "option3"]
    titled = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
    names = {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}
    properties = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", **names},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    answer = await elicited(ctx, "Please choose", {"type": "object", "properties": properties})
    return said(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


@tool("test_streaming_elicitation")
@tool("test_input_required_result_elicitation")
async def wants_name(ctx: Any, params: Any) -> Answer:
    """Ask for a name, and greet."""
    name = form_given(params, "user_name", "name")
    return said(f"Hello, {name}!") if name else wanted({"user_name": form("What is your name?", name=WORD)})


@tool("test_input_required_result_sampling")
async def wants_sampling(ctx: Any, params: Any) -> Answer:
    """Ask the client's model."""
    answer = given(params, "capital_question")
    if answer is None:
        return wanted({"capital_question": sampling("What is the capital of France?")})
    return said(json.dumps(answer["content"]))


@tool("test_input_required_result_list_roots")
async def wants_roots(ctx: Any, params: Any) -> Answer:
    """Ask for the client's folders."""
    answer = given(params, "client_roots")
    return wanted({"client_roots": ROOTS}) if answer is None else said(json.dumps(answer["roots"]))


@tool("test_input_required_result_request_state")
async def wants_state(ctx: Any, params: Any) -> Answer:
    """Ask for a yes, and for its own state back."""
    if given(params, "confirm") is None or params.request_state != "first":
        return wanted({"confirm": form("Please confirm", ok={"type": "boolean"})}, "first")
    return said("state-ok")


TOOLS["test_input_required_result_tampered_state"] = wants_state


@tool("test_input_required_result_multiple_inputs")
async def wants_several(ctx: Any, params: Any) -> Answer:
    """Ask for three things at once."""
    asked = {
        "user_name": form("What is your name?", name=WORD),
        "greeting": sampling("Generate a greeting", 50),
        "client_roots": ROOTS,
    }
    if params.request_state is None or any(given(params, name) is None for name in asked):
        return wanted(asked, "several")
    return said("All there.")


@tool("test_input_required_result_multi_round")
async def wants_in_turn(ctx: Any, params: Any) -> Answer:
    """Ask for one thing after another."""
    if params.request_state is None or (given(params, "step1") is None and params.request_state == "step1"):
        return wanted({"step1": form("Step 1: What is your name?", name=WORD)}, "step1")
    if given(params, "step2") is None:
        return wanted({"step2": form("Step 2: What is your favorite color?", color=WORD)}, "step2")
    return said("Both there.")


@tool("test_input_required_result_capabilities")
async def wants_what_is_offered(ctx: Any, params: Any) -> Answer:
    """Ask only for what the client said that it can do."""
    can = ctx.session.client_capabilities or types.ClientCapabilities()
    asked = {}
    if can.sampling is not None:
        asked["capital_question"] = sampling("What is the capital of France?")
    if can.elicitation is not None:
        asked["user_name"] = form("What is your name?", name=WORD)
    return wanted(asked) if asked and not params.input_responses else said("Enough.")


_ARGUMENTS = {"test_sampling": "prompt", "test_elicitation": "message"}


def told_tool(name: str) -> Answer:
    """A tool as it is listed."""
    words = {_ARGUMENTS[name]: WORD} if name in _ARGUMENTS else {}
    schema = {"type": "object", "properties": words, "required": list(words)}
    return {"name": name, "description": f"{name}, for the suite", "inputSchema": schema}


@whole
async def list_tools(ctx: Any, params: Any) -> Answer:
    """The tools."""
    return {"tools": [told_tool(name) for name in sorted(TOOLS)]}


@whole
async def call_tool(ctx: Any, params: Any) -> Answer:
    """Call a tool."""
    if params.name not in TOOLS:
        raise MCPError(types.INVALID_PARAMS, "There is no such tool.")
    return await TOOLS[params.name](ctx, params)


RESOURCES = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched."},
}


@whole
async def list_resources(ctx: Any, params: Any) -> Answer:
    """The resources."""
    told = [
        {"uri": uri, "name": uri.removeprefix("test://"), "description": uri, "mimeType": found["mimeType"]}
        for uri, found in RESOURCES.items()
    ]
    return {"resources": told}


@whole
async def list_templates(ctx: Any, params: Any) -> Answer:
    """The templates of resources."""
    return {
        "resourceTemplates": [
            {"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}
        ]
    }


@whole
async def read_resource(ctx: Any, params: Any) -> Answer:
    """Read a resource."""
    uri = str(params.uri)
    found: Answer | None = RESOURCES.get(uri)
    if uri.startswith("test://template/") and uri.endswith("/data"):
        key = uri.removeprefix("test://template/").removesuffix("/data")
        content = json.dumps({"id": key, "templateTest": True, "data": f"Data for ID: {key}"})
        found = {"mimeType": "application/json", "text": content}
    if found is None:
        raise MCPError(types.INVALID_PARAMS, "There is no such resource.", {"uri": uri})
    return {"contents": [{"uri": uri, **found}]}


async def accepted(ctx: Any, params: Any) -> Answer:
    """Take notice."""
    return {}


PROMPTS: dict[str, list[str]] = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


@whole
async def list_prompts(ctx: Any, params: Any) -> Answer:
    """The prompts."""
    told = [
        {
            "name": name,
            "description": f"{name}, for the suite",
            "arguments": [{"name": one, "description": one, "required": True} for one in arguments],
        }
        for name, arguments in PROMPTS.items()
    ]
    return {"prompts": told}


@whole
async def get_prompt(ctx: Any, params: Any) -> Answer:
    """A prompt."""
    words = params.arguments or {}
    if params.name == "test_simple_prompt":
        blocks = [text("This is a simple prompt for testing.")]
    elif params.name == "test_prompt_with_arguments":
        blocks = [text(f"Prompt with arguments: arg1='{words['arg1']}', arg2='{words['arg2']}'")]
    elif params.name == "test_prompt_with_embedded_resource":
        blocks = [
            embedded(words["resourceUri"], "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ]
    elif params.name == "test_prompt_with_image":
        blocks = [image(), text("Please analyze the image above.")]
    elif params.name == "test_input_required_result_prompt":
        context = form_given(params, "user_context", "context")
        if not context:
            return wanted({"user_context": form("What context should the prompt use?", context=WORD)})
        blocks = [text(f"Use this context: {context}")]
    else:
        raise MCPError(types.INVALID_PARAMS, "There is no such prompt.")
    return {"messages": [{"role": "user", "content": block} for block in blocks]}


@whole
async def complete(ctx: Any, params: Any) -> Answer:
    """Suggest words."""
    words = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
    return {"completion": {"values": words, "total": len(words), "hasMore": False}}


_CACHED: tuple[Any, ...] = (
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "server/discover",
)

SERVER: Server[Any] = Server(
    NAME,
    version="1",
    cache_hints={method: CacheHint(60_000, "private") for method in _CACHED},
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_list_resource_templates=list_templates,
    on_read_resource=read_resource,
    on_subscribe_resource=accepted,
    on_unsubscribe_resource=accepted,
    on_subscriptions_listen=ListenHandler(BUS),
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
    on_completion=complete,
    on_set_logging_level=accepted,
)
SERVER.middleware.append(
    RequestStateBoundary(RequestStateSecurity(keys=[b"for the conformance suite, no secret"]), default_audience=NAME)
)

SESSIONS = StreamableHTTPSessionManager(SERVER)


async def endpoint(request: Any, message: Any, scope: Any, receive: Any, send: Any) -> None:
    """Answer as the product does, the older protocol with sessions."""
    version = request.headers.get("MCP-Protocol-Version")
    if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
        await SESSIONS.handle_request(scope, receive, send)
    else:
        await serve(SERVER, request, scope, receive, send)


async def with_sessions(scope: Any, receive: Any, send: Any) -> None:
    """Keep the sessions as long as the server lives; the rest is Django's."""
    if scope["type"] != "lifespan":
        await django_application(scope, receive, send)
        return
    await receive()
    async with SESSIONS.run():
        await send({"type": "lifespan.startup.complete"})
        await receive()
    await send({"type": "lifespan.shutdown.complete"})


application = Mounted(with_sessions, "/mcp", endpoint, methods=("POST", "GET", "DELETE"))
