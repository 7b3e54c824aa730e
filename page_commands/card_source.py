"""The rights to cards of commands, asked again whenever one is shown or opened."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Q

from read_targets.cards.models import WorkspaceVersion
from read_targets.cards.sources import Listing, NoListing, Required, Review, register_source
from read_targets.policies import Actor

from .models import AgentCommand
from .policies import RUN, runnable


class CommandSource:
    """The cards that ask a person about a command; their key is the command's, `factory.start:archive_conversation`."""

    def has(self, key: str) -> bool:
        """Whether `key` is a command's; one that is gone is still nobody else's."""
        return ":" in key

    def closed(self, user: Any, keys: Collection[str]) -> dict[str, Required]:
        """Those of `keys` that the person may not run, with the right they lack; none where it is off or gone."""
        named = Q()
        for key in keys:
            page, _colon, name = key.partition(":")
            named |= Q(page__key=page, name=name)
        if not named:
            return {}
        commands = AgentCommand.objects.filter(named).select_related("page")
        found = {command.key: command for command in commands}
        held = set(runnable(Actor(user), commands).values_list("pk", flat=True))
        closed: dict[str, Required] = {}
        for key in keys:
            command = found.get(key)
            if command is None or not (command.enabled and command.page.enabled):
                closed[key] = Required("", key if command is None else str(command))
            elif command.pk not in held:
                closed[key] = Required(RUN, str(command))
        return closed

    def review(self, user: Any, version: WorkspaceVersion) -> Review:
        """A command has no workspace."""
        return Review(frozenset(), figures_open=False)

    def listing(self, user: Any, version: WorkspaceVersion) -> Listing:
        """Nor a list."""
        raise NoListing(version.source)


register_source(CommandSource())
