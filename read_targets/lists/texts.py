"""Text as it is compared: composed (NFC) and in capitals, alike on every database; and what holds a word of it."""

from __future__ import annotations

import unicodedata
import uuid
from typing import Any

from django.db.models import BooleanField, F, Func, GenericIPAddressField, TextField, UUIDField, Value
from django.db.models.expressions import Case, Combinable, Subquery

from .definition import ListPath

MOST_SIFTED = 100
"""Letters of a word by which SQLite sifts texts natively; the rest of a longer one are compared afterwards."""


class Written(Func):
    """An identifier or a network address as it is written, alike on every database."""

    arity = 1
    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """SQLite holds an identifier without its hyphens."""
        is_plain = not isinstance(self.get_source_expressions()[0].output_field, UUIDField)
        template = "%(expressions)s" if is_plain else "read_targets_uuid(%(expressions)s)"
        return self.as_sql(compiler, connection, template=template, **extra)

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """PostgreSQL would write an address with its network."""
        is_address = isinstance(self.get_source_expressions()[0].output_field, GenericIPAddressField)
        template = "HOST(%(expressions)s)" if is_address else "(%(expressions)s)::text"
        return self.as_sql(compiler, connection, template=template, **extra)


def written(name: str, path: ListPath) -> Combinable:
    """The value that the query holds under `name`, as text."""
    return F(name) if path.is_text else Written(name)


class Lines(Func):
    """Several texts as one, each on a line of its own, so that no word reaches from one into the next.

    Folding them together is folding each: nothing composes with the end of a line.
    """

    output_field = TextField()
    template = "(%(expressions)s)"
    arg_joiner = " || chr(10) || "

    def __init__(self, *texts: Any) -> None:
        super().__init__(*(_Filled(text) for text in texts))


class _Filled(Func):
    """A text, empty where there is none."""

    arity = 1
    output_field = TextField()
    template = "COALESCE((%(expressions)s)::text, '')"


class Folded(Func):
    """Text as it is compared in a search: composed (NFC) and in capitals, alike on every database.

    SQLite knows the capitals of ASCII alone and no normal forms, so a function of ours does it there. PostgreSQL knows
    those of its locale, which may be none, unless it is told to take Unicode's (from version 17 on).
    """

    arity = 1
    output_field = TextField()

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # type: ignore[override]  # extra has the rest
        extra.setdefault("template", "UPPER(%(expressions)s)")
        return super().as_sql(compiler, connection, **extra)

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Fold as Python does."""
        return self.as_sql(compiler, connection, template="read_targets_fold(%(expressions)s)", **extra)

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Fold by Unicode's own rules where the server has them.

        Asking whether a text is composed costs a third of composing it, and nearly every text is.
        """
        collation = ' COLLATE "pg_c_utf8"' if connection.pg_version >= 17_00_00 else ""
        sql, params = compiler.compile(self.get_source_expressions()[0])
        composed = f"NORMALIZE({sql})"
        if not any(isinstance(one, (Case, Subquery)) for one in self.flatten()):  # what costs more than composing
            composed = f"CASE WHEN {sql} IS NORMALIZED THEN {sql} ELSE {composed} END"
            params = (*params, *params, *params)
        return f"UPPER({composed}{collation})", params


def folded(text: str) -> Combinable:
    """`text` folded by the database itself, so that it agrees with the column whatever its rules are."""
    return Folded(Value(text, output_field=TextField()))


class Pairs(Func):
    """Each two letters of a text that stand side by side, as an array; empty texts among them mean nothing.

    Built of PostgreSQL's own immutable functions alone, so an index on it needs no function of ours to be there. The
    pairs that begin at odd places come first, and those at even places after them. Where a text has the letter that
    parts them, its pairs are parted by it: always in the same way, so that a text has all that a part of it has.
    """

    arity = 1
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """A single letter left at the end makes no pair."""
        sql, params = compiler.compile(self.get_source_expressions()[0])
        odd, even = (_PAIRED % text for text in (sql, f"substr({sql}, 2)"))
        return f"({odd} || {even})", (*params, *params)


_PAIRED = r"""string_to_array(regexp_replace(%s COLLATE "C", '(..)|.', E'\\1\x01', 'g'), E'\x01')"""
PARTING = "\x01"
"""The letter that parts pairs from each other."""


class Holds(Func):
    """Whether at least one of some texts holds a word, folded all; the word is data, never a pattern.

    `indexed` are the texts of an index of pairs of letters by which PostgreSQL may find them, all of `texts` among
    them. With `is_whole` these are the same, so that of a word of one pair the index alone knows where it is.
    """

    output_field = BooleanField()

    def __init__(
        self, word: str, texts: list[Combinable], indexed: list[Combinable] | None = None, is_whole: bool = False
    ) -> None:
        self._word = word
        self._is_whole = is_whole and PARTING not in word
        parts = [Folded(Lines(*texts)), folded(word)]
        if indexed:
            parts += [Pairs(Folded(Lines(*indexed))), Pairs(folded(word))]
        super().__init__(*texts, *parts)
        self._texts = len(texts)

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Sift by a native pattern that lets through all that may hold the word, and a few more; then call Python."""
        compiled = [compiler.compile(one) for one in self.get_source_expressions()[: self._texts]]
        word = fold(self._word) or ""
        sifted, held, sifting, holding = [], [], [], []
        for sql, params in compiled:
            sifted.append(f"{sql} GLOB %s")
            sifting += [*params, sieve(word)]
            held.append(sql)
            holding += params
        called = f"read_targets_holds(%s, {', '.join(held)})"
        return f"(({' OR '.join(sifted)}) AND {called})", (*sifting, word, *holding)

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Look for the word, among the texts that have all its pairs of letters where there is an index of them.

        Taking a text to pairs costs more than looking through it, so that comes last for those that read every row.
        """
        text, word, *pairs = (compiler.compile(one) for one in self.get_source_expressions()[self._texts :])
        sql, params = f"STRPOS({text[0]}, {word[0]}) > 0", (*text[1], *word[1])
        if not pairs:
            return f"({sql})", params
        if self._is_whole:
            sql, params = f"(CHAR_LENGTH({word[0]}) = 2 OR {sql})", (*word[1], *params)
        (every, held), (wanted, asked) = pairs
        return f"({sql} AND {every} @> ARRAY_REMOVE({wanted}, ''))", (*params, *held, *asked)


def fold(text: str | None) -> str | None:
    """Return `text` composed and in capitals, letter by letter: a letter whose capital is two (`ß`) stays itself."""
    if text is None:
        return None
    text = str(text)
    if text.isascii():
        return text.upper()
    composed = unicodedata.normalize("NFC", text)
    capitals = composed.upper()
    if len(capitals) == len(composed):
        return capitals
    return "".join(letter.upper() if len(letter.upper()) == 1 else letter for letter in composed)


def holds(word: str, *texts: str | None) -> bool:
    """Whether one of the texts, folded, has `word` in it, which is folded."""
    return any(text is not None and word in fold(text) for text in texts)  # type: ignore[operator]  # no text, no fold


def sieve(word: str) -> str:
    """Return SQLite's pattern (GLOB) that fits every text which, folded, has `word` in it.

    A letter of ASCII is one letter in the text; a Hangul syllable begins with itself or its first parts; others, as
    many as stand together, are at least one letter beyond ASCII. What follows the latter two may belong to them.
    """
    pieces: list[str] = []
    for letter in word[:MOST_SIFTED]:
        piece = _sieve(letter)
        if piece != _OTHERS or pieces[-1:] != [_OTHERS]:
            pieces.append(piece)
    return f"*{''.join(pieces)}*"


_BECOME_ASCII = {"I": "ı", "K": "\u212a", "S": "ſ", ";": "\u037e", "`": "\u1fef"}
"""What is not ASCII and is folded into it."""

_OTHERS = "*[^\x01-\x7f]*"


def _sieve(letter: str) -> str:
    if letter.isascii():
        forms = letter + letter.lower() * (letter.lower() != letter) + _BECOME_ASCII.get(letter, "")
        return f"[{forms}]" if len(forms) > 1 or letter in "*?[" else letter
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) > 1 and "가" <= letter <= "힣":
        return f"[{letter}{parts[0]}{unicodedata.normalize('NFC', parts[:2])}]*"
    return _OTHERS


def _hyphened(digits: str | None) -> str | None:
    return None if digits is None else str(uuid.UUID(digits))


def add_functions(sender: Any, connection: Any, **kwargs: Any) -> None:
    """Give a new SQLite connection the functions that expressions of ours call."""
    if connection.vendor == "sqlite":
        for name, arguments, function in (
            ("read_targets_fold", 1, fold),
            ("read_targets_holds", -1, holds),
            ("read_targets_uuid", 1, _hyphened),
        ):
            connection.connection.create_function(name, arguments, function, deterministic=True)
