"""The addresses of the application that a command may open, by their URL names, and what each takes in its path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver, get_urlconf

NOT_PAGES = (
    *("django.contrib.", "django.views.i18n", "django.views.static", "rest_framework.", "drf_spectacular."),
    *("graphene_django.", "read_targets.", "page_commands."),
)
"""Modules whose views are never a page of the application."""


@dataclass(frozen=True)
class Route:
    """A way to an address: the URL name, and the arguments of its path that have no default."""

    name: str
    arguments: frozenset[str]


def routes_of(name: str) -> list[Route]:
    """Return the ways to the application's pages of that URL name; none where it names no page of it."""
    return [route for route in _every() if route.name == name]


def page_names() -> list[str]:
    """Return the URL names of the application's own pages, which a browser reads by GET."""
    return sorted({route.name for route in _every()})


def _every() -> tuple[Route, ...]:
    return _routes_in(get_urlconf() or settings.ROOT_URLCONF)


@lru_cache(maxsize=8)
def _routes_in(urlconf: str) -> tuple[Route, ...]:
    return tuple(_walk(get_resolver(urlconf), "", frozenset()))


def _walk(resolver: URLResolver, prefix: str, arguments: frozenset[str]) -> Iterator[Route]:
    for entry in resolver.url_patterns:
        named = arguments | _arguments(entry.pattern)
        if isinstance(entry, URLResolver):
            if entry.app_name == "admin":
                continue
            inner = f"{prefix}{entry.namespace}:" if entry.namespace else prefix
            yield from _walk(entry, inner, named - set(entry.default_kwargs))
        elif isinstance(entry, URLPattern) and entry.name and _is_page(entry.callback):
            yield Route(f"{prefix}{entry.name}", named - set(entry.default_args))


def _arguments(pattern: Any) -> frozenset[str]:
    """The named arguments of one part of a path; of a regular expression its named groups."""
    converters = getattr(pattern, "converters", None)
    if converters:
        return frozenset(converters)
    regex = getattr(pattern, "regex", None)
    return frozenset(regex.groupindex) if regex is not None else frozenset()


def _is_page(view: Any) -> bool:
    owner = getattr(view, "view_class", None) or getattr(view, "cls", None) or view
    if getattr(owner, "__module__", "").startswith(NOT_PAGES):
        return False
    actions = getattr(view, "actions", None)
    if actions:
        return "get" in actions
    return owner is view or ("get" in owner.http_method_names and hasattr(owner, "get"))
