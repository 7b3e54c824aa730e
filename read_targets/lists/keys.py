"""Keys of rows, kept and asked about again: which of these may this person still view?"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connections
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL


def pack(keys: Iterable[Any]) -> bytes:
    """Return primary keys as a few bytes each; integers in order compress best."""
    packer = Packer()
    packer.add(keys)
    return packer.packed()


class Packer:
    """Packs primary keys as they come, however many they are."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(6)
        self._parts: list[bytes] = []
        self._begin = "["

    def add(self, keys: Iterable[Any]) -> None:
        """Add some keys."""
        told = json.dumps([key if isinstance(key, int) else str(key) for key in keys])[1:-1]
        if told:
            self._parts.append(self._stream.compress(f"{self._begin}{told}".encode()))
            self._begin = ", "

    def packed(self) -> bytes:
        """Return all of them; nothing can be added any more."""
        end = "[]" if self._begin == "[" else "]"
        return b"".join((*self._parts, self._stream.compress(end.encode()), self._stream.flush()))


def unpack(packed: bytes) -> list[Any]:
    """Return the keys that `pack` packed: integers, or other keys as text."""
    keys: list[Any] = json.loads(zlib.decompress(packed))
    return keys


def among(queryset: QuerySet[Any], keys: Sequence[Any]) -> QuerySet[Any]:
    """Return the rows of `queryset` whose key is among `keys`, in one statement with one parameter however many."""
    connection = connections[queryset.db]
    field = queryset.model._meta.pk
    prepared = [field.get_db_prep_value(field.to_python(key), connection) for key in keys]
    if connection.vendor == "postgresql":
        chosen = RawSQL(f"SELECT unnest(%s::{field.rel_db_type(connection)}[])", [prepared])  # noqa: S611  # a column type
    elif connection.vendor == "sqlite":
        chosen = RawSQL("SELECT value FROM json_each(%s)", [json.dumps(prepared)])  # a constant
    else:
        return queryset.filter(pk__in=keys)
    return queryset.filter(pk__in=chosen)
