"""A list screen shows what its person may view and what fits its address; of one it cannot read it shows nothing."""

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from project.demo.drilling.models import ConnectionRun
from project.demo.ledger.models import CashTransaction
from project.demo.screens import ROWS_A_PAGE
from read_targets.lists import registered_lists
from read_targets.preferences import Preference
from tests.conftest import ROWS

SignedIn = Callable[[str], Client]

SCREENS = {
    "ledger:cash-transactions": {"admin", "analyst", "clerk"},
    "ledger:accounts": {"admin", "analyst", "clerk"},
    "ledger:exchange-rates": {"admin", "analyst"},
    "drilling:wells": {"admin", "clerk"},
    "drilling:connection-runs": {"admin", "clerk"},
    "factory:tenants": {"admin", "clerk"},
    "factory:projects": {"admin", "clerk"},
    "factory:git-connections": {"admin", "clerk"},
    "factory:conversations": {"admin", "clerk"},
}
LEDGER = "ledger:cash-transactions"

pytestmark = pytest.mark.django_db


def show(client: Client, screen: str = LEDGER, **query: str) -> Any:
    return client.get(reverse(screen), query)


def total_of(response: Any) -> int:
    found = re.search(r'<output id="total" data-total="(\d+)">', response.content.decode())
    assert found, response.content.decode()
    return int(found[1])


def rows_of(response: Any) -> list[list[str]]:
    """The texts of the cells, row by row."""
    body = response.content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    if "colspan" in body:
        return []
    rows = [
        re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    ]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in row] for row in rows]


def is_granted_to_clerk(one: CashTransaction) -> bool:
    return (one.pk - 1) % 100 == 0 or (one.pk - 1) % 30 == 0


MAY_VIEW: dict[str, Callable[[CashTransaction], bool]] = {
    "admin": lambda one: True,
    "analyst": lambda one: True,
    "clerk": is_granted_to_clerk,
}

CONDITIONS: dict[str, tuple[dict[str, str], Callable[[CashTransaction], bool]]] = {
    "everything": ({}, lambda one: True),
    "nothing set": ({"flow": "", "from": "", "search": ""}, lambda one: True),
    "flow": ({"flow": "EXPENSE"}, lambda one: one.flow == "EXPENSE"),
    "status": ({"status": "DRAFT"}, lambda one: one.status == "DRAFT"),
    "range": (
        {"from": "2025-03-01", "to": "2026-03-31"},
        lambda one: date(2025, 3, 1) <= one.date <= date(2026, 3, 31),
    ),
    "one day": ({"from": "2023-12-01", "to": "2023-12-01"}, lambda one: one.date == date(2023, 12, 1)),
    "year": ({"year": "2025"}, lambda one: one.date.year == 2025),
    "month": ({"year": "2026", "month": "11"}, lambda one: (one.date.year, one.date.month) == (2026, 11)),
    "amounts": (
        {"minAmount": "-5000.50", "maxAmount": "250000"},
        lambda one: Decimal("-5000.50") <= one.amount <= 250_000,
    ),
    "counterparty": (
        {"counterparty": "주식회사 (주)한빛"},
        lambda one: one.counterparty == "주식회사 (주)한빛",
    ),
    "a name that looks like SQL": (
        {"counterparty": "Robert'); DROP TABLE"},
        lambda one: one.counterparty == "Robert'); DROP TABLE",
    ),
    "words": (
        {"search": "SÖHNE o'brien"},
        lambda one: any("o'brien" in (text or "").lower() for text in (one.counterparty, one.memo)),
    ),
    "together": (
        {"flow": "INCOME", "status": "BOOKED", "year": "2025", "minAmount": "100"},
        lambda one: one.flow == "INCOME" and one.status == "BOOKED" and one.date.year == 2025 and one.amount >= 100,
    ),
}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", ["admin", "analyst", "clerk", "guest"])
def test_a_screen_opens_for_those_who_may_view_one_of_its_rows(signed_in: SignedIn, screen: str, name: str) -> None:
    response = show(signed_in(name), screen)
    if name in SCREENS[screen]:
        assert response.status_code == 200
        assert total_of(response) > 0
    else:
        assert response.status_code == 403
        assert b"<td" not in response.content
        assert b"data-total" not in response.content


@pytest.mark.parametrize("screen", SCREENS)
def test_a_stranger_is_asked_to_sign_in(screen: str) -> None:
    response = show(Client(), screen, flow="EXPENSE")
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/?next=")


def test_every_list_has_its_screen() -> None:
    assert len(registered_lists()) == len(SCREENS)


@pytest.mark.parametrize("name", MAY_VIEW)
@pytest.mark.parametrize("case", CONDITIONS)
def test_the_total_is_that_of_a_loop_over_what_the_person_may_view(signed_in: SignedIn, name: str, case: str) -> None:
    query, fits = CONDITIONS[case]
    expected = [one for one in CashTransaction.objects.all() if MAY_VIEW[name](one) and fits(one)]
    response = show(signed_in(name), **query)
    assert total_of(response) == len(expected)
    assert len(rows_of(response)) == min(len(expected), ROWS_A_PAGE)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"from": "banana"}, "“from” is a day of the calendar, written as YYYY-MM-DD."),
        ({"to": "2026-02-30"}, "“to” is a day of the calendar, written as YYYY-MM-DD."),
        ({"year": "2026", "month": "13"}, "“month” lies between 1 and 12."),
        ({"month": "11"}, "“month” goes only together with “year”."),
        ({"year": "twenty"}, "“year” is a whole number."),
        ({"flow": "expense"}, "“flow” is one of INCOME, EXPENSE."),
        ({"status": "LOST"}, "“status” is one of DRAFT, BOOKED, CANCELLED."),
        ({"minAmount": "NaN"}, "“minAmount” is a number, written as 1234.50."),
        ({"maxAmount": "1e400"}, "“maxAmount”"),
        ({"sort": "booked_at"}, "“sort” is one of date, account.name,"),
        ({"sort": "--date"}, "“sort” is one of date, account.name,"),
        ({"page": "0"}, "“page” lies between 1 and 1000000."),
        ({"page": "two"}, "“page” is a whole number."),
        ({"search": "a\0b"}, "“search” cannot be read"),
        ({"counterparty": "x" * 10_000}, "“counterparty” cannot be read"),
        ({"colour": "red"}, "This list knows no “colour”; it knows from, to, year, month, minAmount, maxAmount, date,"),
        ({"<b>": "1"}, "“&lt;b&gt;”"),
    ],
)
def test_what_cannot_be_read_is_said_and_nothing_is_listed(
    signed_in: SignedIn, query: dict[str, str], said: str
) -> None:
    response = show(signed_in("analyst"), **query)
    text = response.content.decode()
    assert response.status_code == 400
    assert said in text
    assert "data-total" not in text
    assert "<td" not in text


def test_an_argument_given_twice_is_refused(signed_in: SignedIn) -> None:
    response = signed_in("analyst").get(reverse(LEDGER) + "?flow=INCOME&flow=EXPENSE")
    assert response.status_code == 400
    assert "“flow” is there more than once." in response.content.decode()


@pytest.mark.parametrize("sort", ["amount", "-amount", "date", "-date", "counterparty", "-account.name"])
def test_pages_in_any_order_hold_every_row_once(signed_in: SignedIn, sort: str) -> None:
    client = signed_in("analyst")
    pages = -(-ROWS // ROWS_A_PAGE)
    rows = [row for page in range(1, pages + 1) for row in rows_of(show(client, sort=sort, page=str(page)))]
    expected = sorted(f"{abs(one.amount):.2f}" for one in CashTransaction.objects.all())
    assert sorted(row[4].lstrip("-").replace(",", "") for row in rows) == expected


def test_sorting_goes_up_and_down(signed_in: SignedIn) -> None:
    client = signed_in("analyst")
    amounts = sorted(CashTransaction.objects.values_list("amount", flat=True))
    for sort, expected in (("amount", amounts), ("-amount", amounts[::-1])):
        shown = [Decimal(row[4].replace(",", "")) for row in rows_of(show(client, sort=sort))]
        assert shown == expected[:ROWS_A_PAGE]


def test_heads_and_pages_keep_the_conditions(signed_in: SignedIn) -> None:
    text = show(signed_in("analyst"), flow="EXPENSE", sort="amount", page="2").content.decode()
    assert 'aria-sort="ascending"' in text
    assert "?flow=EXPENSE&amp;sort=-amount" in text
    assert "?flow=EXPENSE&amp;sort=date" in text
    assert 'rel="prev"' in text
    assert "?flow=EXPENSE&amp;sort=amount&amp;page=3" in text
    assert '<option value="EXPENSE" selected>' in text


def test_a_page_behind_the_last_says_how_many_there_are(signed_in: SignedIn) -> None:
    response = show(signed_in("analyst"), page="900")
    assert total_of(response) == ROWS
    assert f"There are only {-(-ROWS // ROWS_A_PAGE)} pages." in response.content.decode()


def test_what_refers_to_the_withheld_is_withheld_everywhere(signed_in: SignedIn) -> None:
    client = signed_in("clerk")
    rows = rows_of(show(client))
    granted = {"Main", "Betrieb München", "Houston operations"}
    assert "withheld" in {row[1] for row in rows} <= {*granted, "withheld"}
    hidden = {"account.name": "Rücklage"}
    assert total_of(show(client, **hidden)) == 0
    assert total_of(show(client, search="Rücklage")) == 0
    assert total_of(show(signed_in("analyst"), **hidden)) > 0


def test_strange_words_are_shown_as_words(signed_in: SignedIn) -> None:
    text = show(signed_in("analyst"), search="script").content.decode()
    assert "&lt;b&gt;paid&lt;/b&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>alert" not in text


@pytest.mark.parametrize("zone", ["Asia/Seoul", "America/Los_Angeles", "UTC"])
def test_a_day_is_the_persons_own(signed_in: SignedIn, zone: str) -> None:
    Preference.objects.create(user=User.objects.get(username="admin"), time_zone=zone)
    day = date(2026, 5, 17)
    start = datetime(2026, 5, 17, tzinfo=ZoneInfo(zone))
    expected = [run for run in ConnectionRun.objects.all() if run.started_at.astimezone(start.tzinfo).date() == day]
    response = show(signed_in("admin"), "drilling:connection-runs", **{"from": str(day), "to": str(day)})
    assert total_of(response) == len(expected)
    assert all("May 17, 2026" in row[0] for row in rows_of(response))


def test_it_speaks_the_persons_language(signed_in: SignedIn) -> None:
    Preference.objects.create(user=User.objects.get(username="analyst"), language="de")
    text = show(signed_in("analyst"), year="2026", month="1").content.decode()
    assert '<html lang="de"' in text
    assert "<h1>Zahlungen</h1>" in text
    assert "Januar 2026" in text


def test_more_rows_cost_no_more_statements(signed_in: SignedIn) -> None:
    client = signed_in("clerk")
    show(client)
    counts = []
    for query in ({"year": "2023"}, {}):
        with CaptureQueriesContext(connection) as queries:
            show(client, **query)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_screen_says_what_it_takes() -> None:
    from project.demo.screens import ListScreen

    takes = ListScreen(list_name="cashTransactions").takes
    assert {"from", "to", "year", "month", "flow", "status", "minAmount", "maxAmount", "search"} <= set(takes)
    assert "period" not in takes


def test_writing_is_not_offered(signed_in: SignedIn) -> None:
    assert signed_in("admin").post(reverse(LEDGER)).status_code == 405


def test_the_home_lists_the_screens_that_open(signed_in: SignedIn) -> None:
    for name in ("admin", "analyst", "clerk", "guest"):
        text = signed_in(name).get("/").content.decode()
        offered = {screen for screen in SCREENS if f'href="{reverse(screen)}"' in text}
        assert offered == {screen for screen, people in SCREENS.items() if name in people}


def test_an_address_can_be_made_from_its_parts(signed_in: SignedIn) -> None:
    query = urlencode({"search": "한빛", "sort": "-amount"})
    assert signed_in("analyst").get(f"{reverse(LEDGER)}?{query}").status_code == 200
