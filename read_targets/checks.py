"""System checks: a site that is set up wrong, and stored declarations that the code has moved away under."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.db import DatabaseError, router, transaction
from django.urls import NoReverseMatch, reverse

from .agent.models import ToolsetEntry
from .agent.registry import tool_keys
from .conf import DEFAULTS, graphql_schema, imported
from .declaration.soundness import Problem, problems_of
from .doors import declared
from .lists import readable_models
from .models import ReadTarget
from .policies.grants import slow_grants

PLACES = {
    "read_targets_agent:tools": 'path("agent/", include("read_targets.agent.urls"))',
    "read_targets_desk:desk": 'path("desk/", include("read_targets.cards.urls"))',
}
"""The first address of each door of this app, and the line of a URLconf that opens it."""


@register()
def check_requests_are_not_atomic(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """E001: a read is one snapshot of its own, which cannot hold inside a transaction that is open already."""
    return [
        Error(
            f"The database {alias!r} has ATOMIC_REQUESTS, under which an answer is no single snapshot.",
            hint="Take ATOMIC_REQUESTS off; a view that needs a transaction opens one with transaction.atomic.",
            id="read_targets.E001",
        )
        for alias, database in settings.DATABASES.items()
        if database.get("ATOMIC_REQUESTS")
    ]


@register()
def check_settings(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """E002 and E003: every entry of READ_TARGETS is known, and what it or graphene names can be imported."""
    unknown = sorted(set(getattr(settings, "READ_TARGETS", {})) - set(DEFAULTS))
    if unknown:
        hint = f"It has {', '.join(DEFAULTS)}."
        return [Error(f"READ_TARGETS has no setting {name}.", hint=hint, id="read_targets.E002") for name in unknown]
    found: list[CheckMessage] = []
    named = {"READ_TARGETS['PREFERENCES']": lambda: imported("PREFERENCES"), "The GraphQL schema": graphql_schema}
    for name, look_up in named.items():
        try:
            look_up()
        except ImportError as error:
            hint = f"Name something that can be imported, by its dotted path. What happened: {error}"
            found.append(Error(f"{name} cannot be imported.", hint=hint, id="read_targets.E003"))
    return found


@register()
def check_places(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """W001: the doors have addresses, without which no tool is called and no card opens."""
    found: list[CheckMessage] = []
    for name, line in PLACES.items():
        try:
            reverse(name)
        except NoReverseMatch:
            hint = f"Add {line} to the root URLconf, under any prefix."
            found.append(Warning(f"Nothing has the URL name {name!r}.", hint=hint, id="read_targets.W001"))
    return found


@register()
def check_stored_declarations(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """W002 and W003: what is stored names nothing that the code no longer has.

    Warnings, since an error would keep `migrate` from running, and with it the change that mends the row. Silent
    where the tables are not there yet or the database does not answer: other checks say so.
    """
    try:
        with transaction.atomic(using=router.db_for_read(ReadTarget)):
            return [*_of_targets(), *_of_toolsets()]
    except DatabaseError:
        return []


@register()
def check_grants(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """W006: the tables of grants on what lists show can be read by an index; without one every list is slow."""
    return [
        Warning(
            f"{table._meta.label} has no index from the holder and the right to the object.",
            hint="Inherit the Meta of guardian's base class, whose unique constraint is such an index, and migrate.",
            obj=table,
            id="read_targets.W006",
        )
        for table in sorted({one for model in readable_models() for one in slow_grants(model)}, key=str)
    ]


def _of_targets() -> list[CheckMessage]:
    return [
        Warning(
            f"{_what(problem)} {target.key} is not offered. {problem.place}{problem.message}",
            hint=problem.hint or None,
            obj=target,
            id="read_targets.W002",
        )
        for target in declared().filter(enabled=True)
        for problem in problems_of(target)
    ]


def _what(problem: Problem) -> str:
    return "The screen of the read target" if problem.is_of_screen else "The read target"


def _of_toolsets() -> list[CheckMessage]:
    known = [key for key, _label in tool_keys()]
    return [
        Warning(
            f"The toolset {entry.toolset.key} names the tools of {entry.tool_key!r}, which are not there.",
            hint=f"There are {', '.join(known)}." if known else "Remove the entry.",
            obj=entry,
            id="read_targets.W003",
        )
        for entry in ToolsetEntry.objects.select_related("toolset").exclude(tool_key__in=known)
    ]
