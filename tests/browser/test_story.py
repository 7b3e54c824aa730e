"""The main story, whole: a list in the admin, a question over HTTP, a card on the desk."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from read_targets.agent.tokens import create_token

SOON = 8_000


def test_a_list_in_the_admin_a_question_over_http_a_card_on_the_desk(
    sign_in: Callable[[str, str], Page], live_server: Any
) -> None:
    _, secret = create_token(User.objects.get(username="clerk"), "Helper")

    def ask(tool: str, **arguments: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        body = json.dumps(arguments).encode()
        request = Request(f"{live_server.url}/agent/tools/{tool}", body, headers)  # noqa: S310  # the test's own server
        answer: dict[str, Any] = json.load(urlopen(request))  # noqa: S310
        assert answer["success"]
        return answer

    # The admin names a list and a key; the rest is proposed.
    admin = sign_in("admin", "/admin/read_targets/readtarget/add/")
    admin.fill("input[name=key]", "ledger.payments")
    admin.select_option("select[name=list_query]", "cashTransactions")
    admin.click("input[name=_save], input[name=_continue]")
    expect(admin.locator("input[name=key]")).to_have_value("ledger.payments")
    expect(admin.get_by_text("queryLedgerPayments").first).to_be_visible()
    # It is granted to the clerk from the same page.
    admin.fill("#grant-person", "clerk")
    admin.locator("form").filter(has=admin.locator("#grant-person")).get_by_role("button", name="Grant").click()
    expect(admin.get_by_role("row", name="clerk")).to_be_visible()

    # The clerk sits at their desk when their agent asks.
    clerk = sign_in("clerk", "/desk/")
    answer = ask("queryLedgerPayments", flow="EXPENSE", groupBy="date", show="workspace")
    told = answer["coverage"]["analysedRows"]
    assert 0 < told < 600
    card = clerk.locator(f"#card-{answer['card']['id']}")
    expect(card).to_be_visible(timeout=SOON)
    card.get_by_role("button", name="Open").click()
    clerk.wait_for_url(f"{live_server.url}{answer['card']['url']}")
    expect(clerk.locator(".tile").first).to_contain_text(str(told))

    # And the application's own screen, filtered, has as many.
    clerk.goto(f"{live_server.url}/desk/")
    offer = ask("openLedgerPaymentsScreen", flow="EXPENSE")
    assert offer["card"]["applied"] == ["flow"]
    card = clerk.locator(f"#card-{offer['card']['id']}")
    expect(card).to_be_visible(timeout=SOON)
    card.get_by_role("button", name="Open screen").click()
    clerk.wait_for_url(f"{live_server.url}/ledger/cash-transactions/?flow=EXPENSE")
    expect(clerk.locator("#total")).to_have_attribute("data-total", str(told))
