"""What a call says in its headers: the key under which it runs once, and how long it waits for a person."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .refusals import refuse_arguments

KEY = "Idempotency-Key"
LONGEST_KEY = 200

LONGEST_WAIT = 30
"""Seconds that a call waits for a person at most; RFC 7240 lets a server take a preference as it can."""

_VISIBLE = re.compile(rf"[!-~]{{1,{LONGEST_KEY}}}")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_WAIT = re.compile(r"wait\s*=\s*([0-9]+)", re.IGNORECASE)


def key_in(headers: Mapping[str, str]) -> str:
    """Return the Idempotency-Key, empty where there is none; raises Refused where it is no key."""
    key = headers.get(KEY)
    if key is None:
        return ""
    if not _VISIBLE.fullmatch(key):
        form = f"1 to {LONGEST_KEY} visible ASCII characters"
        raise refuse_arguments({KEY: {"code": "pattern_mismatch", "type": "string", "format": form}})
    return key


def wait_in(headers: Mapping[str, str]) -> float:
    """Return how many seconds the call may wait for a person: what `Prefer: wait=N` says, 30 at most.

    Preferences that cannot be read are none, and of one that is said twice the first counts (RFC 7240, section 2).
    """
    preferences = _QUOTED.sub('""', headers.get("Prefer", "")).split(",")
    named = [one.partition(";")[0].strip() for one in preferences]
    waits = [one for one in named if re.match(r"wait\s*(=|\Z)", one, re.IGNORECASE)]
    found = _WAIT.fullmatch(waits[0]) if waits else None
    return float(min(int(found[1][:9]), LONGEST_WAIT)) if found else 0.0
