"""What is wrong with a declaration, each with what would fit; asked on saving, by checks, and before it is offered.

The rules are seed 002's for the object that a command takes, seed 001's for its confirmation, and design section 3's
for its steps: rows name registered code, and what they name must be there and take what it is given.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.urls import get_urlconf

from ..models import AgentCommand, Channel, CommandParameter, CommandRule, CommandStep, Page, PageView, StepBinding
from .declared import Declared, declared, found_code, rows
from .mutation_rules import signature_of
from .object_rules import of_object
from .page_rules import of_channels, of_key, of_views
from .problem import Problem
from .rules import of_confirmation, of_parameters, of_rules
from .step_rules import of_steps

__all__ = ["Problem", "is_sound", "problems_of", "problems_of_page"]

MOST_REMEMBERED = 1_000
"""Declarations whose soundness a process remembers; far more than anybody declares."""


def problems_of(
    command: AgentCommand,
    *,
    parameters: Iterable[CommandParameter] | None = None,
    rules: Iterable[CommandRule] | None = None,
    steps: Iterable[tuple[CommandStep, Sequence[StepBinding]]] | None = None,
    in_database: bool = True,
) -> list[Problem]:
    """Return everything that is wrong with a command, in the active language; nothing where it can be offered.

    Its rows are those stored unless they are given: unsaved ones, and steps each with their bindings. Without
    `in_database` only what is declared and the code are asked, not which permissions are stored.
    """
    return list(_problems(declared(command, parameters, rules, steps), in_database))


def problems_of_page(
    page: Page, *, channels: Iterable[Channel] | None = None, views: Iterable[PageView] | None = None
) -> list[Problem]:
    """Return everything that is wrong with a page's own rows, which are those stored unless they are given."""
    held = tuple(rows(page, "channels") if channels is None else channels)
    shown = tuple(rows(page, "views") if views is None else views)
    return [*of_key(page), *of_channels(held), *of_views(shown, held)]


def is_sound(command: AgentCommand) -> bool:
    """Whether the command can be offered.

    Asks the database nothing more for one of `models.declared_commands()`, and remembers the answer until the
    declaration, the code or the routes change.
    """
    whole = declared(command, None, None, None)
    content = _content(whole)
    if content not in _known:
        if len(_known) >= MOST_REMEMBERED:
            _known.clear()
        _known[content] = not any(_problems(whole, in_database=False))
    return _known[content]


_known: dict[Hashable, bool] = {}


def _problems(whole: Declared, in_database: bool) -> Iterator[Problem]:
    yield from of_object(whole, in_database)
    yield from of_parameters(whole)
    yield from of_rules(whole)
    yield from of_confirmation(whole)
    yield from of_steps(whole)


_OF_COMMAND = attrgetter(
    *("input_type", "input_description", "input_channel", "input_permission"),
    *("confirmation", "confirmation_condition", "confirm_clicks"),
)
_OF_PARAMETER = attrgetter("name", "kind", "required", "values", "minimum", "maximum", "pattern")
_OF_STEP = attrgetter("kind", "target")
_OF_BINDING = attrgetter("argument", "source", "value")
_OF_CHANNEL = attrgetter("name", "type")
_OF_VIEW = attrgetter("name", "code", "channel")


def _content(whole: Declared) -> Hashable:
    """Everything that the problems depend on: what is declared, the registered code, the schema and the routes."""
    command = whole.command
    texts = (command.confirmation_title, command.confirmation_message, command.confirmation_button)
    return (
        _OF_COMMAND(command),
        tuple(map(_text, texts)),
        tuple(map(_OF_PARAMETER, whole.parameters)),
        tuple((rule.code, _text(rule.reason)) for rule in whole.rules),
        tuple((_OF_STEP(step), tuple(map(_OF_BINDING, bindings))) for step, bindings in whole.steps),
        tuple(map(_OF_CHANNEL, whole.channels)),
        tuple(map(_OF_VIEW, whole.views)),
        tuple(_named_code(whole)),
        get_urlconf() or settings.ROOT_URLCONF,
    )


def _text(texts: Any) -> Hashable:
    return tuple((texts or {}).items())


def _named_code(whole: Declared) -> Iterator[Hashable]:
    """The code that the declaration names, as it is registered and as the schema has it now."""
    yield found_code("condition", whole.command.confirmation_condition)
    for rule in whole.rules:
        yield found_code("rule", rule.code)
    for view in whole.views:
        yield found_code("view", view.code)
    for step, _bindings in whole.steps:
        if step.kind == CommandStep.Kind.HANDLER:
            yield found_code("handler", step.target)
        elif step.kind == CommandStep.Kind.MUTATION:
            yield signature_of(step.target)
