"""The page of a target in a real browser, under the site's strict policy: rows are added, refused, and previewed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from read_targets.models import ReadTarget


@pytest.fixture
def admin(sign_in: Callable[[str, str], Page]) -> Page:
    """The page of the cash transactions, in the admin's browser."""
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    return sign_in("admin", f"/admin/read_targets/readtarget/{target.pk}/change/")


def test_rows_are_added_by_choosing_and_the_rest_follows(admin: Page) -> None:
    columns, conditions = admin.locator("#columns-group"), admin.locator("#criteria-group")
    columns.locator("[name=columns-6-DELETE]").check()
    columns.locator(".add-row a").click()
    admin.select_option("[name=columns-7-path]", "memo")
    conditions.locator(".add-row a").click()
    last = admin.locator("#criteria-10")
    last.locator("[name=criteria-10-name]").fill("day")
    last.locator("[name=criteria-10-field_1]").select_option("date")
    last.locator("[name=criteria-10-operator_1]").select_option("eq")
    admin.click("input[name=_continue]")
    expect(admin.locator(".messagelist .success")).to_be_visible()
    expect(admin.locator("#criteria-10 summary")).to_contain_text("day")
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    assert target.columns.get(path="memo").kind == "string"
    assert target.criteria.get(name="day").kind == "date"


def test_a_condition_that_is_wrong_stands_open_and_says_why(admin: Page) -> None:
    status = admin.locator("#criteria-6")
    expect(status.locator("textarea")).to_be_hidden()
    status.locator("summary").click()
    status.locator("textarea").fill("BOOKED\nPAID")
    admin.click("input[name=_continue]")
    expect(admin.get_by_text("The field has no PAID. It has DRAFT, BOOKED, CANCELLED.")).to_be_visible()
    expect(admin.locator("#criteria-6 textarea")).to_be_visible()
    expect(admin.locator("#criteria-5 textarea")).to_be_hidden()


def test_the_preview_comes_to_the_page_and_leaves_what_was_changed_on_it(admin: Page) -> None:
    admin.fill("#id_short_description", "not saved yet")
    admin.fill("#preview-person", "clerk")
    admin.get_by_role("button", name="Preview").click()
    result = admin.locator("#preview-result")
    expect(result.get_by_text("rows for both you and clerk.")).to_be_visible()
    expect(result.get_by_text("queryLedgerCashTransactions as the agent sees it")).to_be_visible()
    expect(result.locator("tbody tr").first).to_be_visible()
    expect(admin.locator("#id_short_description")).to_have_value("not saved yet")


def test_a_grant_is_given_and_taken_back(admin: Page) -> None:
    readers = admin.locator("#readers")
    admin.fill("#grant-person", "guest")
    readers.locator("form", has=admin.locator("#grant-person")).get_by_role("button").click()
    expect(readers.get_by_role("row", name="guest")).to_contain_text("nothing")
    readers.get_by_role("button", name="Take back the grant of guest").click()
    expect(readers.get_by_role("row", name="guest")).to_have_count(0)
