"""The lists an application has registered, by name."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model

from .definition import ListDefinition

_lists: dict[str, ListDefinition] = {}


class UnknownList(LookupError):
    """No list of that name is registered."""


def register_list(definition: ListDefinition) -> ListDefinition:
    """Register `definition` under its name and return it.

    Raises ImproperlyConfigured where another list holds the name, naming the first holder.
    """
    holder = _lists.get(definition.name)
    if holder is not None and holder is not definition:
        raise ImproperlyConfigured(
            f"The list name {definition.name!r} is already taken by the list of {holder.model._meta.label}."
        )
    _lists[definition.name] = definition
    return definition


def get_list(name: str) -> ListDefinition:
    """Return the list of that name; raises UnknownList."""
    try:
        return _lists[name]
    except KeyError:
        raise UnknownList(name) from None


def registered_lists() -> tuple[ListDefinition, ...]:
    """Return every registered list, by name."""
    return tuple(_lists[name] for name in sorted(_lists))


def readable_models() -> frozenset[type[Model]]:
    """Return every model of which a registered list shows something, its own and those that its paths cross."""
    paths = [path for one in registered_lists() for path in one.paths.values()]
    return frozenset({one.model for one in registered_lists()} | {model for path in paths for _, model in path.hops})
