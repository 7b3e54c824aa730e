"""What a tab shows of its page: buttons, waiting confirmations and views, rendered in the active language.

Everything is asked anew under the person's rights each time: what they may not run has no button, and what they may not
read is not in a view.
"""

from __future__ import annotations

import copy
import hashlib
import logging
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import PermissionDenied
from django.db.models import Model, prefetch_related_objects
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.template.loader import render_to_string

from read_targets.agent.labels import text_of
from read_targets.cards.clicks import nonce_for
from read_targets.cards.words import quoted_words
from read_targets.policies import Actor

from ..code import code_of
from ..commands import commands_of
from ..models import AgentCommand, CommandParameter, Page, PageView
from ..objects import find_object, name_of
from ..questions import Words, waiting_runs, words_of
from .models import CommandRun, PageSession
from .state import shown_views, type_of

logger = logging.getLogger(__name__)

_CSRF_FIELD = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')
"""Differs each time it is rendered, and means the same."""


@dataclass(frozen=True)
class Field:
    """An input for a parameter of a command."""

    name: str
    kind: str
    label: str
    required: bool
    values: list[str]
    minimum: str
    maximum: str


@dataclass(frozen=True)
class Button:
    """A command as the page offers it, for the object of its channel: its key is `object`, its name `works_on`.

    `lacks` names a channel that is empty.
    """

    name: str
    label: str
    object: str
    works_on: str
    lacks: str
    fields: list[Field]


@dataclass(frozen=True)
class Question:
    """A confirmation that waits in this tab, and what its two buttons send. `agent` is what the agent calls itself."""

    run: CommandRun
    words: Words
    agent: str
    nonce: str
    session: str


def parts_of(request: HttpRequest, session: PageSession) -> dict[str, Any]:
    """Return the parts of the page as JSON: the HTML of commands and cards, and each view with its stamp.

    They are those of the page's version that `session` holds.
    """
    actor = Actor(request.user)
    prefetch_related_objects([session.page], "channels", "views")
    questions = [one for run in waiting_runs(session) if (one := _question(request, session, run))]
    shown = shown_views(session, session.page)
    return {
        "commands": render_to_string("page_commands/_commands.html", {"buttons": _buttons(actor, session)}),
        "cards": render_to_string("page_commands/_cards.html", {"questions": questions}),
        "views": [_view(request, session, actor, view, key) for view, key in shown],
    }


def _found(actor: Actor, type_label: str, key: str) -> Model | None:
    """The object as the person may read it now, looked up once for all the parts."""
    found: dict[tuple[str, str], Model | None] = actor.memo.setdefault("objects of the page", {})
    if (type_label, key) not in found:
        found[type_label, key] = find_object(actor, type_label, key)
    return found[type_label, key]


# Commands


def _buttons(actor: Actor, session: PageSession) -> list[Button]:
    """The commands that a click can run: one that needs an object must find it on its channel."""
    commands = commands_of(actor, session.page)
    return [_button(actor, session, one) for one in commands if one.input_channel or not one.input_type]


def _button(actor: Actor, session: PageSession, command: AgentCommand) -> Button:
    held, lacks = None, ""
    if command.input_type:
        key = session.channels.get(command.input_channel)
        held = None if key is None else _found(actor, command.input_type, key)
        lacks = _channel_label(session.page, command.input_channel) if held is None else ""
    return Button(
        name=command.name,
        label=text_of(command.label, command.name),
        object="" if held is None else str(held.pk),
        works_on="" if held is None else name_of(held),
        lacks=lacks,
        fields=[_field(parameter) for parameter in command.parameters.all()],
    )


def _channel_label(page: Page, name: str) -> str:
    return next((str(channel) for channel in page.channels.all() if channel.name == name), name)


def _field(parameter: CommandParameter) -> Field:
    return Field(
        name=parameter.name,
        kind=parameter.kind,
        label=text_of(parameter.label, parameter.name),
        required=parameter.required,
        values=parameter.value_list,
        minimum=_written(parameter.minimum),
        maximum=_written(parameter.maximum),
    )


def _written(limit: Decimal | None) -> str:
    """A limit as HTML writes numbers, whatever the language."""
    return "" if limit is None else format(limit.normalize(), "f")


# Confirmations


def _question(request: HttpRequest, session: PageSession, run: CommandRun) -> Question | None:
    """The confirmation as it is shown; None where what would run is no longer the person's to run."""
    words = words_of(run)
    if words is None or run.card is None:
        return None
    return Question(run, words, quoted_words(run.agent), nonce_for(request, run.card.pk), str(session.pk))


# Views


def _view(request: HttpRequest, session: PageSession, actor: Actor, view: PageView, key: str | None) -> dict[str, Any]:
    """A view, rendered for its object as the person may read it now; the stamp differs when what it shows does.

    One that broke is not `is_shown`; that something is not there for the person is all that there is to show.
    """
    obj = None if key is None else _found(actor, type_of(view, session.page), key)
    html = _missing(view) if key is not None and obj is None else _rendered(_request_for(request, session), view, obj)
    is_shown = html is not None
    if html is None:
        html = render_to_string("page_commands/_broken.html", {"view": view})
    shown = "|".join((view.name, key or "", _CSRF_FIELD.sub("", html)))
    return {
        "name": view.name,
        "label": text_of(view.label, view.name),
        "stamp": hashlib.sha256(shown.encode()).hexdigest()[:16],
        "html": html,
        "is_shown": is_shown,
    }


def _rendered(request: HttpRequest, view: PageView, obj: Model | None) -> str | None:
    """The view's HTML, None where it could not be drawn."""
    try:
        response = code_of("view", view.code).function(request, obj)
        if hasattr(response, "is_rendered"):
            response = response.render()
        return _html_of(response)
    except (Http404, PermissionDenied):
        return _missing(view)
    except Exception:  # whatever breaks in the application's view, the rest of the page must stand
        logger.exception("the view %s of the page %s broke", view.name, view.page_id)
        return None


def _html_of(response: Any) -> str:
    if not isinstance(response, HttpResponse) or response.status_code != 200:
        raise TypeError(f"A view returns an HttpResponse of status 200, not {response!r}.")
    return response.content.decode(response.charset)


def _missing(view: PageView) -> str:
    return render_to_string("page_commands/_missing.html", {"view": view})


def _request_for(request: HttpRequest, session: PageSession) -> HttpRequest:
    """The request as a view meets it: a GET of the page itself, whatever the tab has sent to us."""
    address = urlsplit(session.path)
    asked: Any = copy.copy(request)
    asked.method = "GET"
    asked.path = asked.path_info = address.path
    asked.GET, asked.POST = QueryDict(address.query), QueryDict()
    asked.META = {**request.META, "REQUEST_METHOD": "GET", "QUERY_STRING": address.query}
    return asked
