"""What is asked before a run is asked once more under the lock, and again whenever its answer is asked for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from page_commands import running
from page_commands.codes import Code
from page_commands.live.sessions import end_sessions
from page_commands.models import AgentCommand, CommandRun, Page, PageSession
from project.demo.factory.models import Conversation
from read_targets.agent.tokens import create_token
from read_targets.management.commands import forget_expired
from read_targets.models import KeptAnswer, ToolCall, Toolset

from .acting import code
from .conftest import Person
from .desk import Desk, step
from .tab import Agent, Tab
from .tables import differences, tables
from .wires import InProcess

MEANWHILE: dict[str, tuple[Callable[[Person], Any], str]] = {
    "the object was closed": (lambda mina: Conversation.objects.update(state="CLOSED"), Code.REFUSED_BY_RULES),
    "the object went": (lambda mina: Conversation.objects.all().delete(), Code.OBJECT_UNREADABLE),
    "the right to view it went": (lambda mina: mina.loses("factory.view_conversation"), Code.OBJECT_UNREADABLE),
    "the right to change it went": (lambda mina: mina.loses("factory.change_conversation"), Code.INPUT_NOT_PERMITTED),
    "the right to run it went": (lambda mina: mina.loses("page_commands.run_agentcommand"), Code.UNLISTED_COMMAND),
    "the command was switched off": (lambda mina: AgentCommand.objects.update(enabled=False), Code.UNLISTED_COMMAND),
    "the page was switched off": (lambda mina: Page.objects.update(enabled=False), Code.NO_PAGE),
    "the tab was closed": (lambda mina: PageSession.objects.update(left_at=timezone.now()), Code.NO_PAGE),
    "the session ended": (lambda mina: end_sessions(PageSession.objects.all()), Code.NO_PAGE),
}


@pytest.mark.parametrize("by", ["agent", "click"])
@pytest.mark.parametrize("what", MEANWHILE)
def test_what_happens_between_the_reading_and_the_lock_is_seen(
    desk: Desk,
    mina: Person,
    tab: Tab,
    robot: Agent,
    talk: Conversation,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    by: str,
) -> None:
    desk.note(rules=("is_open",))
    happen, expected = MEANWHILE[what]
    write_run, key = running.write_run, talk.pk

    def and_meanwhile(*args: Any, **kwargs: Any) -> CommandRun:
        happen(mina)
        return write_run(*args, **kwargs)

    monkeypatch.setattr(running, "write_run", and_meanwhile)
    reply = robot.run("note", key) if by == "agent" else tab.click("note", key)
    assert (reply.json()["code"], reply.status) == (expected, 403)
    assert reply.json()["command"] == "tests.note"
    assert code.times() == 0
    run = CommandRun.objects.get()
    assert (run.state, run.code, run.lease_until) == ("failed", expected, None)
    assert PageSession.objects.get().busy_call is None


# Its answer, asked for again


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("factory.view_conversation", Code.OBJECT_UNREADABLE),
        ("page_commands.run_agentcommand", "read_targets.unknown_tool"),
    ],
)
def test_a_replay_asks_the_rights_again(
    desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Conversation, right: str, expected: str
) -> None:
    desk.show()
    first = robot.run("show", talk.pk, key="k-1")
    assert robot.run("show", talk.pk, key="k-1").body == robot.poll(first).body == first.body
    mina.loses(right)
    for reply in (robot.run("show", talk.pk, key="k-1"), robot.poll(first)):
        assert (reply.json()["code"], reply.status) == (expected, 403)
        assert talk.title not in reply.text
    mina.gains(right)
    assert robot.poll(first).body == first.body


def test_the_answer_of_a_command_that_deleted_its_object_can_still_be_asked_for(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.command("remove", step("handler acting.removes", conversation="input"))
    first = robot.run("remove", talk.pk, key="k-1")
    assert first.json()["changed"]["object"]["gone"] is True
    assert robot.run("remove", talk.pk, key="k-1").body == robot.poll(first).body == first.body
    assert code.times("removes") == 1


def test_present_is_done_once_for_a_key_and_its_answer_asks_the_rights_again(
    desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.count()
    first = robot.present("talk", talk.pk, key="k-1")
    assert robot.present("talk", talk.pk, key="k-1").body == first.body
    assert robot.present("tenant", talk.pk, key="k-1").json()["code"] == "read_targets.key_reused"
    assert len(tab.pull()) == 1
    mina.loses("factory.view_conversation")
    for reply in (robot.present("talk", talk.pk, key="k-1"), robot.poll(first)):
        assert reply.json()["code"] == Code.OBJECT_UNREADABLE
        assert talk.title not in reply.text


def test_a_refused_call_leaves_its_key_free(desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Any) -> None:
    desk.note()
    mina.loses("factory.change_conversation")
    assert robot.run("note", talk.pk, key="k-1").json()["code"] == Code.INPUT_NOT_PERMITTED
    mina.gains("factory.change_conversation")
    assert robot.run("note", talk.pk, key="k-1").json()["outcome"] == "READY"
    assert code.times("note") == 1


# A tab that is being reloaded


def test_an_approval_that_comes_while_the_tab_is_reloading_loses_nothing(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.asks()
    asked = robot.run("note", talk.pk)
    card = tab.card()
    tab.leave()
    reply = tab.decide(card)
    assert (reply.status, reply.json()["code"]) == (403, Code.NO_PAGE)
    assert code.times() == 0
    assert robot.poll(asked).status == 202
    again = tab.browser.open(tab=tab.tab)
    assert again.id == tab.id
    assert again.approve().status == 200
    assert code.times("note") == 1


# The log, and what is kept


def test_every_click_and_every_call_is_logged_without_what_it_was_about(
    desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.note(parameters=({"name": "word", "kind": "string"},))
    robot.run("note", talk.pk, word="a secret word")
    tab.click("note", talk.pk, word="a secret word")
    tab.click("nothing")
    robot.run("nothing")
    told = list(ToolCall.objects.order_by("at").values_list("tool", "outcome", "code", "agent", "user__username"))
    assert told == [
        ("runPageCommand", "READY", "", "Robot", "mina"),
        ("click.note", "READY", "", "", "mina"),
        ("click.nothing", "REJECTED", Code.UNLISTED_COMMAND, "", "mina"),
        ("runPageCommand", "REJECTED", Code.UNLISTED_COMMAND, "Robot", "mina"),
    ]
    assert "secret" not in str(list(ToolCall.objects.values()))


def test_a_click_that_cannot_be_logged_is_answered_all_the_same(
    desk: Desk, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.count()

    def broken(**facts: Any) -> Any:
        raise DatabaseError(code.SECRET)

    monkeypatch.setattr("page_commands.live.clicks.log_call", broken)
    reply = tab.click("count")
    assert (reply.status, reply.json()["outcome"]) == (200, "READY")
    assert code.times("count") == 1


def test_a_token_reaches_commands_only_through_its_toolsets(desk: Desk, mina: Person, tab: Tab) -> None:
    desk.count()
    pages = Toolset.objects.create(key="pages", label={"en": "Pages"})
    pages.entries.create(tool_key="pages")
    nothing = Toolset.objects.create(key="nothing", label={"en": "Nothing"})
    for toolset, status in ((pages, 200), (nothing, 403)):
        agent = Agent(InProcess(), create_token(mina.user, "bound", toolsets=[toolset], may_act=True)[1])
        assert agent.run("count").status == status
        assert agent.commands().status == status
    assert code.times("count") == 1


def test_what_is_past_its_time_is_forgotten_and_nothing_else(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.asks()
    asked = robot.run("note", talk.pk)
    before = tables()
    forget_expired.Command().handle()
    assert differences(before, tables()) == {}
    long_ago = timezone.now() - timedelta(days=1, seconds=91)
    PageSession.objects.update(seen_at=long_ago)
    forget_expired.Command().handle()
    assert not PageSession.objects.exists()
    # Whoever still asks for the call hears that its page is gone.
    answer = robot.poll(asked).json()
    assert (answer["outcome"], answer["code"]) == ("CANCELLED", Code.PAGE_CLOSED)
    CommandRun.objects.update(asked_at=timezone.now() - timedelta(days=91))
    forget_expired.Command().handle()
    assert not CommandRun.objects.exists()
    assert KeptAnswer.objects.count() == 1
