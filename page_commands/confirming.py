"""A run that waits for its person: shown in its tab, decided by one click, and run once or never (design, section 8).

Whoever decides changes the state of the waiting row under its lock, so one decision wins. Where the command acts
outside of the database, the approval is committed before it runs, and a run that was cut off is not run again. Where it
does not, approval, steps and answer are one transaction: cut off, nothing happened and the run waits on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from read_targets.agent import writing
from read_targets.agent.codes import Code as AgentCode
from read_targets.agent.contract import Refused, ToolResult
from read_targets.agent.dispatch import check_doors
from read_targets.agent.registry import Call
from read_targets.cards.models import Card
from read_targets.policies import Actor
from read_targets.preferences import as_person, language_of

from . import answers
from .codes import Code
from .commands import access_command
from .live.models import CommandRun, PageSession
from .live.sessions import browser_of
from .objects import access_object
from .refusals import busy, no_page, outcome_unknown, overtaken, unlisted_command
from .replaying import as_readable, took_away
from .running import answered, carry_out
from .runs import LEASE, TOOL, about_it, about_run, busy_page, is_alive, locked, settle

State = CommandRun.State


def decide(request: HttpRequest, card: Card, approved: bool, fields: Mapping[str, Any]) -> None:
    """Approve or decline what waits for the person, by their click in the very tab that it is of.

    That it is a click of this person on this card is proven before. Raises Refused, with reasons for the person, where
    the command did not run; approving twice is the same as once.
    """
    person: Any = request.user
    run = CommandRun.objects.select_related("session").filter(card=card, user=person).first()
    session = run.session if run is not None else None
    is_here = session is not None and str(session.pk) == str(fields.get("session", "")).lower()
    if run is None or session is None or not is_here or session.browser != browser_of(request):
        raise no_page()
    try:
        if approved:
            _approve(run, session)
        else:
            _decline(run)
    except Refused as refused:
        told: dict[str, Any] = {"reasons": [reason_of(refused.code)], "language": language_of(person)}
        if refused.code not in (Code.OUTCOME_UNKNOWN, Code.ALREADY_DECIDED):
            told["executed"] = False
        refused.facts = {**told, **refused.facts}
        raise


def _decline(run: CommandRun) -> None:
    with writing():
        run, session = locked(run)
        if run.state == State.WAITING:
            settle(run, session, answers.cancelled(TOOL, str(run.call), about_run(run), Code.DECLINED))
        elif run.state != State.DECLINED:
            raise overtaken(Code.ALREADY_DECIDED)


def _approve(run: CommandRun, session: PageSession) -> None:
    actor = Actor(run.user, run.token)
    with busy_page(session, run.call):
        with writing():
            run, locked_session = locked(run)
            if run.state == State.EXECUTED:
                return
            if run.state != State.WAITING:
                raise overtaken(Code.ALREADY_DECIDED)
            obstacle = _obstacle(run, locked_session)
            if obstacle is not None:
                settle(run, locked_session, obstacle)
            elif locked_session is not None and not locked_session.is_open:
                # The tab is being loaded again: the question is still there afterwards.
                raise no_page()
            else:
                run.state, run.lease_until = State.APPROVED, timezone.now() + LEASE
                run.save(update_fields=["state", "lease_until"])
                if not run.goes_outside:
                    outcome = carry_out(run, actor)
        if obstacle is not None:
            raise obstacle if isinstance(obstacle, Refused) else _as_refusal(obstacle)
        if run.goes_outside:
            outcome = carry_out(run, actor)
    with as_person(run.user):
        answered(run, outcome)


def revisit(call: Call, kept: ToolResult | None) -> ToolResult | None:
    """Return how a call stands that is asked for once more: rights are asked again, and what is overdue is settled.

    None says that nothing was done. Raises Refused where the person may no longer run the command on its object.
    """
    runs = CommandRun.objects.select_related("session__page", "command__page", "user", "token")
    run = runs.filter(pk=call.id).first()
    if run is None and kept is None:
        return None
    if run is None or run.command is None:
        raise unlisted_command()
    with as_person(run.user):
        command = access_command(call.actor, run.command.page, run.command.name)
        if run.object_id and not took_away(kept):
            access_object(call.actor, command.input_type, run.object_id)
        settled = _settle_overdue(run, kept)
    if settled is not None or kept is None:
        return settled
    return as_readable(call.actor, kept)


def _settle_overdue(run: CommandRun, kept: ToolResult | None) -> ToolResult | None:
    """Settle a run that can no longer end by itself, and return its answer; None where it stands as it is kept."""
    is_due = run.state == State.APPROVED or (run.state == State.WAITING and _obstacle(run, run.session) is not None)
    if not is_due:
        return None
    with writing():
        run, session = locked(run)
        about = about_run(run)
        outcome: ToolResult | Refused | None = None
        if run.state == State.WAITING:
            outcome = _obstacle(run, session)
        elif run.state == State.APPROVED:
            if is_alive(run):
                if kept is None:
                    raise about_it(busy(), about)
                # The person has agreed, and it runs just now: what is kept says to wait.
                return None
            if not run.goes_outside:
                # It was cut off inside of the transaction that did everything: nothing was done.
                return None
            outcome = about_it(outcome_unknown(), about)
        if outcome is None:
            return None
        settle(run, session, outcome)
    return outcome.result(TOOL, str(run.call)) if isinstance(outcome, Refused) else outcome


def _obstacle(run: CommandRun, session: PageSession | None) -> ToolResult | Refused | None:
    """Why a waiting run can no longer run; None where the person may still agree."""
    call, about = str(run.call), about_run(run)
    if run.expires_at <= timezone.now():
        return answers.cancelled(TOOL, call, about, Code.CONFIRMATION_EXPIRED)
    if session is None or not session.may_return:
        return answers.cancelled(TOOL, call, about, Code.PAGE_CLOSED)
    if session.version != run.page_version:
        return about_it(overtaken(Code.PAGE_CHANGED), about)
    if not run.by_click:
        if run.token is None and run.agent:
            return about_it(overtaken(Code.AGENT_STOPPED), about)
        if run.token is not None and not (run.token.is_valid and run.token.may_act):
            return about_it(overtaken(Code.AGENT_STOPPED), about)
        try:
            check_doors(Actor(run.user, run.token))
        except Refused as closed:
            return about_it(closed, about)
    return None


def _as_refusal(result: ToolResult) -> Refused:
    """What the person who clicked too late is answered; the agent is told that the call was cancelled."""
    code = str(getattr(result, "code", ""))
    return Refused("CONFLICT", code, getattr(result, "message", "") or code)


def reason_of(code: str) -> str:
    """Return, in the active language, why what a person agreed to was not run."""
    not_known = _("It is not known whether it was done: look before you try again.")
    reasons: dict[str, str] = {
        Code.CONFIRMATION_EXPIRED: _("The time to agree is over, so nothing was done."),
        Code.PAGE_CLOSED: _("The page was closed in the meantime, so nothing was done."),
        Code.PAGE_CHANGED: _("The page has changed since it was asked, so nothing was done."),
        Code.COMMAND_CHANGED: _("The command itself has changed since it was asked, so nothing was done."),
        Code.OBJECT_CHANGED: _("The record has changed since it was asked, so nothing was done."),
        Code.OBJECT_UNREADABLE: _("The record is no longer there for you, so nothing was done."),
        Code.ALREADY_DECIDED: _("This was decided already."),
        Code.AGENT_STOPPED: _("The agent that asked may not act any more, so nothing was done."),
        Code.BUSY: _("Another command is running on this page; try again in a moment."),
        Code.OUTCOME_UNKNOWN: not_known,
        AgentCode.INTERNAL: not_known,
        AgentCode.DATABASE_UNAVAILABLE: not_known,
        Code.UNLISTED_COMMAND: _("You may no longer run this command, so nothing was done."),
    }
    return reasons.get(str(code), _("It could not be run, so nothing was done."))
