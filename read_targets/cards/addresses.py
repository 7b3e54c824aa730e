"""Addresses of this site, and of nothing else: what an open-page card may lead to."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

from django.urls import Resolver404, get_script_prefix, resolve

LONGEST_ADDRESS = 2_000
"""Characters of an address; web servers refuse request lines that are much longer."""

_WRITTEN = re.compile(r"/[!-\[\]-~]*")
"""One slash, then visible ASCII without the backslash, which browsers read as a slash. All else must be escaped."""


class ForeignAddress(ValueError):
    """An address that leads off this site, that browsers and servers may read differently, or that leads nowhere."""


def own_address(href: str) -> str:
    """Return `href` where it is the address of a page of this site; raises ForeignAddress otherwise.

    It must begin with one slash, so it has no scheme and no host. Its path, read as the server will read it, must have
    no second slash in front, no dot segment, no backslash and no control or direction mark, and must resolve to a
    view. The query is data, and may hold anything that is escaped.
    """
    if len(href) > LONGEST_ADDRESS:
        raise ForeignAddress("The address is too long.")
    if not _WRITTEN.fullmatch(href):
        raise ForeignAddress("An address of this site begins with one slash and has only visible ASCII characters.")
    written = re.split(r"[?#]", href, maxsplit=1)[0]
    path = unquote(written, errors="replace")
    if "\\" in path or "//" in (written[:2], path[:2]) or any(map(_is_mark, path)):
        raise ForeignAddress("The path of the address can be read in more than one way.")
    if {".", ".."} & set(path.split("/")):
        raise ForeignAddress("The path of the address goes up or stays where it is.")
    prefix = get_script_prefix()
    if not path.startswith(prefix):
        raise ForeignAddress("The address is outside of this application.")
    try:
        resolve("/" + path.removeprefix(prefix))
    except Resolver404:
        raise ForeignAddress("Nothing stands at the address.") from None
    return href


def _is_mark(letter: str) -> bool:
    # Cc controls, Cf direction and other unseen marks, Zl and Zp line ends; U+FFFD stands for bytes that are no text.
    return letter == "\ufffd" or unicodedata.category(letter) in ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp")
