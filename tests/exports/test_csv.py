"""The whole list as CSV: every row and digit, in the person's words, and nothing that a spreadsheet would run."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from django.contrib.auth.models import User

from project.demo.drilling.models import ConnectionRun
from project.demo.ledger.models import Account, CashTransaction
from read_targets.cards.exports.columns import neutral
from read_targets.models import Export, Preference

from .conftest import Exported, content_of, rows_of

pytestmark = pytest.mark.django_db


def test_it_holds_every_row_with_every_digit(exported: Exported) -> None:
    export = exported("analyst")
    head, rows, note = rows_of(export)
    assert head[:2] == ["Date", "Account"]
    at = next(place for place, name in enumerate(head) if name.startswith("Amount"))
    expected = CashTransaction.objects.order_by("-date", "-pk")
    assert [row[at] for row in rows] == [f"{one.amount:.2f}" for one in expected]
    assert [row[0] for row in rows] == [str(one.date) for one in expected]
    assert (export.state, export.rows_written, export.rows_total) == ("done", len(rows), len(rows))
    assert export.size == len(content_of(export))
    assert str(f"{len(rows):,}") in note


def test_it_begins_with_the_mark_of_utf_8(exported: Exported) -> None:
    assert content_of(exported("analyst", rows=0)).startswith(b"\xef\xbb\xbf")


def test_conditions_and_order_are_those_of_the_workspace(exported: Exported) -> None:
    export = exported("analyst", flow="EXPENSE", orderBy="amount", **{"from": "2025-01-01"})
    head, rows, note = rows_of(export)
    at = next(place for place, name in enumerate(head) if name.startswith("Amount"))
    expected = CashTransaction.objects.filter(flow="EXPENSE", date__gte="2025-01-01").order_by("amount", "pk")
    assert [Decimal(row[at]) for row in rows] == [one.amount for one in expected]
    assert "EXPENSE" in note


def test_the_note_says_what_it_is_in_the_persons_words(exported: Exported) -> None:
    Preference.objects.create(user=User.objects.get(username="analyst"), language="de", time_zone="Asia/Seoul")
    head, _rows, note = rows_of(exported("analyst", flow="INCOME"))
    assert head[0] == "Datum"
    for said in ("Liste: Zahlungen", "INCOME", "Zeitzone: Asia/Seoul", "Als: analyst", "Gelesen: "):
        assert said in note


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", " =", "\u3000@"])
def test_a_text_that_would_be_a_formula_is_a_text(exported: Exported, first: str) -> None:
    text = f"{first}HYPERLINK(1)"
    CashTransaction.objects.update(memo=text)
    CashTransaction.objects.update(amount=Decimal("-12.30"))
    head, rows, _note = rows_of(exported("analyst", id=str(CashTransaction.objects.first().pk)))
    by_name = dict(zip(head, rows[0], strict=True))
    assert f"'{text}" in rows[0]
    assert by_name[next(name for name in head if name.startswith("Amount"))] == "-12.30"


@pytest.mark.parametrize("text", ["", "a=b", "12-3", "(=)", "'=", "가=나", "1"])
def test_other_texts_are_left_as_they_are(text: str) -> None:
    assert neutral(text) == text


def test_quotes_commas_and_lines_come_back(exported: Exported) -> None:
    text = 'a "b", c;\r\nd\n한빛 Ä'
    CashTransaction.objects.update(memo=text)
    _head, rows, _note = rows_of(exported("analyst"))
    assert all(text in row for row in rows)


def test_moments_are_those_of_the_persons_zone_which_is_said(exported: Exported) -> None:
    user = User.objects.get(username="admin")
    Preference.objects.create(user=user, time_zone="America/New_York")
    export = exported(user, tool="queryDrillingConnectionRuns")
    head, rows, _note = rows_of(export)
    at = next(place for place, name in enumerate(head) if name.endswith("(America/New_York)"))
    expected = {one.started_at for one in ConnectionRun.objects.all()}
    told = [dt.datetime.fromisoformat(row[at]) for row in rows]
    assert set(told) == expected
    assert {one.utcoffset() for one in told} <= {dt.timedelta(hours=-5), dt.timedelta(hours=-4)}


def test_what_a_person_may_not_view_is_not_in_it_and_said(exported: Exported) -> None:
    export = exported("clerk")
    head, rows, note = rows_of(export)
    mine = [one for one in CashTransaction.objects.all() if (one.pk - 1) % 100 == 0 or (one.pk - 1) % 30 == 0]
    assert len(rows) == len(mine)
    account = head.index(next(name for name in head if "ccount" in name))
    named = {row[account] for row in rows}
    assert "withheld" in named
    hidden = {one.name for one in Account.objects.all()} - {"Main", "Betrieb München", "Houston operations"}
    text = content_of(export).decode()
    assert not [name for name in hidden if name in text]
    count = sum(row[account] == "withheld" for row in rows)
    assert f"Withheld: {count} values are of records" in note


def test_a_list_of_no_rows_is_a_file_too(exported: Exported) -> None:
    head, rows, note = rows_of(exported("analyst", text="nothing has these words"))
    assert (bool(head), rows, "Rows: 0" in note) == (True, [], True)


def test_its_name_is_nobodys_to_guess(exported: Exported) -> None:
    one, two = exported("analyst", flow="INCOME"), exported("analyst", flow="EXPENSE")
    assert one.file != two.file
    assert len(one.file) > 40
    assert str(one.pk) not in one.file


def test_truths_and_identifiers_are_written_as_they_are_said(exported: Exported) -> None:
    export: Export = exported("admin", tool="queryFactoryTenants")
    head, rows, _note = rows_of(export)
    assert export.state == "done"
    at = head.index("Archived")
    assert {row[at] for row in rows} == {"true", "false"}
