"""Where a client may be answered: over https, or at a program on the person's own machine (RFC 8252).

The addresses are those that the client registered, letter for letter; of one on the person's own machine the port may
be another, since a program takes the one that is free. A scheme of the client's own is none: whichever program claims
it would be answered, and `javascript:` is one too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode, urlsplit

LONGEST = 1_000
"""Characters of an address."""

MOST = 20
"""Addresses of one client."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")
RESERVED = frozenset({"code", "state", "iss", "error", "error_description", "error_uri", "scope"})
"""What the answer itself says in the address."""

_FORM = re.compile(r"[A-Za-z0-9._~:/?\[\]@!$&'()*+,;=%-]+")
_HOST = re.compile(r"[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]")


def is_permitted(uri: str) -> bool:
    """Whether any client may be answered at the address."""
    if len(uri) > LONGEST or not _FORM.fullmatch(uri):
        return False
    try:
        split = urlsplit(uri)
        port = split.port
    except ValueError:
        return False
    netloc = split.netloc if port is None else split.netloc.rpartition(":")[0]
    if not _HOST.fullmatch(netloc) or port == 0 or not split.hostname:
        return False
    if RESERVED & {name for name, _ in parse_qsl(split.query, keep_blank_values=True)}:
        return False
    return uri.startswith("https://") or (uri.startswith("http://") and split.hostname in LOOPBACK)


def fits(uri: str, registered: Iterable[str]) -> bool:
    """Whether the address is one of those that a client registered, and one that any client may be answered at."""
    return is_permitted(uri) and any(uri == one or _same_but_port(uri, one) for one in registered)


def host_of(uri: str) -> str:
    """Return the host of an address, with its port where it names one."""
    return urlsplit(uri).netloc


def is_own_machine(uri: str) -> bool:
    """Whether the address is on the machine at which the person sits."""
    return urlsplit(uri).hostname in LOOPBACK


def answer_at(uri: str, **said: str) -> str:
    """Return the address with an answer in it."""
    return f"{uri}{'&' if '?' in uri else '?'}{urlencode(said)}"


def _same_but_port(uri: str, registered: str) -> bool:
    if not is_permitted(registered):
        return False
    one, other = urlsplit(uri), urlsplit(registered)
    if one.scheme != "http" or one.hostname != other.hostname or one.hostname not in LOOPBACK:
        return False
    return _without_host(uri) == _without_host(registered)


def _without_host(uri: str) -> str:
    return uri.partition("://")[0] + "://" + uri.partition("://")[2].removeprefix(urlsplit(uri).netloc)
