"""A person's click in the very tab: nothing that an agent or another page can send stands in for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from page_commands.codes import Code
from page_commands.models import CommandRun
from tests.page_commands.acting import code
from tests.page_commands.conftest import Person
from tests.page_commands.desk import Desk, conversation
from tests.page_commands.tab import Agent, Browser, Card, Tab
from tests.page_commands.tables import differences, tables
from tests.page_commands.wires import FORM, Reply

NOT_PROVEN = "read_targets.click_not_proven"


@dataclass
class Asked:
    """A call that waits for Mina in her tab, and what a forger may know of it."""

    mina: Person
    tab: Tab
    robot: Agent
    card: Card
    call_id: str
    talk: Any

    @property
    def click(self) -> dict[str, str]:
        """What Mina's click would send."""
        return {"decision": "approve", "nonce": self.card.nonce, "session": self.card.session}


@pytest.fixture
def asked(desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Any) -> Asked:
    desk.asks()
    call_id = robot.run("note", talk.pk).json()["callId"]
    return Asked(mina, tab, robot, tab.card(), call_id, talk)


def refused(reply: Reply, before: dict[str, Any], after: dict[str, Any]) -> None:
    """The forgery was refused and changed nothing."""
    assert reply.status in (400, 401, 403, 404, 405)
    assert differences(before, after) == {}
    assert code.times() == 0
    assert CommandRun.objects.get().state == "waiting"


def by_token(asked: Asked) -> Reply:
    """The agent decides with its token, knowing nonce and session."""
    return Browser(asked.robot.wire, None).post(asked.card.address, asked.click, **asked.robot.headers)


def by_token_in_the_persons_browser(asked: Asked) -> Reply:
    """A token, sent along with the person's own session."""
    return asked.tab.browser.post(asked.card.address, asked.click, Authorization=f"Bearer {asked.robot.secret}")


def by_a_bad_header(asked: Asked) -> Reply:
    """Any Authorization header at all."""
    return asked.tab.browser.post(asked.card.address, asked.click, Authorization="Basic bWluYTptaW5h")


def by_another_browser_of_the_same_person(asked: Asked) -> Reply:
    """Signed in elsewhere as the same person: the nonce and the session are the first browser's."""
    return asked.mina.browser().post(asked.card.address, asked.click)


def by_another_browser_with_a_page_of_its_own(asked: Asked) -> Reply:
    """The same person elsewhere, with a session of their own on the same page."""
    second = asked.mina.open()
    return second.browser.post(asked.card.address, {**asked.click, "session": second.id})


def without_a_nonce(asked: Asked) -> Reply:
    return asked.tab.decide(asked.card, nonce=None)


def with_an_empty_nonce(asked: Asked) -> Reply:
    return asked.tab.decide(asked.card, nonce="")


def with_the_sessions_own_nonce(asked: Asked) -> Reply:
    """The nonce for clicks on the page's buttons is none for the card."""
    return asked.tab.decide(asked.card, nonce=asked.tab.told["nonce"])


def with_a_nonce_that_was_changed(asked: Asked) -> Reply:
    return asked.tab.decide(asked.card, nonce=asked.card.nonce[:-1] + ("A" if asked.card.nonce[-1] != "A" else "B"))


def with_a_nonce_of_the_wrong_type(asked: Asked) -> Reply:
    return asked.tab.decide(asked.card, nonce=[asked.card.nonce])


def without_the_csrf_header(asked: Asked) -> Reply:
    return asked.tab.browser.post(asked.card.address, asked.click, **{"X-CSRFToken": ""})


def with_a_wrong_csrf_header(asked: Asked) -> Reply:
    return asked.tab.browser.post(asked.card.address, asked.click, **{"X-CSRFToken": "d" * 32})


def from_another_site(asked: Asked) -> Reply:
    return asked.tab.browser.post(asked.card.address, asked.click, **{"Sec-Fetch-Site": "cross-site"})


def from_a_sibling_site(asked: Asked) -> Reply:
    return asked.tab.browser.post(asked.card.address, asked.click, **{"Sec-Fetch-Site": "same-site"})


def from_nowhere(asked: Asked) -> Reply:
    """Typed, or from a bookmark."""
    return asked.tab.browser.post(asked.card.address, asked.click, **{"Sec-Fetch-Site": "none"})


def from_an_old_browser_of_another_origin(asked: Asked) -> Reply:
    headers = {"Sec-Fetch-Site": "", "Origin": "https://evil.example"}
    return asked.tab.browser.post(asked.card.address, asked.click, **headers)


def without_saying_where_it_comes_from(asked: Asked) -> Reply:
    return asked.tab.browser.post(asked.card.address, asked.click, **{"Sec-Fetch-Site": ""})


def by_get(asked: Asked) -> Reply:
    query = f"decision=approve&nonce={asked.card.nonce}&session={asked.card.session}"
    return asked.tab.browser.get(f"{asked.card.address}?{query}", **{"Sec-Fetch-Site": "same-origin"})


def with_the_calls_id_for_the_cards(asked: Asked) -> Reply:
    return asked.tab.browser.post(asked.card.address.replace(asked.card.id, asked.call_id), asked.click)


def with_another_session(asked: Asked) -> Reply:
    """A second tab of the same browser."""
    return asked.tab.decide(asked.card, session=asked.tab.browser.open().id)


FORGERIES = [
    by_token,
    by_token_in_the_persons_browser,
    by_a_bad_header,
    by_another_browser_of_the_same_person,
    by_another_browser_with_a_page_of_its_own,
    without_a_nonce,
    with_an_empty_nonce,
    with_the_sessions_own_nonce,
    with_a_nonce_that_was_changed,
    with_a_nonce_of_the_wrong_type,
    without_the_csrf_header,
    with_a_wrong_csrf_header,
    from_another_site,
    from_a_sibling_site,
    from_nowhere,
    from_an_old_browser_of_another_origin,
    without_saying_where_it_comes_from,
    by_get,
    with_the_calls_id_for_the_cards,
]


def test_every_forged_approval_is_refused_and_changes_nothing(asked: Asked) -> None:
    for forge in FORGERIES:
        # One of them opens a page of its own first.
        before = tables("page_commands.pagesession")
        refused(forge(asked), before, tables("page_commands.pagesession"))
    # The person's own click still counts.
    assert asked.tab.decide(asked.card).status == 200
    assert code.times("note") == 1


def test_an_approval_by_another_person_is_refused(asked: Asked, other: Person) -> None:
    theirs = other.open()
    for session in (theirs.id, asked.tab.id):
        before = tables()
        reply = theirs.browser.post(asked.card.address, {**asked.click, "session": session})
        refused(reply, before, tables())


def test_one_cards_nonce_is_none_for_another_card(asked: Asked, desk: Desk) -> None:
    desk.asks("second")
    asked.robot.run("second", conversation("Another").pk)
    cards = {card.id: card for card in asked.tab.cards()}
    second = next(card for card in cards.values() if card.id != asked.card.id)
    for one, nonce in ((asked.card, second.nonce), (second, asked.card.nonce)):
        reply = asked.tab.decide(one, nonce=nonce)
        assert (reply.status, reply.json()["code"]) == (403, NOT_PROVEN)
    assert code.times() == 0
    assert asked.tab.decide(second).status == 200
    assert code.times("note") == 1
    waiting = CommandRun.objects.get(state="waiting")
    assert str(waiting.card_id) == asked.card.id


def test_a_second_tab_of_the_same_browser_cannot_decide(asked: Asked) -> None:
    reply = with_another_session(asked)
    assert (reply.status, reply.json()["code"]) == (403, Code.NO_PAGE)
    assert CommandRun.objects.get().state == "waiting"


def test_a_decline_is_as_hard_to_forge(asked: Asked, other: Person) -> None:
    click = {**asked.click, "decision": "decline"}
    replies = [
        Browser(asked.robot.wire, None).post(asked.card.address, click, **asked.robot.headers),
        asked.mina.browser().post(asked.card.address, click),
        other.browser().post(asked.card.address, click),
        asked.tab.browser.post(asked.card.address, click, **{"Sec-Fetch-Site": "cross-site"}),
        asked.tab.browser.post(asked.card.address, click, **{"X-CSRFToken": ""}),
    ]
    assert {reply.status for reply in replies} <= {401, 403}
    assert CommandRun.objects.get().state == "waiting"


def test_no_argument_of_the_tool_stands_in_for_the_person(asked: Asked) -> None:
    for name in ("approved", "confirmed", "confirm", "decision", "confirmation", "force", "nonce"):
        arguments = {"command": "note", "input": str(asked.talk.pk), name: True}
        reply = asked.robot.call("runPageCommand", arguments)
        assert (reply.status, reply.json()["code"]) == (400, "read_targets.argument_unknown")
        nested = asked.robot.run("note", asked.talk.pk, **{name: True})
        assert (nested.status, nested.json()["code"]) == (400, Code.PARAMETERS_UNREADABLE)
    assert code.times() == 0


def test_opening_the_card_decides_nothing(asked: Asked) -> None:
    body = {"nonce": asked.card.nonce}
    reply = asked.tab.browser.post(asked.card.address.replace("/decide", "/open"), body)
    assert (reply.status, reply.json()["code"]) == (403, "read_targets.card_refused")
    assert CommandRun.objects.get().state == "waiting"


# The button on the page


def test_a_forged_click_is_refused_and_changes_nothing(
    desk: Desk, mina: Person, other: Person, tab: Tab, robot: Agent, talk: Any
) -> None:
    desk.show()
    address = f"{tab.address}/commands/show"
    fields = {"nonce": tab.told["nonce"], "object": str(talk.pk)}
    second_tab, elsewhere, theirs = tab.browser.open(), mina.open(), other.open()
    mine = tab.browser
    before = tables()
    replies = {
        "by token": Browser(robot.wire, None).post(address, fields, **robot.headers),
        "by token and session": mine.post(address, fields, Authorization=f"Bearer {robot.secret}"),
        "by another person": theirs.browser.post(address, fields),
        "by another person on their page": theirs.browser.post(f"{theirs.address}/commands/show", fields),
        "by another browser": elsewhere.browser.post(address, fields),
        "with another tab's nonce": mine.post(address, {**fields, "nonce": second_tab.told["nonce"]}),
        "without a nonce": mine.post(address, {"object": str(talk.pk)}),
        "with a nonce that is none": mine.post(address, {**fields, "nonce": {"a": 1}}),
        "without csrf": mine.post(address, fields, **{"X-CSRFToken": ""}),
        "from another site": mine.post(address, fields, **{"Sec-Fetch-Site": "cross-site"}),
        "from another origin": mine.post(address, fields, **{"Sec-Fetch-Site": "", "Origin": "https://evil.example"}),
        "as a form": mine.wire.send(
            "POST", address, b"nonce=x", **{"Content-Type": FORM, "Sec-Fetch-Site": "same-origin"}
        ),
        "by get": mine.get(address),
    }
    wrong = {name: reply.status for name, reply in replies.items() if reply.status not in (400, 403, 404, 405)}
    assert wrong == {}
    assert differences(before, tables()) == {}
    assert tab.click("show", talk.pk).status == 200
    assert list(tab.views()) == ["talk_view"]


def test_the_tabs_own_addresses_are_its_browsers_alone(
    desk: Desk, mina: Person, other: Person, tab: Tab, robot: Agent, talk: Any
) -> None:
    desk.show()
    robot.run("show", talk.pk)
    missing = f"/pages/sessions/{'0' * 8}-0000-4000-8000-{'0' * 12}"
    for browser in (mina.browser(), other.browser()):
        before = tables()
        for method, path, body in (
            ("get", "?after=0&parts=1", None),
            ("post", "/beat", {"shown": 1}),
            ("post", "/commands/show", {"nonce": tab.told["nonce"]}),
        ):
            replies = [
                browser.get(f"{address}{path}") if method == "get" else browser.post(f"{address}{path}", body)
                for address in (tab.address, missing)
            ]
            assert [reply.status for reply in replies] == [404, 404]
            assert replies[0].body == replies[1].body
        assert differences(before, tables()) == {}
    by_token = robot.wire.send("GET", tab.address, Authorization=f"Bearer {robot.secret}")
    assert by_token.status == 403
    assert talk.title not in by_token.text


def test_a_ticket_is_one_persons_and_one_sign_ins(desk: Desk, mina: Person, other: Person, tab: Tab) -> None:
    ticket = tab.browser.ticket("tests.desk")
    for browser in (mina.browser(), other.browser()):
        reply = browser.post("/pages/sessions", {"ticket": ticket, "tab": "x" * 32, "title": ""})
        assert reply.status == 403
    for bad in (ticket[:-1], ticket + "x", "", None, 7, tab.browser.ticket("tests.nothing")):
        reply = tab.browser.post("/pages/sessions", {"ticket": bad, "tab": "x" * 32, "title": ""})
        assert reply.status == 403
