"""A person's click on the button of a command: proven, run by the same function as an agent's call, and logged."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Mapping
from typing import Any

from django.db import DatabaseError, Error, connection
from django.http import HttpRequest
from django.utils.translation import gettext as _

from read_targets.agent import writing
from read_targets.agent.codes import Code as ToolCode
from read_targets.agent.contract import Refused, ToolResult
from read_targets.agent.labels import text_of
from read_targets.agent.log import command_in, log_call
from read_targets.agent.refusals import internal, refuse_arguments, unavailable
from read_targets.cards.clicks import prove_click
from read_targets.policies import Actor
from read_targets.preferences import language_of

from ..codes import Code
from ..confirming import reason_of
from ..models import CommandParameter
from ..running import Request, run_command
from ..runs import TOOL
from .models import CommandRun, PageSession

logger = logging.getLogger(__name__)


def click(request: HttpRequest, session: PageSession, name: str, fields: Mapping[str, Any]) -> ToolResult:
    """Run the command `name` for the person who clicked, and return the envelope; never raises.

    `fields` are `version` (of the page as the person saw it), `nonce`, and `object` and `parameters` where there are
    some. The session's own nonce proves a click on a button of the page; one for an object is proven by the nonce that
    was rendered into the very button for it. A refusal says the reasons in the person's language, whoever refused: the
    application, or we.
    """
    started = time.perf_counter()
    call, actor = uuid.uuid4(), Actor(request.user)
    refused: Refused | None = None
    try:
        key = _key_in(fields)
        prove_click(request, session.pk if key is None else bound(session.page.key, name, key), fields.get("nonce"))
        asked = Request(
            actor=actor,
            session=session,
            command_name=name,
            object_id=key,
            parameters=fields.get("parameters"),
            call_id=call,
            by_click=True,
            version=_version_in(fields),
        )
        result: ToolResult = run_command(asked)
    except Refused as raised:
        refused = raised
    except DatabaseError:
        logger.exception("click %s on %s: the database did not answer", call, name)
        refused = unavailable()
    except Exception:  # the last line of defence, as in the dispatcher: nothing of it is told
        logger.exception("click %s on %s failed", call, name)
        refused = internal()
    if refused is not None:
        told = {"reasons": [_reason(refused, session, name, call, fields)], "language": language_of(request.user)}
        refused.facts = {**told, **refused.facts}
        result = refused.result(TOOL, str(call))
    try:
        with writing():
            log_call(
                actor=actor,
                tool=f"click.{name}",
                outcome=result.outcome,
                code=getattr(result, "code", ""),
                conditions=command_in(result),
                is_known=bool(getattr(result, "command", "")),
                call_id=str(call),
                milliseconds=round((time.perf_counter() - started) * 1000),
            )
    except Error:  # what came of the click stands all the same, and the person must hear of it
        logger.exception("click %s on %s could not be logged", call, name)
    return result


def bound(page_key: str, name: str, key: str) -> str:
    """Return what the nonce of a button is for: this command of this page, and this object."""
    return f"{page_key}:{name}:{key}"


def _key_in(fields: Mapping[str, Any]) -> str | None:
    key = fields.get("object")
    if key is None or key == "":
        return None
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        raise refuse_arguments({"object": {"code": "not_a_string", "type": "string"}})
    return str(key)


def _version_in(fields: Mapping[str, Any]) -> int | None:
    version = fields.get("version")
    return version if isinstance(version, int) and not isinstance(version, bool) else None


def _reason(refused: Refused, session: PageSession, name: str, call: uuid.UUID, fields: Mapping[str, Any]) -> str:
    """Why the click came to nothing, for the person, where the application gave no reasons of its own."""
    if refused.code in (ToolCode.INTERNAL, ToolCode.DATABASE_UNAVAILABLE):
        if _may_be_done(call):
            return _("It is not known whether it was done: look before you try again.")
        return _("It could not be run, so nothing was done.")
    if refused.code == ToolCode.CLICK_NOT_PROVEN and fields.get("object"):
        # Its button stands in the application's page, which is not drawn anew by itself.
        return _("Nothing was done, because the page was too old. Load it again.")
    if refused.code == Code.PARAMETERS_UNREADABLE:
        labels = CommandParameter.objects.filter(command__page=session.page, command__name=name)
        texts = {one.name: text_of(one.label, one.name) for one in labels}
        wrong = ", ".join(texts.get(parameter, parameter) for parameter in refused.params)
        return _("These values do not fit: %(names)s. Nothing was done.") % {"names": wrong}
    reasons: dict[str, str] = {
        Code.UNLISTED_COMMAND: _("You may not run this command, so nothing was done."),
        Code.INPUT_MISSING: _("Nothing is chosen for it, so nothing was done."),
        Code.OBJECT_UNREADABLE: _("The record is not there for you, so nothing was done."),
        Code.NO_PAGE: _("The page is not open any more. Load it again."),
        ToolCode.CLICK_NOT_PROVEN: _("Nothing was done, because the page was too old. Please try once more."),
    }
    return reasons.get(refused.code) or reason_of(refused.code)


def _may_be_done(call: uuid.UUID) -> bool:
    """Whether the run of a click that broke may have done its work; asked anew, and true where nobody can tell."""
    try:
        if not connection.in_atomic_block:
            # What broke may be the connection itself; another one may still answer.
            connection.close_if_unusable_or_obsolete()
        state = CommandRun.objects.filter(pk=call).values_list("state", flat=True).first()
    except Error:
        logger.exception("click %s: the database does not say whether it was run", call)
        return True
    return state in (CommandRun.State.APPROVED, CommandRun.State.EXECUTED)
