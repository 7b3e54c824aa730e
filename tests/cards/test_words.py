"""Words of strangers are quoted plainly."""

from __future__ import annotations

import pytest

from read_targets.cards.words import plain_words, quoted_words


@pytest.mark.parametrize(
    ("written", "quoted"),
    [
        ("Umsatz im Oktober", "Umsatz im Oktober"),
        ("주식회사 (주)한빛", "주식회사 (주)한빛"),
        ("  two\nlines\tand\r\n more ", "two lines and more"),
        ("a\x00b\x07c\x1b[31md", "a b c [31md"),
        ("invoice \u202egpj.exe", "invoice gpj.exe"),
        ("\u2066isolated\u2069 \u200emarks\u200f", "isolated marks"),
        ("soft\u00adhyphen \ufeffmark", "softhyphen mark"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("family 👨\u200d👩\u200d👧", "family 👨\u200d👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("line\u2028end", "line end"),
        ("lonely \ud800", "lonely"),
        ("\u3164\u115f \u2800\u034f", ""),
        ("<b>bold</b>", "<b>bold</b>"),
        ("", ""),
    ],
)
def test_marks_that_are_not_seen_are_removed(written: str, quoted: str) -> None:
    assert plain_words(written) == quoted


def test_a_quote_is_cut_at_eighty_characters() -> None:
    assert quoted_words("x" * 80) == "x" * 80
    assert quoted_words("x" * 81) == "x" * 79 + "…"
    assert len(quoted_words("word " * 40)) <= 80
