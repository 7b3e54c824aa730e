"""Where cards come from. An app registers a source, which is asked again for the person's rights at every opening."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from django.core.exceptions import ImproperlyConfigured

from ..lists import ListDefinition, Question
from ..lists.access import Access
from .models import WorkspaceVersion


@dataclass(frozen=True)
class Required:
    """What is missing for a door: a permission (`app.codename`) and the name of what it is needed on.

    Without a permission there is none that would help: what the card came from is switched off or gone.
    """

    permission: str
    on: str


@dataclass(frozen=True)
class Review:
    """What a person may still see of a workspace version.

    `permitted` are the ids of the stored rows they may view, `closed_columns` the columns of which they may view no
    value any more. `figures_open`: every row and value behind the figures and groups is still theirs to view.
    """

    permitted: Collection[str]
    figures_open: bool
    closed_columns: frozenset[str] = frozenset()


class NoListing(LookupError):
    """There is no whole list to read for a version: its list is of another shape, gone, or takes other conditions."""


@dataclass(frozen=True)
class Heading:
    """A column of a listing: its name, the path of its values, its label in each language, its kind and its unit."""

    name: str
    path: str
    label: dict[str, str]
    kind: str
    unit: str


@dataclass(frozen=True)
class Listing:
    """The whole list that a version was read from, as it is asked for now, by a person and under their rights.

    `question` has the conditions and the order; `label` says in each language what the rows are. `everything` are the
    paths whose values tell of themselves in it: shown, or asked for, or ordered by.
    """

    definition: ListDefinition
    question: Question
    access: Access
    headings: tuple[Heading, ...]
    label: dict[str, str]

    @property
    def everything(self) -> frozenset[str]:
        """The paths of which the rows, their number or their order tell."""
        ordered = self.question.order or self.definition.own_order
        words = self.definition.searched if self.question.text else ()
        asked = [one.path for one in self.question.conditions] + [one.path for one in ordered]
        return frozenset((*(one.path for one in self.headings), *asked, *words))


class CardSource(Protocol):
    """What an app registers for the cards that its tools make."""

    def has(self, key: str) -> bool:
        """Whether the cards of `key` are this source's, and what they came from is still there."""

    def closed(self, user: Any, keys: Collection[str]) -> dict[str, Required]:
        """Those of `keys` of which the person may open nothing, with what is missing; a fixed number of statements."""

    def review(self, user: Any, version: WorkspaceVersion) -> Review:
        """What the person may see of a version now."""

    def listing(self, user: Any, version: WorkspaceVersion) -> Listing:
        """The whole list that a version was read from; raises NoListing. Whether the door is open is asked apart."""


_sources: list[CardSource] = []


def register_source(source: CardSource) -> None:
    """Register a source of cards; raises ImproperlyConfigured where its class is registered already."""
    if any(type(holder) is type(source) for holder in _sources):
        raise ImproperlyConfigured(f"A card source of the class {type(source).__qualname__} is already registered.")
    _sources.append(source)


def unregister_source(source: CardSource) -> None:
    """Take a source back out; raises ValueError where it is not registered."""
    _sources.remove(source)


def door_of(user: Any, key: str) -> Required | None:
    """Return what is missing for the person to open anything of `key`, None where the door is open."""
    return closed_doors(user, [key]).get(key)


def closed_doors(user: Any, keys: Iterable[str]) -> dict[str, Required]:
    """Return those of `keys` whose door is closed to the person, with what is missing."""
    closed: dict[str, Required] = {}
    asked = sorted(set(keys))
    for source in _sources:
        closed |= source.closed(user, [key for key in asked if _source_of(key) is source])
    return closed | {key: Required("", key) for key in asked if _source_of(key) is None}


def review_of(user: Any, version: WorkspaceVersion) -> Review:
    """Return what the person may see of `version` now: nothing where its source is gone."""
    source = _source_of(version.source)
    return source.review(user, version) if source else Review(frozenset(), figures_open=False)


def listing_of(user: Any, version: WorkspaceVersion) -> Listing:
    """Return the whole list that `version` was read from, as the person may read it now; raises NoListing."""
    source = _source_of(version.source)
    if source is None:
        raise NoListing(version.source)
    return source.listing(user, version)


def _source_of(key: str) -> CardSource | None:
    return next((source for source in _sources if source.has(key)), None)
