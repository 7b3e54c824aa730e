"""Rights on commands: *may X run this one*, and *which ones*, by the one rule of `read_targets.policies`."""

from __future__ import annotations

from django.db.models import QuerySet

from read_targets.policies import Actor, open_doors, permits, permitted

from .models import AgentCommand

RUN = "page_commands.run_agentcommand"
GRANT = "page_commands.grant_agentcommand"
TRY = "page_commands.try_as_person"


def may_run(actor: Actor, command: AgentCommand) -> bool:
    """Whether the person holds the right to run the command; whether it is enabled is another question."""
    return permits(actor, RUN, command)


def runnable(actor: Actor, commands: QuerySet[AgentCommand]) -> QuerySet[AgentCommand]:
    """Return those of `commands` that the person holds the right to run."""
    return permitted(actor, RUN, commands)


def runs_any(actor: Actor) -> bool:
    """Whether the person holds the right to run any command at all; without it an agent has no tools of pages."""
    return RUN in open_doors(actor.user, [RUN])
