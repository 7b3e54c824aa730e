"""The live page in a real browser, at a server that holds streams: what an agent does happens in the person's tab."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.live.servers import Person, Servers

START = "/factory/start/"
SOON = 1_000
"""Milliseconds within which an effect must be in the tab (issue 4)."""

PATIENCE = 5_000
TAKES_OVER = 25_000
"""Milliseconds after which a leader that froze must have been replaced."""

EVIL = "<img src=x onerror=alert(1)>"
ARCHIVED = "9"
"""A tenant that the clerk may view, and that is archived."""

CALLS = 15

WATCH = """
    window.effects = [];
    document.addEventListener("livepage:effect", (event) => effects.push(event.detail.seq));
    document.addEventListener("securitypolicyviolation", (event) => console.error("policy", event.violatedDirective));
"""


class Chrome:
    """A browser in which the clerk is signed in, and their agent, which calls tools at the other server."""

    def __init__(self, context: BrowserContext, servers: Servers) -> None:
        self.context = context
        self.servers = servers
        self.complaints: list[str] = []
        self.streams: list[str] = []
        context.add_init_script(WATCH)
        context.on("request", lambda request: self.streams.append(request.url) if "/stream" in request.url else None)
        context.on("page", self.watch)
        page = context.new_page()
        page.goto(f"{servers.first.url}/accounts/login/?next=/desk/")
        page.fill("input[name=username]", "clerk")
        page.fill("input[name=password]", "clerk")
        page.click("main button[type=submit]")
        page.wait_for_url("**/desk/")
        page.close()

    def watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        # A refusal over HTTP is one line in the console, whatever the script makes of it.
        page.on("console", lambda said: self._complain(said.text) if said.type in ("error", "warning") else None)

    def _complain(self, text: str) -> None:
        if "responded with a status of 40" not in text:
            self.complaints.append(text)

    def tab(self, path: str = START) -> Page:
        """Open a live page in a tab of its own, and return it when it is connected."""
        page = self.context.new_page()
        page.goto(self.servers.first.url + path)
        connected(page)
        return page

    def person(self) -> Person:
        """The clerk, speaking to the other server."""
        cookies = {cookie["name"]: cookie["value"] for cookie in self.context.cookies()}
        return Person(self.servers.second, cookies)

    def agent(self, tool: str, tab: Page | None = None, **arguments: Any) -> dict[str, Any]:
        """Call a tool in the clerk's name, for the page in a tab, and return the envelope."""
        arguments |= {"page": session(tab)} if tab else {}
        told: dict[str, Any] = self.person().post(f"/agent/tools/{tool}", arguments).json()
        return told

    def pages(self) -> list[dict[str, Any]]:
        """The pages that the clerk has open."""
        told: list[dict[str, Any]] = self.agent("openPages")["state"]["pages"]
        return told


def connected(page: Page) -> None:
    # Not whether it is visible: a page without buttons and views has nothing to be seen yet.
    expect(page.locator(".live-open:not([hidden])")).to_have_count(1, timeout=PATIENCE)


def kept(page: Page) -> dict[str, Any]:
    """What the tab remembers of its session."""
    told: dict[str, Any] = json.loads(page.evaluate("sessionStorage['live-page']"))
    return told


def until(page: Page, expression: str, timeout: float) -> None:
    """Wait until the expression holds; from here, since the page's policy lets no script of its own look at one."""
    end = time.monotonic() + timeout / 1_000
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(100)


def session(page: Page) -> str:
    return str(kept(page)["session"])


def effects(page: Page) -> list[int]:
    seen: list[int] = page.evaluate("window.effects")
    return seen


@pytest.fixture
def chrome(two_servers: Servers, browser: Browser) -> Iterator[Chrome]:
    context = browser.new_context()
    one = Chrome(context, two_servers)
    yield one
    context.close()
    assert not one.complaints


@pytest.fixture(scope="module")
def talks(two_servers: Servers) -> list[str]:
    """Conversations that the clerk may change and that are open; one of them has markup for a title."""
    told = two_servers.run(
        "from django.contrib.auth.models import User\n"
        "from project.demo.factory.models import Conversation\n"
        "from read_targets.policies import permitted\n"
        "clerk = User.objects.get(username='clerk')\n"
        "some = permitted(clerk, 'factory.change_conversation', Conversation.objects.filter(state='OPEN'))\n"
        "keys = [str(key) for key in some.order_by('pk').values_list('pk', flat=True)[:6]]\n"
        f"Conversation.objects.filter(pk=keys[0]).update(title='{EVIL}')\n"
        "print(' '.join(keys))"
    )
    return told.split()


def test_what_an_agent_does_is_in_the_tab_at_once_and_stays_over_a_reload(chrome: Chrome) -> None:
    tab, other = chrome.tab(), chrome.tab()
    told = chrome.agent("runPageCommand", tab, command="open_connection_form", input="1")
    assert told["delivery"] == "SHOWN"
    form = tab.locator('.live-view[data-view="connection_form"]')
    expect(form.get_by_label("Address of the repository")).to_be_visible(timeout=SOON)
    expect(form.locator("h3")).to_be_focused()
    expect(tab.locator("[data-live=said]")).to_contain_text("New git connection")
    assert effects(tab) == [1]
    assert effects(other) == []
    expect(other.locator(".live-view")).to_have_count(0)
    before = session(tab)
    tab.reload()
    connected(tab)
    expect(form.get_by_label("Address of the repository")).to_be_visible()
    assert session(tab) == before
    assert effects(tab) == [], "what was shown is not shown once more"


def test_a_stream_brings_it_within_a_second(chrome: Chrome) -> None:
    tab = chrome.tab()
    chrome.agent("present", tab, channel="tenant", input="1")
    tab.wait_for_timeout(500)
    tab.evaluate("""() => { window.arrived = new Promise((resolve) =>
        document.addEventListener("livepage:effect", () => resolve(Date.now()), {once: true})) }""")
    began = tab.evaluate("Date.now()")
    chrome.agent("present", tab, channel="tenant", input="3")
    assert tab.evaluate("window.arrived") - began < SOON


def test_there_is_one_stream_however_many_tabs_and_another_tab_takes_it_over(chrome: Chrome) -> None:
    leader, second, third = chrome.tab(), chrome.tab(), chrome.tab()
    assert len(chrome.streams) == 1
    leader.close()
    for page in (second, third):
        told = chrome.agent("present", page, channel="tenant", input="1")
        assert told["delivery"] == "SHOWN"
    assert len(chrome.streams) == 2


def test_a_leader_that_says_nothing_any_more_is_replaced(chrome: Chrome) -> None:
    leader, follower = chrome.tab(), chrome.tab()
    assert len(chrome.streams) == 1
    # As a frozen one: it keeps its lock, and nothing of what the stream brings reaches the other tabs.
    leader.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    with chrome.context.expect_event("request", lambda request: "/stream" in request.url, timeout=TAKES_OVER):
        pass
    for page in (follower, leader):
        assert chrome.agent("present", page, channel="tenant", input="1")["delivery"] == "SHOWN"
    assert len(chrome.streams) == 2


def test_every_effect_is_shown_once_and_in_order_while_the_line_is_cut(chrome: Chrome) -> None:
    tab = chrome.tab()
    person, page = chrome.person(), session(tab)

    def present() -> None:
        for number in range(CALLS):
            told = person.post(
                "/agent/tools/present", {"channel": "tenant", "input": "13"[number % 2], "page": page}
            ).json()
            assert told["success"], told

    with ThreadPoolExecutor(1) as pool:
        calls = pool.submit(present)
        while not calls.done():
            tab.wait_for_timeout(250)
            chrome.context.set_offline(True)
            tab.wait_for_timeout(350)
            chrome.context.set_offline(False)
        calls.result()
    until(tab, f"window.effects.length >= {CALLS}", TAKES_OVER)
    assert effects(tab) == list(range(1, CALLS + 1))
    cut = ("ERR_INTERNET_DISCONNECTED", "htmx:")
    chrome.complaints = [one for one in chrome.complaints if not any(word in one for word in cut)]


def test_a_duplicated_tab_has_an_id_of_its_own(chrome: Chrome) -> None:
    tab = chrome.tab()
    chrome.agent("present", tab, channel="tenant", input="1")
    expect(tab.locator(".live-view")).to_have_count(1)
    with chrome.context.expect_page() as opened:
        # With its opener, the new tab begins with a copy of what this one remembers.
        tab.evaluate("void window.open(location.href)")
    double = opened.value
    connected(double)
    assert kept(double)["tab"] != kept(tab)["tab"]
    assert session(double) != session(tab)
    expect(double.locator(".live-view")).to_have_count(0)
    assert chrome.agent("present", tab, channel="tenant", input="3")["delivery"] == "SHOWN"
    assert effects(double) == []


WITHOUT_LOCKS = "Object.defineProperty(navigator, 'locks', { value: undefined });"


@pytest.mark.parametrize("lack", ["stream", "locks", "channel"])
def test_without_a_stream_each_tab_looks_for_itself(chrome: Chrome, lack: str) -> None:
    if lack == "stream":
        chrome.context.route("**/pages/stream", lambda route: route.fulfill(status=204))
    else:
        chrome.context.add_init_script(WITHOUT_LOCKS if lack == "locks" else "delete window.BroadcastChannel;")
    for page in [chrome.tab(), chrome.tab()]:
        chrome.agent("present", page, channel="tenant", input="1")
        expect(page.locator(".live-view")).to_have_count(1, timeout=3 * SOON)
    assert bool(chrome.streams) is (lack == "stream"), "a tab that cannot share a stream opens none"


def test_without_locks_a_duplicated_tab_has_an_id_of_its_own_too(chrome: Chrome) -> None:
    chrome.context.add_init_script(WITHOUT_LOCKS)
    tab = chrome.tab()
    with chrome.context.expect_page() as opened:
        tab.evaluate("void window.open(location.href)")
    connected(opened.value)
    assert session(opened.value) != session(tab)
    tab.reload()
    connected(tab)
    assert kept(tab)["tab"] != kept(opened.value)["tab"]


def test_what_a_hidden_tab_draws_is_not_said_to_be_shown(chrome: Chrome) -> None:
    chrome.context.add_init_script(
        "Object.defineProperty(document, 'hidden', { get: () => window.isHidden ?? false });"
    )
    tab = chrome.tab()
    tab.evaluate("window.isHidden = true")
    told = chrome.agent("present", tab, channel="tenant", input="1")
    assert told["delivery"] == "DELIVERED"
    expect(tab.locator(".live-view")).to_have_count(1)
    with tab.expect_request("**/beat") as beat:
        tab.evaluate("window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    assert beat.value.post_data_json == {"shown": 1}


def test_what_the_person_types_stays_when_something_else_changes(chrome: Chrome, talks: list[str]) -> None:
    tab = chrome.tab()
    chrome.agent("present", tab, channel="tenant", input="1")
    chrome.agent("runPageCommand", tab, command="open_connection_form", input="1")
    typed = tab.get_by_label("Address of the repository")
    typed.fill("https://git.example/half")
    tab.locator("#live-ask-create_connection").click()
    address = tab.locator("#live-create_connection-url")
    address.fill("https://git.example/other")
    chrome.agent("present", tab, channel="conversation", input=talks[1])
    expect(tab.locator('[data-view="conversation_chat"]')).to_be_visible(timeout=PATIENCE)
    expect(typed).to_have_value("https://git.example/half")
    expect(address).to_have_value("https://git.example/other")
    expect(address).to_be_focused()
    # The command is drawn anew, for another tenant, with what was typed into it.
    chrome.agent("present", tab, channel="tenant", input="3")
    expect(tab.locator("#live-command-create_connection small")).to_have_text("Brezel 1", timeout=PATIENCE)
    expect(address).to_have_value("https://git.example/other")
    expect(address).to_be_focused()


def test_the_person_agrees_in_the_tab_that_was_asked(chrome: Chrome, talks: list[str]) -> None:
    tab, other = chrome.tab(), chrome.tab()
    told = chrome.agent("runPageCommand", tab, command="archive_conversation", input=talks[2])
    assert told["outcome"] == "NOT_READY"
    card = tab.locator(".live-card")
    expect(card).to_contain_text("Archive this conversation?", timeout=PATIENCE)
    tab.reload()
    expect(card).to_contain_text("Archive this conversation?", timeout=PATIENCE)
    expect(other.locator(".live-card")).to_have_count(0)
    card.get_by_role("button", name="Archive").click()
    expect(card).to_have_count(0, timeout=PATIENCE)
    expect(tab.locator('[data-view="conversation_chat"]')).to_contain_text("Closed")
    expect(tab.locator(".live-notice")).to_have_count(0)


def test_the_person_declines(chrome: Chrome, talks: list[str]) -> None:
    tab = chrome.tab()
    chrome.agent("runPageCommand", tab, command="archive_conversation", input=talks[3])
    tab.get_by_role("button", name="Decline").click(timeout=PATIENCE)
    expect(tab.locator(".live-card")).to_have_count(0, timeout=PATIENCE)
    expect(tab.locator(".live-notice")).to_have_count(0)
    expect(tab.locator(".live-view")).to_have_count(0)


def test_a_refused_click_gives_one_notice_and_keeps_the_focus(chrome: Chrome, talks: list[str]) -> None:
    tab = chrome.tab()
    chrome.agent("present", tab, channel="conversation", input=talks[4])
    chrome.servers.run(
        "from project.demo.factory.models import Conversation\n"
        f"Conversation.objects.filter(pk='{talks[4]}').update(state='CLOSED')"
    )
    button = tab.get_by_role("button", name="Archive conversation")
    for _ in range(2):
        button.click()
        expect(button).to_be_enabled()
        expect(tab.locator(".live-notice")).to_have_count(1)
        expect(tab.get_by_role("alert")).to_contain_text("is closed already")
        expect(button).to_be_focused()
    tab.get_by_role("button", name="Close").click()
    expect(tab.locator(".live-notice")).to_have_count(0)


def test_values_that_do_not_fit_are_named(chrome: Chrome) -> None:
    tab = chrome.tab()
    chrome.agent("present", tab, channel="tenant", input="1")
    tab.locator("#live-ask-create_connection").click(timeout=PATIENCE)
    tab.locator("#live-create_connection-url").fill("ftp://nothing")
    tab.locator("#live-run-create_connection").click()
    expect(tab.get_by_role("alert")).to_have_count(1)
    expect(tab.locator("#live-create_connection-url")).to_have_value("ftp://nothing")


def test_names_with_markup_are_text(chrome: Chrome, talks: list[str]) -> None:
    tab = chrome.tab()
    chrome.agent("present", tab, channel="conversation", input=talks[0])
    chrome.agent("runPageCommand", tab, command="archive_conversation")
    for part in (".live-card", "#live-command-archive_conversation", '[data-view="conversation_chat"]'):
        expect(tab.locator(part)).to_contain_text(EVIL, timeout=PATIENCE)
    chrome.servers.run(
        "from project.demo.factory.models import Conversation\n"
        f"Conversation.objects.filter(pk='{talks[0]}').update(state='CLOSED')"
    )
    tab.locator("#live-run-archive_conversation").click()
    expect(tab.get_by_role("alert")).to_contain_text(EVIL)
    expect(tab.locator(".live-page img")).to_have_count(0)


def test_a_command_opens_another_page_and_says_that_it_did(chrome: Chrome) -> None:
    tab = chrome.tab()
    before = session(tab)
    told = chrome.agent("runPageCommand", tab, command="open_project", input="1")
    assert told["delivery"] == "SHOWN"
    tab.wait_for_url(re.compile(r"/factory/projects/1/"))
    connected(tab)
    assert session(tab) != before
    assert {page["id"]: page["page"] for page in chrome.pages()}[session(tab)] == "factory.project"
    assert before not in [page["id"] for page in chrome.pages()]
    tab.go_back()
    tab.wait_for_url(f"**{START}")
    connected(tab)
    expect(tab.locator(".live-note")).to_have_count(0)
    assert chrome.agent("present", tab, channel="tenant", input="1")["delivery"] == "SHOWN"


@pytest.mark.parametrize("leave", ["close", "navigate"])
def test_a_page_that_is_gone_is_not_open_any_more(chrome: Chrome, leave: str) -> None:
    tab, idle = chrome.tab(), chrome.context.new_page()
    gone = session(tab)
    assert gone in [page["id"] for page in chrome.pages()]
    if leave == "close":
        tab.close(run_before_unload=True)
    else:
        tab.goto(chrome.servers.first.url + "/desk/")
    for _ in range(30):
        if gone not in [page["id"] for page in chrome.pages()]:
            return
        idle.wait_for_timeout(100)
    raise AssertionError("the page is still open, as far as we are told")


def test_signing_out_takes_the_commands_off_every_tab(chrome: Chrome) -> None:
    first, second = chrome.tab(), chrome.tab()
    desk = chrome.context.new_page()
    desk.goto(chrome.servers.first.url + "/desk/")
    desk.get_by_role("button", name="Sign out").click()
    for tab in (first, second):
        expect(tab.get_by_role("link", name="Load the page again")).to_be_visible(timeout=PATIENCE)
        expect(tab.locator(".live-page button")).to_have_count(0)


def test_a_session_that_fell_asleep_is_opened_anew(chrome: Chrome) -> None:
    tab = chrome.tab()
    before = session(tab)
    chrome.servers.run(
        "from page_commands.live.models import PageSession\nfrom page_commands.live.sessions import end_sessions\n"
        f"end_sessions(PageSession.objects.filter(pk='{before}'))"
    )
    until(tab, f"!sessionStorage['live-page'].includes('{before}')", PATIENCE)
    assert chrome.agent("present", tab, channel="tenant", input="1")["delivery"] == "SHOWN"


def test_a_button_in_a_row_runs_a_command_for_that_row(chrome: Chrome) -> None:
    tab = chrome.tab()
    row = tab.locator("#lists tr", has=tab.locator("[data-live-command=select_tenant]")).first
    name = row.locator("td").first.inner_text()
    row.get_by_role("button").click()
    expect(tab.locator('.live-view[data-view="tenant_facts"]')).to_contain_text(name, timeout=PATIENCE)
    assert effects(tab) == [1]
    expect(tab.locator(".live-notice")).to_have_count(0)


def state(chrome: Chrome, talk: str) -> str:
    """How a conversation stands in the database."""
    told = chrome.servers.run(
        f"from project.demo.factory.models import Conversation\nprint(Conversation.objects.get(pk='{talk}').state)"
    )
    return told.strip()


INJECTED = """(key) => {
    const markup = `<p id="foreign">
        <button data-live-command="archive_conversation" data-live-object="${key}">Read more</button>
        <label for="live-run-archive_conversation">Read this</label>
        <form data-live="command" action="/elsewhere/"><button>Read all</button></form></p>`;
    document.querySelector("[data-view=conversation_chat] > div").insertAdjacentHTML("beforeend", markup);
    document.addEventListener("submit", (event) => event.preventDefault());
}"""


def test_what_strangers_put_into_the_page_clicks_nothing(chrome: Chrome, talks: list[str]) -> None:
    tab = chrome.tab()
    chrome.agent("present", tab, channel="conversation", input=talks[5])
    expect(tab.locator('[data-view="conversation_chat"]')).to_be_visible(timeout=PATIENCE)
    tab.evaluate(INJECTED, talks[5])
    with tab.expect_response("**/commands/archive_conversation") as refused:
        tab.get_by_role("button", name="Read more").click()
    assert refused.value.status == 403
    expect(tab.get_by_role("alert")).to_contain_text("Nothing was done")
    sent: list[str] = []
    tab.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    tab.get_by_text("Read this").click()
    tab.get_by_role("button", name="Read all").click()
    tab.wait_for_timeout(500)
    assert [url for url in sent if not url.endswith("/beat")] == []
    assert state(chrome, talks[5]) == "OPEN"


def test_a_question_that_has_just_appeared_is_not_answered_by_a_click(chrome: Chrome, talks: list[str]) -> None:
    tab = chrome.tab()
    chrome.agent("runPageCommand", tab, command="archive_conversation", input=talks[1])
    approve = tab.locator(".live-card button[value=approve]")
    expect(approve).to_be_enabled(timeout=PATIENCE)
    first = approve.get_attribute("id")
    approve.hover()
    # The question under the mouse is replaced by another one.
    chrome.agent("runPageCommand", tab, command="archive_conversation", input=talks[5])
    tab.wait_for_function("(id) => !document.getElementById(id)", arg=first)
    expect(approve).to_be_disabled(timeout=1)
    tab.mouse.down()
    tab.mouse.up()
    tab.wait_for_timeout(300)
    assert [state(chrome, talk) for talk in (talks[1], talks[5])] == ["OPEN", "OPEN"]
    expect(approve).to_be_enabled(timeout=2 * SOON)
    tab.get_by_role("button", name="Decline").click()
    expect(tab.locator(".live-card")).to_have_count(0, timeout=PATIENCE)


def test_a_button_that_is_for_another_object_now_takes_no_click_at_once(chrome: Chrome, talks: list[str]) -> None:
    tab = chrome.tab()
    chrome.agent("present", tab, channel="conversation", input=talks[1])
    button, item = tab.locator("#live-run-archive_conversation"), tab.locator("#live-command-archive_conversation")
    expect(button).to_be_enabled(timeout=PATIENCE)
    button.focus()
    chrome.agent("present", tab, channel="conversation", input=talks[5])
    tab.wait_for_function(
        "(key) => document.getElementById('live-command-archive_conversation').dataset.object === key", arg=talks[5]
    )
    expect(button).to_be_disabled(timeout=1)
    expect(tab.locator("#live-hint-create_connection")).to_be_visible()
    tab.keyboard.press("Enter")
    expect(button).to_be_enabled(timeout=SOON)
    assert state(chrome, talks[5]) == "OPEN"
    # What only came along is not held: the tab looks anew, and the button is the same one.
    chrome.agent("present", tab, channel="conversation", input=talks[5])
    expect(item).to_have_attribute("data-object", talks[5])
    expect(button).to_be_enabled(timeout=1)


BREAKS = """
    const send = window.fetch;
    window.fetch = async (...asked) => {
        const answer = await send(...asked);
        if (!sessionStorage.breaks || answer.status !== 200) return answer;
        const told = await answer.json();
        for (const view of told.parts?.views ?? []) if (view.name === sessionStorage.breaks) view.is_shown = false;
        return new Response(JSON.stringify(told));
    };
"""


def test_what_showed_a_view_that_could_not_be_drawn_is_not_said_to_be_shown(chrome: Chrome) -> None:
    chrome.context.add_init_script(BREAKS)
    tab = chrome.tab()
    assert chrome.agent("present", tab, channel="tenant", input="1")["delivery"] == "SHOWN"
    tab.evaluate("sessionStorage.breaks = 'connection_form'")
    told = chrome.agent("runPageCommand", tab, command="open_connection_form", input="1")
    assert told["delivery"] == "DELIVERED"
    assert chrome.agent("present", tab, channel="tenant", input="3")["delivery"] == "DELIVERED", "it came after that"
    expect(tab.locator("[data-live=said]")).not_to_contain_text("New git connection")
    with tab.expect_request("**/beat") as beat:
        tab.reload()
    assert beat.value.post_data_json == {"shown": 1}
    tab.evaluate("delete sessionStorage.breaks")
    assert chrome.agent("present", tab, channel="tenant", input="1")["delivery"] == "SHOWN"
    assert effects(tab) == [4]
