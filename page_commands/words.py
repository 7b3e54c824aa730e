"""The words of an admin's texts, and in quotation marks what they name: strangers chose that (design, section 4)."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from read_targets.agent.labels import text_of
from read_targets.cards.values import exact_number
from read_targets.cards.words import quoted_words
from read_targets.policies import Actor

from .objects import WITHHELD, value_at

PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.]*)\}")
"""`{object}`, `{object.name}`, or the name of a parameter."""


_INNER_MARKS = str.maketrans('“”„‟«»"', "‘’‚‛‹›'")
_JOINERS = frozenset("\u200c\u200d")
"""Marks with which Persian words and many emoji are spelled."""

_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")


def filled(texts: dict[str, str], fallback: str, actor: Actor, obj: Model | None, parameters: Mapping[str, Any]) -> str:
    """Return the text in the active language with its placeholders filled in, words of strangers quoted."""

    def value(match: re.Match[str]) -> str:
        root, _dot, path = match[1].partition(".")
        if root != "object":
            return worded(parameters.get(root))
        try:
            return worded(value_at(actor, obj, path) if obj is not None and path else obj)
        except FieldDoesNotExist:
            return worded(None)

    return PLACEHOLDER.sub(value, text_of(texts, fallback))


def quoted(words: str) -> str:
    """Return words that a stranger chose as they may be told: cut, without unseen marks, in quotation marks.

    Marks of quotation within them become single ones, or they could end what they stand in.
    """
    return _("“%(words)s”") % {"words": quoted_words(words).translate(_INNER_MARKS)}


def spelled_out(value: Any) -> str:
    """Return a value with nothing of it left out: of a text every letter, and what cannot be seen by its number."""
    if not isinstance(value, str):
        return worded(value)
    shown = "".join(map(_seen, value))
    return _("“%(words)s”") % {"words": shown.translate(_INNER_MARKS)}


def _seen(letter: str) -> str:
    if letter in _JOINERS or unicodedata.category(letter) not in _UNSEEN:
        return letter
    return f"⟨U+{ord(letter):04X}⟩"


def worded(value: Any) -> str:
    """Return a value as a person reads it: exact, in the active language and time zone; words of strangers quoted."""
    if value is None or value == "":
        return _("nothing")
    if value is WITHHELD:
        return _("withheld")
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, (int, Decimal)):
        return exact_number(value)
    if isinstance(value, dt.datetime):
        return formats.date_format(timezone.localtime(value) if timezone.is_aware(value) else value, "DATETIME_FORMAT")
    if isinstance(value, dt.date):
        return formats.date_format(value, "DATE_FORMAT")
    return quoted(str(value))
