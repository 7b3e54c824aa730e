"""All rows of the list behind a workspace, read now: every one once, whatever is stored of them."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from project.demo.ledger.models import CashTransaction
from read_targets import digest, keeping
from read_targets.agent.dispatch import call_tool
from read_targets.cards import whole
from read_targets.models import Criterion, WorkspaceVersion
from read_targets.policies import Actor

TOOL = "queryLedgerCashTransactions"

pytestmark = pytest.mark.django_db


def url_of(person: str, /, **arguments: Any) -> str:
    """The page of all rows of a workspace of that person's."""
    user = User.objects.get(username=person)
    card = call_tool(Actor(user), TOOL, {"show": "workspace", **arguments}).to_json()["card"]
    return f"{card['url']}/rows"


def links(response: Any) -> dict[str, str]:
    """The links of the pager, by what they say."""
    pager = response.content.decode().partition('<nav class="pager"')[2].partition("</nav>")[0]
    return {text: unescape(href) for href, text in re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', pager)}


def amounts(response: Any) -> list[str]:
    """The amounts on a page."""
    cells = re.findall(r'<td class="kind-number">([^<]+)</td>', response.content.decode())
    return [cell.strip().replace(",", "") for cell in cells]


@pytest.mark.parametrize("order", ["amount", "-date", "account,-amount"])
def test_its_pages_hold_every_row_once_in_the_order_of_the_version(signed_in: Any, order: str) -> None:
    client, url = signed_in("analyst"), url_of("analyst", flow="EXPENSE", orderBy=order)
    page = client.get(url)
    read = amounts(page)
    while "Next" in links(page):
        page = client.get(url + links(page)["Next"])
        read += amounts(page)
        assert len(read) <= 600
    paths = [term.replace("account", "account__name") for term in order.split(",")]
    key = "-pk" if paths[-1].startswith("-") else "pk"
    expected = CashTransaction.objects.filter(flow="EXPENSE").order_by(*paths, key)
    assert read == [f"{one.amount}" for one in expected]
    assert list(links(page)) == ["First", "Previous"]
    assert f'data-total="{len(read)}"' in page.content.decode()


def test_a_truncated_table_leads_to_it(signed_in: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (digest, keeping):
        monkeypatch.setattr(module, "WORKSPACE_ROWS", 100)
    client = signed_in("analyst")
    url = url_of("analyst")
    assert f'href="{url}"' in client.get(url.removesuffix("/rows")).content.decode()
    short = url_of("analyst", id="1", name="short")
    assert f'href="{short}"' not in client.get(short.removesuffix("/rows")).content.decode()


def test_withheld_values_are_withheld(signed_in: Any) -> None:
    text = signed_in("clerk").get(url_of("clerk")).content.decode()
    assert '<em class="withheld">withheld</em>' in text


def test_a_condition_that_the_list_takes_no_more_closes_it(signed_in: Any) -> None:
    url = url_of("analyst", flow="EXPENSE")
    Criterion.objects.filter(name="flow").delete()
    assert signed_in("analyst").get(url).status_code == 404


@pytest.mark.parametrize("query", ["page=0", "page=x", "page=1000001", "after=banana", "after=", "before=a:b:c"])
def test_an_address_that_fits_nothing_is_said(signed_in: Any, query: str) -> None:
    response = signed_in("analyst").get(f"{url_of('analyst')}?{query}")
    assert response.status_code == 400
    assert "fits no page of the list" in response.content.decode()
    assert "<td" not in response.content.decode()


def test_a_place_is_its_workspaces_and_its_persons(signed_in: Any) -> None:
    client = signed_in("analyst")
    one, other = url_of("analyst", flow="EXPENSE"), url_of("analyst", flow="INCOME", name="other")
    following = links(client.get(one))["Next"]
    assert client.get(one + following).status_code == 200
    assert client.get(other + following).status_code == 400
    both = following + "&before=" + following.partition("after=")[2]
    assert client.get(one + both).status_code == 400


def test_a_number_alone_finds_its_page_too(signed_in: Any) -> None:
    client, url = signed_in("analyst"), url_of("analyst")
    second = client.get(url + links(client.get(url))["Next"])
    assert amounts(client.get(f"{url}?page=2")) == amounts(second)


def test_what_is_gone_is_missing(signed_in: Any, client: Client) -> None:
    url = url_of("analyst")
    WorkspaceVersion.objects.all().delete()
    assert signed_in("analyst").get(url).status_code == 404
    assert client.get(url).status_code == 302
    assert whole.MOST_PAGES == 1_000_000
