"""`{% live_page "factory.start" %}` makes the page that it stands on one on which an agent may act.

`{% live_button "factory.start" "show_conversation" conversation %}` is a command's button for one object, in the row of
a table, say.
"""

from __future__ import annotations

import logging
from typing import Any

from django import template
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model
from django.middleware.csrf import get_token
from django.template import Context
from django.urls import reverse

from read_targets.agent.labels import text_of
from read_targets.cards.clicks import nonce_for
from read_targets.policies import Actor, is_someone
from read_targets.preferences import language_of

from ..commands import commands_of
from ..live.clicks import bound
from ..live.sessions import browser_of
from ..live.tickets import ticket_for
from ..models import AgentCommand, Page

logger = logging.getLogger(__name__)
register = template.Library()


@register.inclusion_tag("page_commands/live_page.html", takes_context=True)
def live_page(context: Context, key: str) -> dict[str, Any]:
    """Render the regions of a live page and the script that fills them; once on a page.

    Renders nothing for somebody who is not signed in, and for a page that is not declared or switched off. Raises
    ImproperlyConfigured where the template is rendered without its request.
    """
    request = context.get("request")
    if request is None:
        raise ImproperlyConfigured(
            "live_page needs the request: add django.template.context_processors.request to the context processors."
        )
    if not is_someone(request.user) or not browser_of(request):
        return {}
    page = Page.objects.filter(key=key).first()
    if page is None:
        logger.warning("live_page: there is no page %r in the admin, so nothing is rendered at %s", key, request.path)
        return {}
    if not page.enabled:
        return {}
    return {
        "page": page,
        "language": language_of(request.user),
        "ticket": ticket_for(request, page),
        "token": get_token(request),
        # Not a secret: it names the lock by which the tabs of one sign-in choose who holds the stream.
        "browser": browser_of(request)[:16],
        "sessions": reverse("page_commands:sessions"),
        "stream": reverse("page_commands:stream"),
        "cards": reverse("read_targets_agent:cards"),
        "here": request.get_full_path(),
    }


@register.inclusion_tag("page_commands/_button.html", takes_context=True)
def live_button(context: Context, key: str, name: str, obj: Any) -> dict[str, Any]:
    """Render the button that runs a command of a live page on `obj`, a record or its key.

    `name` is the command's, with or without the page's application before it. The button carries a nonce for this very
    command and object: without one, no click on a button of the application's own is taken for the person's. Renders
    nothing where the page does not offer that command to the person, where it takes no object, and where there is none.
    However many buttons a page has, its commands are asked for once.
    """
    request = context["request"]
    shown = obj.pk if isinstance(obj, Model) else obj
    if shown is None or shown == "":
        return {}
    asked: dict[str, dict[str, AgentCommand]] = request.__dict__.setdefault("live_commands", {})
    if key not in asked:
        page = Page.objects.filter(key=key).first() if is_someone(request.user) else None
        asked[key] = {one.name: one for one in commands_of(Actor(request.user), page)} if page else {}
    command = asked[key].get(name.removeprefix(f"{key.partition('.')[0]}."))
    if command is None or not command.input_type:
        return {}
    return {
        "name": command.name,
        "object": str(shown),
        "nonce": nonce_for(request, bound(key, command.name, str(shown))),
        "label": text_of(command.label, command.name, language_of(request.user)),
    }
