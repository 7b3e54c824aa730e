"""A tool in the form that each vendor's API takes in its list of tools, and what each vendor refuses.

The forms differ in their wrapping and in what their schemas may hold; what is called and with what stays the same. So
an answer to any of them is sent to `POST /agent/tools/{name}` as it came: a null is *not set*, a whole number may come
as `5.0`. The subsets are those that the vendors publish for function calling, within what we keep to ourselves
(design, section 9).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .registry import Tool
from .schemas import described, parameters_schema

LONGEST_NAME = 48
"""Characters of a tool's name: some hosts take 60 for server and tool together."""

MOST_TOOLS = 128
"""Tools in one request to OpenAI."""

MOST_ENUM_VALUES = 1_000
"""Values of all enums of a strict schema together."""

MANY_VALUES, LONGEST_VALUES = 250, 15_000
"""In a strict schema an enum of more values than the first has at most the second in characters, all together."""

LONGEST_SCHEMA = 120_000
"""Characters of all names and enum values of a strict schema together."""

MOST_PROPERTIES, MOST_DEPTH = 5_000, 10
"""Properties of a strict schema, and objects within each other."""


def openai(tool: Tool) -> dict[str, Any]:
    """Return a function of OpenAI's Chat Completions."""
    return {"type": "function", "function": _function(tool)}


def openai_strict(tool: Tool) -> dict[str, Any]:
    """Return a function of OpenAI's Chat Completions whose arguments are held to the schema."""
    return {"type": "function", "function": _strict_function(tool)}


def openai_responses(tool: Tool) -> dict[str, Any]:
    """Return a function of OpenAI's Responses; there it is strict unless it says that it is not."""
    return {"type": "function", **_function(tool), "strict": False}


def openai_responses_strict(tool: Tool) -> dict[str, Any]:
    """Return a function of OpenAI's Responses whose arguments are held to the schema."""
    return {"type": "function", **_strict_function(tool)}


def anthropic(tool: Tool) -> dict[str, Any]:
    """Return a tool of Anthropic's Messages."""
    return {"name": tool.name, "description": tool.description, "input_schema": parameters_schema(tool)}


def gemini(tool: Tool) -> dict[str, Any]:
    """Return one of Gemini's function declarations; one without arguments has no parameters at all."""
    declaration: dict[str, Any] = {"name": tool.name, "description": tool.description}
    schema = parameters_schema(tool)
    if schema["properties"]:
        declaration["parameters"] = {name: value for name, value in schema.items() if name != "additionalProperties"}
    return declaration


FORMATS: dict[str, Callable[[Tool], dict[str, Any]]] = {
    "native": described,
    "openai": openai,
    "openai-strict": openai_strict,
    "openai-responses": openai_responses,
    "openai-responses-strict": openai_responses_strict,
    "anthropic": anthropic,
    "gemini": gemini,
}
"""How a tool is told in each format that the list of tools is asked for in."""


def tools_in(form: str, tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Return the tools as the value of `tools` in a request to that vendor."""
    told = [FORMATS[form](tool) for tool in tools]
    return [{"functionDeclarations": told}] if form == "gemini" and told else told


def _function(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": parameters_schema(tool)}


def _strict_function(tool: Tool) -> dict[str, Any]:
    function = _function(tool)
    schema = function["parameters"]
    properties = dict(schema["properties"])
    for name in _too_many_values(properties):
        values = properties[name].pop("enum")
        said = f"one of {len(values)} values; another is refused with those that fit"
        properties[name]["description"] = "; ".join(filter(None, [properties[name].get("description"), said]))
    for name in properties.keys() - set(schema.get("required", ())):
        properties[name] = _nullable(properties[name])
    parameters = {**schema, "properties": properties, "required": list(properties)}
    return {**function, "strict": True, "parameters": parameters}


def _nullable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that need not be set; the null stands in the enum too, or it could not be chosen."""
    nullable = {**schema, "type": [schema["type"], "null"]}
    if "enum" in schema:
        nullable["enum"] = [*schema["enum"], None]
    return nullable


def _too_many_values(properties: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the arguments whose values a strict schema has no room to name: the longest of them, until it fits."""
    enums = {name: [*map(str, (*one["enum"], None))] for name, one in properties.items() if "enum" in one}
    lengths = {name: sum(map(len, values)) for name, values in enums.items()}
    over = [name for name in enums if len(enums[name]) > MANY_VALUES and lengths[name] > LONGEST_VALUES]
    left = sorted(enums.keys() - set(over), key=lambda name: (lengths[name], name))
    room = LONGEST_SCHEMA - sum(map(len, properties))
    while sum(len(enums[name]) for name in left) > MOST_ENUM_VALUES or sum(lengths[name] for name in left) > room:
        over.append(left.pop())
    return over


@dataclass(frozen=True)
class Subset:
    """What a vendor takes of a tool: the names of tools and arguments, the keywords of a schema, and more."""

    keywords: frozenset[str]
    tool_name: re.Pattern[str] = re.compile(r"[A-Za-z0-9_-]{1,64}")
    argument_name: re.Pattern[str] = re.compile(r"[^\0]{1,64}")
    longest_description: int | None = None
    needs_properties: bool = False
    is_strict: bool = False


_KEPT_TO = frozenset({"type", "description", "enum", "minimum", "maximum", "properties", "required", "items"})
"""The keywords of a schema that all vendors take, and that we keep to."""

_CLOSED = _KEPT_TO | {"additionalProperties"}

SUBSETS: dict[str, Subset] = {
    "native": Subset(_CLOSED),
    "openai": Subset(_CLOSED, longest_description=1_024),
    "openai-strict": Subset(_CLOSED, longest_description=1_024, is_strict=True),
    "openai-responses": Subset(_CLOSED, longest_description=1_024),
    "openai-responses-strict": Subset(_CLOSED, longest_description=1_024, is_strict=True),
    "anthropic": Subset(_CLOSED, argument_name=re.compile(r"[A-Za-z0-9_.-]{1,64}")),
    "gemini": Subset(
        _KEPT_TO,
        tool_name=re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}"),
        argument_name=re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}"),
        needs_properties=True,
    ),
}
"""What each vendor takes, within what we keep to."""

_SHAPES = {
    "native": ("name", "title", "description", "shortDescription", "toolClass", "tags", "parameters"),
    "openai": ("name", "description", "parameters"),
    "openai-strict": ("name", "description", "strict", "parameters"),
    "openai-responses": ("type", "name", "description", "strict", "parameters"),
    "openai-responses-strict": ("type", "name", "description", "strict", "parameters"),
    "anthropic": ("name", "description", "input_schema"),
    "gemini": ("name", "description", "parameters"),
}
_SCALARS = ("string", "number", "integer", "boolean")


def problems_in(form: str, told: Mapping[str, Any]) -> list[str]:
    """Return what the vendor of that format would refuse in a tool as `FORMATS[form]` tells it; empty where nothing."""
    subset = SUBSETS[form]
    tool = told["function"] if form in ("openai", "openai-strict") else told
    found = [f"{key} is not taken" for key in tool if key not in _SHAPES[form]]
    if form.startswith("openai") and told.get("type") != "function":
        found.append("type is not function")
    if bool(tool.get("strict")) != subset.is_strict:
        found.append("strict does not say how the tool is meant")
    name = tool["name"]
    if not subset.tool_name.fullmatch(name) or len(name) > LONGEST_NAME:
        found.append(f"the name {name!r} is not taken")
    if not tool["description"].strip():
        found.append("the description is empty")
    if subset.longest_description and len(tool["description"]) > subset.longest_description:
        found.append(f"the description has over {subset.longest_description} characters")
    schema = tool.get("input_schema" if form == "anthropic" else "parameters")
    if schema is None:
        return found if subset.needs_properties else [*found, "the parameters are missing"]
    if schema.get("type") != "object":
        found.append("parameters: the type is not object")
    found += _in_schema(subset, schema, "parameters")
    return [*found, *_over_limits(schema)] if subset.is_strict else found


def problems_in_list(form: str, tools: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the vendor would refuse in the list as a whole, and in each of its tools."""
    if form == "gemini":
        tools = [one for group in tools for one in group["functionDeclarations"]]
    names = [told.get("function", told)["name"] for told in tools]
    found = [f"{name} is there twice" for name in sorted({name for name in names if names.count(name) > 1})]
    if form.startswith("openai") and len(tools) > MOST_TOOLS:
        found.append(f"there are over {MOST_TOOLS} tools: ask for a toolset")
    return found + [
        f"{name}: {problem}" for name, told in zip(names, tools, strict=True) for problem in problems_in(form, told)
    ]


def _in_schema(subset: Subset, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    for keyword in schema.keys() - subset.keywords:
        yield f"{where}: {keyword} is not taken"
    given = schema.get("type")
    types = given if isinstance(given, list) else [given]
    if isinstance(given, list) and not (subset.is_strict and len(given) == 2 and given[1] == "null"):
        yield f"{where}: more than one type"
    kind = types[0]
    if kind == "object":
        yield from _in_object(subset, schema, where)
    elif kind == "array":
        if "items" not in schema:
            yield f"{where}: an array without items"
        else:
            yield from _in_schema(subset, schema["items"], f"{where}[]")
    elif kind not in _SCALARS:
        yield f"{where}: the type {kind!r} is not taken"
    if "enum" in schema:
        yield from _in_enum(schema["enum"], kind, "null" in types, where)
    if {"minimum", "maximum"} & schema.keys() and kind not in ("number", "integer"):
        yield f"{where}: limits of what is no number"


def _in_object(subset: Subset, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    properties, required = schema.get("properties"), schema.get("required", [])
    if properties is None or (subset.needs_properties and not properties):
        yield f"{where}: an object without properties"
        return
    if not set(required) <= properties.keys() or len(set(required)) != len(required):
        yield f"{where}: required names what is not there, or twice"
    if subset.is_strict and (properties.keys() - set(required) or schema.get("additionalProperties") is not False):
        yield f"{where}: not every property is required, or others are not shut out"
    for name, one in properties.items():
        if not subset.argument_name.fullmatch(name):
            yield f"{where}: the name {name!r} is not taken"
        yield from _in_schema(subset, one, f"{where}.{name}")


def _in_enum(values: Sequence[Any], kind: Any, is_nullable: bool, where: str) -> Iterator[str]:
    texts = [value for value in values if isinstance(value, str) and value]
    nulls = [value for value in values if value is None]
    if kind != "string" or len(texts) + len(nulls) != len(values) or len(nulls) != int(is_nullable):
        yield f"{where}: an enum of other values than texts, and the null where it need not be set"
    if not texts or len(set(texts)) != len(texts):
        yield f"{where}: an enum without values, or with one twice"


def _over_limits(schema: Mapping[str, Any]) -> Iterator[str]:
    objects, enums = list(_objects(schema)), list(_enums(schema))
    names = [name for one, _depth in objects for name in one["properties"]]
    values = [str(value) for enum in enums for value in enum]
    if len(names) > MOST_PROPERTIES or any(depth > MOST_DEPTH for _one, depth in objects):
        yield f"parameters: over {MOST_PROPERTIES} properties, or over {MOST_DEPTH} objects within each other"
    if len(values) > MOST_ENUM_VALUES:
        yield f"parameters: over {MOST_ENUM_VALUES} values of enums"
    if any(len(enum) > MANY_VALUES and sum(map(len, map(str, enum))) > LONGEST_VALUES for enum in enums):
        yield f"parameters: an enum of over {MANY_VALUES} values and {LONGEST_VALUES} characters"
    if sum(map(len, [*names, *values])) > LONGEST_SCHEMA:
        yield f"parameters: over {LONGEST_SCHEMA} characters of names and values"


def _objects(schema: Mapping[str, Any], depth: int = 1) -> Iterator[tuple[Mapping[str, Any], int]]:
    if "properties" in schema:
        yield schema, depth
    for one in _children(schema):
        yield from _objects(one, depth + 1)


def _enums(schema: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    if "enum" in schema:
        yield schema["enum"]
    for one in _children(schema):
        yield from _enums(one)


def _children(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
