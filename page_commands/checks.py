"""System checks: sessions that do not hold, doors without an address, declarations that the code moved away under."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.db import DatabaseError, router, transaction
from django.urls import NoReverseMatch, reverse

from .declaration.soundness import problems_of, problems_of_page
from .models import AgentCommand, Page, declared_commands

PLACE = "page_commands:stream"
"""An address of the pages' own door."""

LINE = 'path("pages/", include("page_commands.urls"))'
"""The line of a URLconf that opens the door."""


@register()
def check_place(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """W001: the door has an address, without which no tab opens a session and nothing is shown in it."""
    try:
        reverse(PLACE)
    except NoReverseMatch:
        hint = f"Add {LINE} to the root URLconf, under any prefix."
        return [Warning(f"Nothing has the URL name {PLACE!r}.", hint=hint, id="page_commands.W001")]
    return []


@register()
def check_sessions(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """E001: a sign-in keeps its key, by which a browser's open pages and clicks are known as its own."""
    if settings.SESSION_ENGINE != "django.contrib.sessions.backends.signed_cookies":
        return []
    hint = "Take a session engine whose sessions are stored on the server, like django.contrib.sessions.backends.db."
    message = "Sessions in signed cookies change their key with what they hold, so no open page would be known again."
    return [Error(message, hint=hint, id="page_commands.E001")]


@register()
def check_stored_declarations(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """W002 and W003: what is stored names nothing that the code no longer has.

    Warnings, since an error would keep `migrate` from running, and with it the change that mends the row. Silent
    where the tables are not there yet or the database does not answer: other checks say so.
    """
    try:
        with transaction.atomic(using=router.db_for_read(AgentCommand)):
            return [*_of_commands(), *_of_pages()]
    except DatabaseError:
        return []


def _of_commands() -> list[CheckMessage]:
    return [
        Warning(
            f"The command {command.key} is not offered. {problem.place}{problem.message}",
            hint=problem.hint or None,
            obj=command,
            id="page_commands.W002",
        )
        for command in declared_commands().filter(enabled=True, page__enabled=True)
        for problem in problems_of(command)
    ]


def _of_pages() -> list[CheckMessage]:
    return [
        Warning(
            f"The page {page.key} cannot show all that it declares. {problem.place}{problem.message}",
            hint=problem.hint or None,
            obj=page,
            id="page_commands.W003",
        )
        for page in Page.objects.filter(enabled=True).prefetch_related("channels", "views")
        for problem in problems_of_page(page)
    ]
