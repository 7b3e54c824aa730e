"""The MCP App of a workspace in a host's frame: it shows what it is handed, as text, and connects to nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from read_targets.agent.mcp import apps

POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data:; connect-src 'none'"
)
"""What a host must hold the page to, which asks for nothing."""

HOST = """<!DOCTYPE html><title>host</title><iframe id="app" sandbox="allow-scripts" style="width:900px;height:700px">
</iframe><script>
window.heard = [];
window.stored = null;
const app = document.getElementById("app");
window.tell = (message) => app.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
window.addEventListener("message", (event) => {
  const message = event.data;
  window.heard.push(message);
  const answers = {
    "ui/initialize": { protocolVersion: "2026-01-26", hostCapabilities: { serverResources: {}, openLinks: {} },
                       hostContext: { theme: "dark" } },
    "resources/read": window.stored && { contents: [{ text: JSON.stringify(window.stored) }] },
    "ui/open-link": {},
  };
  if (message.id === undefined || !message.method) return;
  const result = answers[message.method];
  window.tell(result ? { id: message.id, result } : { id: message.id, error: { code: -32602, message: "missing" } });
});
</script>"""

EVIL = "<img src=x onerror=\"document.title='forged'\">"

STORED: dict[str, Any] = {
    "name": "cash", "version": 3, "title": "My cash", "url": "https://site.example/desk/workspaces/cash/3",
    "columns": [
        {"name": "id", "label": "No.", "kind": "string", "unit": ""},
        {"name": "account", "label": "Account", "kind": "string", "unit": ""},
        {"name": "amount", "label": "Amount", "kind": "number", "unit": "KRW"},
    ],
    "rows": [
        {"id": str(number), "account": EVIL if number == 1 else "Main", "amount": "-12.00",
         **({"withheld": ["account"]} if number == 2 else {})}
        for number in range(1, 31)
    ],
    "rowsStored": 31, "rowsWithheld": 1, "figuresWithheld": False, "analysedRows": 31, "omissions": [],
    "metrics": {"amount": {"averageBasis": "rows", "sum": "-372.00", "average": "-12.000000"}},
    "groupBy": "account",
    "groups": [{"key": "Main", "rowCount": 30, "metrics": {"amount": {"sum": "-360.00"}}},
               {"key": None, "withheld": True, "rowCount": 1, "metrics": {"amount": {"sum": "-12.00"}}}],
    "rest": None,
}  # fmt: skip

ANSWER: dict[str, Any] = {
    "success": True, "outcome": "READY", "message": "m", "units": {"amount": "KRW"},
    "coverage": {"analysedRows": 31, "omissions": []},
    "summary": {"metrics": {"amount": {"averageBasis": "rows", "sum": "-372.00"}}},
    "sampleRows": {"items": [{"id": "1", "account": EVIL, "amount": "-12.00"}]},
    "card": {"label": "Cash · 31", "url": "/desk/workspaces/cash/3", "workspace": {"name": "cash", "version": 3}},
}  # fmt: skip


@pytest.fixture
def host(browser: Browser) -> Iterator[Callable[[Any], Page]]:
    """Show the page in a host's frame; nothing may complain, and nothing may be asked for over the network."""
    context = browser.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: complaints.append(request.url))

    def open_host(stored: Any) -> Page:
        policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        html = apps.read().contents[0].text.replace("<head>", f"<head>{policy}", 1)
        page.set_content(HOST)
        page.evaluate("(stored) => { window.stored = stored; }", stored)
        page.evaluate("(html) => { document.getElementById('app').srcdoc = html; }", html)
        page.wait_for_function("window.heard.some((one) => one.method === 'ui/notifications/initialized')")
        return page

    yield open_host
    context.close()
    assert [one for one in complaints if not one.startswith(("about:", "data:"))] == []


def result(answer: Any) -> dict[str, Any]:
    meta = {apps.LINK: "https://site.example/desk/workspaces/cash/3"}
    return {"method": "ui/notifications/tool-result", "params": {"structuredContent": answer, "_meta": meta}}


def hand_over(page: Page, answer: Any) -> FrameLocator:
    page.evaluate("(message) => window.tell(message)", result(answer))
    return page.frame_locator("#app")


def test_a_workspace_is_shown_whole_and_paged(host: Callable[[Any], Page]) -> None:
    page = host(STORED)
    frame = hand_over(page, ANSWER)
    expect(frame.locator("h1")).to_have_text("My cash")
    expect(frame.locator("table").nth(1).locator("tbody tr")).to_have_count(20)
    expect(frame.locator("dl")).to_contain_text("-372.00")
    expect(frame.locator("table").nth(0)).to_contain_text("withheld")
    expect(frame.locator(".missing").first).to_contain_text("1")
    expect(frame.locator("table").nth(1).locator("tbody tr").nth(1)).to_contain_text("withheld")
    frame.get_by_role("button", name="Next").click()
    expect(frame.locator("table").nth(1).locator("tbody tr")).to_have_count(10)
    expect(frame.get_by_role("button", name="Next")).to_be_disabled()
    asked = page.evaluate("window.heard.filter((one) => one.method === 'resources/read').map((one) => one.params.uri)")
    assert asked == ["workspace://desk/cash/3"]


def test_a_value_is_text_and_never_markup(host: Callable[[Any], Page]) -> None:
    page = host(STORED)
    frame = hand_over(page, ANSWER)
    expect(frame.locator("td", has_text="onerror").first).to_have_text(EVIL)
    expect(frame.locator("img")).to_have_count(0)
    assert page.title() == "host"


def test_the_answer_itself_is_shown_where_the_workspace_cannot_be_read(host: Callable[[Any], Page]) -> None:
    frame = hand_over(host(None), ANSWER)
    expect(frame.locator("h1")).to_have_text("Cash · 31")
    expect(frame.locator("tbody tr")).to_have_count(1)
    expect(frame.locator("dl")).to_contain_text("-372.00")


def test_a_refusal_is_told(host: Callable[[Any], Page]) -> None:
    frame = hand_over(host(None), {"success": False, "message": "This is not permitted."})
    expect(frame.locator("main")).to_have_text("This is not permitted.")


def test_the_button_asks_the_host_to_open_the_persons_own_page(host: Callable[[Any], Page]) -> None:
    page = host(None)
    hand_over(page, ANSWER).get_by_role("button", name="Open on your desk").click()
    page.wait_for_function("window.heard.some((one) => one.method === 'ui/open-link')")
    opened = page.evaluate("window.heard.find((one) => one.method === 'ui/open-link').params.url")
    assert opened == "https://site.example/desk/workspaces/cash/3"
    sized = page.evaluate("window.heard.filter((one) => one.method === 'ui/notifications/size-changed').length")
    assert sized > 0


def test_nobody_but_the_host_is_listened_to(host: Callable[[Any], Page]) -> None:
    page = host(None)
    frame = hand_over(page, ANSWER)
    expect(frame.locator("h1")).to_have_text("Cash · 31")
    forged = json.dumps(result({"success": False, "message": "forged"}))
    page.evaluate(
        "(forged) => new Promise((done) => { const other = document.createElement('iframe');"
        "other.srcdoc = `<script>parent.frames[0].postMessage({jsonrpc: '2.0', ...${forged}}, '*')<\\/script>`;"
        "other.onload = () => setTimeout(done, 300); document.body.append(other); })",
        forged,
    )
    expect(frame.locator("h1")).to_have_text("Cash · 31")
