"""Asking a person first: the run is written down as waiting, and a card for it appears in the tab it is of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from read_targets.agent import writing
from read_targets.agent.contract import ToolResult
from read_targets.agent.kept import keep_answer
from read_targets.cards.facts import facts_of
from read_targets.cards.making import make_confirmation

from . import answers
from .codes import Code
from .context import CommandContext
from .live.effects import add_effect
from .live.models import CONFIRM_WITHIN, CommandRun, Effect, PageSession
from .pinning import command_version, object_version
from .questions import asked_words
from .refusals import no_page
from .runs import TOOL, Request, about_run, settle, write_run


def ask(context: CommandContext, request: Request, about: Mapping[str, Any]) -> ToolResult:
    """Let the run wait for its person, bound to the page and the object as they are now; return what the agent is told.

    An agent's that waits for the same command in the same tab is superseded; what the person asked for by a click of
    their own only by another click. Raises Refused where the page has just closed.
    """
    command, actor = context.command, request.actor
    with writing():
        sessions = PageSession.objects.select_for_update(of=("self",)).select_related("page")
        session = sessions.get(pk=request.session.pk)
        if not session.is_open:
            raise no_page()
        waiting = session.runs.select_for_update(of=("self",)).filter(command=command, state=CommandRun.State.WAITING)
        for earlier in waiting.filter(by_click__in={False, request.by_click}).select_related("command__page"):
            call = str(earlier.call)
            settle(earlier, session, answers.cancelled(TOOL, call, about_run(earlier), Code.SUPERSEDED))
        expires_at = timezone.now() + CONFIRM_WITHIN
        card = make_confirmation(
            user=actor.user,
            token=actor.token,
            agent=actor.agent,
            call_id=request.call_id,
            source=command.key,
            label=command.label,
            title="",
            href=session.path,
            expires_at=expires_at,
        )
        write_run(
            context,
            request,
            state=CommandRun.State.WAITING,
            card=card,
            expires_at=expires_at,
            page_version=session.version,
            command_version=command_version(command),
            object_version=object_version(context, asked_words(context)),
        )
        add_effect(session, Effect.Kind.CARD, {}, request.call_id)
        result = answers.waiting(TOOL, str(request.call_id), about, facts_of(card))
        keep_answer(request.call_id, result)
    return result
