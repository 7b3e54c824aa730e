"""What a person's agents did: their own calls, in their words, newest first, page by page by place.

A page begins behind a call and not at a number, so it costs the same however deep it is, and calls that come meanwhile
neither repeat nor hide another. A place tells of a moment and an id alone: with one of somebody else's the page is
the person's own all the same.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.apps import apps
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..agent.codes import Code
from ..agent.models import ToolCall
from ..agent.registry import Condition, Spoken, spoken
from .models import Card
from .values import shown_value

CALLS_A_PAGE = 50

BUTTON = "click."
"""What the log calls a click on the button of a command, before its name."""

_EPOCH, _TICK = datetime.fromtimestamp(0, UTC), timedelta(microseconds=1)
_PLACE = re.compile(r"([0-9]{1,17})-([0-9a-f]{32})")

OUTCOMES: dict[str, Any] = {
    "READY": gettext_lazy("Done"),
    "PARTIAL": gettext_lazy("Done in part"),
    "NOT_READY": gettext_lazy("Waiting for an answer"),
    "CANCELLED": gettext_lazy("Not done"),
    "INVALID_INPUT": gettext_lazy("Not understood"),
    "REJECTED": gettext_lazy("Refused"),
    "CONFLICT": gettext_lazy("Something had changed"),
    "DEPENDENCY": gettext_lazy("No answer in time"),
    "INTERNAL": gettext_lazy("Failed"),
}
"""What came of a call, in people's words."""

_WHY: dict[str, Any] = {
    Code.UNKNOWN_TOOL: gettext_lazy("there is no such tool for you"),
    Code.UNKNOWN_TOOLSET: gettext_lazy("the set of tools is not the token's"),
    Code.DOORS_CLOSED: gettext_lazy("no agent was answered then"),
    Code.AGENTS_STOPPED: gettext_lazy("your agents were stopped"),
    Code.TOKEN_MAY_NOT_ACT: gettext_lazy("the token may only read"),
    Code.ARGUMENT_UNKNOWN: gettext_lazy("it asked for what the tool does not know"),
    Code.CONDITION_UNREADABLE: gettext_lazy("a condition did not fit"),
    Code.TOO_SLOW: gettext_lazy("it took too long"),
    Code.TOO_MANY_READS: gettext_lazy("too many long readings at once"),
    Code.CALLER_LEFT: gettext_lazy("the agent hung up"),
    Code.BOUNDED_READ: gettext_lazy("the list was not read to its end"),
    Code.VALUES_WITHHELD: gettext_lazy("some values are not for you"),
}


@dataclass(frozen=True)
class Asked:
    """A condition as it was asked: what it is called and its value; not `is_kept`, the log does not hold the value."""

    label: str
    value: str
    is_kept: bool = True


@dataclass(frozen=True)
class SaidCall:
    """A call in a person's words."""

    call: ToolCall
    title: str
    conditions: list[Asked]
    outcome: str
    why: str
    card: Card | None


@dataclass(frozen=True)
class CallPage:
    """Calls of a person; `older` is the place behind the last one, empty where there are none behind it."""

    calls: list[SaidCall]
    older: str
    is_newest: bool


class NoSuchPlace(ValueError):
    """What is named is no place in the log."""


def calls_of(person: Any, before: str = "") -> CallPage:
    """Return the person's calls from the place `before` on, the newest without one; raises NoSuchPlace."""
    calls = ToolCall.objects.filter(user=person).select_related("previewed_by").order_by("-at", "-pk")
    if before:
        at, key = _read_place(before)
        calls = calls.filter(Q(at__lt=at) | Q(at=at, pk__lt=key), at__lte=at)
    found = list(calls[: CALLS_A_PAGE + 1])
    shown = found[:CALLS_A_PAGE]
    older = _place_of(shown[-1]) if len(found) > CALLS_A_PAGE else ""
    return CallPage(_said(person, shown), older, not before)


def _said(person: Any, calls: Sequence[ToolCall]) -> list[SaidCall]:
    words = spoken() if calls else {}
    cards = Card.objects.filter(user=person, call__in=[call.pk for call in calls]).order_by("created_at")
    by_call = {card.call: card for card in cards.only("id", "call")} if calls else {}
    return [
        SaidCall(
            call=call,
            title=title_of(call, words),
            conditions=conditions_of(call, words),
            outcome=str(OUTCOMES.get(call.outcome, call.outcome)),
            why=str(_WHY.get(call.code, "")),
            card=by_call.get(call.pk),
        )
        for call in calls
    ]


def title_of(call: ToolCall, words: Mapping[str, Spoken]) -> str:
    """Return what people call the tool; its own name where it is gone, or was never there."""
    return words[call.tool].title if call.tool in words else str(call.tool)


def conditions_of(call: ToolCall, words: Mapping[str, Spoken]) -> list[Asked]:
    """Return what was asked, as people say it in the active language; a button is called as its command is."""
    known = words[call.tool].conditions if call.tool in words else {}
    is_button = call.tool.startswith(BUTTON)
    told = (one for one in _entries(call.conditions) if not (is_button and one.get("name") == "command"))
    return [_asked(one, known.get(one.get("name", "")), words) for one in told]


def _entries(conditions: Any) -> Iterable[Mapping[str, Any]]:
    return (one for one in conditions if isinstance(one, Mapping)) if isinstance(conditions, list) else ()


def _asked(entry: Mapping[str, Any], known: Condition | None, words: Mapping[str, Spoken]) -> Asked:
    if "more" in entry:
        return Asked(_("and more"), str(entry["more"]))
    name = str(entry.get("name", ""))
    label = known.label if known else name
    if "value" not in entry:
        return Asked(label, _("not kept"), is_kept=False)
    value = _shown(entry, known, words)
    return Asked(label, f"{value}…" if entry.get("cut") else value)


def _shown(entry: Mapping[str, Any], known: Condition | None, words: Mapping[str, Spoken]) -> str:
    value = entry["value"]
    if entry["name"] == "command":
        button = words.get(f"{BUTTON}{str(value).rpartition('.')[2]}")
        return button.title if button else str(value)
    if "type" in entry:
        return f"{_type_name(str(entry['type']))} {value}".strip()
    # A year or a month is no amount: its digits are not grouped.
    kind = known.kind if known and known.kind != "integer" else "string"
    return shown_value(value, kind)


def _type_name(label: str) -> str:
    """What people call the records of a model, as it calls itself where it is gone."""
    try:
        return str(apps.get_model(label)._meta.verbose_name)
    except (LookupError, ValueError):
        return label


def _place_of(call: ToolCall) -> str:
    return f"{(call.at - _EPOCH) // _TICK}-{call.pk.hex}"


def _read_place(place: str) -> tuple[datetime, uuid.UUID]:
    found = _PLACE.fullmatch(place)
    if found is None:
        raise NoSuchPlace(place)
    return _EPOCH + int(found[1]) * _TICK, uuid.UUID(found[2])
