"""The code that the tests' commands name. What it did is a row, so that it can be counted; outside is a file."""

from __future__ import annotations

import datetime as dt
import os
import time
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.contrib.auth.models import Group
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils.html import escape
from django.utils.translation import get_language

from page_commands import CommandContext, CommandRefused, command_handler, command_rule, confirm_when, page_view
from page_commands.code import Sort, unregister
from project.demo.factory.models import Conversation, Project, Tenant

SECRET = "secret of the house"
"""What an exception says that nobody may be told."""

REASONS = {"en": "The house says no.", "ko": "집이 거절합니다.", "de": "Das Haus sagt nein."}
"""The reason of a handler that refuses, in each language."""

FOLDER = "TESTS_ACTING_FOLDER"
"""The environment's name for the folder in which code stands still, and acts outside."""

seen: list[CommandContext] = []
"""The contexts that `everything` was called with, in this process."""

given: list[dict[str, Any]] = []
"""The arguments that `everything` was called with, in this process."""


def done(what: str) -> None:
    """Write down that something was done."""
    Group.objects.create(name=f"done {what} {uuid.uuid4()}")


def times(what: str = "") -> int:
    """How often something was done, and has come to stay."""
    return Group.objects.filter(name__startswith=f"done {what}").count()


def stand_still(point: str) -> None:
    """Stand still at a point of the code for as long as the test says so, having said that we are there."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return
    stop = Path(folder, f"stop-{point}")
    if stop.exists():
        Path(folder, f"at-{point}").touch()
        while stop.exists():
            time.sleep(0.005)


def act_outside(words: str) -> None:
    """Do something that no rollback takes back."""
    with Path(os.environ[FOLDER], "outside").open("a") as file:
        file.write(f"{words}\n")


# Handlers


def note(context: CommandContext, conversation: Conversation, word: str = "") -> dict[str, Any]:
    """Note a word about a conversation; gives both"""
    done("note")
    return {"conversation": conversation, "word": word}


def retitle(context: CommandContext, conversation: Conversation, title: str) -> None:
    """Give a conversation another title"""
    done("retitle")
    conversation.title = title
    conversation.save(update_fields=["title"])


def count(context: CommandContext) -> None:
    """Count"""
    stand_still("begin")
    done("count")
    stand_still("end")


def everything(context: CommandContext, **arguments: Any) -> dict[str, Any]:
    """Take whatever is bound, and give it on"""
    seen.append(context)
    given.append(arguments)
    done("everything")
    return arguments


def exactly(
    context: CommandContext,
    text: str = "",
    number: Decimal = Decimal(0),
    whole: int = 0,
    yes: bool = False,
    day: dt.date = dt.date(2000, 1, 1),
    tenant: Tenant | None = None,
    project: Project | None = None,
) -> None:
    """Take an argument of each kind"""
    taken = {"text": text, "number": number, "whole": whole, "yes": yes, "day": day}
    given.append({**taken, "tenant": tenant, "project": project})


def breaks(context: CommandContext) -> None:
    """Break after having done something"""
    done("breaks")
    raise RuntimeError(SECRET)


def breaks_database(context: CommandContext) -> None:
    """Break a statement of the database after having done something"""
    done("breaks_database")
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM no_such_table_of_the_house")


def refuses(context: CommandContext) -> None:
    """Refuse after having done something"""
    done("refuses")
    raise CommandRefused(REASONS[get_language() or "en"])


def hides(context: CommandContext) -> dict[str, Any]:
    """Make a tenant that nobody is granted to view; gives `tenant`"""
    done("hides")
    return {"tenant": Tenant.objects.create(name=f"hidden {uuid.uuid4()}", status="ACTIVE")}


def removes(context: CommandContext, conversation: Conversation) -> None:
    """Delete a conversation"""
    done("removes")
    conversation.delete()


def sends(context: CommandContext, word: str = "") -> None:
    """Act outside of the database, in two parts"""
    stand_still("begin")
    act_outside(f"begun {word}".strip())
    stand_still("middle")
    act_outside(f"sent {word}".strip())
    done("sends")
    stand_still("end")


def sends_and_breaks(context: CommandContext) -> None:
    """Act outside, then break"""
    act_outside("sent")
    raise RuntimeError(SECRET)


def sends_not(context: CommandContext) -> None:
    """Refuse before acting outside"""
    raise CommandRefused(REASONS[get_language() or "en"])


# Rules and conditions


def is_open(context: CommandContext) -> bool:
    """The conversation is not closed"""
    return isinstance(context.object, Conversation) and context.object.state != Conversation.State.CLOSED


def is_short(context: CommandContext) -> bool:
    """The conversation has 50 messages at most"""
    return isinstance(context.object, Conversation) and context.object.messages <= 50


def is_fit(context: CommandContext) -> bool:
    """The person is fit"""
    return bool(context.user.first_name != "unfit")


def breaks_as_rule(context: CommandContext) -> bool:
    """A rule that breaks"""
    raise RuntimeError(SECRET)


def stands_still(context: CommandContext) -> bool:
    """Holds, after standing still"""
    stand_still("rule")
    return True


def is_long(context: CommandContext) -> bool:
    """The conversation has more than 50 messages"""
    return not is_short(context)


def is_risky(context: CommandContext) -> bool:
    """The word is risky"""
    return bool(context.parameters["word"] == "risky")


def breaks_as_condition(context: CommandContext) -> bool:
    """A condition that breaks"""
    raise RuntimeError(SECRET)


# Views


def talk(request: HttpRequest, conversation: Conversation) -> HttpResponse:
    """A conversation's title"""
    return HttpResponse(f"<p>{escape(conversation.title)}</p>")


def customer(request: HttpRequest, tenant: Tenant) -> HttpResponse:
    """A tenant's name"""
    return HttpResponse(f"<p>{escape(tenant.name)}</p>")


def plain(request: HttpRequest, nothing: None) -> HttpResponse:
    """A view without an object"""
    return HttpResponse("<p>plain</p>")


_ANY: dict[str, Any] = {}
_CONVERSATION: dict[str, Any] = {"accepts": Conversation}
_OUTSIDE: dict[str, Any] = {"outside": True}

_CODE: list[tuple[Sort, Callable[..., Any], Callable[..., Any], dict[str, Any]]] = [
    ("handler", command_handler, note, _CONVERSATION),
    ("handler", command_handler, retitle, _CONVERSATION),
    ("handler", command_handler, count, _ANY),
    ("handler", command_handler, everything, _ANY),
    ("handler", command_handler, exactly, _ANY),
    ("handler", command_handler, breaks, _ANY),
    ("handler", command_handler, breaks_database, _ANY),
    ("handler", command_handler, refuses, _ANY),
    ("handler", command_handler, hides, _ANY),
    ("handler", command_handler, removes, _CONVERSATION),
    ("handler", command_handler, sends, _OUTSIDE),
    ("handler", command_handler, sends_and_breaks, _OUTSIDE),
    ("handler", command_handler, sends_not, _OUTSIDE),
    ("rule", command_rule, is_open, _CONVERSATION),
    ("rule", command_rule, is_short, _CONVERSATION),
    ("rule", command_rule, is_fit, _ANY),
    ("rule", command_rule, breaks_as_rule, _ANY),
    ("rule", command_rule, stands_still, _ANY),
    ("condition", confirm_when, is_long, _CONVERSATION),
    ("condition", confirm_when, is_risky, _ANY),
    ("condition", confirm_when, breaks_as_condition, _ANY),
    ("view", page_view, talk, _CONVERSATION),
    ("view", page_view, customer, {"accepts": Tenant}),
    ("view", page_view, plain, _ANY),
]
"""Everything above, registered as `acting.<its name>`."""


def register() -> None:
    """Register all of it."""
    for _sort, registering, function, options in _CODE:
        registering(f"acting.{function.__name__}", **options)(function)


def take_back() -> None:
    """Take all of it back out."""
    for sort, _registering, function, _options in _CODE:
        unregister(sort, f"acting.{function.__name__}")
