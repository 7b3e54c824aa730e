"""The desk in a real browser: cards arrive, open, are refused and put away; a workspace sorts and is read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from guardian.shortcuts import remove_perm
from playwright.sync_api import BrowserContext, Page, expect

from read_targets.agent.dispatch import call_tool
from read_targets.agent.tokens import create_token
from read_targets.models import Card, ReadTarget
from read_targets.policies import Actor

TOOL = "queryLedgerCashTransactions"
SOON = 6_000
"""Milliseconds within which a card must arrive; the desk asks every two seconds."""

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(company: None) -> Ask:
    """Let the clerk's agent call a tool, and return the envelope."""
    clerk = User.objects.get(username="clerk")
    token, _ = create_token(clerk, "Helper")
    return lambda tool, **arguments: call_tool(Actor(clerk, token), tool, arguments).to_json()


@pytest.fixture
def desk(ask: Ask, live_server: Any, page: Page) -> Iterator[Page]:
    """The clerk's desk; nothing that the browser complains of may happen on it."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(f"{live_server.url}/accounts/login/?next=/desk/")
    page.fill("input[name=username]", "clerk")
    page.fill("input[name=password]", "clerk")
    page.click("main button[type=submit]")
    expect(page.locator("h1")).to_have_text("Your desk")
    yield page
    assert not [one for one in complaints if "Content Security Policy" in one or "status of" not in one]


def refuse_clerk() -> None:
    """Take from the clerk the right to query anything."""
    clerk = User.objects.get(username="clerk")
    for target in ReadTarget.objects.all():
        remove_perm("read_targets.query_readtarget", clerk, target)
        for group in clerk.groups.all():
            remove_perm("read_targets.query_readtarget", group, target)
    ReadTarget.objects.update(enabled=False)


def test_a_card_arrives_without_a_reload_and_opens_its_workspace(desk: Page, ask: Ask) -> None:
    expect(desk.get_by_text("Nothing lies here yet.")).to_be_visible()
    desk.evaluate("window.stayed = true")
    told = ask(TOOL, flow="EXPENSE", show="workspace", groupBy="status", title="Costs <b>")
    card = desk.locator(f"#card-{told['card']['id']}")
    expect(card).to_be_visible(timeout=SOON)
    expect(desk.get_by_text("Nothing lies here yet.")).to_be_hidden()
    expect(desk.locator("#said")).to_have_text("1 new card")
    expect(card).to_contain_text("Helper calls it “Costs <b>”")
    assert desk.evaluate("window.stayed")
    card.get_by_role("button", name="Open").click()
    desk.wait_for_url(f"**{told['card']['url']}")
    expect(desk.locator(".tile .figure").first).to_have_text(f"{told['coverage']['analysedRows']:,}")
    amount = desk.locator(".tile .figure").nth(1).inner_text()
    assert amount.split()[0].replace(",", "") == told["summary"]["metrics"]["amount"]["sum"]
    desk.goto(desk.url.split("/desk/")[0] + "/desk/")
    expect(card).to_contain_text("Opened")


def test_focus_stays_where_it_is_when_a_card_arrives(desk: Page, ask: Ask) -> None:
    first = ask(TOOL, show="workspace")["card"]["id"]
    button = desk.locator(f"#open-{first}")
    expect(button).to_be_visible(timeout=SOON)
    button.focus()
    second = ask(TOOL, show="workspace")["card"]["id"]
    expect(desk.locator(f"#card-{second}")).to_be_visible(timeout=SOON)
    expect(button).to_be_focused()


def test_the_screen_that_a_card_opens_counts_what_the_agent_was_told(desk: Page, ask: Ask) -> None:
    conditions = {"flow": "EXPENSE", "year": 2026}
    told = ask(TOOL, **conditions, rows=0)["coverage"]["analysedRows"]
    card = ask("openLedgerCashTransactionsScreen", **conditions)["card"]
    desk.locator(f"#open-{card['id']}").click(timeout=SOON)
    desk.wait_for_url("**/ledger/cash-transactions/?**")
    assert desk.locator("#total").get_attribute("data-total") == str(told)
    assert told > 0


def test_a_refused_click_says_why_once(desk: Page, ask: Ask) -> None:
    card = ask(TOOL, show="workspace", title="Paid to Hanbit")["card"]
    button = desk.locator(f"#open-{card['id']}")
    expect(button).to_be_visible(timeout=SOON)
    refuse_clerk()
    button.click()
    expect(desk.locator("h1")).to_have_text("Your desk")
    expect(desk.get_by_role("alert")).to_have_count(1)
    expect(desk.get_by_role("alert")).to_contain_text("was not opened")
    assert Card.objects.get(pk=card["id"]).verdict == "refused"
    assert "Hanbit" not in desk.content()
    desk.reload()
    expect(desk.get_by_role("alert")).to_have_count(0)


def test_a_card_is_put_away_in_place_by_keyboard(desk: Page, ask: Ask) -> None:
    cards = [ask(TOOL, show="workspace")["card"]["id"] for _ in range(3)]
    expect(desk.locator(f"#card-{cards[2]}")).to_be_visible(timeout=SOON)
    desk.evaluate("window.stayed = true")
    desk.locator(f"#dismiss-{cards[1]}").focus()
    desk.keyboard.press("Enter")
    expect(desk.locator(f"#card-{cards[1]}")).to_have_count(0)
    expect(desk.locator(f"#open-{cards[0]}")).to_be_focused()
    assert desk.evaluate("window.stayed")
    desk.get_by_role("link", name="Put away").click()
    expect(desk.locator(f"#card-{cards[1]}")).to_be_visible()


def test_rows_sort_and_page_where_they_are(desk: Page, ask: Ask) -> None:
    card = ask(TOOL, show="workspace", flow="INCOME", **{"from": "2026-01-01"})["card"]
    desk.goto(desk.url.split("/desk/")[0] + card["url"])
    desk.evaluate("window.stayed = true")
    amounts = desk.locator("#rows tbody td.kind-number")

    def read() -> list[float]:
        return [float(text.replace(",", "")) for text in amounts.all_inner_texts()]

    for direction in ("ascending", "descending"):
        desk.locator("#sort-amount").click()
        expect(desk.locator(f"#rows th[aria-sort={direction}]")).to_contain_text("Amount")
        assert read() == sorted(read(), reverse=direction == "descending")
    assert desk.evaluate("window.stayed")
    assert "sort=-amount" in desk.url
    desk.go_back()
    expect(desk.locator("#rows th[aria-sort=ascending]")).to_contain_text("Amount")


def test_a_workspace_is_read_again_as_the_next_version(desk: Page, ask: Ask) -> None:
    card = ask(TOOL, show="workspace", name="costs")["card"]
    desk.goto(desk.url.split("/desk/")[0] + card["url"])
    desk.get_by_role("button", name="Read again").first.click()
    desk.wait_for_url("**/desk/workspaces/costs/2")
    desk.get_by_text("Version 2 of 2").click()
    desk.locator("details.versions a").last.click()
    desk.wait_for_url("**/desk/workspaces/costs/1")
    expect(desk.get_by_text("This is an earlier version.")).to_be_visible()


def test_a_page_elsewhere_opens_nothing(desk: Page, ask: Ask, live_server: Any, context: BrowserContext) -> None:
    card = ask(TOOL, show="workspace")["card"]["id"]
    nonce = desk.locator(f"#card-{card} input[name=nonce]").first.get_attribute("value", timeout=SOON)
    address = f"{live_server.url}/agent/cards/{card}/open"
    form = f'<form method="post" action="{address}"><input name="nonce" value="{nonce}"></form>'
    context.route("http://elsewhere.example/", lambda route: route.fulfill(body=form, content_type="text/html"))
    other = context.new_page()
    other.goto("http://elsewhere.example/")
    with other.expect_response(address) as answered:
        other.evaluate("document.forms[0].submit()")
    assert answered.value.status in (302, 401, 403)
    assert Card.objects.get(pk=card).verdict == "waiting"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_fit_a_phone(desk: Page, ask: Ask, scheme: Any) -> None:
    long = "Überweisungsauftragsbestätigungsformular" * 3
    card = ask(TOOL, show="workspace", groupBy="counterparty", title=long, text="a")["card"]
    months = ask(TOOL, show="workspace", groupBy="date")["card"]
    desk.set_viewport_size({"width": 375, "height": 800})
    desk.emulate_media(color_scheme=scheme)
    site = desk.url.split("/desk/")[0]
    for path in ("/desk/", card["url"], months["url"], "/desk/settings", "/desk/calls", "/desk/workspaces/none"):
        desk.goto(site + path)
        assert desk.evaluate("document.documentElement.scrollWidth") <= 375, path


def test_the_persons_zone_is_taken_from_the_browser(desk: Page) -> None:
    desk.get_by_role("link", name="Settings").click()
    desk.get_by_role("button", name="Use the zone of this browser").click()
    here = desk.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    expect(desk.locator("input[name=time_zone]")).to_have_value(here)
    desk.get_by_role("button", name="Keep these settings").click()
    expect(desk.get_by_text("Your settings are kept.")).to_be_visible()
