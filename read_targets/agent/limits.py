"""How often a caller may call: by token, by person and by tool, and how many tokens an address may try in vain.

An admin may set a limit for one token, for one person and for one tool, and for all tokens and all people together;
where they set none, the site's settings say how often.

What is used up stands in the database, since only that is the same for every process: Django's cache is by default
one a process. A limit of N a minute is a vessel of N calls that fills again evenly; it is one number a caller, the
moment at which it is full (the generic cell rate algorithm), and one statement moves it on for the token, the tool and
the person at once, outside of any transaction. A call that is refused uses nothing up.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import OperationalError, connections, router
from django.db.models import F, QuerySet
from django.dispatch import Signal

from ..conf import setting
from ..policies import Actor
from ..preferences import preference_of
from .codes import Code
from .contract import NextAction, Refused
from .models import Allowance, ToolLimit, doors_of

MINUTE = 60_000_000
"""Microseconds."""

PATIENCE_MS = 100
"""How long counting waits on SQLite for whoever writes there. What then cannot be counted is let through: it is a
single machine's database, and the call itself will wait for the writer."""

call_limited = Signal()
"""Sent where something came too often, with the `limit` that was in its way: what its key begins with."""

SWEPT_EVERY = 64
"""One in so many bad tokens removes the rows that say nothing any more: addresses come and go."""


@dataclass(frozen=True)
class Share:
    """What one call takes: of whose allowance, and how many a minute there are."""

    key: str
    a_minute: int

    @property
    def cost(self) -> int:
        """The microseconds in which one call is regained."""
        return max(1, MINUTE // self.a_minute)

    @property
    def limit(self) -> str:
        """Which limit it is of."""
        return self.key.partition(":")[0]


def check_calls(actor: Actor, tool: str = "") -> None:
    """Count a call, of `tool` where it is one of a tool.

    Raises Refused where the token, or the person with all their agents, has called too often, or too often this tool.
    """
    doors, person = doors_of(actor), actor.user.pk
    shares = []
    if actor.token is not None:
        of_all = doors.of_token or setting("CALLS_A_MINUTE_OF_TOKEN")
        shares.append((f"token:{actor.token.pk}", actor.token.calls_a_minute or of_all))
    if tool:
        shares.append((f"tool:{person}:{tool}", limits_of_tools(actor).get(tool)))
    of_all = doors.of_person or setting("CALLS_A_MINUTE_OF_PERSON")
    shares.append((f"person:{person}", preference_of(actor.user).calls_a_minute or of_all))
    _take([Share(key, a_minute) for key, a_minute in shares if a_minute], "Too many calls.")


class _Remembered:
    """The limits of tools that this process knows, and the mark under which it read them."""

    known: tuple[object, Mapping[str, int]] = (None, {})


def limits_of_tools(actor: Actor) -> Mapping[str, int]:
    """Return how often a minute a person may call the tools that have a limit, read again only where one changed."""
    mark = doors_of(actor).declared
    if mark is None:  # without the row that limits hang on there are none
        return {}
    known = _Remembered.known
    if known[0] != mark:
        limits = dict(ToolLimit._base_manager.values_list("tool", "calls_a_minute"))
        # In one step, or two threads could leave one's limits under the other's mark.
        known = _Remembered.known = mark, limits
    return known[1]


def check_polls(actor: Actor) -> None:
    """Count a look at how a call stands; raises Refused where the token, or the person themselves, looks too often."""
    who = f"token:{actor.token.pk}" if actor.token is not None else f"person:{actor.user.pk}"
    if setting("POLLS_A_MINUTE"):
        _take([Share(f"polls:{who}", setting("POLLS_A_MINUTE"))], "Too many looks at how calls stand.")


def check_guesses(address: str) -> None:
    """Count a token that does not hold; raises Refused where too many came from that address.

    Only such tokens are counted, and only they are refused: whoever shares the address is let in with theirs.
    """
    if not setting("BAD_TOKENS_A_MINUTE"):
        return
    check_rate(f"bad:{network_of(address)}", setting("BAD_TOKENS_A_MINUTE"), "Too many tokens that do not hold.")
    if _now() % SWEPT_EVERY == 0:
        full_allowances().delete()


def check_rate(key: str, a_minute: int | None, error: str) -> None:
    """Count one of what `key` names, of which there are `a_minute`; raises Refused where there are none left."""
    if a_minute:
        _take([Share(key, a_minute)], error)


def too_many(delay_ms: int, error: str = "Too many calls.") -> Refused:
    """The refusal of a call that came too soon by `delay_ms` milliseconds."""
    return Refused("REJECTED", Code.TOO_MANY, error, next_action=NextAction(type="WAIT", delay_ms=delay_ms))


def full_allowances() -> QuerySet[Allowance]:
    """The rows of which nothing is used up any more."""
    return _rows().filter(full_at__lt=_now())


def _take(shares: Sequence[Share], error: str) -> None:
    """Take one call of each share, or of none; raises Refused with the time after which there is one of each."""
    if not shares:
        return
    now = _now()
    taken = _taken(shares, now)
    refused = [share for share in shares if share.key not in taken]
    if not refused:
        return
    for share in shares:
        if share.key in taken:
            _rows().filter(key=share.key).update(full_at=F("full_at") - share.cost)
    full_at = dict(_rows().filter(key__in=[share.key for share in refused]).values_list("key", "full_at"))
    wait = max(full_at.get(share.key, now) + share.cost - now - MINUTE for share in refused)
    for share in refused:
        call_limited.send(Share, limit=share.limit)
    if {share.limit for share in refused} == {"tool"}:
        error = "Too many calls of this tool."
    raise too_many(max(1, -(-wait // 1_000)), error)


def _rows() -> QuerySet[Allowance]:
    """The rows where they are written: a replica tells how they stood a while ago."""
    return Allowance.objects.using(router.db_for_write(Allowance))


def _taken(shares: Sequence[Share], now: int) -> set[str]:
    """Take one call of each share that has one, in one statement; return whose."""
    connection = connections[router.db_for_write(Allowance)]
    quote = connection.ops.quote_name
    table, key, full_at = quote(Allowance._meta.db_table), quote("key"), quote("full_at")
    # The shares come in one order, what is narrower first, so that no two calls wait for each other.
    values = ", ".join(["(%s, %s)"] * len(shares))
    statement = (
        f"INSERT INTO {table} ({key}, {full_at}) VALUES {values} "  # noqa: S608  # names of our own, quoted
        f"ON CONFLICT ({key}) DO UPDATE SET {full_at} = excluded.{full_at} + "
        f"CASE WHEN {table}.{full_at} > %s THEN {table}.{full_at} - %s ELSE 0 END "
        f"WHERE {table}.{full_at} + excluded.{full_at} <= %s RETURNING {key}"
    )
    given = [part for share in shares for part in (share.key, now + share.cost)]
    try:
        with _impatient(connection), connection.cursor() as cursor:
            cursor.execute(statement, [*given, now, now, now + now + MINUTE])
            return {name for (name,) in cursor.fetchall()}
    except OperationalError:
        if connection.vendor != "sqlite":
            raise
        return {share.key for share in shares}


@contextmanager
def _impatient(connection: Any) -> Iterator[None]:
    """On SQLite, wait for whoever writes no longer than the time for which counting is worth it."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    driver = connection.connection
    (before,) = driver.execute("PRAGMA busy_timeout").fetchone()
    driver.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
    try:
        yield
    finally:
        driver.execute(f"PRAGMA busy_timeout = {before}")


def network_of(address: str) -> str:
    """Return what stands for an address: of IPv6 the network, since whoever has one address there has all of it."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    return str(known) if known.version == 4 else str(ipaddress.ip_network(f"{known}/64", strict=False))


def _now() -> int:
    return time.time_ns() // 1_000
