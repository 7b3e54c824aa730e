"""A run of a command: what is asked, how it is written down, and how it ends."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import DatabaseError
from django.db.models import Q, QuerySet
from django.utils import timezone

from read_targets.agent import plain, writing
from read_targets.agent.contract import ReadyResult, Refused, ToolResult
from read_targets.agent.kept import keep_answer
from read_targets.cards.models import Card
from read_targets.policies import Actor

from .codes import Code
from .context import CommandContext
from .live.effects import add_effect
from .live.models import CommandRun, Effect, PageSession
from .refusals import busy, outcome_unknown
from .steps import is_outside

logger = logging.getLogger(__name__)

TOOL = "runPageCommand"

LEASE = timedelta(seconds=60)
"""How long a run may hold its page; a crash frees the page after that, and not before."""

State, Verdict = CommandRun.State, Card.Verdict

_ENDS: dict[str, CommandRun.State] = {
    Code.DECLINED: State.DECLINED,
    Code.CONFIRMATION_EXPIRED: State.EXPIRED,
    Code.PAGE_CLOSED: State.EXPIRED,
    Code.SUPERSEDED: State.SUPERSEDED,
}
_VERDICTS = {
    State.EXECUTED: Verdict.ACCEPTED,
    State.DECLINED: Verdict.CANCELLED,
    State.EXPIRED: Verdict.EXPIRED,
    State.SUPERSEDED: Verdict.SUPERSEDED,
    State.FAILED: Verdict.REFUSED,
}


@dataclass(frozen=True)
class Request:
    """What is asked: a command of an open page, with an object and parameters; by an agent or by a person's click.

    A click says the `version` of the page that the person saw: on another one it would mean something else.
    """

    actor: Actor
    session: PageSession
    command_name: str
    object_id: str | None
    parameters: Any
    call_id: UUID
    by_click: bool = False
    version: int | None = None


def write_run(context: CommandContext, request: Request, **fields: Any) -> CommandRun:
    """Write down what is to be run, under the id of its call; `fields` say where it stands. Needs a transaction.

    A call that was cut off may run anew under its id; raises Refused where it is still running, is done, or may have
    done something outside of the database.
    """
    earlier = CommandRun.objects.select_for_update(of=("self",)).filter(pk=request.call_id).first()
    if earlier is not None:
        if earlier.state != State.APPROVED or is_alive(earlier):
            raise busy()
        if earlier.goes_outside:
            raise outcome_unknown()
    run, _is_new = CommandRun.objects.update_or_create(
        call=request.call_id,
        defaults={
            "session": request.session,
            "command": context.command,
            "user": request.actor.user,
            "token": request.actor.token,
            "agent": request.actor.agent,
            "by_click": request.by_click,
            "was_passed": bool(request.object_id),
            "object_id": "" if context.object is None else str(context.object.pk),
            # As exact JSON, from which they are read again when the command runs.
            "parameters": {name: plain(value) for name, value in context.parameters.items()},
            "goes_outside": any(is_outside(step) for step in context.command.steps.all()),
            **fields,
        },
    )
    return run


def is_alive(run: CommandRun) -> bool:
    """Whether the process that runs it may still be there, as far as its lease says."""
    return run.lease_until is not None and run.lease_until > timezone.now()


def settle(run: CommandRun, session: PageSession | None, outcome: ToolResult | Refused) -> None:
    """Write down how a run ended, close its card, and keep its answer; needs the locks of session and run.

    The answer of a call that was refused at once is not kept, so that it can be made again; one that a person was asked
    about, or of which nobody knows what it did, is.
    """
    code = str(getattr(outcome, "code", ""))
    run.state = State.EXECUTED if isinstance(outcome, ReadyResult) else _ENDS.get(code, State.FAILED)
    run.code, run.ended_at, run.lease_until = code, timezone.now(), None
    run.save(update_fields=["state", "code", "ended_at", "lease_until", "last_seq"])
    if run.card_id:
        Card.objects.filter(pk=run.card_id).update(verdict=_VERDICTS[run.state], code=code.rpartition(".")[2])
        if session is not None and session.ended_at is None:
            add_effect(session, Effect.Kind.CARD, {}, run.call)
    if not isinstance(outcome, Refused):
        keep_answer(run.call, outcome)
    elif run.card_id or code == Code.OUTCOME_UNKNOWN:
        keep_answer(run.call, outcome.result(TOOL, str(run.call)))


@contextmanager
def busy_page(session: PageSession, call: UUID) -> Iterator[None]:
    """Hold the page for one run; raises Refused while another holds it. A lease that is over is nobody's (a crash)."""
    if session.is_busy:
        # As it was read just now. SQLite would let us wait until the other has written all, and then run after all.
        raise busy()
    now = timezone.now()
    until = now + LEASE
    free = PageSession.objects.filter(Q(busy_until=None) | Q(busy_until__lt=now), pk=session.pk)
    with writing():
        if not free.update(busy_call=call, busy_until=until):
            raise busy()
    try:
        yield
    finally:
        _release(PageSession.objects.filter(pk=session.pk, busy_call=call, busy_until=until))


def _release(held: QuerySet[PageSession]) -> None:
    """Give the page free. What was done stands whether or not that succeeds: the lease runs out by itself."""
    try:
        with writing():
            held.update(busy_call=None, busy_until=None)
    except DatabaseError:
        logger.exception("a page could not be given free; its lease runs out by itself")


def locked(run: CommandRun) -> tuple[CommandRun, PageSession | None]:
    """Return the run and its page as they are now, both locked until the transaction ends: always the page first."""
    sessions = PageSession.objects.select_for_update(of=("self",)).select_related("page")
    session = sessions.filter(pk=run.session_id).first() if run.session_id else None
    runs = CommandRun.objects.select_for_update(of=("self",)).select_related("command__page", "user", "token")
    return runs.get(pk=run.pk), session


def about_run(run: CommandRun) -> dict[str, Any]:
    """Return what answers tell of a run: its command, and its input where one was passed."""
    if run.command is None:
        return {}
    about: dict[str, Any] = {"command": run.command.full_name}
    if run.was_passed:
        about["input"] = {"type": run.command.input_type, "id": run.object_id}
    return about


def about_it(refused: Refused, about: Mapping[str, Any]) -> Refused:
    """Return the refusal, telling what it is of."""
    refused.facts = {**about, **refused.facts}
    return refused
