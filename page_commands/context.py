"""What a command's code is told of the run that calls it, and how it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.db.models import Model

    from read_targets.policies import Actor

    from .models import AgentCommand, PageSession


class CommandRefused(Exception):
    """A handler's refusal: nothing of the command is done, and the person or agent is told `reason`.

    `reason` is a text in the person's language: code runs with that language active.
    """

    def __init__(self, reason: Any) -> None:
        super().__init__(str(reason))
        self.reason = str(reason)


@dataclass(frozen=True)
class CommandContext:
    """One run: who runs what on which page, with the object and the parameters as they were read.

    `object` is read by the server under the person's rights, and locked while steps run. `results` are what the steps
    before this one returned, in their order.
    """

    actor: Actor
    command: AgentCommand
    session: PageSession | None
    object: Model | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    results: tuple[Any, ...] = ()

    @property
    def user(self) -> Any:
        """The person in whose name the command runs."""
        return self.actor.user
