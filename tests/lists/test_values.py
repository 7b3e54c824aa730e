"""Values are read exactly or refused with what would fit; they are written with every digit."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from read_targets.lists import KINDS, Argument, Unreadable, plain, read_value
from read_targets.lists.values import LONGEST_STRING
from tests import oracle

INFINITE = float("inf")
SURROGATE = "\ud800"
ARABIC_SEVEN = "٧"

EVERYTHING_ELSE: list[Any] = [[], [1], {}, {"value": 1}, (1,), b"1", object()]


def code_of(kind: str, raw: Any, **options: Any) -> str:
    """The code with which `raw` is refused."""
    with pytest.raises(Unreadable) as refused:
        read_value(kind, raw, **options)
    code: str = refused.value.facts["code"]
    return code


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        ("string", "주식회사 (주)한빛", "주식회사 (주)한빛"),
        ("string", "Robert'); DROP", "Robert'); DROP"),
        ("string", " kept as it is ", " kept as it is "),
        ("string", "x" * LONGEST_STRING, "x" * LONGEST_STRING),
        ("string", "🥨\n\t", "🥨\n\t"),
        ("number", 12, Decimal(12)),
        ("number", 0.1, Decimal("0.1")),
        ("number", "12.345", Decimal("12.345")),
        ("number", " -7 ", Decimal(-7)),
        ("number", "1e3", Decimal(1000)),
        ("number", 1e22, Decimal("1e22")),
        ("number", "9999999999999999.99", Decimal("9999999999999999.99")),
        ("number", Decimal("1.50"), Decimal("1.50")),
        ("number", -0.0, Decimal(0)),
        ("number", 2**63, Decimal(2**63)),
        ("integer", 5, 5),
        ("integer", 5.0, 5),
        ("integer", "5", 5),
        ("integer", "+5", 5),
        ("integer", str(2**70), 2**70),
        ("boolean", True, True),
        ("boolean", "false", False),
        ("date", "2026-02-28", dt.date(2026, 2, 28)),
        ("date", "2028-02-29", dt.date(2028, 2, 29)),
        ("date", "0001-01-01", dt.date.min),
        ("date", "9999-12-31", dt.date.max),
        ("date", " 2026-02-28 ", dt.date(2026, 2, 28)),
    ],
)
def test_what_fits_is_read(kind: str, raw: Any, value: Any) -> None:
    read = read_value(kind, raw)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("kind", "raw", "code"),
    [
        ("string", 12, "not_a_string"),
        ("string", True, "not_a_string"),
        ("string", "x" * 10_000, "too_long"),
        ("string", "a\0b", "not_text"),
        ("string", f"a{SURROGATE}b", "not_text"),
        ("number", "banana", "not_a_number"),
        ("number", True, "not_a_number"),
        ("number", False, "not_a_number"),
        ("number", "NaN", "not_a_number"),
        ("number", "sNaN", "not_a_number"),
        ("number", "Infinity", "not_a_number"),
        ("number", "-inf", "not_a_number"),
        ("number", INFINITE, "not_a_number"),
        ("number", -INFINITE, "not_a_number"),
        ("number", float("nan"), "not_a_number"),
        ("number", Decimal("NaN"), "not_a_number"),
        ("number", Decimal("sNaN"), "not_a_number"),
        ("number", Decimal("Infinity"), "not_a_number"),
        ("number", "1e400", "too_large"),
        ("number", "1e999", "too_large"),
        ("number", "1e9999", "not_a_number"),
        ("number", "1e-400", "too_many_decimals"),
        ("number", 10**60, "too_large"),
        ("number", "9" * 10_000, "not_a_number"),
        ("number", "1_000", "not_a_number"),
        ("number", "1,5", "not_a_number"),
        ("number", "0x10", "not_a_number"),
        ("number", ".5", "not_a_number"),
        ("number", "5.", "not_a_number"),
        ("number", "1 2", "not_a_number"),
        ("number", "1\0", "not_a_number"),
        ("number", SURROGATE, "not_a_number"),
        ("number", ARABIC_SEVEN, "not_a_number"),
        ("number", "７", "not_a_number"),
        ("integer", "banana", "not_an_integer"),
        ("integer", 5.5, "not_an_integer"),
        ("integer", "5.0", "not_an_integer"),
        ("integer", "1e3", "not_an_integer"),
        ("integer", True, "not_an_integer"),
        ("integer", ARABIC_SEVEN, "not_an_integer"),
        ("integer", "1_0", "not_an_integer"),
        ("integer", INFINITE, "not_an_integer"),
        ("integer", float("nan"), "not_an_integer"),
        ("integer", 10**60, "too_large"),
        ("integer", "9" * 10_000, "not_an_integer"),
        ("boolean", 1, "not_a_boolean"),
        ("boolean", 0, "not_a_boolean"),
        ("boolean", "True", "not_a_boolean"),
        ("boolean", "yes", "not_a_boolean"),
        ("date", "banana", "not_a_date"),
        ("date", "2026-02-30", "not_a_date"),
        ("date", "2026-13-01", "not_a_date"),
        ("date", "2026-00-10", "not_a_date"),
        ("date", "0000-01-01", "not_a_date"),
        ("date", "2026-2-3", "not_a_date"),
        ("date", "20260203", "not_a_date"),
        ("date", "2026-W06-2", "not_a_date"),
        ("date", "2026-02-03T00:00:00", "not_a_date"),
        ("date", "10000-01-01", "not_a_date"),
        ("date", "٢٠٢٦-٠٢-٠٣", "not_a_date"),
        ("date", "2026−02−03", "not_a_date"),
        ("date", 20260203, "not_a_date"),
        ("date", dt.date(2026, 2, 3), "not_a_date"),
        ("date", True, "not_a_date"),
        ("enum", "expense", "not_one_of"),
        ("enum", "EXPENSE ", "not_one_of"),
        ("enum", 1, "not_a_string"),
        ("enum", "\0", "not_text"),
    ],
)
def test_what_does_not_fit_is_refused_and_never_guessed_at(kind: str, raw: Any, code: str) -> None:
    assert code_of(kind, raw, values=("INCOME", "EXPENSE")) == code


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("raw", EVERYTHING_ELSE, ids=lambda raw: type(raw).__name__)
def test_lists_objects_and_bytes_are_no_value_of_any_kind(kind: str, raw: Any) -> None:
    assert code_of(kind, raw, values=("A",)).startswith("not_a")


@pytest.mark.parametrize(
    ("kind", "raw", "facts"),
    [
        ("date", "banana", {"code": "not_a_date", "type": "date", "format": "YYYY-MM-DD"}),
        ("enum", "expense", {"code": "not_one_of", "type": "enum", "values": ["INCOME", "EXPENSE"]}),
        ("string", "x" * 1_001, {"code": "too_long", "type": "string", "maximum": 1_000}),
    ],
)
def test_a_refusal_says_what_would_fit(kind: str, raw: Any, facts: dict[str, Any]) -> None:
    with pytest.raises(Unreadable) as refused:
        read_value(kind, raw, values=("INCOME", "EXPENSE"))
    assert refused.value.facts == facts


def test_limits_take_their_ends_in_and_are_named_in_the_refusal() -> None:
    month = Argument("month", "integer", minimum=Decimal(1), maximum=Decimal(12))
    assert [month.read(1), month.read(12)] == [1, 12]
    for raw, code in ((0, "too_small"), (13, "too_large")):
        with pytest.raises(Unreadable) as refused:
            month.read(raw)
        assert refused.value.facts == {"code": code, "type": "integer", "minimum": 1, "maximum": 12}


def test_a_pattern_fits_the_whole_text() -> None:
    period = Argument("period", "string", pattern=r"\d{4}-\d{2}")
    assert period.read("2026-11") == "2026-11"
    for raw in ("2026-11-30", "x2026-11", "2026-11\n"):
        with pytest.raises(Unreadable) as refused:
            period.read(raw)
        assert refused.value.facts == {"code": "pattern_mismatch", "type": "string", "format": r"\d{4}-\d{2}"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("raw", [None, ""])
def test_null_and_the_empty_text_mean_not_set(kind: str, raw: Any) -> None:
    assert Argument("one", kind, values=("A",), minimum=Decimal(1), pattern="x").read(raw) is None


@oracle.steadily(200)
@given(raw=st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.decimals(), st.binary()))
def test_whatever_comes_is_read_or_refused(raw: Any) -> None:
    for kind in KINDS:
        try:
            value = Argument("one", kind, values=("A",)).read(raw)
        except Unreadable as refused:
            told = refused.facts
        else:
            told = plain(value)
        json.dumps(told)


@oracle.steadily(100)
@given(number=st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=7))
def test_a_number_written_and_read_again_is_the_same(number: Decimal) -> None:
    assert read_value("number", plain(number)) == number


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, None),
        (True, True),
        ("", ""),
        (7, 7),
        (2**53, 2**53),
        (2**53 + 1, "9007199254740993"),
        (-(2**53) - 1, "-9007199254740993"),
        (Decimal("12.50"), "12.50"),
        (Decimal("-0.00"), "0.00"),
        (Decimal("0E+3"), "0"),
        (Decimal("1E+3"), "1000"),
        (Decimal("1E-10"), "0.0000000001"),
        (Decimal("123456789012345678901234567890.1234567890"), "123456789012345678901234567890.1234567890"),
        (1.5, 1.5),
        (INFINITE, None),
        (float("nan"), None),
        (dt.date(2026, 2, 3), "2026-02-03"),
        (dt.date(1, 2, 3), "0001-02-03"),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (dt.datetime(2026, 2, 3, 4, 5, tzinfo=dt.UTC), "2026-02-03T04:05:00+00:00"),
    ],
)
def test_a_value_is_written_with_every_digit(value: Any, written: Any) -> None:
    assert plain(value) == written
    assert type(plain(value)) is type(written)
    json.dumps(plain(value), allow_nan=False)


def test_a_moment_is_written_in_the_zone_of_the_person() -> None:
    moment = dt.datetime(2026, 3, 8, 6, 59, tzinfo=dt.UTC)
    assert plain(moment, ZoneInfo("America/New_York")) == "2026-03-08T01:59:00-05:00"
    assert plain(moment + dt.timedelta(minutes=1), ZoneInfo("America/New_York")) == "2026-03-08T03:00:00-04:00"
    assert plain(moment, ZoneInfo("Asia/Kolkata")) == "2026-03-08T12:29:00+05:30"


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue", "Asia/Seoul", "UTC"])
@pytest.mark.parametrize("moment", [dt.datetime.min, dt.datetime.max, dt.datetime(9999, 12, 31)])
def test_a_moment_at_the_ends_of_the_calendar_is_written_too(moment: dt.datetime, zone: str) -> None:
    written = plain(moment.replace(tzinfo=dt.UTC), ZoneInfo(zone))
    assert dt.datetime.fromisoformat(written) == moment.replace(tzinfo=dt.UTC)
