"""The commands that a page offers a person: enabled, sound, and theirs to run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from read_targets.agent import Argument, Unreadable
from read_targets.agent.labels import text_of
from read_targets.agent.log import quoted
from read_targets.agent.schemas import argument_schema
from read_targets.policies import Actor

from .declaration.soundness import is_sound
from .models import AgentCommand, CommandParameter, Page, declared_commands
from .policies import runnable
from .refusals import parameters_unreadable, unlisted_command

MOST_TOLD = 20
"""Unknown parameters that a refusal names one by one."""


def commands_of(actor: Actor, page: Page) -> list[AgentCommand]:
    """Return the commands that the page offers the person, in order, with all that is declared of them."""
    if not page.enabled:
        return []
    return [one for one in runnable(actor, declared_commands().filter(page=page, enabled=True)) if is_sound(one)]


def access_command(actor: Actor, page: Page, name: str) -> AgentCommand:
    """Return the command of that name, with or without the page's application before it (`full_name`).

    Raises Refused alike for one that is not there and one that is not theirs.
    """
    found = None
    name = name.removeprefix(f"{page.key.partition('.')[0]}.")
    if page.enabled and "\0" not in name:
        found = runnable(actor, declared_commands().filter(page=page, enabled=True, name=name)).first()
    if found is None or not is_sound(found):
        raise unlisted_command()
    return found


def arguments_of(command: AgentCommand) -> tuple[Argument, ...]:
    """Return the command's parameters as arguments are read."""
    return tuple(argument_of(parameter) for parameter in command.parameters.all())


def argument_of(parameter: CommandParameter) -> Argument:
    """Return one parameter as it is read."""
    return Argument(
        parameter.name,
        parameter.kind,
        parameter.description,
        tuple(parameter.value_list),
        parameter.minimum,
        parameter.maximum,
        parameter.pattern,
        required=parameter.required,
    )


def read_parameters(command: AgentCommand, given: Any) -> dict[str, Any]:
    """Return the parameters that are set, as values of their kinds; raises Refused naming all that do not fit.

    `given` is a mapping, or the JSON text of one.
    """
    arguments = {argument.name: argument for argument in arguments_of(command)}
    passed = _mapping(given)
    values: dict[str, Any] = {}
    wrong: dict[str, dict[str, Any]] = {}
    unknown = [name for name in passed if name not in arguments]
    for name in unknown[:MOST_TOLD]:
        wrong[quoted(name)] = {"code": "argument_unknown", "values": list(arguments)}
    for name, argument in arguments.items():
        try:
            value = argument.read(passed.get(name))
        except Unreadable as unreadable:
            wrong[name] = unreadable.facts
        else:
            if value is not None:
                values[name] = value
            elif argument.required:
                wrong[name] = {"code": "required", "type": argument.kind}
    if wrong:
        raise parameters_unreadable(wrong)
    return values


def told(command: AgentCommand) -> dict[str, Any]:
    """Return a command as `pageCommands` tells it."""
    said: dict[str, Any] = {
        "name": command.full_name,
        "label": text_of(command.label, command.name),
        "description": command.description,
        "takesObject": command.takes_from_agent,
    }
    if command.takes_from_agent:
        said |= {"inputType": command.input_type, "inputDescription": command.input_description}
    if command.input_channel:
        said["inputChannel"] = command.input_channel
    parameters = list(command.parameters.all())
    if parameters:
        said["parameters"] = {
            "type": "object",
            "properties": {parameter.name: argument_schema(argument_of(parameter)) for parameter in parameters},
            "required": [parameter.name for parameter in parameters if parameter.required],
        }
    if command.confirmation != AgentCommand.Confirmation.NEVER:
        said["confirmation"] = command.confirmation
    return said


def _mapping(given: Any) -> Mapping[str, Any]:
    if given is None or given == "":
        return {}
    if isinstance(given, str):
        try:
            # Exactly, as a body is read: a float would drop digits.
            given = json.loads(given, parse_float=Decimal)
        except (ValueError, RecursionError):
            given = None
    if not isinstance(given, Mapping):
        wrong = {"code": "not_an_object", "type": "string", "format": "JSON object"}
        raise parameters_unreadable({"parameters": wrong})
    return given
