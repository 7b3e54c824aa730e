"""Words of strangers, made fit to be quoted: an agent's titles, names and anything else that nobody here wrote."""

from __future__ import annotations

import unicodedata

LONGEST_QUOTE = 80
"""Characters of a stranger's words that are quoted (design, section 4)."""

_JOINERS = frozenset("\u200c\u200d")
_BREAKS = frozenset({"Cc", "Zl", "Zp"})
_UNSEEN = frozenset({"Cf", "Cs", "Cn"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that show nothing: a name of these would be none."""


def plain_words(text: str, most: int | None = None) -> str:
    """Return `text` on one line, without control and direction marks, cut at `most` characters with an ellipsis.

    Marks that only join letters stay, since Persian words and many emoji are spelled with them.
    """
    kept = "".join(_plain(letter) for letter in text)
    kept = " ".join(kept.split())
    if most is not None and len(kept) > most:
        return kept[: most - 1].rstrip() + "…"
    return kept


def quoted_words(text: str) -> str:
    """Return `text` as it may be quoted on a card."""
    return plain_words(text, LONGEST_QUOTE)


def _plain(letter: str) -> str:
    category = unicodedata.category(letter)
    if category in _BREAKS:
        return " "
    return "" if letter in _BLANK or (category in _UNSEEN and letter not in _JOINERS) else letter
