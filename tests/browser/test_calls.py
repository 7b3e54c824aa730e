"""The log in a real browser, under the site's strict policy: an admin finds a call, and a person sees their own."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect

from read_targets.agent.tokens import create_token
from read_targets.models import ToolCall

TOOL, SCREEN = "queryLedgerCashTransactions", "openLedgerCashTransactionsScreen"


@pytest.fixture
def asked(company: None) -> None:
    """What an agent of the clerk's asked."""
    _token, secret = create_token(User.objects.get(username="clerk"), "Ledger robot")
    headers = {"Authorization": f"Bearer {secret}"}
    for tool, arguments in ((TOOL, {"flow": "EXPENSE", "text": "rent"}), (SCREEN, {"flow": "INCOME"}), ("no", {})):
        Client().post(f"/agent/tools/{tool}", arguments, "application/json", headers=headers)


def test_an_admin_finds_a_call_by_its_day_and_words(asked: None, sign_in: Callable[[str, str], Page]) -> None:
    page = sign_in("admin", "/admin/read_targets/toolcall/")
    rows = page.locator("#result_list tbody tr")
    expect(rows).to_have_count(3)
    page.fill("#searchbar", "robot cash")
    page.locator("#changelist-search input[type=submit]").click()
    expect(rows).to_have_count(2)
    page.get_by_label("To", exact=True).fill("2020-01-01")
    page.locator(".read-targets-days input[type=submit]").click()
    expect(rows).to_have_count(0)
    page.get_by_role("link", name="Any date").click()
    expect(rows).to_have_count(2)
    expect(page.locator("#searchbar")).to_have_value("robot cash")
    rows.filter(has_text=TOOL).get_by_role("link").first.click()
    expect(page.locator(".read-targets-asked")).to_contain_text("EXPENSE")
    expect(page.locator(".read-targets-asked")).to_contain_text("not kept")
    expect(page.locator("input[name=_save]")).to_have_count(0)


def test_a_person_goes_from_a_call_to_its_card(asked: None, sign_in: Callable[[str, str], Page]) -> None:
    page = sign_in("clerk", "/desk/")
    page.get_by_role("link", name="What my agents did").click()
    rows = page.locator("table.calls tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.last).to_contain_text("not kept")
    page.get_by_role("link", name="Its card").first.click()
    expect(page.locator(".desk-card")).to_have_count(1)
    page.get_by_role("button", name="Open screen").click()
    expect(page).to_have_url(re.compile("flow=INCOME"))


def test_a_phone_shows_it_without_scrolling_aside(asked: None, sign_in: Callable[[str, str], Page]) -> None:
    ToolCall.objects.update(conditions=[{"name": "account", "value": "x" * 200}])
    page = sign_in("clerk", "/desk/calls")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("table.calls thead")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
