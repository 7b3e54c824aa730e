"""Reading what a client publishes of itself, without being made to ask anything of a network of our own.

The address is https at its usual port. Its host is looked up once, every address that it has must be a public one, and
the connection goes to one of those; the certificate is that of the host. Nothing is followed on, nothing is unpacked;
what takes long or is large is given up. The toolkit's own reader lets through addresses of groups (multicast) and some
of IPv6 that stand for others, any port, and a body that comes letter by letter for as long as it likes.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

SECONDS = 5.0
"""How long reading may take in all."""

MOST_BYTES = 16_384
PORT = 443
LONGEST_ADDRESS = 255

_GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")
_STAND_FOR_OTHERS = tuple(ipaddress.ip_network(one) for one in ("2001::/23", "2002::/16"))
"""Teredo and its like, 6to4: each has an address of IPv4 in it."""

_resolvers = ThreadPoolExecutor(4, thread_name_prefix="client-documents")
"""The system's own look-up of a host knows no time limit."""


class Unfetched(Exception):
    """A document could not be read, for the reason that is said; for the log, never for whoever asked."""


def is_document_address(client_id: str) -> bool:
    """Whether a client's id is an address at which a document of it may be read."""
    if len(client_id) > LONGEST_ADDRESS or not client_id.startswith("https://") or not client_id.isascii():
        return False
    try:
        split = urlsplit(client_id)
        port = split.port
    except ValueError:
        return False
    if not client_id.isprintable() or " " in client_id or "\\" in client_id or "#" in client_id:
        return False
    if not split.hostname or "@" in split.netloc or port not in (None, PORT):
        return False
    steps = split.path.split("/")
    return len(split.path) > 1 and not any(step in (".", "..") for step in steps)


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public net, so that asking it asks nobody on this side."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    if not known.is_global or known.is_multicast or known.is_reserved:
        return False
    if known.version == 4:
        return True
    return known in _GLOBAL_IPV6 and not any(known in net for net in _STAND_FOR_OTHERS)


def fetch(client_id: str) -> dict[str, Any]:
    """Return the JSON object at the address that `is_document_address` holds to be one; raises Unfetched."""
    until = time.monotonic() + SECONDS
    host = urlsplit(client_id).hostname or ""
    raised: Exception = Unfetched("the host has no address")
    for address in _addresses(host, until):
        try:
            return _read(client_id, host, address, until)
        except (OSError, http.client.HTTPException) as error:
            raised = error
    raise Unfetched(f"{type(raised).__name__}: {raised}") from raised


def _addresses(host: str, until: float) -> list[str]:
    """Return the addresses of a host, all of them public; raises Unfetched."""
    looked_up = _resolvers.submit(socket.getaddrinfo, host, PORT, type=socket.SOCK_STREAM)
    try:
        found = looked_up.result(timeout=max(0.0, until - time.monotonic()))
    except (OSError, TimeoutError, UnicodeError) as error:
        looked_up.cancel()  # where it still waits for others, nobody waits for it
        raise Unfetched(f"the host is not known: {error}") from error
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    if not all(map(is_public, addresses)):
        raise Unfetched("the host has an address that is not public")
    return addresses


class _Pinned(http.client.HTTPSConnection):
    """A connection to one address of a host, which proves that it is that host."""

    def __init__(self, host: str, address: str, seconds: float) -> None:
        super().__init__(host, PORT, timeout=seconds, context=_context())
        self.address = address
        self.open: ssl.SSLSocket | None = None
        self.is_given_up = False

    def connect(self) -> None:
        """Connect to the address, whatever the host's name would lead to by now."""
        raw = socket.create_connection((self.address, self.port), self.timeout)
        # Kept before the handshake, so that this too can be broken off, and beside the one of http.client, which lets
        # go of its own while the answer is still being read.
        self.open = self.sock = _context().wrap_socket(raw, server_hostname=self.host, do_handshake_on_connect=False)
        if self.is_given_up:  # before there was anything to break off
            raise TimeoutError("no time is left")
        self.open.do_handshake()

    def give_up(self) -> None:
        """Break off whatever is being waited for, or is next."""
        self.is_given_up = True
        if self.open is not None:
            with suppress(OSError):  # it ended by itself meanwhile
                socket.socket.shutdown(self.open, socket.SHUT_RDWR)


def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


def _read(client_id: str, host: str, address: str, until: float) -> dict[str, Any]:
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise Unfetched("no time is left")
    connection = _Pinned(host, address, seconds)
    # Each single wait has the whole time: without this one byte at a time would never end.
    watch = threading.Timer(seconds, connection.give_up)
    watch.daemon = True
    watch.start()
    try:
        split = urlsplit(client_id)
        path = split.path + (f"?{split.query}" if split.query else "")
        connection.request("GET", path, headers={"Accept": "application/json", "Accept-Encoding": "identity"})
        return _document(connection.getresponse())
    finally:
        watch.cancel()
        connection.close()


def _document(response: http.client.HTTPResponse) -> dict[str, Any]:
    kind = response.headers.get_content_type()
    if response.status != 200:
        raise Unfetched(f"the answer is {response.status}")
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Unfetched(f"the answer is {kind}")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise Unfetched("the answer is packed")
    body = response.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise Unfetched("the answer is too large")
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Unfetched("the answer is no JSON") from error
    if not isinstance(document, dict):
        raise Unfetched("the answer is no JSON object")
    return document
