"""What a person is asked before a command runs: exactly what will run, in their language."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from read_targets.agent.contract import Refused
from read_targets.agent.labels import text_of
from read_targets.policies import Actor

from .bindings import bound_on_channels
from .commands import read_parameters
from .context import CommandContext
from .live.models import CommandRun, PageSession
from .models import declared_command
from .objects import find_object
from .words import filled, spelled_out, worded


@dataclass(frozen=True)
class Words:
    """What the person is asked, in the active language; what strangers named is in quotation marks.

    `details` are what the command takes besides its object, each with its label: the objects on channels, and every
    parameter, from its first letter to its last.
    """

    title: str
    message: str
    button: str
    command: str
    object_name: str
    details: list[tuple[str, str]]


def waiting_runs(session: PageSession) -> list[CommandRun]:
    """Return what waits for the person in this tab and may still run, oldest first."""
    runs = session.runs.filter(
        state=CommandRun.State.WAITING,
        expires_at__gt=timezone.now(),
        page_version=session.version,
        command__isnull=False,
    )
    return list(runs.select_related("card", "command__page", "user", "token").order_by("asked_at"))


def words_of(run: CommandRun) -> Words | None:
    """Return what the person is asked; None where the run's command or object is not theirs (any more)."""
    actor = Actor(run.user, run.token)
    if run.command is None:
        return None
    command = declared_command(run.command.pk)
    obj = find_object(actor, command.input_type, run.object_id) if run.object_id else None
    if run.object_id and obj is None:
        return None
    try:
        parameters = read_parameters(command, run.parameters)
    except Refused:
        return None
    return asked_words(CommandContext(actor, command, run.session, obj, parameters))


def asked_words(context: CommandContext) -> Words:
    """Return what a person is asked before the command runs on its object."""
    command, obj, parameters = context.command, context.object, context.parameters
    label = text_of(command.label, command.name)

    def said(texts: dict[str, str], fallback: str) -> str:
        return filled(texts, fallback, context.actor, obj, parameters)

    return Words(
        title=said(command.confirmation_title, _("Run “%(command)s”?") % {"command": label}),
        message=said(command.confirmation_message, ""),
        button=said(command.confirmation_button, _("Run")),
        command=label,
        object_name="" if obj is None else worded(obj),
        details=[
            *((text_of(channel.label, channel.name), worded(held)) for channel, held in bound_on_channels(context)),
            *(
                (text_of(one.label, one.name), spelled_out(parameters[one.name]))
                for one in command.parameters.all()
                if one.name in parameters
            ),
        ],
    )
