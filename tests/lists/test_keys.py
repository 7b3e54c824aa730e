"""Keys of rows are kept in few bytes, and asked about again in one statement however many there are."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from read_targets.lists.keys import among, pack, unpack

from .shelf import Thing, Token, Word, things


@pytest.mark.parametrize(
    "keys",
    [[], [1, 2, 3], [2**63 - 1, -1], list(range(50_000)), ["a", "Söhne", "한빛", "'", "\\"], [str(uuid.UUID(int=7))]],
    ids=lambda keys: str(len(keys)),
)
def test_keys_come_back_as_they_were(keys: list[Any]) -> None:
    assert unpack(pack(keys)) == keys


def test_identifiers_come_back_as_text() -> None:
    assert unpack(pack([uuid.UUID(int=7)])) == [str(uuid.UUID(int=7))]


def test_numbers_in_order_take_few_bytes() -> None:
    assert len(pack(range(50_000))) < 120_000


@pytest.mark.django_db
class TestAmong:
    """The rows whose key is among some."""

    def test_numbers(self) -> None:
        made = things(words=["a", "b", "c"])
        chosen = among(Thing.objects.all(), [made[0].pk, str(made[2].pk), 10**12])
        assert {one.pk for one in chosen} == {made[0].pk, made[2].pk}
        assert not among(Thing.objects.all(), []).exists()

    def test_identifiers(self) -> None:
        one, two = Token.objects.bulk_create([Token(name="a"), Token(name="b")])
        assert set(among(Token.objects.all(), unpack(pack([one.pk])))) == {one}
        assert set(among(Token.objects.all(), [one.pk, two.pk, uuid.uuid4()])) == {one, two}

    def test_texts(self) -> None:
        Word.objects.bulk_create([Word(word=word) for word in ("a", "O'Brien", "한빛", '"', "{", "\\")])
        for word in ("O'Brien", "한빛", '"', "{", "\\"):
            assert [one.pk for one in among(Word.objects.all(), [word])] == [word]
        assert among(Word.objects.all(), ["x", "a"]).count() == 1

    def test_however_many_it_is_one_parameter(self) -> None:
        (made,) = things(words=["a"])
        with CaptureQueriesContext(connection) as captured:
            assert among(Thing.objects.filter(words="a"), range(made.pk + 100_000)).count() == 1
        assert len(captured) == 1

    def test_it_narrows_what_is_given(self) -> None:
        made = things(words=["a", "b"])
        assert [one.pk for one in among(Thing.objects.filter(words="b"), [one.pk for one in made])] == [made[1].pk]
