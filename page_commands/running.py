"""Running a command: one function for the click on the page's button and for an agent's call (design, section 8).

1. Read: the command, its object and its parameters, all as the person; permissions and rules are asked.
2. Where a person must agree first, the run waits for them (`confirming`).
3. Claim: the page is made busy and the run is written down; both are committed before anything is done.
4. Carry out, in one transaction: page and object are locked, and everything of 1 is asked again; then all steps or
   none. The state is read back, and the answer is kept in the same transaction.
5. What the tab must show is waited for a moment, and the answer says how far it has come.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import Model
from django.utils import timezone

from read_targets.agent import plain, writing
from read_targets.agent.contract import ReadyResult, Refused, ToolResult
from read_targets.agent.kept import keep_answer
from read_targets.agent.refusals import unavailable
from read_targets.agent.tokens import renewed
from read_targets.policies import Actor, shown_fields
from read_targets.preferences import as_person, language_of

from . import answers
from .asking import ask
from .bindings import Unbound, on_channel
from .codes import Code
from .commands import access_command, read_parameters
from .context import CommandContext, CommandRefused
from .live.effects import delivery_of
from .live.models import CommandRun, PageSession
from .live.state import state_of
from .models import AgentCommand
from .objects import access_object, find_object, is_there, lock_object, type_of
from .pinning import command_version, object_version
from .questions import asked_words
from .refusals import (
    input_missing,
    no_page,
    object_unreadable,
    outcome_unknown,
    overtaken,
    refused_by,
    run_failed,
    takes_no_object,
    unlisted_command,
)
from .rules import enforce, must_ask
from .runs import LEASE, TOOL, Request, about_it, about_run, busy_page, locked, settle, write_run
from .steps import OutsideBroke, run_steps

__all__ = ["Request", "answered", "carry_out", "run_command"]

logger = logging.getLogger(__name__)

RECEIPT_SECONDS = 1.5
"""How long an answer waits for the tab to say that it has shown what came of the command."""


def run_command(request: Request) -> ToolResult:
    """Run the command, or let it wait for the person; raises Refused, with the command and the input where known."""
    about: dict[str, Any] = {}
    with as_person(request.actor.user):
        try:
            context = _prepared(request, about)
            if must_ask(context, by_click=request.by_click):
                return ask(context, request, about)
            with busy_page(request.session, request.call_id):
                with writing():
                    # So that a crash is found out, whatever it leaves behind.
                    approved = CommandRun.State.APPROVED
                    run = write_run(
                        context,
                        request,
                        state=approved,
                        lease_until=timezone.now() + LEASE,
                        page_version=request.session.version,
                    )
                outcome = carry_out(run, request.actor)
        except Refused as refused:
            raise about_it(refused, about) from None
        return answered(run, outcome)


def carry_out(run: CommandRun, actor: Actor) -> ReadyResult | Refused:
    """Run the steps of an approved run, all or none, and settle it; return what came of it.

    The page must be busy with this run. Everything that was asked before is asked again, of the locked page and object.
    """
    with writing():
        run, session = locked(run)
        about = about_run(run)
        if run.state != CommandRun.State.APPROVED:
            # Its lease was over before it began, and somebody else has settled it.
            return about_it(overtaken(Code.ALREADY_DECIDED), about)
        outcome: ReadyResult | Refused
        try:
            with transaction.atomic():
                outcome = _stepped(run, session, actor, about)
        except CommandRefused as refusal:
            outcome = refused_by([refusal.reason], language_of(actor.user))
        except Refused as refused:
            outcome = refused
        except Unbound:
            outcome = object_unreadable()
        except OutsideBroke:
            logger.exception("call %s broke after it may have acted outside: %s", run.call, about)
            outcome = outcome_unknown()
        except DatabaseError:
            logger.exception("call %s: the database did not answer: %s", run.call, about)
            outcome = unavailable()
        except Exception:  # whatever breaks in the application's code is ours to answer for, and nothing of it is told
            logger.exception("call %s broke: %s", run.call, about)
            outcome = run_failed()
        if isinstance(outcome, Refused):
            about_it(outcome, about)
            # What the steps did is undone, and so is what they made of this row.
            if session is not None:
                session.refresh_from_db()
        settle(run, session, outcome)
    return outcome


def answered(run: CommandRun, outcome: ReadyResult | Refused) -> ReadyResult:
    """Return the answer of a run, once the tab had a moment to show it; raises Refused where it was not run."""
    if isinstance(outcome, Refused):
        raise outcome
    last_seq = CommandRun.objects.values_list("last_seq", flat=True).get(pk=run.pk)
    if run.by_click or not last_seq or run.session_id is None:
        return outcome
    result = answers.delivered(outcome, delivery_of(run.session_id, last_seq, RECEIPT_SECONDS))
    keep_answer(run.call, result)
    return result


def _prepared(request: Request, about: dict[str, Any]) -> CommandContext:
    _check_version(request, request.session)
    command = access_command(request.actor, request.session.page, request.command_name)
    about["command"] = command.full_name
    obj = _object_of(command, request, about)
    parameters = read_parameters(command, request.parameters)
    context = CommandContext(request.actor, command, request.session, obj, parameters)
    enforce(context)
    return context


def _object_of(command: AgentCommand, request: Request, about: dict[str, Any]) -> Model | None:
    """The object: the one passed, else that of the input channel; read under the person's rights."""
    if request.object_id:
        if not (command.input_type if request.by_click else command.takes_from_agent):
            raise takes_no_object()
        about["input"] = {"type": command.input_type, "id": request.object_id}
        return access_object(request.actor, command.input_type, request.object_id)
    if not command.input_type:
        return None
    channel = command.input_channel
    context = CommandContext(request.actor, command, request.session)
    found: Model | None = on_channel(context, channel) if channel else None
    if found is None:
        raise input_missing(command.takes_from_agent and not request.by_click, channel)
    return found


def _stepped(run: CommandRun, session: PageSession | None, actor: Actor, about: Mapping[str, Any]) -> ReadyResult:
    if session is None or not session.is_open or not session.page.enabled:
        raise no_page()
    if (run.by_click or run.card_id) and session.version != run.page_version:
        raise overtaken(Code.PAGE_CHANGED)
    context = _renewed(run, session, actor)
    if not run.card_id and must_ask(context, by_click=run.by_click):
        # It became risky between the reading and the lock.
        raise overtaken(Code.OBJECT_CHANGED)
    channels, views, fields, seq = session.channels, session.views, _fields(context.object), session.last_seq
    run_steps(context, session, run.call)
    try:
        after = state_of(session, renewed(actor))
        run.last_seq = session.last_seq if session.last_seq > seq else 0
        moved = _moved(session, channels, views, after)
        if obj := _moved_fields(context.object, fields, renewed(actor)):
            moved["object"] = obj
        return answers.ran(TOOL, str(run.call), about, moved, after, bool(run.last_seq))
    except Exception as error:  # reading back broke, and with it all is undone but what happened outside
        if run.goes_outside:
            raise OutsideBroke("reading back") from error
        raise


def _renewed(run: CommandRun, session: PageSession, actor: Actor) -> CommandContext:
    """Read once more, as the person, what the run is of: its command, its object, now locked, and its parameters."""
    if run.command is None:
        raise unlisted_command()
    if run.object_id:
        lock_object(run.command.input_type, run.object_id)
    # After all waiting. Nothing is remembered, not even by the person themselves: rights may have gone in between.
    actor = renewed(actor)
    command = access_command(actor, session.page, run.command.name)
    if run.card_id and command_version(command) != run.command_version:
        raise overtaken(Code.COMMAND_CHANGED)
    obj = access_object(actor, command.input_type, run.object_id) if run.object_id else None
    if (obj is None) == bool(command.input_type):
        raise overtaken(Code.OBJECT_CHANGED)
    context = CommandContext(actor, command, session, obj, read_parameters(command, run.parameters))
    enforce(context)
    if run.card_id and object_version(context, asked_words(context)) != run.object_version:
        raise overtaken(Code.OBJECT_CHANGED)
    return context


def _check_version(request: Request, session: PageSession) -> None:
    """A click is on what the person saw: a page that has changed since would make it mean something else."""
    if request.by_click and request.version != session.version:
        raise overtaken(Code.PAGE_CHANGED)


def _moved(
    session: PageSession, channels: Mapping[str, str], views: list[dict[str, Any]], after: Mapping[str, Any]
) -> dict[str, Any]:
    """Only what moved on the page since it held and showed `channels` and `views`."""
    moved: dict[str, Any] = {}
    written = {
        name: held for name, held in after["channels"].items() if session.channels.get(name) != channels.get(name)
    }
    if written:
        moved["channels"] = written
    shown = [view["name"] for view in session.views if view not in views]
    if session.views != views:
        # One that was only brought to the front is the last.
        names = shown or [view["name"] for view in session.views[-1:]]
        moved["views"] = [view for view in after["views"] if view["name"] in names]
    return moved


def _moved_fields(obj: Model | None, before: Mapping[str, Any], actor: Actor) -> dict[str, Any]:
    """What of the object moved, read back as the person; nothing of what no list of the application shows."""
    if obj is None:
        return {}
    stored = find_object(actor, type_of(obj), obj.pk)
    if stored is None:
        return {} if is_there(obj) else {"type": type_of(obj), "id": str(obj.pk), "gone": True}
    return {name: plain(value) for name, value in _fields(stored).items() if before.get(name) != value}


def _fields(obj: Model | None) -> dict[str, Any]:
    """The object's values that the application shows in its lists."""
    return {} if obj is None else {name: getattr(obj, name) for name in sorted(shown_fields(type(obj)))}
