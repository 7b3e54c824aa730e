"""The names that a list's paths have: for an agent `account.name` is `account`, for people it is *Account*."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from django.conf import settings
from django.utils import translation
from django.utils.text import capfirst

from ..lists import ListDefinition, ListPath
from .rules import ROW_NAMES

SAYS_WHICH = ("name", "title", "label")
"""Fields that say which object it is, so that the relation's name is name enough."""

LONGEST_NAME = 40
"""Characters of a column's or condition's name, as the models store it."""


def camel(*parts: str) -> str:
    """Return words of any spelling as one camel case name; empty where they have no plain letter."""
    words = [word for part in parts for word in re.split(r"[^A-Za-z0-9]+", part) if word]
    name = "".join(word if not at else word[0].upper() + word[1:] for at, word in enumerate(words))
    name = re.sub(r"^[0-9]+", "", name)[:LONGEST_NAME]
    return name[:1].lower() + name[1:]


def kebab(name: str) -> str:
    """Return a camel case name as addresses spell it: `cashTransactions` is `cash-transactions`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").lower()


def names_of(paths: Iterable[ListPath]) -> dict[str, str]:
    """Return a name for each path: the shortest that says what it is and that no path before it has."""
    names: dict[str, str] = {}
    for one in paths:
        names[one.path] = unused(_candidates(one.path), (*names.values(), *ROW_NAMES), "column")
    return names


def unused(candidates: Iterable[str], taken: Iterable[str], fallback: str) -> str:
    """Return the first of `candidates` that is a name and not taken, else `fallback` with a number."""
    used = set(taken)
    for name in candidates:
        if name and name not in used:
            return name
    number = 1
    while f"{fallback}{number}" in used:
        number += 1
    return f"{fallback}{number}"


def _candidates(path: str) -> Iterator[str]:
    *relations, last = path.split(".")
    if relations and last in SAYS_WHICH:
        for length in range(1, len(relations) + 1):
            yield camel(*relations[-length:])
    yield camel(last)
    for length in range(1, len(relations) + 1):
        yield camel(*relations[-length:], last)


def label_of(definition: ListDefinition, path: ListPath) -> str:
    """Return what people call the path, in the active language."""
    *relations, last = path.path.split(".")
    if not relations or last not in SAYS_WHICH:
        return path.label
    owner = path.hops[-2][1] if len(path.hops) > 1 else definition.model
    return str(owner._meta.get_field(relations[-1]).verbose_name)  # type: ignore[union-attr]  # a hop is a plain field


def in_every_language(say: Callable[[], str]) -> dict[str, str]:
    """Return what `say` returns in each language of the site, leaving out those that say it as the site's own does."""
    texts = {}
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            texts[code] = capfirst(say())
    own = next((code for code in (settings.LANGUAGE_CODE, settings.LANGUAGE_CODE[:2]) if code in texts), None)
    return {code: text for code, text in texts.items() if code == own or own is None or text != texts[own]}
