"""Numbers are localised for people and stay exact."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from read_targets.cards.values import Chip, chips_of, exact_number, shown_value


@pytest.mark.parametrize(
    ("language", "value", "text"),
    [
        ("en", "12345678901234567890.123456789", "12,345,678,901,234,567,890.123456789"),
        ("de", "12345678901234567890.123456789", "12.345.678.901.234.567.890,123456789"),
        ("ko", "12345678901234567890.10", "12,345,678,901,234,567,890.10"),
        ("en", "-1234.50", "-1,234.50"),
        ("en", "-999", "-999"),
        ("en", "0.00", "0.00"),
        ("en", 9007199254740993, "9,007,199,254,740,993"),
        ("de", 1000, "1.000"),
        ("en", "9" * 300, ",".join(["999"] * 100)),
        ("en", 1.5, "1.5"),
        ("en", 1e22, "1e+22"),
        ("en", "NaN", "NaN"),
        ("en", "<b>1</b>", "<b>1</b>"),
        ("en", True, "True"),
    ],
)
def test_a_number_keeps_every_digit(language: str, value: Any, text: str) -> None:
    with translation.override(language):
        assert exact_number(value) == text


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**30), max_value=10**30))
def test_a_decimal_comes_back_when_the_groups_are_taken_out(number: Any) -> None:
    text = f"{number:f}"
    with translation.override("de"):
        assert exact_number(text).replace(".", "").replace(",", ".") == text


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, "number", ""),
        ("2026-10-31", "date", "31. Oktober 2026"),
        ("2026-10", "date", "Oktober 2026"),
        ("2026-10-31T23:59:00+09:00", "date", "31. Oktober 2026 23:59"),
        ("2026-02-30", "date", "2026-02-30"),
        ("someday", "date", "someday"),
        (True, "boolean", "Ja"),
        ("EXPENSE", "enum", "EXPENSE"),
        ("1234", "string", "1234"),
        ("1234.50", "number", "1.234,50"),
    ],
)
def test_values_are_written_by_their_kind(value: Any, kind: str, text: str) -> None:
    with translation.override("de"):
        assert shown_value(value, kind) in {text, text.replace("Ja", "Yes")}


def test_conditions_are_named_in_the_persons_language() -> None:
    conditions: list[dict[str, Any]] = [
        {"name": "from", "label": {"en": "From", "ko": "부터"}, "value": "2026-10-01"},
        {"name": "minAmount", "label": {}, "value": "1000.50"},
        {"name": "open", "label": {}, "value": True},
        {"name": "day", "label": {}, "value": "2026-10-01", "kind": "date"},
    ]
    with translation.override("ko"):
        assert chips_of(conditions)[0] == Chip("부터", "2026-10-01")
    with translation.override("en"):
        assert chips_of(conditions)[1:] == [
            Chip("minAmount", "1000.50"),
            Chip("open", "Yes"),
            Chip("day", "Oct. 1, 2026"),
        ]
