"""A command that asks first: what ends the asking, what is run once the person has agreed, and that it is run once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from page_commands.codes import Code
from page_commands.live.models import CONFIRM_WITHIN
from page_commands.models import AgentCommand, Channel, CommandRun, Page, PageSession
from project.demo.factory.models import Conversation
from read_targets.agent.tokens import revoke
from read_targets.models import AgentDoors, AgentToken, Card, KeptAnswer, Preference

from .acting import code
from .conftest import Person
from .desk import Desk, conversation, step
from .tab import Agent, Tab
from .tables import differences, tables
from .wires import Reply

OF_ASKING = ("page_commands.", "read_targets.card", "read_targets.keptanswer")
"""The tables in which it is written what became of the asking itself."""


@pytest.fixture
def asked(desk: Desk, tab: Tab, robot: Agent, talk: Conversation) -> Reply:
    """An agent's call of `note` for the conversation, which waits for Mina."""
    desk.asks()
    reply = robot.run("note", talk.pk, key="k-1")
    assert reply.status == 202
    return reply


def verdict() -> tuple[str, str, str]:
    """The state of the one run, and the verdict and code of its card."""
    run = CommandRun.objects.select_related("card").get()
    return run.state, run.card.verdict, run.card.code


# Asking


def test_asking_does_nothing_and_says_how_to_wait(asked: Reply, tab: Tab, talk: Conversation) -> None:
    answer = asked.json()
    assert (answer["outcome"], answer["code"], answer["isDataReady"]) == ("NOT_READY", Code.WAITING_FOR_PERSON, False)
    assert answer["nextAction"] == {"type": "WAIT", "delayMs": 2000}
    assert (answer["command"], answer["input"]["id"]) == ("tests.note", str(talk.pk))
    assert answer["card"]["kind"] == "confirmation"
    assert code.times() == 0
    assert tab.card().id == answer["card"]["id"]
    assert [effect["kind"] for effect in tab.applied] == ["card"]


def test_while_it_waits_the_agent_hears_the_same_however_it_asks(
    asked: Reply, robot: Agent, talk: Conversation
) -> None:
    assert robot.poll(asked).body == asked.body
    replay = robot.run("note", talk.pk, key="k-1")
    assert (replay.body, replay.status) == (asked.body, 202)
    assert CommandRun.objects.count() == 1


def test_the_card_waits_for_five_minutes(asked: Reply, tab: Tab) -> None:
    run = CommandRun.objects.get()
    assert run.expires_at - run.asked_at == pytest.approx(CONFIRM_WITHIN, abs=timedelta(seconds=5))
    assert CONFIRM_WITHIN.total_seconds() == 5 * 60
    assert run.card.expires_at == run.expires_at


# Deciding


def test_what_is_approved_runs_once_and_the_agent_hears_of_it(
    asked: Reply, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    reply = tab.approve()
    assert reply.status == 200
    assert (code.times("note"), verdict()) == (1, ("executed", "accepted", ""))
    told = robot.poll(asked)
    answer = told.json()
    assert (told.status, answer["outcome"], answer["callId"]) == (200, "READY", asked.json()["callId"])
    assert (answer["command"], answer["input"]["id"]) == ("tests.note", str(talk.pk))
    assert robot.run("note", talk.pk, key="k-1").body == told.body
    assert (code.times("note"), tab.cards()) == (1, [])


def test_what_is_declined_does_not_run(asked: Reply, tab: Tab, robot: Agent, talk: Conversation) -> None:
    before = tables(*OF_ASKING)
    assert tab.decline().status == 200
    assert differences(before, tables(*OF_ASKING)) == {}
    assert verdict() == ("declined", "cancelled", "declined")
    told = robot.poll(asked)
    assert (told.status, told.json()["outcome"], told.json()["code"]) == (200, "CANCELLED", Code.DECLINED)
    assert robot.run("note", talk.pk, key="k-1").body == told.body
    assert (code.times(), tab.cards()) == (0, [])


def test_approving_twice_is_the_same_as_once(asked: Reply, tab: Tab, robot: Agent) -> None:
    card = tab.card()
    assert [tab.decide(card).status for _time in range(3)] == [200, 200, 200]
    assert code.times("note") == 1
    assert robot.poll(asked).json()["outcome"] == "READY"


@pytest.mark.parametrize(
    ("first", "second", "ran"), [("decline", "approve", 0), ("approve", "decline", 1)], ids=["no, yes", "yes, no"]
)
def test_the_first_decision_stands(asked: Reply, tab: Tab, robot: Agent, first: str, second: str, ran: int) -> None:
    card = tab.card()
    assert tab.decide(card, first).status == 200
    told = robot.poll(asked).body
    late = tab.decide(card, second)
    assert (late.status, late.json()["code"]) == (409, Code.ALREADY_DECIDED)
    assert late.json()["reasons"] == ["This was decided already."]
    # Which says nothing of whether it was done.
    assert "executed" not in late.json()
    assert robot.poll(asked).body == told
    assert code.times() == ran


def test_declining_twice_is_the_same_as_once(asked: Reply, tab: Tab) -> None:
    card = tab.card()
    assert [tab.decide(card, "decline").status for _time in range(2)] == [200, 200]


def test_any_other_word_decides_nothing(asked: Reply, tab: Tab) -> None:
    card = tab.card()
    words: tuple[Any, ...] = ("", "yes", "APPROVE", "accept", None, True, 1, ["approve"])
    for decision in words:
        assert tab.decide(card, decision).status == 400
    assert verdict()[0] == "waiting"
    assert len(tab.cards()) == 1


def test_putting_the_card_away_on_the_desk_is_no_decision(asked: Reply, tab: Tab) -> None:
    card = tab.card()
    assert tab.decide(card, "dismiss").status == 200
    assert verdict()[0] == "waiting"
    assert tab.approve().status == 200
    assert code.times("note") == 1


# What ends it


def expire(tab: Tab, talk: Conversation) -> None:
    moment = timezone.now()
    CommandRun.objects.update(expires_at=moment)
    Card.objects.update(expires_at=moment)


def close(tab: Tab, talk: Conversation) -> None:
    tab.leave()
    PageSession.objects.update(left_at=timezone.now() - timedelta(seconds=31))


def fall_silent(tab: Tab, talk: Conversation) -> None:
    PageSession.objects.update(seen_at=timezone.now() - timedelta(seconds=91))


def navigate(tab: Tab, talk: Conversation) -> None:
    tab.go_to()


def sign_out(tab: Tab, talk: Conversation) -> None:
    body = f"csrfmiddlewaretoken={tab.browser.wire.cookies['csrftoken']}".encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert tab.browser.wire.send("POST", "/accounts/logout/", body, **kind).status == 302


def change_page(tab: Tab, talk: Conversation) -> None:
    assert Agent(tab.browser.wire, "").wire is tab.browser.wire
    body = {"channel": "talk", "input": str(talk.pk)}
    assert tab.browser.post("/agent/tools/present", body).status == 200


def change_object(tab: Tab, talk: Conversation) -> None:
    Conversation.objects.filter(pk=talk.pk).update(messages=11)


def delete_object(tab: Tab, talk: Conversation) -> None:
    talk.delete()


def lose(right: str) -> Callable[[Tab, Conversation], None]:
    def taken_away(tab: Tab, talk: Conversation) -> None:
        Person(User.objects.get(username="mina")).loses(right)

    return taken_away


def revoke_token(tab: Tab, talk: Conversation) -> None:
    revoke(AgentToken.objects.get())


def token_may_not_act(tab: Tab, talk: Conversation) -> None:
    AgentToken.objects.update(may_act=False)


def token_runs_out(tab: Tab, talk: Conversation) -> None:
    AgentToken.objects.update(expires_at=timezone.now())


def token_is_deleted(tab: Tab, talk: Conversation) -> None:
    AgentToken.objects.all().delete()


def stop_agents(tab: Tab, talk: Conversation) -> None:
    Preference.objects.create(user=User.objects.get(username="mina"), agents_stopped=True)


def close_doors(tab: Tab, talk: Conversation) -> None:
    AgentDoors(is_open=False).save()


def switch_off_command(tab: Tab, talk: Conversation) -> None:
    AgentCommand.objects.filter(name="note").update(enabled=False)


def delete_command(tab: Tab, talk: Conversation) -> None:
    AgentCommand.objects.filter(name="note").delete()


def break_command(tab: Tab, talk: Conversation) -> None:
    AgentCommand.objects.get(name="note").steps.update(target="nobody.wrote_it")


def rule_refuses(tab: Tab, talk: Conversation) -> None:
    # As a person may become unfit without the object changing.
    User.objects.filter(username="mina").update(first_name="unfit")
    AgentCommand.objects.get(name="note").rules.create(code="acting.is_fit", reason={"en": "Not fit."})


def busy_elsewhere(tab: Tab, talk: Conversation) -> None:
    until = timezone.now() + timedelta(seconds=30)
    PageSession.objects.update(busy_call="00000000-0000-4000-8000-000000000000", busy_until=until)


ENDS: dict[str, tuple[Callable[[Tab, Conversation], None], str | None]] = {
    "the time is over": (expire, Code.CONFIRMATION_EXPIRED),
    "the page has changed": (change_page, Code.PAGE_CHANGED),
    "the object has changed": (change_object, Code.OBJECT_CHANGED),
    "the object is gone": (delete_object, Code.OBJECT_UNREADABLE),
    "the right to view it is gone": (lose("factory.view_conversation"), Code.OBJECT_UNREADABLE),
    "the right to change it is gone": (lose("factory.change_conversation"), Code.INPUT_NOT_PERMITTED),
    "the right to run it is gone": (lose("page_commands.run_agentcommand"), Code.UNLISTED_COMMAND),
    "the token was revoked": (revoke_token, Code.AGENT_STOPPED),
    "the token may not act": (token_may_not_act, Code.AGENT_STOPPED),
    "the token ran out": (token_runs_out, Code.AGENT_STOPPED),
    "the token is deleted": (token_is_deleted, Code.AGENT_STOPPED),
    "the person stopped their agents": (stop_agents, "read_targets.agents_stopped"),
    "the doors are closed": (close_doors, "read_targets.doors_closed"),
    "the command is off": (switch_off_command, Code.UNLISTED_COMMAND),
    "the command is unsound": (break_command, Code.UNLISTED_COMMAND),
    "a rule was added": (rule_refuses, Code.COMMAND_CHANGED),
}


@pytest.mark.parametrize("what", ENDS)
def test_what_happened_after_it_was_asked_keeps_the_approval_from_running_it(
    asked: Reply, tab: Tab, robot: Agent, talk: Conversation, what: str
) -> None:
    happen, expected = ENDS[what]
    card = tab.card()
    happen(tab, talk)
    before = tables(*OF_ASKING)
    reply = tab.decide(card)
    answer = reply.json()
    assert (answer["success"], answer["code"]) == (False, expected)
    assert reply.status in (403, 409)
    assert answer["executed"] is False
    assert len(answer["reasons"]) >= 1
    assert answer["language"] == "en"
    assert differences(before, tables(*OF_ASKING)) == {}
    assert code.times() == 0
    assert verdict()[0] in ("failed", "expired")
    # And it stays so, whoever clicks how often, even when all is well again.
    assert tab.decide(card).json()["code"] == Code.ALREADY_DECIDED
    assert (code.times(), tab.cards()) == (0, [])


GONE: dict[str, Callable[[Tab, Conversation], None]] = {
    "closed": close,
    "silent": fall_silent,
    "navigated": navigate,
    "signed out": sign_out,
}


@pytest.mark.parametrize("what", GONE)
def test_a_tab_that_is_gone_can_agree_no_more(
    asked: Reply, mina: Person, tab: Tab, robot: Agent, talk: Conversation, what: str
) -> None:
    card = tab.card()
    GONE[what](tab, talk)
    reply = tab.decide(card)
    assert reply.status in (401, 403, 409)
    assert code.times() == 0
    told = robot.poll(asked)
    assert (told.status, told.json()["outcome"], told.json()["code"]) == (200, "CANCELLED", Code.PAGE_CLOSED)
    assert told.json()["executed"] is False
    assert verdict()[:2] == ("expired", "expired")
    assert tab.decide(card).status in (401, 403, 409)
    assert code.times() == 0


def test_a_command_that_is_deleted_takes_the_asking_with_it(
    asked: Reply, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    card = tab.card()
    delete_command(tab, talk)
    assert tab.cards() == []
    assert robot.poll(asked).json()["success"] is False
    assert tab.decide(card).json()["success"] is False
    assert code.times() == 0


def test_a_page_that_is_switched_off_lets_nothing_run(asked: Reply, tab: Tab, robot: Agent) -> None:
    card = tab.card()
    Page.objects.update(enabled=False)
    assert tab.decide(card).json()["success"] is False
    assert robot.poll(asked).json()["success"] is False
    assert code.times() == 0


def test_while_another_command_runs_the_approval_is_asked_to_wait_and_nothing_is_lost(
    asked: Reply, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    card = tab.card()
    busy_elsewhere(tab, talk)
    reply = tab.decide(card)
    assert (reply.status, reply.json()["code"]) == (409, Code.BUSY)
    assert verdict()[0] == "waiting"
    PageSession.objects.update(busy_call=None, busy_until=None)
    assert tab.decide(card).status == 200
    assert code.times("note") == 1


# What the agent hears of an end that nobody clicked on


@pytest.mark.parametrize(
    ("what", "outcome"),
    [
        ("the time is over", "CANCELLED"),
        ("the page has changed", "CONFLICT"),
        ("the right to view it is gone", "REJECTED"),
        ("the right to run it is gone", "REJECTED"),
        ("the token may not act", "REJECTED"),
        ("the person stopped their agents", "REJECTED"),
        ("the doors are closed", "REJECTED"),
        ("the command is off", "REJECTED"),
    ],
)
def test_who_polls_is_told_the_end_and_nobody_can_agree_afterwards(
    asked: Reply, tab: Tab, robot: Agent, talk: Conversation, what: str, outcome: str
) -> None:
    happen, expected = ENDS[what]
    card = tab.card()
    happen(tab, talk)
    answer = robot.poll(asked).json()
    assert answer["outcome"] == outcome
    if what == "the token may not act":
        expected = "read_targets.token_may_not_act"
    if what == "the right to run it is gone":
        # Without any command to run there is no such tool.
        expected = "read_targets.unknown_tool"
    assert answer["code"] == expected
    assert robot.run("note", talk.pk, key="k-1").json()["code"] == expected
    assert not tab.decide(card).json()["success"]
    assert code.times() == 0


# Reload, second tab, superseding


def test_after_a_reload_the_card_is_still_there_and_can_be_agreed_to(asked: Reply, tab: Tab, robot: Agent) -> None:
    again = tab.reload()
    assert again.id == tab.id
    assert again.approve().status == 200
    assert code.times("note") == 1
    assert robot.poll(asked).json()["outcome"] == "READY"


def test_the_nonce_of_before_the_reload_is_as_good(asked: Reply, tab: Tab) -> None:
    card = tab.card()
    tab.reload()
    assert tab.decide(card).status == 200
    assert code.times("note") == 1


def test_a_second_tab_does_not_show_the_card_and_cannot_decide_it(asked: Reply, tab: Tab, mina: Person) -> None:
    second = tab.browser.open()
    assert second.cards() == []
    card = tab.card()
    for session in (second.id, None, "", "x", 7):
        reply = tab.decide(card, session=session)
        assert (reply.status, reply.json()["code"]) == (403, Code.NO_PAGE)
    assert verdict()[0] == "waiting"
    assert tab.approve().status == 200
    assert code.times("note") == 1


def test_the_same_command_asked_anew_supersedes_what_waited(
    asked: Reply, desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    first_card = tab.card()
    other_talk = conversation("Another one")
    second = robot.run("note", other_talk.pk)
    assert second.status == 202
    told = robot.poll(asked)
    assert (told.json()["outcome"], told.json()["code"]) == ("CANCELLED", Code.SUPERSEDED)
    assert robot.run("note", talk.pk, key="k-1").body == told.body
    assert tab.card().id == second.json()["card"]["id"]
    late = tab.decide(first_card)
    assert (late.status, late.json()["code"]) == (409, Code.ALREADY_DECIDED)
    assert code.times() == 0
    assert tab.approve().status == 200
    assert code.times("note") == 1
    states = dict(CommandRun.objects.values_list("card__verdict", "state"))
    assert states == {"superseded": "superseded", "accepted": "executed"}


def test_other_commands_and_other_tabs_supersede_nothing(
    asked: Reply, desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.asks("another")
    second = mina.open()
    robot.run("another", talk.pk, page=tab)
    robot.run("note", talk.pk, page=second)
    assert len(tab.cards()) == 2
    assert len(second.cards()) == 1
    assert robot.poll(asked).status == 202


# What was agreed to is what runs


def test_arguments_cannot_change_after_the_asking(desk: Desk, tab: Tab, robot: Agent, talk: Conversation) -> None:
    parameters = ({"name": "word", "kind": "string"},)
    desk.command(
        "take",
        step("handler acting.everything", it="input", word="parameter word"),
        parameters=parameters,
        confirmation="REQUIRED",
    )
    other_talk = conversation("Another one")
    asked = robot.run("take", talk.pk, key="k-1", word="agreed")
    for changed in ({"input": other_talk.pk, "word": "agreed"}, {"input": talk.pk, "word": "other"}):
        reply = robot.run("take", key="k-1", **changed)
        assert (reply.status, reply.json()["code"]) == (409, "read_targets.key_reused")
    assert tab.approve().status == 200
    late = robot.run("take", talk.pk, key="k-1", word="other")
    assert (late.status, late.json()["code"]) == (409, "read_targets.key_reused")
    assert code.given == [{"it": talk, "word": "agreed"}]
    assert robot.poll(asked).json()["outcome"] == "READY"


def test_the_object_of_the_channel_is_pinned_when_it_is_asked(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.command("take", step("handler acting.everything", it="input"), input_channel="talk", confirmation="REQUIRED")
    robot.present("talk", talk.pk)
    asked = robot.run("take")
    assert "input" not in asked.json()
    assert tab.card().facts["For"] == f"“{talk.title}”"
    PageSession.objects.update(channels={"talk": str(conversation("Another").pk)})
    assert tab.approve().status == 200
    assert code.given == [{"it": talk}]
    assert "input" not in robot.poll(asked).json()


def test_what_fails_after_the_approval_is_told_to_the_person_and_to_the_agent(
    desk: Desk, tab: Tab, robot: Agent
) -> None:
    for name, how in (("break", "breaks"), ("refuse", "refuses"), ("send", "sends_and_breaks")):
        desk.command(name, step(f"handler acting.{how}"), takes="", confirmation="REQUIRED")
    expected = {
        "break": (Code.RUN_FAILED, "INTERNAL", 500),
        "refuse": (Code.REFUSED_BY_RULES, "REJECTED", 403),
        "send": (Code.OUTCOME_UNKNOWN, "DEPENDENCY", 503),
    }
    for name, (of_code, outcome, status) in expected.items():
        asked = robot.run(name, key=f"k-{name}")
        reply = tab.approve()
        assert (reply.status, reply.json()["code"]) == (status, of_code)
        assert len(reply.json()["reasons"]) == 1
        assert code.SECRET not in reply.text
        for told in (robot.poll(asked), robot.run(name, key=f"k-{name}")):
            answer = told.json()
            assert (answer["code"], answer["outcome"], told.status) == (of_code, outcome, status)
            assert answer["callId"] == asked.json()["callId"]
            assert answer["command"] == f"tests.{name}"
        assert tab.cards() == []
    assert code.times() == 0


def test_what_was_outside_and_approved_is_told_not_to_be_known_to_the_person(
    desk: Desk, tab: Tab, robot: Agent
) -> None:
    desk.command("send", step("handler acting.sends_and_breaks"), takes="", confirmation="REQUIRED")
    robot.run("send")
    answer = tab.approve().json()
    assert answer["reasons"] == ["It is not known whether it was done: look before you try again."]
    # Nobody can say that it was not.
    assert "executed" not in answer


# When it is asked


@pytest.mark.parametrize(("messages", "asks"), [(50, False), (51, True)])
def test_a_condition_decides_on_the_object_as_the_server_read_it(
    desk: Desk, tab: Tab, robot: Agent, messages: int, asks: bool
) -> None:
    desk.note(confirmation="CONDITIONAL", confirmation_condition="acting.is_long")
    answer = robot.run("note", conversation(messages=messages).pk).json()
    assert answer["outcome"] == ("NOT_READY" if asks else "READY")
    assert code.times("note") == (0 if asks else 1)


@pytest.mark.parametrize(("word", "asks"), [("safe", False), ("risky", True), ("Risky", False), (None, True)])
def test_a_condition_decides_on_the_parsed_arguments_and_an_error_in_it_asks(
    desk: Desk, tab: Tab, robot: Agent, word: str | None, asks: bool
) -> None:
    # Without the word the condition breaks.
    desk.count(
        confirmation="CONDITIONAL",
        confirmation_condition="acting.is_risky",
        parameters=({"name": "word", "kind": "string"},),
    )
    given = {} if word is None else {"word": word}
    assert robot.run("count", **given).json()["outcome"] == ("NOT_READY" if asks else "READY")
    assert code.times("count") == (0 if asks else 1)


def test_a_condition_that_breaks_asks_and_the_approval_runs(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.count(confirmation="CONDITIONAL", confirmation_condition="acting.breaks_as_condition")
    asked = robot.run("count")
    assert (asked.json()["outcome"], code.SECRET in asked.text) == ("NOT_READY", False)
    assert tab.approve().status == 200
    assert code.times("count") == 1


def test_what_became_risky_between_the_reading_and_the_lock_is_not_run(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.note(confirmation="CONDITIONAL", confirmation_condition="acting.is_long")
    from page_commands import running

    real = running.write_run

    def grow_first(*args: Any, **kwargs: Any) -> Any:
        Conversation.objects.update(messages=51)
        return real(*args, **kwargs)

    monkeypatch.setattr(running, "write_run", grow_first)
    reply = robot.run("note", talk.pk)
    assert (reply.status, reply.json()["code"]) == (409, Code.OBJECT_CHANGED)
    assert code.times() == 0


def test_a_persons_own_click_asks_nothing_more(desk: Desk, tab: Tab, talk: Conversation) -> None:
    desk.asks()
    desk.count("risky", confirmation="CONDITIONAL", confirmation_condition="acting.breaks_as_condition")
    assert tab.click("note", talk.pk).json()["outcome"] == "READY"
    assert tab.click("risky").json()["outcome"] == "READY"
    assert (code.times(), tab.cards()) == (2, [])


def test_confirm_clicks_asks_for_a_click_too(desk: Desk, tab: Tab, talk: Conversation) -> None:
    desk.asks(confirm_clicks=True)
    reply = tab.click("note", talk.pk)
    assert (reply.status, reply.json()["code"]) == (202, Code.WAITING_FOR_PERSON)
    assert code.times() == 0
    card = tab.card()
    assert "You clicked it." in card.text
    assert tab.decide(card).status == 200
    assert code.times("note") == 1
    # No agent called, so none can ask what became of it.
    assert not KeptAnswer.objects.exists()


def test_a_click_that_was_asked_for_can_be_declined(desk: Desk, tab: Tab, talk: Conversation) -> None:
    desk.asks(confirm_clicks=True)
    tab.click("note", talk.pk)
    assert tab.decline().status == 200
    assert (code.times(), tab.cards()) == (0, [])


@pytest.mark.parametrize("what", ["the person stopped their agents", "the doors are closed"])
def test_what_stops_agents_does_not_stop_the_persons_own_click(
    desk: Desk, tab: Tab, talk: Conversation, what: str
) -> None:
    desk.asks(confirm_clicks=True)
    tab.click("note", talk.pk)
    ENDS[what][0](tab, talk)
    assert tab.approve().status == 200
    assert code.times("note") == 1


def test_the_persons_own_call_with_their_session_asks_as_well(
    desk: Desk, mina: Person, tab: Tab, talk: Conversation
) -> None:
    desk.asks()
    body = {"command": "note", "input": str(talk.pk)}
    asked = tab.browser.post("/agent/tools/runPageCommand", body)
    assert asked.status == 202
    assert "It was asked for in your name." in tab.card().text
    assert tab.approve().status == 200
    told = tab.browser.get(f"/agent/calls/{asked.json()['callId']}")
    assert told.json()["outcome"] == "READY"


def test_the_answers_are_the_callers_own(asked: Reply, mina: Person, other: Person, tab: Tab) -> None:
    other.open()
    strangers = [mina.agent("another").poll(asked), other.agent().poll(asked)]
    missing = mina.agent("third").poll("00000000-0000-4000-8000-000000000000")
    for reply in (*strangers, missing):
        assert reply.status == 404
    assert len({reply.body.replace(reply.json()["callId"].encode(), b"") for reply in (*strangers, missing)}) == 1
    assert tab.browser.get(f"/agent/calls/{asked.json()['callId']}").status == 202


def test_a_busy_page_asks_nothing(desk: Desk, tab: Tab, robot: Agent, talk: Conversation) -> None:
    desk.asks()
    busy_elsewhere(tab, talk)
    reply = robot.run("note", talk.pk)
    assert reply.json()["code"] in (Code.BUSY, Code.WAITING_FOR_PERSON)
    assert code.times() == 0


def test_channels_are_declared_as_these_tests_take_them_to_be(desk: Desk) -> None:
    assert Channel.objects.filter(page=desk.page, may_present=True).count() == 2
    assert not Group.objects.filter(name__startswith="done").exists()
