"""A person's click on the button of a command: proven, run by the same function as an agent's call, and logged."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Mapping
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.translation import gettext as _

from read_targets.agent import writing
from read_targets.agent.codes import Code as ToolCode
from read_targets.agent.contract import Refused, ToolResult
from read_targets.agent.labels import text_of
from read_targets.agent.log import log_call
from read_targets.agent.refusals import internal, refuse_arguments, unavailable
from read_targets.cards.clicks import prove_click
from read_targets.policies import Actor
from read_targets.preferences import language_of

from ..codes import Code
from ..confirming import reason_of
from ..models import CommandParameter
from ..running import Request, run_command
from ..runs import TOOL
from .models import PageSession

logger = logging.getLogger(__name__)


def click(request: HttpRequest, session: PageSession, name: str, fields: Mapping[str, Any]) -> ToolResult:
    """Run the command `name` for the person who clicked, and return the envelope; never raises.

    `fields` are `nonce`, and `object` and `parameters` where there are some. A refusal says the reasons in the person's
    language, whoever refused: the application, or we.
    """
    started = time.perf_counter()
    call, actor = uuid.uuid4(), Actor(request.user)
    refused: Refused | None = None
    try:
        prove_click(request, session.pk, fields.get("nonce"))
        asked = Request(
            actor=actor,
            session=session,
            command_name=name,
            object_id=_key_in(fields),
            parameters=fields.get("parameters"),
            call_id=call,
            by_click=True,
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
        told = {"reasons": [_reason(refused, session, name)], "language": language_of(request.user)}
        refused.facts = {**told, **refused.facts}
        result = refused.result(TOOL, str(call))
    try:
        with writing():
            log_call(
                actor=actor,
                tool=f"click.{name}",
                outcome=result.outcome,
                code=getattr(result, "code", ""),
                call_id=str(call),
                milliseconds=round((time.perf_counter() - started) * 1000),
            )
    except DatabaseError:  # what came of the click stands all the same, and the person must hear of it
        logger.exception("click %s on %s could not be logged", call, name)
    return result


def _key_in(fields: Mapping[str, Any]) -> str | None:
    key = fields.get("object")
    if key is None or key == "":
        return None
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        raise refuse_arguments({"object": {"code": "not_a_string", "type": "string"}})
    return str(key)


def _reason(refused: Refused, session: PageSession, name: str) -> str:
    """Why the click came to nothing, for the person, where the application gave no reasons of its own."""
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
