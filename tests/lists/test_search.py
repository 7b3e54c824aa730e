"""Free words are found in every declared text, in either case and normal form, and are never a pattern."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from read_targets.lists import Condition, ListDefinition, Question, ask
from read_targets.lists.texts import Folded, fold, folded
from tests import oracle

from .doubles import Everything, Only
from .shelf import ACROSS, THINGS, Box, Thing, Token, things

pytestmark = pytest.mark.django_db

TEXTS = (
    "주식회사 (주)한빛",
    "O'Brien & Söhne",
    "Bäckerei Grüß 🥨",
    "Robert'); DROP TABLE",
    "50% Rabatt_Markt",
    "back\\slash and \"quotes\"",
    "Straßenbau Köln",
    "ΑΘΗΝΑ Ελλάς",
    "МОСКВА",
    "",
    None,
)  # fmt: skip


def hits(text: str, definition: ListDefinition = THINGS, access: Any = None) -> list[Any]:
    """The words of the things found."""
    question = Question(text=text, shown=("words",), limit=100)
    return [row.values["words"] for row in ask(definition, question, access or Everything()).rows]


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        ("한빛", "주식회사 (주)한빛"),
        ("(주)", "주식회사 (주)한빛"),
        ("한", "주식회사 (주)한빛"),
        (unicodedata.normalize("NFD", "한빛"), "주식회사 (주)한빛"),
        ("söhne", "O'Brien & Söhne"),
        ("SÖHNE", "O'Brien & Söhne"),
        (unicodedata.normalize("NFD", "sÖhne"), "O'Brien & Söhne"),
        ("o'b", "O'Brien & Söhne"),
        ("&", "O'Brien & Söhne"),
        ("grüß", "Bäckerei Grüß 🥨"),
        ("GRÜß", "Bäckerei Grüß 🥨"),
        ("🥨", "Bäckerei Grüß 🥨"),
        ("');", "Robert'); DROP TABLE"),
        ("%", "50% Rabatt_Markt"),
        ("_", "50% Rabatt_Markt"),
        ("t_m", "50% Rabatt_Markt"),
        ("\\", "back\\slash and \"quotes\""),
        ("k\\s", "back\\slash and \"quotes\""),
        ('"QUOTES"', "back\\slash and \"quotes\""),
        ("köln STRAßE", "Straßenbau Köln"),
        ("αθηνα", "ΑΘΗΝΑ Ελλάς"),
        ("ΕΛΛΆΣ", "ΑΘΗΝΑ Ελλάς"),
        ("москва", "МОСКВА"),
        ("  back \t quotes\u00a0and ", "back\\slash and \"quotes\""),
    ],
)  # fmt: skip
def test_words_are_found_as_people_write_them(text: str, hit: str) -> None:
    things(words=list(TEXTS))
    assert hits(text) == [hit]


@pytest.mark.parametrize(
    "text", ["%%", "50_", "s_hne", "a%b", "\\%", "x' OR '1'='1", "strasse", "brien nobody", "\u200b", "*", ".*"]
)
def test_what_stands_in_no_text_is_not_found(text: str) -> None:
    things(words=list(TEXTS))
    assert hits(text) == []


@pytest.mark.parametrize("text", ["", "   ", "\u00a0\t\n"])
def test_no_word_at_all_leaves_every_row(text: str) -> None:
    things(words=list(TEXTS))
    assert len(hits(text)) == len(TEXTS)


def test_the_texts_may_be_stored_in_either_normal_form() -> None:
    things(words=[unicodedata.normalize("NFD", "Müller 한빛"), unicodedata.normalize("NFC", "Müller 한빛"), "Muller"])
    assert len(hits("müller")) == 2
    assert len(hits("한빛")) == 2
    assert len(hits("mu")) == 1


def test_each_word_may_stand_in_another_text() -> None:
    boxes = Box.objects.bulk_create([Box(label="Köln"), Box(label="Bonn")])
    things(words=["Straße", "Straße", "Köln"], box=[*boxes, None])
    assert hits("straße köln", ACROSS) == ["Straße"]
    assert hits("köln", ACROSS) == ["Straße", "Köln"]


def test_a_withheld_text_is_searched_for_nobody() -> None:
    seen, hidden = Box.objects.bulk_create([Box(label="secret"), Box(label="secret")])
    things(words=["one", "two"], box=[seen, hidden])
    assert hits("secret", ACROSS) == ["one", "two"]
    assert hits("secret", ACROSS, Only({Box: [seen.pk]})) == ["one"]
    assert hits("two secret", ACROSS, Only({Box: [seen.pk]})) == []


def test_as_many_words_as_an_argument_holds_are_one_search() -> None:
    things(words=[" ".join(map(str, range(400))), "0 1 2"])
    assert len(hits(" ".join(map(str, range(260))), ACROSS)) == 1
    assert len(hits("1 " * 500, ACROSS)) == 2


def test_an_identifier_is_searched_as_it_is_written() -> None:
    token = Token.objects.create(name="one")
    Token.objects.create(name="two")
    definition = ListDefinition("tokens", Token, shown="id name", searched="id name")
    for text in (str(token.pk), str(token.pk)[:13].upper(), f"{str(token.pk)[-5:]} ONE"):
        answer = ask(definition, Question(text=text, limit=5), Everything())
        assert [row.id for row in answer.rows] == [token.pk]


LETTERS = st.text(st.sampled_from("aAäÄöÖßéÉeE한빛 %_\\'\u0301\u0308ǆ0"), max_size=6)


@oracle.steadily(60)
@given(texts=st.lists(LETTERS, min_size=1, max_size=5), text=LETTERS)
def test_the_database_finds_what_python_finds(texts: list[str], text: str) -> None:
    Thing.objects.all()._raw_delete("default")  # type: ignore[attr-defined]
    made = things(words=list(texts))
    told = oracle.tell(made, lambda obj: True, text=text, searched=["words"])
    answer = ask(THINGS, Question(text=text, limit=100), Everything())
    assert [row.id for row in answer.rows] == told.keys
    if text.strip():
        fitting = oracle.tell(made, lambda obj: True, conditions=[("words", "startswith", text)])
        begins = Question(conditions=(Condition("words", "startswith", text),), limit=100)
        assert [row.id for row in ask(THINGS, begins, Everything()).rows] == fitting.keys


@pytest.mark.parametrize("text", ["söhne", "Grüß", "ǆ", "ﬁn", "ŉ", "ı", "ΐ", "Σς", "e\u0301", "한빛"])
def test_python_and_the_database_fold_alike(text: str) -> None:
    (made,) = things(words=[text])
    (told,) = Thing.objects.filter(pk=made.pk).values_list(Folded("words"), folded(text))
    assert told == (fold(text), fold(text))


def test_folding_nothing_is_nothing() -> None:
    (made,) = things(words=[None])
    assert fold(None) is None
    assert Thing.objects.filter(pk=made.pk).values_list(Folded("words"), flat=True).get() is None


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="The collation is PostgreSQL's")
def test_the_locale_of_the_server_does_not_matter() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT UPPER(NORMALIZE('söhne') COLLATE \"pg_c_utf8\"), UPPER('söhne' COLLATE \"C\")")
        assert cursor.fetchone() == ("SÖHNE", "SöHNE")
