"""Pages of a list screen are turned by place: nothing repeats or is lost, and a deep page costs what the first does."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from project.demo import screens
from project.demo.ledger.models import CashTransaction
from project.demo.screens import ROWS_A_PAGE
from tests.conftest import ROWS

from .test_screens import LEDGER, rows_of, total_of

SignedIn = Callable[[str], Client]
PAGES = -(-ROWS // ROWS_A_PAGE)

pytestmark = pytest.mark.django_db


def links(response: Any) -> dict[str, str]:
    """The links of the pager, by what they say."""
    pager = response.content.decode().partition('<nav class="pager"')[2].partition("</nav>")[0]
    return {text: unescape(href) for href, text in re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', pager)}


def turn(client: Client, response: Any, link: str) -> Any:
    """Follow a link of the pager."""
    return client.get(reverse(LEDGER) + links(response)[link])


def label(response: Any) -> str:
    """Which page the screen says that it is."""
    found = re.search(r"Page \d+ of \d+", response.content.decode())
    return found[0] if found else ""


def walked(client: Client, response: Any, link: str) -> list[Any]:
    """The page and all that follow it in one direction."""
    pages = [response]
    while link in links(pages[-1]):
        pages.append(turn(client, pages[-1], link))
        assert len(pages) <= PAGES + 1
    return pages


@pytest.mark.parametrize("query", ["", "?sort=amount", "?sort=-counterparty", "?sort=account.name&flow=EXPENSE"])
@pytest.mark.parametrize(("name", "size"), [("analyst", ROWS_A_PAGE), ("clerk", 3)])
def test_leafing_forwards_and_backwards_meets_every_row_once(
    signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch, name: str, size: int, query: str
) -> None:
    monkeypatch.setattr(screens, "ROWS_A_PAGE", size)
    client = signed_in(name)
    forwards = walked(client, client.get(reverse(LEDGER) + query), "Next")
    rows = [row for page in forwards for row in rows_of(page)]
    assert len(rows) == total_of(forwards[0])
    assert len(forwards) == -(-len(rows) // size) > 3
    backwards = walked(client, forwards[-1], "Previous")
    assert [rows_of(page) for page in reversed(backwards)] == [rows_of(page) for page in forwards]
    assert [label(page) for page in reversed(backwards)] == [label(page) for page in forwards]


def test_first_and_last_lead_to_the_ends(signed_in: SignedIn) -> None:
    client = signed_in("analyst")
    first = client.get(reverse(LEDGER), {"sort": "amount"})
    assert list(links(first)) == ["Next", "Last"]
    last = turn(client, first, "Last")
    assert list(links(last)) == ["First", "Previous"]
    assert label(last) == f"Page {PAGES} of {PAGES}"
    assert rows_of(last) == rows_of(client.get(reverse(LEDGER), {"sort": "amount", "page": PAGES}))
    assert rows_of(turn(client, last, "First")) == rows_of(first)


def test_an_old_address_with_a_number_alone_goes_on_by_place(signed_in: SignedIn) -> None:
    client = signed_in("analyst")
    third = client.get(reverse(LEDGER), {"page": "3"})
    assert list(links(third)) == ["First", "Previous", "Next", "Last"]
    fourth = client.get(reverse(LEDGER), {"page": "4"})
    assert rows_of(turn(client, third, "Next")) == rows_of(fourth)
    assert rows_of(turn(client, fourth, "Previous")) == rows_of(third)


def test_rows_that_come_and_go_move_no_other(signed_in: SignedIn) -> None:
    client = signed_in("analyst")
    newest = CashTransaction.objects.order_by("-date", "-pk")
    expected = [str(one.amount) for one in newest]
    page = client.get(reverse(LEDGER))
    read = rows_of(page)
    while "Next" in links(page):
        # One comes on the first page, and one that was read goes.
        one = newest.first()
        newest.filter(pk=one.pk).delete()
        one.pk = None
        one.save()
        CashTransaction.objects.create(
            date=one.date, account=one.account, flow=one.flow, amount=one.amount, status=one.status
        )
        page = turn(client, page, "Next")
        read += rows_of(page)
    assert [row[4].replace(",", "") for row in read] == expected


def test_who_turns_a_page_is_told_the_total_and_when_it_was_counted(
    signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in("analyst")
    first = client.get(reverse(LEDGER))
    assert "counted at" not in first.content.decode()
    with CaptureQueriesContext(connection) as queries:
        second = turn(client, first, "Next")
    assert total_of(second) == total_of(first)
    assert "counted at" in second.content.decode()
    assert "COUNT(" not in "".join(one["sql"].upper() for one in queries if "ledger_cashtransaction" in one["sql"])
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3_600)
    assert "counted at" not in turn(client, first, "Next").content.decode()


def test_a_page_by_place_passes_over_no_row(signed_in: SignedIn) -> None:
    client = signed_in("analyst")
    page = client.get(reverse(LEDGER))
    for _ in range(3):
        with CaptureQueriesContext(connection) as queries:
            page = turn(client, page, "Next")
        read = [one["sql"] for one in queries if "ledger_cashtransaction" in one["sql"] and "LIMIT" in one["sql"]]
        assert len(read) == 1
        assert "OFFSET" not in read[0]


@pytest.mark.parametrize("name", ["after", "before"])
def test_a_place_of_another_list_or_person_is_said_and_nothing_is_listed(signed_in: SignedIn, name: str) -> None:
    client = signed_in("analyst")
    place = links(client.get(reverse(LEDGER)))["Next"].partition("after=")[2]
    others = [
        (client, LEDGER, f"?flow=INCOME&{name}={place}"),
        (client, LEDGER, f"?sort=amount&{name}={place}"),
        (client, LEDGER, f"?search=b&{name}={place}"),
        (client, "ledger:accounts", f"?{name}={place}"),
        (signed_in("clerk"), LEDGER, f"?{name}={place}"),
        (client, LEDGER, f"?{name}=banana"),
        (client, LEDGER, f"?{name}={place[:-1]}"),
    ]
    for browser, screen, query in others:
        response = browser.get(reverse(screen) + query)
        assert response.status_code == 400
        assert f"“{name}” is of another list, of other conditions, or not yours" in response.content.decode()
        assert "<td" not in response.content.decode()
    both = client.get(reverse(LEDGER) + f"?after={place}&before={place}")
    assert both.status_code == 400
    assert client.get(reverse(LEDGER) + f"?{name}={place}&page=2").status_code == 200
