"""What an agent is told of how far its command has come, and waiting for a person within one call; over two servers."""

from __future__ import annotations

import time

from page_commands.codes import Code
from tests.page_commands.office import Office, later, until
from tests.page_commands.tab import Tab


def show_what_comes(tab: Tab, *, says_so: bool = True) -> None:
    """Wait for an effect, show it, and say so."""
    until(lambda: tab.pull(whole=False))
    if says_so:
        assert tab.beat().status == 200


def test_what_the_tab_said_it_showed_is_shown(office: Office) -> None:
    tab = office.open(number=2)
    showing = later(lambda: show_what_comes(tab))
    answer = office.agent().run("count_and_show").json()
    showing.result()
    assert (answer["delivery"], answer["outcome"]) == ("SHOWN", "READY")
    assert answer["message"] == "Done. The person's tab has shown it."


def test_what_the_tab_only_fetched_is_not_said_to_be_seen(office: Office) -> None:
    tab = office.open(number=2)
    showing = later(lambda: show_what_comes(tab, says_so=False))
    answer = office.agent().run("count_and_show").json()
    showing.result()
    assert answer["delivery"] == "DELIVERED"
    assert "do not say that they see it" in answer["message"]


def test_what_the_tab_did_not_fetch_is_not_said_to_be_delivered(office: Office) -> None:
    tab = office.open(number=2)
    # A tab may say what it likes: it is believed only of what it has fetched.
    assert tab.beat(shown=999).status == 200
    answer = office.agent().run("count_and_show", key="none").json()
    assert answer["delivery"] == "NONE"
    assert "do not say that they see it" in answer["message"]
    tab.pull()
    tab.beat()
    # The answer stays what it was when it was given.
    assert office.agent(number=2).run("count_and_show", key="none").json() == answer


def test_without_anything_to_show_there_is_no_receipt(office: Office) -> None:
    office.open()
    answer = office.agent().run("count").json()
    assert answer["delivery"] == "NONE"
    assert "nothing for the person's tab to show" in answer["message"]


# Prefer: wait


def test_a_call_that_is_willing_to_wait_is_told_what_the_person_decided(office: Office) -> None:
    tab = office.open(number=2)
    for decide, outcome in ((tab.approve, "READY"), (tab.decline, "CANCELLED")):
        call = later(lambda: office.agent().run("ask", wait=20))
        until(lambda: tab.cards())
        assert decide().status == 200
        reply = call.result()
        assert (reply.status, reply.json()["outcome"]) == (200, outcome)
        assert office.agent(number=2).poll(reply).body == reply.body
    assert office.times("count") == 1


def test_a_call_waits_no_longer_than_it_said(office: Office) -> None:
    office.open()
    began = time.monotonic()
    reply = office.agent().run("ask", wait=1)
    waited = time.monotonic() - began
    assert (reply.status, reply.json()["code"]) == (202, Code.WAITING_FOR_PERSON)
    assert 1 <= waited < 5


def test_a_poll_may_wait_too(office: Office) -> None:
    tab = office.open()
    asked = office.agent().run("ask")
    polling = later(lambda: office.agent(number=2).poll(asked, wait=20))
    assert tab.approve().status == 200
    assert polling.result().json()["outcome"] == "READY"


def test_who_waits_is_told_that_another_call_took_its_place(office: Office) -> None:
    tab = office.open()
    call = later(lambda: office.agent().run("ask", wait=20))
    until(lambda: tab.cards())
    assert office.agent(which=2, number=2).run("ask").status == 202
    answer = call.result().json()
    assert (answer["outcome"], answer["code"]) == ("CANCELLED", Code.SUPERSEDED)


def test_who_waits_is_told_when_the_token_is_revoked(office: Office) -> None:
    tab = office.open()
    call = later(lambda: office.agent(which=2).run("ask", wait=20))
    until(lambda: tab.cards())
    office.execute("UPDATE read_targets_agenttoken SET revoked_at = '2020-01-01 00:00:00' WHERE name = 'Robot 2'")
    reply = call.result()
    office.execute("UPDATE read_targets_agenttoken SET revoked_at = NULL")
    assert (reply.status, reply.json()["outcome"]) == (403, "REJECTED")
    assert office.times("count") == 0
