"""What a token is for (RFC 8707): the site as a whole, or its MCP door alone. Nothing else is ours.

The site is named as its caller sees it, so a token of one of its hosts is for that host alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from ...conf import setting

WELL_KNOWN = "/.well-known/oauth-protected-resource"
"""Where a resource tells of itself (RFC 9728), its own path behind it."""

_PORTS = {"http": 80, "https": 443}


class NotOurs(Exception):
    """A token was asked for that would be for something else."""


def site_of(request: HttpRequest) -> str:
    """Return the origin of the site as the caller sees it; it is the issuer of tokens too."""
    return f"{request.scheme}://{request.get_host()}"


def mcp_path() -> str:
    """Return the path of the MCP door, without a slash at its end."""
    return "/" + setting("MCP_PATH").strip("/")


def resources_of(site: str) -> dict[str, tuple[str, ...]]:
    """Return what tokens of the site may be asked for, all of it first, and the doors that each stands for.

    A token is kept as one for those doors, so that what else of the site the toolkit guards does not take it.
    """
    mcp = site + mcp_path()
    try:
        rest: tuple[str, ...] = (site + reverse("read_targets_agent:tools").rpartition("/")[0],)
    except NoReverseMatch:  # a site may do without
        rest = ()
    return {site: (mcp, *rest), mcp: (mcp,)}


def described_at(request: HttpRequest) -> str:
    """Return the address of what tells of the resource that `request` asks something of."""
    is_mcp = request.path.rstrip("/") == mcp_path()
    return site_of(request) + WELL_KNOWN + (mcp_path() if is_mcp else "")


def doors_asked(asked: Iterable[str], site: str) -> list[str]:
    """Return the doors of the site that a token is asked for, every one where nothing is said; raises NotOurs."""
    offered = resources_of(site)
    doors: list[str] = []
    for one in asked:
        known = next((own for own in offered if _parts(own) == _parts(one)), None)
        if known is None:
            raise NotOurs(one)
        doors += offered[known]
    return list(dict.fromkeys(doors)) or list(offered[site])


def doors_left(asked: Iterable[str], held: list[str]) -> list[str]:
    """Return those of the doors held that are asked for, all where nothing is said; raises NotOurs for another."""
    wanted = list(asked)
    if not wanted:
        return held
    split = urlsplit(held[0])
    doors = doors_asked(wanted, f"{split.scheme}://{split.netloc}")
    if not set(doors) <= set(held):
        raise NotOurs(doors)
    return doors


def is_for(held: Iterable[str], address: str) -> bool:
    """Whether a token for the resources `held` is for what stands at `address`; one for nothing is for nothing."""
    asked = _parts(address)
    return asked is not None and any(_holds(_parts(one), asked) for one in held)


def _holds(resource: tuple[str, str, int | None, str] | None, asked: tuple[str, str, int | None, str]) -> bool:
    return resource is not None and resource[:3] == asked[:3] and f"{asked[3]}/".startswith(f"{resource[3]}/")


def _parts(uri: str) -> tuple[str, str, int | None, str] | None:
    """Return an address taken apart so that two of the same are equal, or None for what is none."""
    try:
        split = urlsplit(uri)
        port = split.port
    except ValueError:
        return None
    if not split.scheme or not split.hostname or "@" in split.netloc or "#" in uri or "?" in uri:
        return None
    if any(step in (".", "..") for step in split.path.split("/")):
        return None
    return split.scheme, split.hostname, port or _PORTS.get(split.scheme), split.path.rstrip("/")
