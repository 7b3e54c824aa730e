"""The rules for bindings: where an argument comes from must be there, and what it brings must fit the argument."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from read_targets.agent import declared

from ..models import CommandParameter, CommandStep, StepBinding
from ..objects import model_of
from .declared import Declared
from .kinds import OF_PARAMETER, Brought, brought_by, paths_of
from .mutation_rules import found_mutation, parts_of
from .problem import listed, there_are

Source = StepBinding.Source
Kind = CommandStep.Kind

OF_STEP = re.compile(r"(\d{1,4})(?:\.([A-Za-z_]\w*))?")
"""An earlier step by its number, counted from 1, and a part of what it returned."""

RETURNING = (Kind.HANDLER, Kind.MUTATION)
"""Kinds of steps that return something for later ones."""

Fault = tuple[str, str]
"""What is wrong, and what would fit."""


@dataclass(frozen=True)
class Found:
    """Where one binding leads: what it brings, or the fault that keeps it from bringing anything."""

    binding: StepBinding
    brought: Brought
    fault: Fault | None = None


def followed(whole: Declared, number: int, bindings: Iterable[StepBinding]) -> list[Found]:
    """Return where each binding of step `number` (counted from 0) leads."""
    return [_followed(whole, number, binding) for binding in bindings]


def offered(whole: Declared, number: int) -> Iterator[tuple[str, Brought]]:
    """Return every whole thing that step `number` may bind, as a binding is written, with what it brings."""
    if whole.model is not None:
        yield "input", Brought(whole.model)
        for path in paths_of(whole.model, 0):
            yield f"input {path}", brought_by(whole.model, path) or Brought()
    for name, parameter in whole.by_parameter.items():
        yield f"parameter {name}", _of_parameter(parameter)
    for channel in whole.channels:
        yield f"channel {channel.name}", Brought(model_of(channel.type))
    for position, (step, _bindings) in enumerate(whole.steps[:number], 1):
        if step.kind in RETURNING:
            yield f"step {position}", Brought()


def _followed(whole: Declared, number: int, binding: StepBinding) -> Found:
    follow = _FOLLOW.get(binding.source)
    if follow is None:
        fault = _("“%(name)s” is no source.") % {"name": binding.source}, there_are(Source.values, binding.source)
        return Found(binding, Brought(), fault)
    found = follow(whole, number, binding.value)
    return Found(binding, found) if isinstance(found, Brought) else Found(binding, Brought(), found)


def _input(whole: Declared, number: int, value: str) -> Brought | Fault:
    command = whole.command
    if not command.input_type:
        return _("The command takes no object."), _("Choose the type of its object above, or bind something else.")
    if whole.model is None:
        return Brought()
    found = brought_by(whole.model, value)
    if found is None:
        message = _("%(model)s has no field “%(name)s”.") % {"model": command.input_type, "name": value}
        return message, _("It has %(names)s.") % {"names": listed(paths_of(whole.model), value)}
    return found


def _parameter(whole: Declared, number: int, value: str) -> Brought | Fault:
    parameter = whole.by_parameter.get(value)
    if parameter is None:
        return _("The command has no parameter “%(name)s”.") % {"name": value}, there_are(whole.by_parameter, value)
    return _of_parameter(parameter)


def _of_parameter(parameter: CommandParameter) -> Brought:
    values = tuple(parameter.value_list) if parameter.kind == declared.Kind.ENUM else ()
    return Brought(plain=OF_PARAMETER.get(parameter.kind), values=values, may_be_unset=not parameter.required)


def _channel(whole: Declared, number: int, value: str) -> Brought | Fault:
    channel = whole.channel(value)
    if channel is None:
        names = [one.name for one in whole.channels]
        return _("The page has no channel “%(name)s”.") % {"name": value}, there_are(names, value)
    return Brought(model_of(channel.type))


def _step(whole: Declared, number: int, value: str) -> Brought | Fault:
    earlier = [position for position, (step, _b) in enumerate(whole.steps[:number], 1) if step.kind in RETURNING]
    returning = listed(str(position) for position in earlier)
    hint = _("No step before this one returns anything: only handlers and mutations do.")
    if earlier:
        hint = _("Of the steps before this one these return something: %(names)s.") % {"names": returning}
    match = OF_STEP.fullmatch(value)
    if match is None:
        return _("“%(name)s” names no step.") % {"name": value}, _("Write its number, or 1.name for a part of it.")
    position = int(match[1])
    if position not in earlier:
        return _("Step %(number)d is none before this one that returns something.") % {"number": position}, hint
    step, _b = whole.steps[position - 1]
    mutation = found_mutation(step.target) if step.kind == Kind.MUTATION else None
    if match[2] and mutation is not None and match[2] not in parts_of(mutation):
        said = {"name": step.target, "part": match[2]}
        return _("%(name)s answers no “%(part)s”.") % said, there_are(parts_of(mutation), match[2])
    return Brought()


def _constant(whole: Declared, number: int, value: str) -> Brought | Fault:
    if not value:
        return _("The fixed value is empty."), _("Write one, or leave the argument out.")
    return Brought(plain=str, values=(value,), is_constant=True)


_FOLLOW: dict[str, Callable[[Declared, int, str], Brought | Fault]] = {
    Source.INPUT: _input,
    Source.PARAMETER: _parameter,
    Source.CHANNEL: _channel,
    Source.STEP: _step,
    Source.CONSTANT: _constant,
}
