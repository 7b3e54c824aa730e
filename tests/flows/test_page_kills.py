"""Servers that are killed at the worst moments: nothing runs twice, nothing runs unapproved, and no answer lies."""

from __future__ import annotations

from typing import Any

import pytest

from page_commands.codes import Code
from tests.page_commands.office import Office, later, until
from tests.page_commands.wires import Reply

UNKNOWN = (Code.OUTCOME_UNKNOWN, 503)


def told(reply: Reply) -> tuple[Any, int]:
    """The code of an answer, or its outcome where it has none, and its status."""
    answer = reply.json()
    return answer.get("code", answer["outcome"]), reply.status


@pytest.mark.parametrize("point", ["begin", "end"])
def test_a_run_that_was_cut_off_inside_of_its_transaction_was_not_done_and_may_run_anew(
    office: Office, point: str
) -> None:
    office.open()
    office.stop_at(point)
    call = later(lambda: office.agent().run("count", key=f"cut-{point}"))
    office.wait_for(point)
    office.kill_first()
    assert call.result() is None
    elsewhere, call_id = office.agent(number=2), office.call_id()
    # For a minute nobody can tell it from one that runs.
    assert told(elsewhere.poll(call_id)) == ("read_targets.key_in_use", 409)
    assert told(elsewhere.run("count")) == (Code.BUSY, 409)
    assert (office.times("count"), office.run_state()) == (0, "approved")
    office.let_leases_end()
    cut_off = elsewhere.poll(call_id).json()
    assert (cut_off["outcome"], cut_off["executed"]) == ("INTERNAL", False)
    anew = elsewhere.run("count", key=f"cut-{point}")
    assert (told(anew), anew.json()["callId"]) == (("READY", 200), call_id)
    assert office.times("count") == 1
    assert elsewhere.run("count", key=f"cut-{point}").body == anew.body
    assert elsewhere.poll(call_id).body == anew.body
    assert office.times("count") == 1


@pytest.mark.parametrize(("point", "done"), [("begin", []), ("middle", ["begun x"]), ("end", ["begun x", "sent x"])])
def test_a_run_that_was_cut_off_around_its_outside_effect_is_not_known_and_never_run_again(
    office: Office, point: str, done: list[str]
) -> None:
    tab = office.open()
    office.stop_at(point)
    call = later(lambda: office.agent().run("send", key=f"out-{point}", word="x"))
    office.wait_for(point)
    assert office.outside() == done
    office.kill_first()
    assert call.result() is None
    elsewhere, call_id = office.agent(number=2), office.call_id()
    office.let_leases_end()
    for reply in (
        elsewhere.run("send", key=f"out-{point}", word="x"),
        elsewhere.poll(call_id),
        elsewhere.run("send", key=f"out-{point}", word="x"),
    ):
        assert told(reply) == UNKNOWN
        assert reply.json()["callId"] == call_id
        assert reply.json()["nextAction"] == {"type": "ASK_USER"}
    assert (office.outside(), office.times("sends"), office.run_state()) == (done, 0, "failed")
    # The page is free, and a new call is a new run.
    assert office.also_at(tab, 2).pull() == []
    assert told(elsewhere.run("send", word="y")) == ("READY", 200)
    assert office.outside() == [*done, "begun y", "sent y"]


def test_an_approval_that_was_cut_off_before_an_outside_command_ran_is_not_known_and_never_run_again(
    office: Office,
) -> None:
    tab = office.open()
    asked = office.agent().run("ask_to_send", key="approved")
    assert asked.status == 202
    card = tab.card()
    office.stop_at("rule")
    click = later(lambda: tab.decide(card))
    office.wait_for("rule")
    office.kill_first()
    assert click.result() is None
    assert (office.run_state(), office.outside()) == ("approved", [])
    office.let_leases_end()
    elsewhere, second = office.agent(number=2), office.also_at(tab, 2)
    # An approval is good once: the person cannot let it run again either.
    assert told(second.decide(card)) == (Code.ALREADY_DECIDED, 409)
    assert told(elsewhere.poll(asked)) == UNKNOWN
    assert told(elsewhere.run("ask_to_send", key="approved")) == UNKNOWN
    assert told(second.decide(card)) == (Code.ALREADY_DECIDED, 409)
    assert second.cards() == []
    assert (office.outside(), office.times("sends")) == ([], 0)


@pytest.mark.parametrize("point", ["rule", "end"])
def test_an_approval_that_was_cut_off_before_its_commit_waits_for_the_person_again(office: Office, point: str) -> None:
    tab = office.open()
    asked = office.agent().run("ask", key=f"wait-{point}")
    card = tab.card()
    office.stop_at(point)
    click = later(lambda: tab.decide(card))
    office.wait_for(point)
    office.kill_first()
    assert click.result() is None
    elsewhere, second = office.agent(number=2), office.also_at(tab, 2)
    assert (office.run_state(), office.times("count")) == ("waiting", 0)
    assert told(elsewhere.poll(asked)) == (Code.WAITING_FOR_PERSON, 202)
    assert told(second.decide(card)) == (Code.BUSY, 409)
    office.let_leases_end()
    assert [one.id for one in second.cards()] == [card.id]
    assert second.decide(card).status == 200
    assert office.times("count") == 1
    assert told(elsewhere.poll(asked)) == ("READY", 200)
    assert told(elsewhere.run("ask", key=f"wait-{point}")) == ("READY", 200)
    assert second.decide(card).status == 200
    assert office.times("count") == 1


def test_a_run_that_was_cut_off_before_its_answer_is_told_by_key_and_by_id(office: Office) -> None:
    tab = office.open()
    # The tab shows nothing for now, so the answer waits for it.
    call = later(lambda: office.agent().run("count_and_show", key="answer"))
    until(lambda: office.run_state() == "executed")
    office.kill_first()
    assert call.result() is None
    elsewhere, call_id = office.agent(number=2), office.call_id()
    polled = elsewhere.poll(call_id)
    assert told(polled) == ("READY", 200)
    assert polled.json()["changed"] == {"views": [{"name": "plain", "object": None}]}
    office.let_leases_end()
    assert elsewhere.run("count_and_show", key="answer").body == polled.body
    assert office.times("count") == 1
    # Nor is what the tab must show lost.
    assert [effect["payload"] for effect in office.also_at(tab, 2).pull()] == [{"show": "plain"}]


def test_an_approval_that_was_cut_off_after_its_run_has_run_once(office: Office) -> None:
    tab = office.open()
    asked = office.agent().run("ask_and_show", key="approval")
    card = tab.card()
    click = later(lambda: tab.decide(card))
    until(lambda: office.run_state() == "executed")
    office.kill_first()
    assert click.result() is None
    elsewhere, second = office.agent(number=2), office.also_at(tab, 2)
    assert told(elsewhere.poll(asked)) == ("READY", 200)
    office.let_leases_end()
    assert second.decide(card).status == 200
    assert told(elsewhere.run("ask_and_show", key="approval")) == ("READY", 200)
    assert office.times("count") == 1
    assert second.cards() == []
    assert [effect["kind"] for effect in second.applied] == ["state", "card"]


def test_a_server_that_is_killed_while_a_call_waits_runs_nothing_by_itself(office: Office) -> None:
    tab = office.open()
    asked = office.agent().run("ask", key="idle")
    office.kill_first()
    for number in (1, 2):
        assert told(office.agent(number=number).poll(asked)) == (Code.WAITING_FOR_PERSON, 202)
        assert len(office.also_at(tab, number).cards()) == 1
    assert office.times("count") == 0
