"""What a command answers: that it ran, that it waits for a person, or that it was not run because of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from read_targets.agent.contract import CancelledResult, CardFacts, NextAction, NotReadyResult, ReadyResult

from .codes import Code
from .live.effects import Delivery

POLL_DELAY_MS = 2_000

_DELIVERED: dict[str, str] = {
    "SHOWN": "The person's tab has shown it.",
    "DELIVERED": "The person's tab has fetched it but has not said that it shows it: do not say that they see it.",
    "NONE": "The person's tab has not fetched it: do not say that they see it.",
}

_CANCELLED: dict[Code, tuple[str, NextAction]] = {
    Code.DECLINED: ("The person declined, so nothing was done.", NextAction(type="NONE")),
    Code.CONFIRMATION_EXPIRED: (
        "The person did not answer in time, so nothing was done.",
        NextAction(type="ASK_USER"),
    ),
    Code.PAGE_CLOSED: (
        "The page was closed before the person answered, so nothing was done.",
        NextAction(type="ASK_USER"),
    ),
    Code.SUPERSEDED: ("The command was asked for anew, so this call was not run.", NextAction(type="NONE")),
}


def ran(
    tool_name: str,
    call_id: str,
    about: Mapping[str, Any],
    changed: dict[str, Any],
    state: dict[str, Any],
    has_effects: bool,
) -> ReadyResult:
    """The command ran. `about` names the command and its input; `changed` is only what moved."""
    return ReadyResult(
        success=True,
        outcome="READY",
        tool_name=tool_name,
        call_id=call_id,
        message=message_of(bool(changed), has_effects, "NONE"),
        changed=changed,
        resulting_state=state,
        delivery="NONE",
        **about,
    )


def delivered(result: ReadyResult, delivery: Delivery) -> ReadyResult:
    """The same answer, saying how far what the tab must show has come."""
    message = message_of(bool(result.changed), True, delivery)
    return result.model_copy(update={"delivery": delivery, "message": message})


def message_of(is_changed: bool, has_effects: bool, delivery: Delivery) -> str:
    """What the model is told of a run; never that the person sees what we do not know they see."""
    done = "Done." if is_changed else "The command ran, and nothing that we can tell changed."
    shown = _DELIVERED[delivery] if has_effects else "There was nothing for the person's tab to show."
    return f"{done} {shown}"


def waiting(tool_name: str, call_id: str, about: Mapping[str, Any], card: CardFacts) -> NotReadyResult:
    """The person must agree first; nothing was done."""
    return NotReadyResult(
        success=True,
        outcome="NOT_READY",
        is_data_ready=False,
        tool_name=tool_name,
        call_id=call_id,
        message=(
            "Nothing was done yet: the person must agree on the page that they have open. Ask for the answer by this "
            "callId; do not call the command again."
        ),
        code=Code.WAITING_FOR_PERSON,
        next_action=NextAction(type="WAIT", delay_ms=POLL_DELAY_MS),
        card=card,
        **about,
    )


def cancelled(tool_name: str, call_id: str, about: Mapping[str, Any], code: Code) -> CancelledResult:
    """The person said no, or could not be asked; nothing was done."""
    message, next_action = _CANCELLED[code]
    return CancelledResult(
        success=True,
        outcome="CANCELLED",
        executed=False,
        tool_name=tool_name,
        call_id=call_id,
        message=message,
        code=code,
        next_action=next_action,
        **about,
    )
