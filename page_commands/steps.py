"""The kinds of step, each run inside of the command's transaction; what the tab must show goes to its outbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Model
from django.urls import NoReverseMatch, reverse

from read_targets.agent import plain
from read_targets.cards.addresses import own_address

from .bindings import bound, typed
from .code import Code, UnknownCode, code_of
from .context import CommandContext, CommandRefused
from .live.effects import add_effect
from .live.models import Effect, PageSession
from .live.state import show_view, write_channel
from .models import CommandStep
from .mutations import mutation_field, run_mutation
from .objects import access_object, type_of

Kind = CommandStep.Kind


class OutsideBroke(Exception):
    """Something broke after a handler may have acted outside of the database, which no rollback takes back."""


def run_steps(context: CommandContext, session: PageSession, call: UUID) -> None:
    """Run every step in order. All or none: whatever is raised must end in a rollback.

    `session` is the locked row of the page. Raises CommandRefused, Refused, OutsideBroke, or whatever broke.
    """
    results: list[Any] = []
    went_outside = False
    for step in context.command.steps.all():
        now = replace(context, results=tuple(results))
        outside = is_outside(step)
        try:
            results.append(_RUN[step.kind](step, now, session, call))
        except Exception as error:  # raised on as it is, unless more may have happened than a rollback undoes
            if went_outside or (outside and not isinstance(error, CommandRefused)):
                raise OutsideBroke(step.target) from error
            raise
        went_outside = went_outside or outside


def is_outside(step: CommandStep) -> bool:
    """Whether the step acts outside of the database, or may: who knows what a mutation does, or code that is gone."""
    try:
        return step.kind == Kind.MUTATION or (step.kind == Kind.HANDLER and code_of("handler", step.target).outside)
    except UnknownCode:
        return True


def address_for(name: str, arguments: Mapping[str, Any]) -> str:
    """Return an address of this site: the URL name reversed with those arguments that it takes, the others as query.

    Raises NoReverseMatch, and ForeignAddress where the result is none of this site's.
    """
    words = {key: str(value.pk if isinstance(value, Model) else plain(value)) for key, value in arguments.items()}
    for taken in _subsets(tuple(words)):
        try:
            address = reverse(name, kwargs={key: words[key] for key in taken})
        except NoReverseMatch:
            continue
        rest = {key: word for key, word in words.items() if key not in taken}
        return own_address(f"{address}?{urlencode(rest)}" if rest else address)
    raise NoReverseMatch(f"{name} cannot be reversed with {', '.join(words) or 'no arguments'}.")


def _subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every choice of the names, largest first: an address takes as many of them as it can."""
    return [chosen for size in range(len(names), -1, -1) for chosen in combinations(names, size)]


def _write_channel(step: CommandStep, context: CommandContext, session: PageSession, call: UUID) -> None:
    channel = next(one for one in context.command.page.channels.all() if one.name == step.target)
    obj = _readable(context, bound(step, context).get("object"))
    if obj is not None and type_of(obj) != channel.type.lower():
        raise TypeError(f"The channel {channel.name} holds a {channel.type}, not a {type_of(obj)}.")
    write_channel(session, channel, obj, call)


def _show_view(step: CommandStep, context: CommandContext, session: PageSession, call: UUID) -> None:
    view = next(one for one in context.command.page.views.all() if one.name == step.target)
    obj = _readable(context, bound(step, context).get("object"))
    accepts = code_of("view", view.code).accepts
    if obj is not None and (accepts is None or not isinstance(obj, accepts)):
        raise TypeError(f"The view {view.name} does not show a {type_of(obj)}.")
    show_view(session, view, obj, call)


def _readable(context: CommandContext, obj: Model | None) -> Model | None:
    """The object, once the person may read it: a handler may have made it, or taken it from them."""
    return obj if obj is None else access_object(context.actor, type_of(obj), obj.pk)


def _open_page(step: CommandStep, context: CommandContext, session: PageSession, call: UUID) -> None:
    href = address_for(step.target, bound(step, context))
    add_effect(session, Effect.Kind.NAVIGATE, {"href": href}, call)


def _handler(step: CommandStep, context: CommandContext, session: PageSession, call: UUID) -> Any:
    code = code_of("handler", step.target)
    return code.function(context, **_typed(code, bound(step, context)))


def _typed(code: Code, values: dict[str, Any]) -> dict[str, Any]:
    arguments = code.arguments
    return {
        name: typed(value, arguments[name].annotation) if name in arguments else value for name, value in values.items()
    }


def _mutation(step: CommandStep, context: CommandContext, session: PageSession, call: UUID) -> dict[str, Any]:
    values = bound(step, context)
    words = {name: str(value.pk) if isinstance(value, Model) else plain(value) for name, value in values.items()}
    mutation_field(step.target)
    return run_mutation(context.actor, step.target, words)


_RUN: dict[str, Callable[[CommandStep, CommandContext, PageSession, UUID], Any]] = {
    Kind.WRITE_CHANNEL: _write_channel,
    Kind.SHOW_VIEW: _show_view,
    Kind.OPEN_PAGE: _open_page,
    Kind.HANDLER: _handler,
    Kind.MUTATION: _mutation,
}
