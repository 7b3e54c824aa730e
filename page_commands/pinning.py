"""What an agreement stands for: digests of the command as it is declared, and of all that the person was shown.

They are taken when a person is asked and compared when they agree. Whatever differs is not what they agreed to.
"""

from __future__ import annotations

import hashlib

from django.db.models import Model

from .bindings import bound_on_channels
from .context import CommandContext
from .models import AgentCommand
from .objects import version_of
from .questions import Words


def command_version(command: AgentCommand) -> str:
    """Return a digest that differs as soon as anything that is declared of the command does."""
    rows: list[Model] = [command, *command.parameters.all(), *command.rules.all()]
    for step in command.steps.all():
        rows += [step, *step.bindings.all()]
    return _digest([version_of(row) for row in rows])


def object_version(context: CommandContext, words: Words) -> str:
    """Return a digest that differs as soon as an object that the command works on does, or a word of the question."""
    objects = [context.object, *(held for _channel, held in bound_on_channels(context))]
    return _digest([*(version_of(one) for one in objects if one is not None), repr(words)])


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
