"""Every text of the apps is there in each language of the site, compiled, and found without any setting."""

from __future__ import annotations

import pytest
from django.test import override_settings
from django.utils import translation

from .catalogues import LANGUAGES, ROOT, Catalogue, Entry, Text, as_compiled, check, in_code, in_template, parsed

APPS = [
    Catalogue("read_targets/locale", "read_targets", ("read_targets",)),
    Catalogue("page_commands/locale", "page_commands", ("page_commands",)),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("catalogue", APPS, ids=lambda one: one.code)
def test_every_text_is_translated_and_compiled(catalogue: Catalogue, language: str) -> None:
    check(catalogue, language)


@override_settings(LOCALE_PATHS=[])
@pytest.mark.parametrize(("language", "said"), [("ko", "다시 읽기"), ("de", "Neu lesen")])
def test_an_app_brings_its_own_catalogue(language: str, said: str) -> None:
    with translation.override(language):
        assert translation.gettext("Read again") == said


def test_every_folder_of_templates_belongs_to_a_catalogue() -> None:
    folders = {path.name for path in (ROOT / "templates").iterdir() if path.is_dir()}
    assert folders - {"demo", "project", "registration"} <= {name for one in APPS for name in one.templates}


# What the reading itself is worth

CODE = """
from django.utils import translation
from django.utils.translation import gettext as _, ngettext, pgettext_lazy as with_context
_("one" " text")
ngettext("%(n)s cat", "%(n)s cats", 2)
with_context("of a file", "Open")
translation.gettext("by its module")
gettext_of_others("not ours")
"""

PAGE = """
{% load i18n %}<a title="{% translate "It's" %}">{% translate "50% off" context "in a shop" as x %}</a>
{% blocktranslate trimmed count n=cats|length with who=person %}
  {{ who }} has one cat{% plural %}{{ who }} has {{ n }} cats
{% endblocktranslate %}{{ answer|yesno:_("yes,no") }}{% include "x.html" with title=_("A title") %}
"""

SOURCE = r"""
msgid ""
msgstr ""
"Language: de\n"

#: here.py
#, fuzzy, python-format
msgctxt "of a file"
msgid ""
"Open “%(name)s”\n"
"with \"care\""
msgstr "Öffnen: „%(name)s“"

msgid "%(n)s cat"
msgid_plural "%(n)s cats"
msgstr[0] "Eine Katze"
msgstr[1] "%(n)s Katzen"
"""


def test_texts_are_found_in_code() -> None:
    assert set(in_code(CODE)) == {
        Text("one text"),
        Text("%(n)s cat", "%(n)s cats"),
        Text("Open", context="of a file"),
        Text("by its module"),
    }


@pytest.mark.parametrize("said", ["_(name)", '_(f"{name}")', '_("a" + name)'])
def test_what_no_catalogue_can_hold_is_found(said: str) -> None:
    with pytest.raises(AssertionError, match="no catalogue can hold"):
        set(in_code(f"from django.utils.translation import gettext as _\n{said}"))


def test_texts_are_found_in_templates() -> None:
    assert set(in_template(PAGE)) == {
        Text("50%% off", context="in a shop"),
        Text("%(who)s has one cat", "%(who)s has %(n)s cats"),
        Text("yes,no"),
        Text("A title"),
        Text("It's"),
    }


def test_a_source_is_read_and_compared() -> None:
    head, opening, cats = parsed(SOURCE)
    assert head.text == Text("")
    assert opening.text == Text('Open “%(name)s”\nwith "care"', context="of a file")
    assert (opening.is_done, opening.keeps_what_it_must) == (False, True)
    assert (cats.is_done, cats.keeps_what_it_must) == (True, True)
    assert as_compiled([cats]) == {("%(n)s cat", 0): "Eine Katze", ("%(n)s cat", 1): "%(n)s Katzen"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (Text("%(n)d rows"), ("Zeilen",)),
        (Text("%(n)d rows"), ("%(m)d Zeilen",)),
        (Text("%(n)d rows"), ("%(n)s Zeilen",)),
        (Text("<b>%(n)d</b> rows"), ("%(n)d Zeilen",)),
        (Text("One row", "%(n)d rows"), ("Eine Zeile", "Zeilen")),
        (Text("One row", "%(n)d rows"), ("%(m)d Zeile", "%(n)d Zeilen")),
    ],
)
def test_lost_placeholders_are_found(text: Text, said: tuple[str, ...]) -> None:
    assert not Entry(text, said, frozenset()).keeps_what_it_must
