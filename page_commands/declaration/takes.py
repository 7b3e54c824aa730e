"""What a step of each kind may act on, and the arguments that it takes: for whoever chooses one."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphql import is_required_argument

from ..code import registered_code
from ..models import Channel, CommandStep, PageView
from ..mutations import mutation_field, mutation_names
from .declared import found_code
from .kinds import spelled
from .routes import page_names, routes_of
from .step_rules import OBJECT, arguments_of

Kind = CommandStep.Kind


@dataclass(frozen=True)
class Taken:
    """An argument of a step: its name, the type that is asked for, and whether it must be bound."""

    name: str
    wanted: str = ""
    is_needed: bool = True

    def __str__(self) -> str:
        said = f"{self.name}: {self.wanted}" if self.wanted else self.name
        return said if self.is_needed else f"[{said}]"


@dataclass(frozen=True)
class Action:
    """Something that a step can do: its kind, what it acts on, and what that takes."""

    kind: str
    target: str
    takes: tuple[Taken, ...] = ()

    @property
    def signature(self) -> str:
        """The arguments as one text."""
        return ", ".join(map(str, self.takes))


def actions(channels: Sequence[Channel], views: Sequence[PageView]) -> Iterator[Action]:
    """Return everything that a step of a page's command can do, kind by kind."""
    for channel in channels:
        yield Action(Kind.WRITE_CHANNEL, channel.name, (Taken(OBJECT, channel.type, is_needed=False),))
    for view in views:
        yield Action(Kind.SHOW_VIEW, view.name, _of_view(view))
    for name in page_names():
        route = min(routes_of(name), key=lambda one: len(one.arguments))
        yield Action(Kind.OPEN_PAGE, name, tuple(Taken(argument) for argument in sorted(route.arguments)))
    for code in registered_code("handler"):
        try:
            arguments = arguments_of(code)
        except NameError:
            # What it takes cannot be read, which is said when it is chosen.
            arguments = {}
        taken = (
            Taken(name, spelled(one.annotation), one.default is one.empty)
            for name, one in arguments.items()
            if one.kind is not inspect.Parameter.VAR_KEYWORD
        )
        yield Action(Kind.HANDLER, code.name, tuple(taken))
    for name in mutation_names():
        field = mutation_field(name)
        taken = (Taken(one, str(its.type), is_required_argument(its)) for one, its in field.args.items())
        yield Action(Kind.MUTATION, name, tuple(taken))


def _of_view(view: PageView) -> tuple[Taken, ...]:
    code = found_code("view", view.code)
    if view.channel or code is None or code.accepts is None:
        return ()
    return (Taken(OBJECT, code.accepts._meta.label_lower),)
