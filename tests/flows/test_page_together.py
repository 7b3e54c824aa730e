"""Several at once, over two server processes: one runs, the others hear why not, and nothing is done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Timer

import pytest

from page_commands.codes import Code
from tests.page_commands.office import Office, at_once, later
from tests.page_commands.wires import Reply

AT_ONCE = 50

WHILE = 1.5
"""Seconds that a handler stands still where nothing else can be written meanwhile."""


@contextmanager
def running(office: Office, first: Callable[[], Reply]) -> Iterator[None]:
    """While the block runs, so does the first, which stands still in its handler.

    On SQLite a handler holds the one lock for writing, so that whatever is answered meanwhile is told after it: there
    it goes on after a while, which is long enough for whatever the block asks to be looked at.
    """
    office.stop_at("begin")
    call = later(first)
    office.wait_for("begin")
    ending = Timer(WHILE, office.go_on)
    if office.has_one_writer:
        ending.start()
    yield
    office.go_on()
    assert call.result().status == 200


def test_of_two_agents_on_one_page_one_runs_and_the_other_hears_busy(office: Office) -> None:
    office.open()
    one, other = office.agent(which=1, number=1), office.agent(which=2, number=2)
    with running(office, lambda: one.run("count")):
        refused = other.run("count")
    answer = refused.json()
    assert (refused.status, answer["outcome"], answer["code"]) == (409, "CONFLICT", Code.BUSY)
    assert answer["nextAction"] == {"type": "WAIT", "delayMs": 1000}
    assert office.times("count") == 1
    assert other.run("count").status == 200
    assert office.times("count") == 2


def test_what_changes_the_page_has_to_wait_and_what_reads_it_does_not(office: Office) -> None:
    office.open()
    one, other = office.agent(which=1, number=1), office.agent(which=2, number=2)
    with running(office, lambda: one.run("count")):
        presented, read = at_once(lambda: other.present("talk", office.talks[0]), lambda: other.commands())
    assert presented.json()["code"] == Code.BUSY
    assert read.status == 200


def test_a_call_that_heard_busy_can_be_made_again_with_its_key(office: Office) -> None:
    office.open()
    one, other = office.agent(which=1, number=1), office.agent(which=2, number=2)
    with running(office, lambda: one.run("count")):
        assert other.run("count", key="again").json()["code"] == Code.BUSY
    assert other.run("count", key="again").status == 200
    assert office.times("count") == 2


@pytest.mark.parametrize("first", ["click", "call"])
def test_a_click_and_a_call_hear_busy_of_each_other(office: Office, first: str) -> None:
    tab, agent = office.open(), office.agent(number=2)
    acts = {"click": lambda: tab.click("count"), "call": lambda: agent.run("count")}
    second = "call" if first == "click" else "click"
    with running(office, acts[first]):
        reply = acts[second]()
    assert (reply.status, reply.json()["code"]) == (409, Code.BUSY)
    assert acts[second]().status == 200
    assert office.times("count") == 2


def test_another_tab_is_not_busy(office: Office) -> None:
    first = office.open()
    second = first.browser.open()
    with running(office, lambda: office.agent().run("count", page=first)):
        assert office.agent(number=2).present("talk", office.talks[0], page=second).status == 200
    assert office.times("count") == 1


def test_a_click_and_a_call_at_the_very_same_moment_are_done_once_each_or_hear_busy(office: Office) -> None:
    tab, agent = office.open(), office.agent(number=2)
    done = 0
    for _turn in range(5):
        replies = at_once(lambda: tab.click("count"), lambda: agent.run("count"))
        codes = [reply.json().get("code") for reply in replies]
        assert set(codes) <= {None, Code.BUSY}
        assert None in codes
        done += codes.count(None)
    assert office.times("count") == done


def test_twenty_approvals_at_once_run_it_once(office: Office) -> None:
    tab = office.open()
    asked = office.agent().run("ask")
    card = tab.card()
    tabs = [office.also_at(tab, number) for number in (1, 2)] * 10
    replies = at_once(*(partial(one.decide, card) for one in tabs))
    codes = Counter(reply.json().get("code") for reply in replies)
    assert set(codes) <= {None, Code.BUSY}
    assert codes[None] >= 1
    assert office.times("count") == 1
    assert tab.decide(card).status == 200
    assert office.agent(number=2).poll(asked).json()["outcome"] == "READY"
    assert office.times("count") == 1


def test_of_approvals_and_declines_at_once_one_decision_stands(office: Office) -> None:
    for _turn in range(3):
        office.clean()
        tab = office.open()
        asked = office.agent().run("ask")
        card = tab.card()
        tabs = [office.also_at(tab, number) for number in (1, 2)] * 4
        decisions = ["approve", "decline", "decline", "approve"] * 2
        at_once(*(partial(one.decide, card, decision) for one, decision in zip(tabs, decisions, strict=True)))
        outcome = office.agent(number=2).poll(asked).json()["outcome"]
        assert (outcome, office.times("count")) in (("READY", 1), ("CANCELLED", 0))
        again = {decision: tab.decide(card, decision).status for decision in ("approve", "decline")}
        assert again == ({"approve": 200, "decline": 409} if outcome == "READY" else {"approve": 409, "decline": 200})


def test_the_same_key_fifty_times_in_parallel_is_one_run_and_one_answer(office: Office) -> None:
    tab = office.open()
    agents = [office.agent(number=number) for number in (1, 2)] * (AT_ONCE // 2)
    replies = at_once(*(partial(agent.run, "count_and_show", key="fifty") for agent in agents))
    assert Counter(reply.status for reply in replies) == {200: AT_ONCE}
    assert len({reply.json()["callId"] for reply in replies}) == 1
    # How far the tab has come may be told later than all the rest.
    bodies = {str({**reply.json(), "delivery": "", "message": ""}) for reply in replies}
    assert len(bodies) == 1
    assert office.times("count") == 1
    assert [effect["payload"] for effect in tab.pull()] == [{"show": "plain"}]
    after = {agent.run("count_and_show", key="fifty").body for agent in agents[:4]}
    assert len(after) == 1


def test_the_same_key_fifty_times_asks_the_person_once(office: Office) -> None:
    tab = office.open()
    agents = [office.agent(number=number) for number in (1, 2)] * (AT_ONCE // 2)
    replies = at_once(*(partial(agent.run, "ask", key="fifty") for agent in agents))
    assert {reply.status for reply in replies} == {202}
    assert len({reply.body for reply in replies}) == 1
    assert tab.approve().status == 200
    assert office.times("count") == 1


def test_two_tabs_and_two_objects_in_crossed_order_come_to_no_deadlock(office: Office) -> None:
    first = office.open()
    second = first.browser.open()
    one, two = office.talks[:2]

    def work(page: object, number: int, talks: list[str]) -> list[int]:
        agent = office.agent(which=number, number=number)
        return [agent.run("retitle", talk, page=page, word=f"{number}").status for talk in talks]  # type: ignore[arg-type]

    turns = 8
    statuses = at_once(
        partial(work, first, 1, [one, two] * turns),
        partial(work, second, 2, [two, one] * turns),
    )
    assert statuses == [[200] * 2 * turns] * 2
    assert office.times("retitle") == 4 * turns
