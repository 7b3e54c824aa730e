"""With the index of pairs of letters and without it the same rows are found, and PostgreSQL does use it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.writer import MigrationWriter
from hypothesis import given
from hypothesis import strategies as st

from read_targets.lists import Access, ListDefinition, Question, SearchIndex, ask
from read_targets.lists import search as searching
from read_targets.lists.engine import Reading
from read_targets.lists.search_index import index_of
from read_targets.lists.texts import fold, holds, sieve
from tests import oracle

from .doubles import Everything, Only
from .shelf import ACROSS, Box, Thing, things

pytestmark = pytest.mark.django_db

INDEX = SearchIndex(fields=["words", "colour", "code", "address"], name="shelf_thing_search")
LABELS = SearchIndex(fields=["label"], name="shelf_box_search")
SEVERAL = ListDefinition("things", Thing, searched="words colour code address")
on_postgres = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="The index is PostgreSQL's")


@pytest.fixture(params=["indexed", "plain"])
def index(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether things and boxes have an index; both are asked."""
    if request.param == "indexed":
        for model, one in ((Thing, INDEX), (Box, LABELS)):
            monkeypatch.setattr(model._meta, "indexes", [one])
            if connection.vendor == "postgresql":
                with connection.schema_editor() as editor:
                    editor.add_index(model, one)
    return bool(request.param == "indexed")


def found(text: str, definition: ListDefinition = SEVERAL, access: Access | None = None, limit: int = 100) -> list[Any]:
    """The keys of the things found; the count must say the same."""
    answer = ask(definition, Question(text=text, limit=limit), access or Everything())
    assert answer.total == len(answer.rows) or limit < 100
    return [row.id for row in answer.rows]


TEXTS = (
    "a b", "ab", "b", "100%", "1_0", "back\\slash", "it's \"so\"", "🥨 Brezel", "🥨🥨", "Straße", "STRASSE", "ẞß",
    "İstanbul", "ısı", "ISI", "Kelvin \u212a", "ſand", "한빛", unicodedata.normalize("NFD", "한빛"), "하나", "ᄒ",
    unicodedata.normalize("NFD", "Müller"), "MÜLLER", "Muller", "a\u0323\u0308", "\u0915\u093c", "\u0958", "a\x01b",
    "x\x01", "\x01x", "two\nlines", "*?[a]^", "]", "-", "e\u0301", "é", "ffi", "ﬃ", "Σς", "\u037e", "",
)  # fmt: skip


def words_of(text: str) -> list[str]:
    """Parts of a text, of one letter, of two and of more, as they might be asked for."""
    return [word for word in (text, text.swapcase(), text[:1], text[:2], text[-2:], text[1:4]) if word.strip()]


def test_every_part_of_every_text_is_found_as_python_finds_it(index: bool) -> None:
    made = things(words=[*TEXTS, None], colour=["RED", "BLUE"] * (len(TEXTS) // 2) + [None] * 2)
    for word in sorted({word for text in TEXTS for word in words_of(text)}):
        assert found(word) == [one.pk for one in made if has(one, word)], word


def has(thing: Thing, words: str) -> bool:
    """Whether each word stands in a text of the thing, composed and letter by letter in capitals."""
    texts = [capitals(text) for text in (thing.words, thing.colour, thing.code, thing.address) if text is not None]
    return all(any(capitals(word) in text for text in texts) for word in words.split())


def capitals(text: Any) -> str:
    """The text as it is compared: the oracle's small letters would take apart what has two, like a dotted I."""
    composed = unicodedata.normalize("NFC", str(text))
    return "".join(letter.upper() if len(letter.upper()) == 1 else letter for letter in composed)


LETTERS = st.text(st.sampled_from("aAbBäÄßıIiİkK한빛하ᄒ1 \n%_\\'\u0301\u0308\u212a\x01🥨"), max_size=7)
ASKED = LETTERS | st.sampled_from(["red", "LUE", "00", "10.0", "::", "-4"])


@oracle.steadily(60)
@given(texts=st.lists(st.none() | LETTERS, min_size=1, max_size=5), asked=st.lists(ASKED, min_size=1, max_size=4))
def test_the_index_finds_what_python_finds(index: bool, texts: list[str | None], asked: list[str]) -> None:
    Thing.objects.all()._raw_delete("default")
    made = things(
        words=texts,
        colour=["RED", None, "BLUE", None, "RED"][: len(texts)],
        address=[None, "10.0.0.1", None, "::1", None][: len(texts)],
        code=["0a1b2c3d-1111-4222-8333-abcdefabcdef", None, None, None, None][: len(texts)],
    )
    for text in asked:
        assert found(text) == [one.pk for one in made if has(one, text)], text


@pytest.mark.parametrize("sees", ["all", "some", "outer"])
def test_a_withheld_text_is_found_by_nobody(index: bool, sees: str) -> None:
    outer = Box.objects.create(label="Außen 창고")
    boxes = Box.objects.bulk_create(
        [Box(label="Köln", outer=outer), Box(label="Köln"), Box(label=""), Box(label="창고")]
    )
    made = things(words=["one", "two", "three", "창고", None], box=[*boxes, None])
    keys = {"some": [boxes[0].pk, boxes[2].pk], "outer": [boxes[3].pk, outer.pk]}.get(sees)
    access: Any = Everything() if keys is None else Only({Box: keys})
    for text in ("köln", "창고", "außen", "one KÖLN", "köln 창고", "ö", "고", "three", "o"):
        told = oracle.tell(
            made,
            lambda obj: keys is None or obj.pk in keys,
            text=text,
            searched=["words", "box.label", "box.outer.label"],
        )
        assert found(text, ACROSS, access) == told.keys, text


@pytest.mark.parametrize("many", [0, 1])
def test_more_related_objects_than_are_named_are_found_as_well(
    index: bool, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr(searching, "MOST_KEYS", many)
    boxes = Box.objects.bulk_create([Box(label="same"), Box(label="same"), Box(label="other")])
    made = things(words=["a", "b", "same"], box=boxes)
    assert found("same", ACROSS) == [one.pk for one in made]
    assert found("same other", ACROSS) == [made[2].pk]


def test_the_first_rows_are_the_same_when_the_list_is_walked(index: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made = things(words=["ab", "x", "AB c"] * 4)
    before = found("ab", limit=5)
    monkeypatch.setattr(searching, "SCARCE", 0)
    assert found("ab", limit=5) == before == [one.pk for one in made if one.words != "x"][:5]


def test_related_objects_cost_one_statement_a_word(django_assert_num_queries: Any) -> None:
    things(words=["a"])
    with django_assert_num_queries(4):
        found("ab cd", ACROSS)
    with django_assert_num_queries(2):
        found("ab cd")


@on_postgres
@pytest.mark.parametrize("index", ["indexed"], indirect=True)
@pytest.mark.parametrize("text", ["han", "한빛", "빛길", "%_", "sö HN"])
def test_a_word_of_two_letters_or_more_is_looked_up_in_the_index(index: bool, text: str) -> None:
    assert "shelf_thing_search" in plan_of(text, SEVERAL)


@on_postgres
@pytest.mark.parametrize("index", ["indexed"], indirect=True)
def test_the_index_serves_beside_related_objects(index: bool) -> None:
    box = Box.objects.create(label="한빛")
    things(words=["한빛"] * 3, box=[box] * 3)
    definition = ListDefinition("things", Thing, searched="words box.label")
    plan = plan_of("한빛", definition)
    assert "BitmapOr" in plan
    assert "shelf_thing_search" in plan
    assert "SubPlan" not in plan


@on_postgres
@pytest.mark.parametrize("index", ["indexed"], indirect=True)
def test_a_single_letter_is_not(index: bool) -> None:
    assert "shelf_thing_search" not in plan_of("한", SEVERAL)


@on_postgres
@pytest.mark.parametrize("index", ["indexed"], indirect=True)
def test_a_word_of_one_pair_is_known_by_the_index_alone(index: bool) -> None:
    assert "strpos" not in plan_of("한빛", SEVERAL)
    assert "strpos" in plan_of("한빛길", SEVERAL)
    part = ListDefinition("things", Thing, searched="words")
    assert "strpos" in plan_of("한빛", part), "another column might have it"


def plan_of(text: str, definition: ListDefinition) -> str:
    """How PostgreSQL selects all rows found when it may not read the whole table unless it must."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_indexscan = off")
    return Reading(definition, Question(text=text), Everything(), "default").selected().explain()


def test_a_list_takes_the_smallest_index_over_all_that_it_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = SearchIndex(fields=["words", "colour"], name="wide")
    narrow = SearchIndex(fields=["words"], name="narrow")
    monkeypatch.setattr(Thing._meta, "indexes", [wide, narrow])
    assert index_of(Thing, ["words"]) is narrow
    assert index_of(Thing, ["colour", "words"]) is wide
    assert index_of(Thing, ["words", "code"]) is None


def test_migrations_write_it_under_the_name_that_hosts_import() -> None:
    written, imports = MigrationWriter.serialize(INDEX.clone())
    assert written.startswith("read_targets.lists.SearchIndex(fields=['words', ")
    assert imports == {"import read_targets.lists"}
    assert INDEX.clone() == INDEX


@pytest.mark.skipif("connection.vendor == 'postgresql'", reason="There it is an index")
def test_on_other_databases_it_is_nothing() -> None:
    assert INDEX.create_sql(Thing, _Editor()) == INDEX.remove_sql(Thing, _Editor()) == ""


class _Editor:
    connection = connection


@pytest.fixture
def glob() -> Iterator[Any]:
    """SQLite's own pattern matching."""
    if connection.vendor != "sqlite":
        pytest.skip("The sieve is SQLite's")
    with connection.cursor() as cursor:

        def fits(text: str, pattern: str) -> bool:
            cursor.execute("SELECT %s GLOB %s", [text, pattern])
            return bool(cursor.fetchone()[0])

        yield fits


@oracle.steadily(300)
@given(before=LETTERS, word=LETTERS, after=LETTERS, form=st.sampled_from(["NFC", "NFD"]))
def test_the_sieve_lets_through_every_text_that_has_the_word(
    glob: Any, before: str, word: str, after: str, form: Any
) -> None:
    text = unicodedata.normalize(form, before + word.swapcase() + after)
    for asked in filter(None, (fold(word), fold(text)[1:4])):
        if holds(asked, text):
            assert glob(text, sieve(asked)), (text, asked)


def test_the_sieve_keeps_back_most_others(glob: Any) -> None:
    assert not glob("invoice", sieve(fold("한빛")))
    assert not glob("한국", sieve(fold("한빛")))
    assert not glob("invoice", sieve(fold("memo")))
    assert glob("한ㅏ빛", sieve(fold("한빛"))), "it is a sieve, not an answer"
