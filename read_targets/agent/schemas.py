"""The JSON schema of a tool's arguments, in the subset that every vendor takes (design, section 9).

A list of tools is read by every model in every conversation, so a schema says nothing twice (docs/decisions/0021).
"""

from __future__ import annotations

from typing import Any

from ..lists import Argument
from ..lists.values import plain_number
from .registry import Tool

LONGEST_DESCRIPTION = 1_000
"""Characters of an argument's description; more is cut, since a refusal names what would fit."""

_TYPES = {"number": "number", "integer": "integer", "boolean": "boolean"}
_FORMS = {"date": "YYYY-MM-DD"}


def argument_schema(argument: Argument) -> dict[str, Any]:
    """Return one argument as JSON schema: one scalar type, string enums only, no references."""
    form = argument.form or _FORMS.get(argument.kind, "") or (argument.pattern and f"matches {argument.pattern}")
    said = [argument.description, "" if form in argument.description else form]
    schema = _type_of(argument)
    if any(said):
        schema["description"] = _cut("; ".join(part for part in said if part))
    if argument.kind == "enum" and argument.values:
        schema["enum"] = list(dict.fromkeys(argument.values))
    if argument.kind in ("number", "integer") and argument.tells_limits:
        limits = {"minimum": argument.minimum, "maximum": argument.maximum}
        schema |= {name: plain_number(limit) for name, limit in limits.items() if limit is not None}
    return schema


def _type_of(argument: Argument) -> dict[str, Any]:
    return {"type": _TYPES.get(argument.kind, "string")}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_DESCRIPTION else text[: LONGEST_DESCRIPTION - 1] + "…"


def parameters_schema(tool: Tool) -> dict[str, Any]:
    """Return the schema of all arguments of a tool; where another tool describes them, their types alone."""
    tell = _type_of if tool.arguments_as else argument_schema
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {argument.name: tell(argument) for argument in tool.arguments},
        "additionalProperties": False,
    }
    required = [argument.name for argument in tool.arguments if argument.required]
    return {**schema, "required": required} if required else schema


def described(tool: Tool) -> dict[str, Any]:
    """Return a tool as the list of tools tells it."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "shortDescription": tool.short_description,
        "toolClass": tool.tool_class,
        "tags": list(tool.tags),
        "parameters": parameters_schema(tool),
    }
