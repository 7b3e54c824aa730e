"""The refusals of this app: the tools' own are English sentences, the application's carry its reasons (seed 002)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from read_targets.agent.contract import FailureOutcome, NextAction, Refused

from .codes import Code

BUSY_DELAY_MS = 1_000

ASK, REFRESH = NextAction(type="ASK_USER"), NextAction(type="REFRESH_STATE")
FIX_INPUT = NextAction(type="FIX_ARGUMENTS", fields=["input"])


def unlisted_command() -> Refused:
    """The page offers no command of that name to this person, whether there is one or not."""
    return Refused(
        "REJECTED",
        Code.UNLISTED_COMMAND,
        "The page offers no command of that name to this person.",
        message="The page offers no command of that name to this person. pageCommands lists those it offers.",
        next_action=REFRESH,
    )


def takes_no_object() -> Refused:
    """The command takes no object from an agent: deny by default."""
    return Refused(
        "INVALID_INPUT",
        Code.TAKES_NO_OBJECT,
        "This command takes no object: call it without input.",
        params={"input": {"code": "not_taken"}},
        next_action=FIX_INPUT,
    )


def object_unreadable() -> Refused:
    """There is no such object, or the person may not read it: the two read the same."""
    return Refused(
        "REJECTED",
        Code.OBJECT_UNREADABLE,
        "There is no object of that id that this person may read.",
        next_action=ASK,
    )


def input_missing(from_agent: bool, channel: str) -> Refused:
    """The command needs an object, and neither the call nor its channel has one."""
    if from_agent:
        return Refused(
            "INVALID_INPUT",
            Code.INPUT_MISSING,
            "This command needs an object: pass its id as input.",
            params={"input": {"code": "required"}},
            next_action=FIX_INPUT,
        )
    return Refused(
        "REJECTED",
        Code.INPUT_MISSING,
        f"This command takes its object from the channel {channel}, which is empty."
        if channel
        else "This command takes an object that only the page itself can give.",
        next_action=ASK,
    )


def parameters_unreadable(wrong: Mapping[str, Mapping[str, Any]]) -> Refused:
    """Parameters that do not fit, each with what would."""
    return Refused(
        "INVALID_INPUT",
        Code.PARAMETERS_UNREADABLE,
        f"These parameters of the command do not fit: {', '.join(wrong)}.",
        message="Nothing was done. params names what does not fit, and what would; pageCommands lists the parameters.",
        params={name: dict(facts) for name, facts in wrong.items()},
        next_action=NextAction(type="FIX_ARGUMENTS", fields=["parameters"]),
    )


def refused_by(reasons: Iterable[str], language: str, code: Code = Code.REFUSED_BY_RULES) -> Refused:
    """The application refused, with its reasons in the person's language."""
    return Refused(
        "REJECTED",
        code,
        "The application refused the command.",
        message="The application refused the command; nothing was done. Tell the person its reasons.",
        next_action=ASK,
        facts={"reasons": list(reasons), "language": language},
    )


def busy() -> Refused:
    """Another command runs on the page just now."""
    return Refused(
        "CONFLICT",
        Code.BUSY,
        "Another command is running on this page.",
        next_action=NextAction(type="WAIT", delay_ms=BUSY_DELAY_MS),
    )


def no_page() -> Refused:
    """The person has no page open that takes commands, or not this one."""
    return Refused(
        "REJECTED",
        Code.NO_PAGE,
        "The person has no such page open.",
        message="The person has no such page open: ask them to open it. openPages lists those that are.",
        next_action=ASK,
    )


def which_page(pages: list[dict[str, Any]]) -> Refused:
    """Several pages are open, and the call does not say which."""
    return Refused(
        "INVALID_INPUT",
        Code.WHICH_PAGE,
        "Several pages are open: name one of them as page.",
        params={"page": {"code": "required", "values": [page["id"] for page in pages]}},
        next_action=NextAction(type="FIX_ARGUMENTS", fields=["page"]),
        facts={"pages": pages},
    )


def not_presentable(channels: list[str]) -> Refused:
    """The page has no channel of that name onto which an agent may present."""
    return Refused(
        "REJECTED",
        Code.NOT_PRESENTABLE,
        "An agent may present nothing on a channel of that name.",
        params={"channel": {"code": "not_one_of", "values": channels}},
        next_action=REFRESH,
    )


def run_failed() -> Refused:
    """The command broke through a fault of the application's; what happened is in the server's log."""
    return Refused(
        "INTERNAL",
        Code.RUN_FAILED,
        "The command broke through no fault of yours, and nothing of it was done; it is logged by its call id.",
    )


def outcome_unknown() -> Refused:
    """The run was cut off after it may have done something outside of the database; it is never run again by itself."""
    return Refused(
        "DEPENDENCY",
        Code.OUTCOME_UNKNOWN,
        "Whether the command did its work is not known.",
        message=(
            "The run was cut off after it may have done something outside of this site. It is not run again by itself: "
            "ask the person to look, and run it anew only if they say so."
        ),
        next_action=ASK,
    )


_OVERTAKEN: dict[Code, tuple[FailureOutcome, str, NextAction]] = {
    Code.OBJECT_CHANGED: ("CONFLICT", "The object has changed since it was asked for; nothing was done.", REFRESH),
    Code.PAGE_CHANGED: ("CONFLICT", "The page has changed since it was asked for; nothing was done.", REFRESH),
    Code.COMMAND_CHANGED: ("CONFLICT", "The command was declared anew since; nothing was done.", REFRESH),
    Code.ALREADY_DECIDED: ("CONFLICT", "This was decided already.", REFRESH),
    Code.AGENT_STOPPED: ("REJECTED", "The agent that asked for it may not act any more; nothing was done.", ASK),
}


def overtaken(code: Code) -> Refused:
    """What was asked for no longer stands as it did when it was asked."""
    outcome, error, action = _OVERTAKEN[code]
    # What was decided already may have been done.
    facts = {} if code == Code.ALREADY_DECIDED else {"executed": False}
    return Refused(outcome, code, error, next_action=action, facts=facts)
