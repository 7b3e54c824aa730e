"""Catalogues of translations, held against the code and the templates whose texts they translate.

Everything is read with Python alone: what the code says, what a `.po` says, and what a `.mo` was compiled to.
"""

from __future__ import annotations

import ast
import gettext
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(__file__).parents[1]
LANGUAGES = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]

PARTS = {
    **dict.fromkeys(("gettext", "gettext_lazy", "gettext_noop"), ("id",)),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), ("id", "plural")),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ("context", "id")),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ("context", "id", "plural")),
}
"""What the first arguments of each of Django's functions are."""

KEPT = re.compile(r"%\(\w+\)[sd]|%%|</?\w+>|\$\w+")
"""What a translation takes over as it stands: placeholders, tags and variables."""

WORD = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?) (".*")')

SAID = re.compile(r"\b(?:n?p?gettext|_)\((?:u?(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")[, ]*)+(?:count)?\)")
"""A call as Django writes it for what a template says."""


class Text(NamedTuple):
    """What a text is looked up by."""

    id: str
    plural: str = ""
    context: str = ""


@dataclass(frozen=True)
class Entry:
    """A text in a `.po`: its translations, one for each form of the plural, and its flags."""

    text: Text
    said: tuple[str, ...]
    flags: frozenset[str]

    @property
    def is_done(self) -> bool:
        """Whether somebody translated all of it and stands by it."""
        return all(self.said) and "fuzzy" not in self.flags

    @property
    def keeps_what_it_must(self) -> bool:
        """Whether a translation has the placeholders of its text; one thing alone may be told without its number."""
        *few, last = [sorted(KEPT.findall(said)) for said in self.said]
        wanted = sorted(KEPT.findall(self.text.plural or self.text.id))
        return last == wanted and all(set(form) <= set(wanted) for form in few)


@dataclass(frozen=True)
class Catalogue:
    """A folder of catalogues, and where in the repository the texts are that belong into it."""

    locale: str
    code: str
    templates: tuple[str, ...]

    def texts(self) -> set[Text]:
        """Return every text that the code and the templates say."""
        code = (path for path in (ROOT / self.code).rglob("*.py") if "migrations" not in path.parts)
        pages = (path for folder in self.templates for path in (ROOT / "templates" / folder).rglob("*.html"))
        found = {text for path in code for text in in_code(path.read_text(encoding="utf-8"), str(path))}
        return found | {text for path in pages for text in in_template(path.read_text(encoding="utf-8"))}

    def source(self, language: str) -> Path:
        """Return where the `.po` of a language is."""
        return ROOT / self.locale / language / "LC_MESSAGES" / "django.po"

    def entries(self, language: str) -> list[Entry]:
        """Return what the `.po` says, without its head."""
        return [one for one in parsed(self.source(language).read_text(encoding="utf-8")) if one.text.id]

    def compiled(self, language: str) -> dict[Any, str]:
        """Return what the `.mo` holds, without its head."""
        with self.source(language).with_suffix(".mo").open("rb") as file:
            held = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]  # how else to look inside?
        return {key: said for key, said in held.items() if key}


def in_code(source: str, name: str = "") -> Iterator[Text]:
    """Yield the texts that Python code has translated, under whatever name it calls Django's functions."""
    tree = ast.parse(source, name)
    called: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation":
            called |= {one.asname or one.name: one.name for one in node.names if one.name in PARTS}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = ast.unparse(node.func).removeprefix("translation.")
            if called.get(function, function) in PARTS:
                yield _text(called.get(function, function), node.args, f"{name}:{node.lineno}")


def in_template(source: str) -> Iterator[Text]:
    """Yield the texts that a template has translated."""
    for said in SAID.findall(templatize(source)):
        call = ast.parse(said, mode="eval").body
        assert isinstance(call, ast.Call)
        yield _text(ast.unparse(call.func), call.args, said)


def _text(function: str, arguments: Iterable[ast.expr], where: str) -> Text:
    parts = dict(zip(PARTS["gettext" if function == "_" else function], arguments, strict=False))
    if not all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in parts.values()):
        raise AssertionError(f"{where} has something translated that no catalogue can hold")
    return Text(**{part: ast.literal_eval(one) for part, one in parts.items()})


def parsed(source: str) -> Iterator[Entry]:
    """Yield the entries of a `.po`."""
    for block in re.split(r"\n\s*\n", source.strip()):
        words: dict[str, list[str]] = {}
        flags: set[str] = set()
        for line in block.splitlines():
            begun = WORD.fullmatch(line)
            if begun:
                words[begun[1]] = [begun[2]]
            elif line.startswith("#,"):
                flags |= {flag.strip() for flag in line[2:].split(",")}
            elif line.startswith('"'):
                words[next(reversed(words))].append(line)
        said = {word: "".join(map(ast.literal_eval, lines)) for word, lines in words.items()}
        if "msgid" in said:
            text = Text(said["msgid"], said.get("msgid_plural", ""), said.get("msgctxt", ""))
            forms = tuple(one for word, one in said.items() if word.startswith("msgstr"))
            yield Entry(text, forms, frozenset(flags))


def as_compiled(entries: Iterable[Entry]) -> dict[Any, str]:
    """Return what a `.mo` of these entries holds."""
    held: dict[Any, str] = {}
    for one in entries:
        key = f"{one.text.context}\x04{one.text.id}" if one.text.context else one.text.id
        held |= {(key, form): said for form, said in enumerate(one.said)} if one.text.plural else {key: one.said[0]}
    return held


def check(catalogue: Catalogue, language: str) -> None:
    """Hold one catalogue against what it translates, and what it was compiled to against it."""
    entries = catalogue.entries(language)
    known = {one.text for one in entries}
    assert len(known) == len(entries), "a text is there twice"
    said = catalogue.texts()
    assert sorted(said - known) == [], "not translated"
    assert sorted(known - said) == [], "translated, but said nowhere"
    assert [one.text for one in entries if not one.is_done] == [], "empty or fuzzy"
    assert [one for one in entries if not one.keeps_what_it_must] == [], "placeholders do not agree"
    assert catalogue.compiled(language) == as_compiled(entries), "compile it again: msgfmt --check"
