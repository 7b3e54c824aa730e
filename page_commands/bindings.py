"""Where the arguments of a step come from: object, parameter, channel, earlier step or constant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .context import CommandContext
from .declaration.kinds import read_constant
from .models import Channel, CommandStep, StepBinding
from .objects import WITHHELD, find_object, value_at

Source = StepBinding.Source


class Unbound(LookupError):
    """A binding leads to nothing that may be used; a sound declaration has none."""


def bound(step: CommandStep, context: CommandContext) -> dict[str, Any]:
    """Return the step's arguments by name: model objects and plain values; what is not set is left out.

    An object on a channel is read anew under the person's rights. Raises Unbound, or Refused for an object on a channel
    that the person may not read any more.
    """
    values = {binding.argument: value_of(binding, context) for binding in step.bindings.all()}
    return {name: value for name, value in values.items() if value is not None}


def value_of(binding: StepBinding, context: CommandContext) -> Any:
    """Return what a binding leads to, None where that is not set; raises Unbound."""
    if binding.source == Source.CONSTANT:
        return binding.value
    if binding.source == Source.PARAMETER:
        return context.parameters.get(binding.value)
    if binding.source == Source.INPUT:
        return _of_input(binding, context)
    if binding.source == Source.CHANNEL:
        return on_channel(context, binding.value)
    return _of_step(binding, context)


def on_channel(context: CommandContext, name: str) -> Any:
    """Return the object on a channel of the page, None where it is empty or not the person's to read (any more)."""
    session = context.session
    key = session.channels.get(name) if session is not None else None
    channel = next((one for one in context.command.page.channels.all() if one.name == name), None)
    if key is None or channel is None:
        return None
    return find_object(context.actor, channel.type, key)


def bound_on_channels(context: CommandContext) -> list[tuple[Channel, Any]]:
    """Return the channels that the command's steps take objects from, with what they hold for the person to read."""
    names = {
        binding.value
        for step in context.command.steps.all()
        for binding in step.bindings.all()
        if binding.source == Source.CHANNEL
    }
    channels = [one for one in context.command.page.channels.all() if one.name in names]
    return [(channel, on_channel(context, channel.name)) for channel in channels]


def typed(value: Any, annotation: Any) -> Any:
    """Return a constant, which is stored as text, as the type that a handler asks for; raises Unreadable."""
    return read_constant(value, annotation) if isinstance(value, str) else value


def _of_input(binding: StepBinding, context: CommandContext) -> Any:
    if context.object is None or not binding.value:
        return context.object
    value = value_at(context.actor, context.object, binding.value)
    if value is WITHHELD:
        raise Unbound(binding.value)
    return value


def _of_step(binding: StepBinding, context: CommandContext) -> Any:
    number, _dot, part = binding.value.partition(".")
    try:
        result = context.results[int(number) - 1]
    except (ValueError, IndexError):
        raise Unbound(binding.value) from None
    if not part:
        return result
    return result.get(part) if isinstance(result, Mapping) else getattr(result, part, None)
