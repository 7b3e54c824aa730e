"""Values, texts and documents that were made to hurt, drawn from a seeded generator."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

TEXTS = (
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "\udfff\ud800",
    "\u202e\u2066",
    "\ufeff",
    "\u200b" * 50,
    "é" * 300,
    "😀" * 200,
    "x" * 5_000,
    "' OR 1=1 --",
    "'; DROP TABLE x; --",
    "%",
    "_",
    "\\",
    "%s%d{0}{x!r}",
    "{{ 7*7 }}",
    "${7*7}",
    "null",
    "true",
    "NaN",
    "<script>alert(1)</script>",
    "]]>",
    "../../etc/passwd",
    "//evil.example",
    "javascript:alert(1)",
    "\r\nX-A: b",
    "2026-02-30",
    "0000-00-00",
    "9999-12-31",
    "10000-01-01",
    "2026-13",
    "-0001-01-01",
    "1e9999",
    "-",
    "--5",
    "1_000",
    "٣",
    "0x10",
    "account__name",
    "account.id",
    "-account.name,-id",
    "pk",
    "id",
    "__class__",
    "user.password",
    "zqk",
    "kqz",
)

NUMBERS: tuple[Any, ...] = (
    0,
    -1,
    1,
    20,
    21,
    2**31,
    2**53 + 1,
    2**63,
    2**64,
    2**70,
    -(2**70),
    10**400,
    1.5,
    -0.0,
    1e308,
    5e-324,
    True,
    False,
)

ODD: tuple[Any, ...] = (None, [], {}, [[]], [None], {"": None}, ["a"] * 300, {"$ref": "#"}, {"__proto__": {"a": 1}})


def deep(depth: int) -> Any:
    """Lists within each other."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def value(chance: Random) -> Any:
    """Anything."""
    kind = chance.random()
    if kind < 0.5:
        return chance.choice(TEXTS)
    if kind < 0.75:
        return chance.choice(NUMBERS)
    if kind < 0.97:
        return copy.deepcopy(chance.choice(ODD))
    return deep(chance.choice((5, 19, 21, 60)))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place within JSON values but the whole."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        yield (*path, key)
        yield from places(child, (*path, key))


def mutated(chance: Random, given: Any) -> Any:
    """The values with something else in one place, or without it, or with one more."""
    given = copy.deepcopy(given)
    there = list(places(given))
    if not there:
        return value(chance)
    *path, last = chance.choice(there)
    inner = given
    for key in path:
        inner = inner[key]
    if isinstance(inner, dict) and chance.random() < 0.15:
        del inner[last]
    elif isinstance(inner, dict) and chance.random() < 0.15:
        inner[chance.choice(TEXTS)] = value(chance)
    else:
        inner[last] = value(chance)
    return given


def body(chance: Random, given: Any) -> bytes:
    """JSON, sometimes with what JSON cannot hold, cut off, in another encoding, or told twice."""
    raw = json.dumps(given).encode()
    kind = chance.random()
    if kind < 0.9:
        return raw
    if kind < 0.92:
        return raw[: chance.randint(0, len(raw))]
    if kind < 0.94:
        return raw.decode().encode(chance.choice(("utf-16", "utf-8-sig", "utf-32")))
    if kind < 0.96:
        return chance.choice((b"[" * 20_000, b'{"a":' * 5_000, b"NaN", b'{"a": 1e999999999}', b"\xff\xfe", b"", b'"x"'))
    if kind < 0.98:
        return raw.replace(b'"', b'"\xed\xa0\x80', 1)
    return raw[:-1] + b', "flow": "INCOME", "flow": "EXPENSE"}' if raw.endswith(b"}") else raw + raw
