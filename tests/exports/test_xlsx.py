"""The whole list as XLSX: numbers that can be summed, days that can be sorted, and no digit lost."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User

from project.demo.drilling.models import ConnectionRun
from project.demo.ledger.models import CashTransaction
from read_targets.cards.exports import xlsx_file
from read_targets.cards.exports.columns import exact_float
from read_targets.cards.exports.xlsx_file import day_number, moment_number, sheet_name
from read_targets.models import Preference

from .conftest import Exported, book_of

pytestmark = pytest.mark.django_db


def test_values_are_numbers_days_and_texts(exported: Exported) -> None:
    export = exported("analyst", "xlsx")
    book = book_of(export)
    sheet = book.worksheets[0]
    rows = list(sheet.iter_rows(min_row=2, values_only=True))
    head = [cell.value for cell in sheet[1]]
    amount = next(at for at, name in enumerate(head) if name.startswith("Amount"))
    expected = list(CashTransaction.objects.order_by("-date", "-pk"))
    assert [row[0].date() for row in rows] == [one.date for one in expected]
    assert [Decimal(str(row[amount])) for row in rows] == [one.amount.normalize() + 0 for one in expected]
    assert sheet.freeze_panes == "A2"
    assert sheet.cell(2, amount + 1).number_format == "0.00"
    assert export.rows_written == len(rows) == len(expected)


def test_the_last_sheet_says_what_it_is(exported: Exported) -> None:
    book = book_of(exported("analyst", "xlsx", flow="INCOME"))
    facts = dict(book.worksheets[-1].iter_rows(values_only=True))
    assert book.sheetnames == ["Cash transactions", "About"]
    assert facts["Time zone"] == "UTC"
    assert facts["As"] == "analyst"
    assert "INCOME" in facts["Conditions"]
    assert facts["Rows"] == str(CashTransaction.objects.filter(flow="INCOME").count())


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", "＝1", "-5", "{=1}", "http://example.com"])
def test_a_text_is_a_text_and_is_not_changed(exported: Exported, text: str) -> None:
    CashTransaction.objects.update(memo=text)
    sheet = book_of(exported("analyst", "xlsx", id=str(CashTransaction.objects.first().pk))).worksheets[0]
    cell = next(one for one in sheet[2] if one.value == text)
    assert (cell.data_type, cell.hyperlink) == ("s", None)
    assert cell.quotePrefix == (text[0] in "=@＝-")


def test_sheets_are_split_where_they_are_full(exported: Exported, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_file, "MOST_ROWS", 251)
    book = book_of(exported("analyst", "xlsx"))
    assert book.sheetnames == ["Cash transactions", "Cash transactions 2", "Cash transactions 3", "About"]
    assert [sheet.max_row for sheet in book.worksheets[:3]] == [251, 251, 101]
    assert len({sheet.cell(1, 1).value for sheet in book.worksheets[:3]}) == 1


def test_moments_stand_by_the_clock_of_the_persons_zone(exported: Exported) -> None:
    user = User.objects.get(username="admin")
    Preference.objects.create(user=user, time_zone="Asia/Seoul")
    sheet = book_of(exported(user, "xlsx", tool="queryDrillingConnectionRuns")).worksheets[0]
    at = next(at for at, cell in enumerate(sheet[1]) if cell.value.endswith("(Asia/Seoul)"))
    told = {row[at] for row in sheet.iter_rows(min_row=2, values_only=True)}
    zone = ZoneInfo("Asia/Seoul")
    expected = {one.started_at.astimezone(zone).replace(tzinfo=None) for one in ConnectionRun.objects.all()}
    assert {one.replace(microsecond=0) for one in told} <= {
        one.replace(microsecond=0) + dt.timedelta(seconds=late) for one in expected for late in (0, 1)
    }
    assert len(told) == len(expected)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("12345678901234.5", 12345678901234.5),
        ("-123456789012345", -123456789012345.0),
        ("123456789012345.6", "123456789012345.6"),
        (2**60, str(2**60)),
        (0, 0.0),
        ("0.00", 0.0),
        (1.5, 1.5),
        ("NaN", "NaN"),
    ],
)
def test_digits_that_a_number_would_lose_are_text(value: object, told: object) -> None:
    assert exact_float(value) == told
    assert type(exact_float(value)) is type(told)


def test_days_before_the_calendar_of_spreadsheets_are_text() -> None:
    assert day_number(dt.date(1900, 2, 28)) == "1900-02-28"
    assert day_number("1900-03-01") == 61.0
    assert day_number(dt.date(9999, 12, 31)) == 2958465.0
    assert moment_number(dt.datetime(1850, 1, 1, tzinfo=dt.UTC), ZoneInfo("UTC")).startswith("1850-01-01T")  # type: ignore[union-attr]
    assert moment_number(dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC), ZoneInfo("UTC")) == 46023.5
    assert moment_number(dt.datetime.max.replace(tzinfo=dt.UTC), ZoneInfo("Asia/Seoul"))


@pytest.mark.parametrize("title", ["", "a/b:c?[d]*\\e", "'quoted'", "x" * 50, "\x07"])
def test_a_sheet_has_a_name_that_is_allowed(title: str) -> None:
    for number in (1, 2, 300):
        name = sheet_name(title, number)
        assert 0 < len(name) <= 31
        assert not set(name) & set("[]:*?/\\")
        assert not name.startswith("'")
