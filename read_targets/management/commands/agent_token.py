"""`manage.py agent_token USER`: make a token for one of a person's agents and print it once."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from read_targets.agent.models import Toolset
from read_targets.agent.tokens import create_token


class Command(BaseCommand):
    """Makes a token; its secret is printed alone on the last line and nowhere kept."""

    help = "Make a token for one of a person's agents. The last line printed is the token."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what may be said of the token."""
        parser.add_argument("user", help="the person's user name")
        parser.add_argument("--name", default="agent", help="the agent's name, as the person will see it")
        parser.add_argument("--days", type=int, help="days until it expires")
        parser.add_argument("--toolset", nargs="+", default=[], metavar="K", help="keys of the toolsets it reaches")
        parser.add_argument("--may-act", action="store_true", help="it may run commands, not only read")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the token and print it."""
        person = self._person(options["user"])
        toolsets = self._toolsets(options["toolset"])
        if options["days"] is not None and not 1 <= options["days"] <= 3_650:
            raise CommandError("--days takes a number from 1 to 3650.")
        if not 1 <= len(options["name"]) <= 60:
            raise CommandError("--name takes 1 to 60 characters.")
        token, secret = create_token(
            person, options["name"], days=options["days"], toolsets=toolsets, may_act=options["may_act"]
        )
        reach = ", ".join(toolset.key for toolset in toolsets) or "all toolsets of the person"
        does = "reads and acts" if token.may_act else "reads"
        self.stdout.write(f"{token.name} of {person} {does}; it reaches {reach}, until {token.expires_at:%Y-%m-%d}.")
        self.stdout.write(secret)

    def _person(self, name: str) -> Any:
        users = get_user_model()
        try:
            person = users._default_manager.get_by_natural_key(name)
        except users.DoesNotExist:
            raise CommandError(f"There is no person of the name {name!r}.") from None
        if not person.is_active:
            raise CommandError(f"{name!r} is inactive; no token of theirs would be answered.")
        return person

    def _toolsets(self, keys: list[str]) -> list[Toolset]:
        found = {toolset.key: toolset for toolset in Toolset.objects.filter(key__in=keys)}
        unknown = [key for key in keys if key not in found]
        if unknown:
            known = ", ".join(Toolset.objects.values_list("key", flat=True)) or "none"
            raise CommandError(f"There is no toolset {', '.join(unknown)}; there is: {known}.")
        return [found[key] for key in keys]
