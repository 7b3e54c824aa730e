"""The JSON schema of a tool's arguments, in the subset that every vendor takes (design, section 9)."""

from __future__ import annotations

from typing import Any

from ..lists import Argument
from ..lists.values import plain_number
from .registry import Tool

_TYPES = {"number": "number", "integer": "integer", "boolean": "boolean"}
_FORMS = {"date": "YYYY-MM-DD"}


def argument_schema(argument: Argument) -> dict[str, Any]:
    """Return one argument as JSON schema: one scalar type, string enums only, no references."""
    form = argument.form or _FORMS.get(argument.kind, "") or (argument.pattern and f"matches {argument.pattern}")
    said = [argument.description, "" if form in argument.description else form]
    schema: dict[str, Any] = {"type": _TYPES.get(argument.kind, "string")}
    if any(said):
        schema["description"] = "; ".join(part for part in said if part)
    if argument.kind == "enum":
        schema["enum"] = list(argument.values)
    if argument.minimum is not None:
        schema["minimum"] = plain_number(argument.minimum)
    if argument.maximum is not None:
        schema["maximum"] = plain_number(argument.maximum)
    return schema


def parameters_schema(tool: Tool) -> dict[str, Any]:
    """Return the schema of all arguments of a tool."""
    properties = {argument.name: argument_schema(argument) for argument in tool.arguments}
    required = [argument.name for argument in tool.arguments if argument.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


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
