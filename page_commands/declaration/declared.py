"""A command or a page with all its rows, stored or not yet, as the rules read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Model

from ..code import Code, Sort, UnknownCode, code_of
from ..models import AgentCommand, Channel, CommandParameter, CommandRule, CommandStep, Page, PageView, StepBinding
from ..objects import model_of

Step = tuple[CommandStep, tuple[StepBinding, ...]]


@dataclass(frozen=True)
class Declared:
    """A command with its rows, and the channels and views of its page."""

    command: AgentCommand
    parameters: tuple[CommandParameter, ...]
    rules: tuple[CommandRule, ...]
    steps: tuple[Step, ...]
    channels: tuple[Channel, ...]
    views: tuple[PageView, ...]

    @cached_property
    def model(self) -> type[Model] | None:
        """The model of the command's object, None where it takes none or the type names none."""
        return model_of(self.command.input_type) if self.command.input_type else None

    @cached_property
    def by_parameter(self) -> dict[str, CommandParameter]:
        """The parameters by their names."""
        return {one.name: one for one in self.parameters}

    def channel(self, name: str) -> Channel | None:
        """The channel of the page of that name."""
        return next((one for one in self.channels if one.name == name), None)

    def view(self, name: str) -> PageView | None:
        """The view of the page of that name."""
        return next((one for one in self.views if one.name == name), None)


def declared(
    command: AgentCommand,
    parameters: Iterable[CommandParameter] | None,
    rules: Iterable[CommandRule] | None,
    steps: Iterable[tuple[CommandStep, Sequence[StepBinding]]] | None,
) -> Declared:
    """Return the command with the rows that are given, those stored in place of each kind that is not."""
    if parameters is None:
        parameters = rows(command, "parameters")
    if rules is None:
        rules = rows(command, "rules")
    if steps is None:
        steps = [(step, rows(step, "bindings")) for step in rows(command, "steps")]
    page = command.page if command.page_id is not None else None
    return Declared(
        command,
        tuple(parameters),
        tuple(rules),
        tuple((step, tuple(bindings)) for step, bindings in steps),
        tuple(rows(page, "channels")),
        tuple(rows(page, "views")),
    )


def rows(owner: AgentCommand | CommandStep | Page | None, name: str) -> Any:
    """The rows that belong to `owner`; prefetched ones without the manager, which would cost more than all the rest."""
    if owner is None or owner.pk is None:
        return ()
    prefetched = getattr(owner, "_prefetched_objects_cache", {})
    return prefetched[name] if name in prefetched else getattr(owner, name).all()


def found_code(sort: Sort, name: str) -> Code | None:
    """Return the registered code, None where there is none."""
    try:
        return code_of(sort, name)
    except UnknownCode:
        return None
