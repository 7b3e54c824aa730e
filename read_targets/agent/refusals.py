"""The refusals that every tool shares, each with its code and the next action that makes sense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..lists import Stopped, TooManyReads, TooSlow
from .codes import Code
from .contract import NextAction, Refused


def refuse_arguments(wrong: Mapping[str, Mapping[str, Any]], *, unknown: bool = False) -> Refused:
    """The refusal of arguments that do not fit, each with its code and what would fit."""
    names = list(wrong)
    return Refused(
        "INVALID_INPUT",
        Code.ARGUMENT_UNKNOWN if unknown else Code.CONDITION_UNREADABLE,
        f"These arguments do not fit: {', '.join(names)}.",
        message="Nothing was done. params names what does not fit, and what would: fix it and call again.",
        params={name: dict(facts) for name, facts in wrong.items()},
        next_action=NextAction(type="FIX_ARGUMENTS", fields=names),
    )


def refuse_body(error: str) -> Refused:
    """The refusal of arguments that are no JSON object."""
    return Refused("INVALID_INPUT", Code.BODY_UNREADABLE, error, next_action=NextAction(type="FIX_ARGUMENTS"))


def unknown_tool() -> Refused:
    """The refusal of a tool that is not there for this person, whether it exists or not."""
    return Refused(
        "REJECTED",
        Code.UNKNOWN_TOOL,
        "There is no tool of that name for this person.",
        message="There is no tool of that name for this person. The list of tools names those there are.",
        next_action=NextAction(type="REFRESH_STATE"),
    )


def unknown_toolset() -> Refused:
    """The refusal of a toolset that is not there or not the token's."""
    return Refused(
        "REJECTED",
        Code.UNKNOWN_TOOLSET,
        "There is no toolset of that name for you.",
        next_action=NextAction(type="CHANGE_SCOPE"),
    )


def may_not_act() -> Refused:
    """The refusal of a command to a token that may only read."""
    return Refused(
        "REJECTED",
        Code.TOKEN_MAY_NOT_ACT,
        "This token may read, but not act on a page.",
        next_action=NextAction(type="ASK_USER"),
    )


def scope_missing() -> Refused:
    """The refusal of an agent that signed in by itself, for less than any call takes."""
    return Refused(
        "REJECTED",
        Code.SCOPE_MISSING,
        "The agent signed in for less than this: it must sign in again, and the person agree to more.",
        next_action=NextAction(type="ASK_USER"),
    )


def doors_closed() -> Refused:
    """The refusal of everything while an administrator keeps the doors closed."""
    return Refused(
        "REJECTED",
        Code.DOORS_CLOSED,
        "An administrator has closed every agent door.",
        next_action=NextAction(type="CONFIGURE_APP"),
    )


def agents_stopped() -> Refused:
    """The refusal of every token of a person who stopped their agents."""
    return Refused(
        "REJECTED",
        Code.AGENTS_STOPPED,
        "The person has stopped their agents.",
        next_action=NextAction(type="ASK_USER"),
    )


def key_reused() -> Refused:
    """The refusal of an Idempotency-Key that came with other arguments before."""
    return Refused(
        "CONFLICT",
        Code.KEY_REUSED,
        "This Idempotency-Key was used with other arguments.",
        message="Nothing was done. Send the arguments that the key first came with, or a new key for a new call.",
        next_action=NextAction(type="FIX_ARGUMENTS"),
    )


def key_in_use() -> Refused:
    """The refusal of a call that is still being answered elsewhere: its key, or its id, was asked for too soon."""
    return Refused(
        "CONFLICT",
        Code.KEY_IN_USE,
        "This very call is still being answered.",
        message="This very call is still being answered. Ask again with the same key: it runs once, whatever happens.",
        next_action=NextAction(type="WAIT", delay_ms=2_000),
    )


def unavailable() -> Refused:
    """The database did not answer."""
    return Refused(
        "DEPENDENCY",
        Code.DATABASE_UNAVAILABLE,
        "The database did not answer.",
        next_action=NextAction(type="WAIT", delay_ms=2_000),
    )


def too_slow() -> Refused:
    """Reading took longer than it may."""
    return Refused(
        "DEPENDENCY",
        Code.TOO_SLOW,
        "Reading the list took longer than it may.",
        message="Nothing was answered. Ask for less: set a condition, a shorter time, or no groups.",
        next_action=NextAction(type="CHANGE_SCOPE"),
    )


def too_many_reads() -> Refused:
    """A long reading, of which the person has as many at once as they may."""
    return Refused(
        "REJECTED",
        Code.TOO_MANY_READS,
        "Too many long readings of this person at once.",
        message="Nothing was answered: this person has as many long readings under way as may be. Wait for one to end.",
        next_action=NextAction(type="WAIT", delay_ms=2_000),
    )


def caller_left() -> Refused:
    """The caller hung up while the list was read; told to nobody, and to the log."""
    return Refused("DEPENDENCY", Code.CALLER_LEFT, "The caller hung up before the list was read.")


def stopped(reason: Stopped) -> Refused:
    """The refusal of a reading that was stopped."""
    if isinstance(reason, TooSlow):
        return too_slow()
    return too_many_reads() if isinstance(reason, TooManyReads) else caller_left()


def query_failed() -> Refused:
    """The application's own list could not be read."""
    return Refused(
        "DEPENDENCY",
        Code.QUERY_FAILED,
        "The application's list could not be read.",
        next_action=NextAction(type="CONFIGURE_APP"),
    )


def internal() -> Refused:
    """Our own fault; what happened is in the server's log under the call's id."""
    return Refused("INTERNAL", Code.INTERNAL, "The call failed through no fault of yours; it is logged by its call id.")


def cut_off() -> Refused:
    """A call that was cut off before it did anything, and is not running any more."""
    return Refused(
        "INTERNAL",
        Code.INTERNAL,
        "The call was cut off before anything was done.",
        message="The call was cut off before anything was done, and will not be done by itself. Call the tool again.",
        facts={"executed": False},
    )
