"""What a person's yes or no to a card does. An app registers it for the kind of its cards; here is only who is asked.

Nothing but a person's proven click comes this far: see `clicks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

from .models import Card

Decider = Callable[[HttpRequest, Card, bool, Mapping[str, Any]], None]
"""`decide(request, card, approved, fields)`: does what was decided and gives the card its verdict, both or neither.

`fields` are what the click carried. Raises Refused where what was approved was not done.
"""

_deciders: dict[str, Decider] = {}


def register_decider(kind: str, decide: Decider) -> None:
    """Register what decides cards of `kind`; raises ImproperlyConfigured where another holds it, naming that."""
    holder = _deciders.get(kind)
    if holder is not None and holder is not decide:
        where = f"{holder.__module__}.{holder.__qualname__}"
        raise ImproperlyConfigured(f"Cards of the kind {kind!r} are already decided by {where}.")
    _deciders[kind] = decide


def unregister_decider(kind: str) -> None:
    """Take a decider back out; raises KeyError where there is none."""
    del _deciders[kind]


def decider_of(kind: str) -> Decider | None:
    """Return what decides cards of `kind`, None where there is nothing to decide about them."""
    return _deciders.get(kind)
