"""Registered code, which rows of the admin name and never contain: handlers, rules, conditions and views.

An application registers in a module `commands` of any installed app, which is imported when the site starts::

    @command_handler("factory.archive_conversation", accepts=Conversation)
    def archive(context: CommandContext, conversation: Conversation) -> None: ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase

Sort = Literal["handler", "rule", "condition", "view"]


class UnknownCode(LookupError):
    """No code of that sort is registered under that name."""


@dataclass(frozen=True)
class Code:
    """A registered function. `accepts` is the model of the object it works on, None where it works on none.

    `outside`: the handler does something outside of the database, which no rollback takes back; a run of it that is cut
    off answers *outcome unknown* and is never run again by itself.
    """

    sort: Sort
    name: str
    function: Callable[..., Any]
    accepts: type[Model] | None = None
    outside: bool = False

    @property
    def label(self) -> str:
        """What an admin reads beside the name: the first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def arguments(self) -> Mapping[str, inspect.Parameter]:
        """The arguments that a step binds: those behind the context. Annotations are objects, not their names."""
        signature = inspect.signature(self.function, eval_str=True)
        return dict(list(signature.parameters.items())[1:])


_registered: dict[tuple[Sort, str], Code] = {}


def command_handler(
    name: str, *, accepts: type[Model] | None = None, outside: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what a step calls: `function(context, **arguments)`, run as the person, inside of the transaction.

    It may return a mapping of plain values or model objects, of which later steps take parts. It raises
    `CommandRefused` with a reason in the person's language where it cannot be done.
    """
    return _registering("handler", name, accepts, outside)


def command_rule(
    name: str, *, accepts: type[Model] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a rule: `function(context) -> bool`, whether the command may run now on `context.object`."""
    return _registering("rule", name, accepts)


def confirm_when(
    name: str, *, accepts: type[Model] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a condition: `function(context) -> bool`, whether a person must agree first. An error means *ask*."""
    return _registering("condition", name, accepts)


PageViewFunction = Callable[[HttpRequest, Any], HttpResponseBase]


def page_view(name: str, *, accepts: type[Model] | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a view: `function(request, object) -> HttpResponse`, a fragment; `object` is None without one."""
    return _registering("view", name, accepts)


def code_of(sort: Sort, name: str) -> Code:
    """Return the registered code; raises UnknownCode."""
    try:
        return _registered[sort, name]
    except KeyError:
        raise UnknownCode(f"{sort} {name}") from None


def registered_code(sort: Sort) -> list[Code]:
    """Return all code of a sort, by name."""
    return sorted((code for code in _registered.values() if code.sort == sort), key=lambda code: code.name)


def unregister(sort: Sort, name: str) -> None:
    """Take code back out; raises KeyError where it is not registered."""
    del _registered[sort, name]


def _registering(
    sort: Sort, name: str, accepts: type[Model] | None, outside: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        holder = _registered.get((sort, name))
        if holder is not None and holder.function is not function:
            where = f"{holder.function.__module__}.{holder.function.__qualname__}"
            raise ImproperlyConfigured(f"The {sort} {name!r} is already registered by {where}.")
        _registered[sort, name] = Code(sort, name, function, accepts, outside)
        return function

    return register
