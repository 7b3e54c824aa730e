"""The tools that the apps offer. An app registers a provider; the doors know tools only through here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from django.core.exceptions import ImproperlyConfigured

from ..lists import Argument
from ..policies import Actor
from .contract import CardFacts, ToolResult

ToolClass = Literal["BACKEND_QUERY", "SNAPSHOT_READ", "UI_COMMAND"]


@dataclass(frozen=True)
class Call:
    """One call that is being answered: who asks, its id, the tool's name and the arguments as they were read.

    `key` is the Idempotency-Key it came with, empty without one; `wait` how many seconds the caller is willing to wait
    for a person.
    """

    actor: Actor
    id: str
    tool_name: str
    arguments: Mapping[str, Any]
    key: str = ""
    wait: float = 0.0


@dataclass(frozen=True)
class Answered:
    """What a tool answers.

    `result` is the answer without its card; `rows` how many rows it is about, for the log. `store`, where there is
    something to keep, runs in the writing transaction after all reading and returns the card.
    """

    result: ToolResult
    rows: int | None = None
    store: Callable[[Call], CardFacts] | None = None


Revisit = Callable[[Call, "ToolResult | None"], "ToolResult | None"]
"""Answers a call that is asked for once more; see `Tool`."""


@dataclass(frozen=True)
class Tool:
    """A tool as agents see it, and the function that runs it.

    `key` is what toolsets name it by. `acts`: it does something on the person's page, so its token must be allowed to,
    and its answer is kept. `conditions` are the arguments that the log keeps, none unless said; `words` those among
    them whose values are what somebody searches for, which it keeps only where an admin says so.

    `revisit(call, kept)`, for a tool that acts, is called when the call `call.id` is asked for once more, by its key or
    by its id. `kept` is its kept answer, None where the call was cut off before it had one. It asks the rights again
    (and raises Refused) and returns the answer as it stands now; None says that nothing was done, so that the call may
    run anew. `call.arguments` are those of the replay, none where the call is asked for by its id. Without `revisit`
    the kept answer stands, and a call that was cut off runs anew: so it is for a tool whose every effect commits
    together with its answer.

    `before(call)`, for a tool that acts, is asked before the call is claimed, where no earlier one holds its key. It
    only reads, and raises Refused where running makes no sense now: on SQLite a claim waits until whoever acts is done.

    `arguments_as` is the name of a tool that whoever sees this one sees as well, and that describes the arguments of
    both: of this one's no more than the types are told.
    """

    key: str
    name: str
    title: str
    description: str
    short_description: str
    tool_class: ToolClass
    arguments: tuple[Argument, ...]
    run: Callable[[Call], Answered]
    tags: tuple[str, ...] = ()
    acts: bool = False
    guidance: str = ""
    required_any_of: tuple[str, ...] = ()
    revisit: Revisit | None = None
    before: Callable[[Call], None] | None = None
    arguments_as: str = ""
    conditions: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    by_name: dict[str, Argument] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {argument.name: argument for argument in self.arguments})


@dataclass(frozen=True)
class Condition:
    """A condition in a person's words: what it is called, and the kind of its value."""

    label: str
    kind: str = "string"


@dataclass(frozen=True)
class Spoken:
    """A tool in a person's words, for pages that tell of calls: its title, and its conditions by name."""

    name: str
    title: str
    conditions: Mapping[str, Condition] = field(default_factory=dict)


class ToolProvider(Protocol):
    """What an app registers: its tools for a caller."""

    name: str

    def tool_keys(self) -> Iterable[tuple[str, str]]:
        """Every key that a toolset may name, with a label for the admin."""

    def tools(self, actor: Actor) -> Sequence[Tool]:
        """The tools that the person may call, whatever the toolset."""

    def tool(self, actor: Actor, name: str) -> Tool | None:
        """The tool of that name, or None where there is none for this person."""

    def spoken(self) -> Iterable[Spoken]:
        """Every tool that there is, whoever may call it, in the active language; a fixed number of statements."""


_providers: dict[str, ToolProvider] = {}


def register_provider(provider: ToolProvider) -> None:
    """Register an app's tools; raises ImproperlyConfigured where another provider holds the name."""
    holder = _providers.get(provider.name)
    if holder is not None and type(holder) is not type(provider):
        raise ImproperlyConfigured(f"The tools of {provider.name!r} are already provided by {type(holder).__name__}.")
    _providers[provider.name] = provider


def unregister_provider(provider: ToolProvider) -> None:
    """Take an app's tools back out; raises KeyError where it has none registered."""
    del _providers[provider.name]


def tool_keys() -> list[tuple[str, str]]:
    """Return every key that a toolset may name, with its label."""
    return [pair for provider in _providers.values() for pair in provider.tool_keys()]


def spoken() -> dict[str, Spoken]:
    """Return every tool that there is by its name, whoever may call it, in the active language."""
    return {one.name: one for provider in _providers.values() for one in provider.spoken()}


def tools_of(actor: Actor) -> list[Tool]:
    """Return every tool that the person may call, by name."""
    every = [tool for provider in _providers.values() for tool in provider.tools(actor)]
    return sorted(every, key=lambda tool: tool.name)


def find_tool(actor: Actor, name: str) -> Tool | None:
    """Return the tool of that name, or None where there is none for this person."""
    found = (provider.tool(actor, name) for provider in _providers.values())
    return next((tool for tool in found if tool is not None), None)
