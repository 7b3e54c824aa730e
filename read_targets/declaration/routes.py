"""The URL names of the application's own screens, and what a screen takes in its address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import NoReverseMatch, Resolver404, URLPattern, URLResolver, get_resolver, resolve, reverse

NOT_SCREENS = ("django.", "rest_framework.", "drf_spectacular.", "graphene_django.", "read_targets.", "page_commands.")
"""Modules whose views are never the screen of an application's list."""


def leads_somewhere(name: str) -> bool:
    """Whether the URL name has an address without any arguments."""
    try:
        reverse(name)
    except NoReverseMatch:
        return False
    return True


def taken_by(name: str) -> tuple[str, ...] | None:
    """Return the query arguments that the screen of that URL name says it takes, None where it does not say.

    A screen says so by an attribute `takes` of its view: of the function, or of the class (a property works, and is
    read from the view as the URL makes it).
    """
    try:
        view: Any = resolve(reverse(name)).func
    except (NoReverseMatch, Resolver404):
        return None
    view_class = getattr(view, "view_class", None)
    if view_class is not None:
        view = view_class(**getattr(view, "view_initkwargs", {}))
    takes = getattr(view, "takes", None)
    return None if takes is None else tuple(takes)


def screen_names() -> list[str]:
    """Return the URL names that could be the screen of a list: the application's own, and with no arguments."""
    return sorted({name for name, view in _routes(get_resolver(), "") if _is_screen(view) and leads_somewhere(name)})


def _routes(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, Any]]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            if entry.app_name == "admin":
                continue
            yield from _routes(entry, f"{prefix}{entry.namespace}:" if entry.namespace else prefix)
        elif isinstance(entry, URLPattern) and entry.name:
            yield f"{prefix}{entry.name}", entry.callback


def _is_screen(view: Any) -> bool:
    owner = getattr(view, "view_class", None) or getattr(view, "cls", None) or view
    return not getattr(owner, "__module__", "").startswith(NOT_SCREENS)
