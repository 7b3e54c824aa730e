"""The address of the application's own list screen, with the conditions that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse

from .lists import plain
from .models import ReadTarget


class NoScreen(LookupError):
    """The target has no screen, or its URL name leads nowhere any more."""


@dataclass(frozen=True)
class Address:
    """Where the screen is, which conditions stand in its address and which do not."""

    href: str
    applied: list[str]
    not_applied: list[str]


def address_of(target: ReadTarget, values: Mapping[str, Any]) -> Address:
    """Return the screen's address with the conditions of `values` that it takes; raises NoScreen.

    A condition is applied only where it stands in the address: `month` does not while `year`, which it needs, is not
    given (seed 000).
    """
    if not target.screen:
        raise NoScreen(target.key)
    try:
        route = reverse(target.screen)
    except NoReverseMatch:
        raise NoScreen(target.screen) from None
    taken = [
        parameter
        for parameter in target.screen_parameters.all()
        if parameter.criterion in values and (not parameter.needs or parameter.needs in values)
    ]
    arguments = {parameter.argument: _written(values[parameter.criterion]) for parameter in taken}
    standing = {parameter.criterion for parameter in taken}
    return Address(
        f"{route}?{urlencode(arguments)}" if arguments else route,
        [name for name in values if name in standing],
        [name for name in values if name not in standing],
    )


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(plain(value))
