"""What an agent is told of open pages: which there are, what one holds and offers; telling it changes nothing."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from page_commands.codes import Code
from page_commands.models import AgentCommand, Page, PageSession
from project.demo.factory.models import Conversation

from .conftest import Person
from .desk import Desk, step
from .tab import Agent, Tab
from .tables import LOGS, differences, tables

READS = ("openPages", "pageCommands")


def test_the_two_that_tell_and_the_two_that_act_say_which_they_are(desk: Desk, robot: Agent) -> None:
    tools = robot.wire.send("GET", "/agent/tools", **robot.headers).json()["tools"]
    classes = {tool["name"]: tool["toolClass"] for tool in tools}
    assert classes == {
        "openPages": "SNAPSHOT_READ",
        "pageCommands": "SNAPSHOT_READ",
        "runPageCommand": "UI_COMMAND",
        "present": "UI_COMMAND",
    }


def test_a_token_that_may_not_act_reads_and_does_nothing(desk: Desk, mina: Person, tab: Tab, talk: Any) -> None:
    desk.show()
    reader = mina.agent(may_act=False)
    assert [page["id"] for page in reader.pages()] == [tab.id]
    assert reader.commands().json()["outcome"] == "READY"
    for reply in (reader.run("show", talk.pk), reader.present("talk", talk.pk)):
        assert (reply.json()["code"], reply.status) == ("read_targets.token_may_not_act", 403)
    assert tab.pull() == []


# openPages


def test_open_pages_tells_every_tab_that_is_open_oldest_first(desk: Desk, mina: Person, robot: Agent) -> None:
    assert robot.call("openPages", {}).json()["state"] == {"pages": []}
    browser = mina.browser()
    first, second = browser.open(title="One \u202e<b>"), browser.open(title="x" * 200)
    elsewhere = mina.open()
    pages = robot.pages()
    assert [page["id"] for page in pages] == [first.id, second.id, elsewhere.id]
    assert pages[0] == {"id": first.id, "page": "tests.desk", "label": "Desk", "title": "One <b>", "version": 1}
    assert pages[1]["title"] == "x" * 79 + "…"


def test_a_page_that_is_not_open_any_more_is_not_told(desk: Desk, mina: Person, robot: Agent) -> None:
    left, silent, navigated = mina.open(), mina.open(), mina.open()
    signed_out, off = mina.open(), mina.open()
    left.leave()
    navigated.go_to()
    session = PageSession.objects.filter(pk=silent.id)
    session.update(seen_at=timezone.now() - timedelta(seconds=91))
    body = f"csrfmiddlewaretoken={signed_out.browser.wire.cookies['csrftoken']}".encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert signed_out.browser.wire.send("POST", "/accounts/logout/", body, **kind).status == 302
    told = [page["id"] for page in robot.pages()]
    gone = {left.id, silent.id, navigated.id, signed_out.id}
    assert off.id in told
    assert not gone & set(told)
    assert len(told) == 2
    Page.objects.update(enabled=False)
    assert robot.pages() == []
    for tab in (left, silent, navigated, signed_out, off):
        assert not tab.is_open()


def test_pages_are_the_persons_own(desk: Desk, mina: Person, other: Person) -> None:
    desk.count()
    mine, theirs = mina.open(), other.open()
    assert [page["id"] for page in mina.agent().pages()] == [mine.id]
    missing = mina.agent().run("count", page="0" * 8 + "-0000-4000-8000-" + "0" * 12)
    foreign = mina.agent().run("count", page=theirs)
    for reply in (missing, foreign):
        assert reply.json()["code"] == Code.NO_PAGE
    assert without_call(missing) == without_call(foreign)


def without_call(reply: Any) -> dict[str, Any]:
    """An answer without the id of its call."""
    answer: dict[str, Any] = reply.json()
    answer.pop("callId")
    return answer


# Which page is meant


def test_the_only_open_page_is_meant_where_none_is_named(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.count()
    assert robot.run("count").json()["resultingState"]["page"] == "tests.desk"
    assert robot.commands().json()["state"]["page"]["id"] == tab.id


def test_with_two_open_the_answer_asks_which_and_nothing_is_done(
    desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Any
) -> None:
    desk.show()
    second = mina.open()
    for reply in (robot.commands(), robot.run("show", talk.pk), robot.present("talk", talk.pk)):
        answer = reply.json()
        assert (answer["code"], reply.status) == (Code.WHICH_PAGE, 400)
        assert [page["id"] for page in answer["pages"]] == [tab.id, second.id]
        assert answer["nextAction"] == {"type": "FIX_ARGUMENTS", "fields": ["page"]}
    assert tab.pull() == second.pull() == []


def test_a_named_tab_gets_the_effect_and_the_other_does_not_move(
    desk: Desk, mina: Person, robot: Agent, talk: Any
) -> None:
    desk.show()
    browser = mina.browser()
    first, second = browser.open(), browser.open()
    before = PageSession.objects.filter(pk=first.id).values().get()
    answer = robot.run("show", talk.pk, page=second).json()
    assert answer["outcome"] == "READY"
    assert (first.pull(), first.views()) == ([], {})
    assert PageSession.objects.filter(pk=first.id).values().get() == before
    assert list(second.views()) == ["talk_view"]
    # Ids of pages are told in small letters; written otherwise they are the same.
    assert robot.run("show", talk.pk, page=second.id.upper()).json()["outcome"] == "READY"


def test_a_named_page_that_is_not_open_is_none_even_where_another_is(
    desk: Desk, mina: Person, tab: Tab, robot: Agent
) -> None:
    desk.count()
    second = mina.open()
    second.leave()
    assert robot.run("count", page=second).json()["code"] == Code.NO_PAGE
    for nonsense in ("x", "0", "%", "'", tab.id + "0", "tests.desk"):
        assert robot.run("count", page=nonsense).json()["code"] == Code.NO_PAGE


# pageCommands


def test_page_commands_tells_what_the_page_holds_and_what_each_command_takes(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.show()
    desk.asks("archive", described=False, input_channel="talk")
    desk.count(
        parameters=({"name": "word", "kind": "enum", "values": "a\nb", "required": True, "description": "A word."},),
        confirmation="CONDITIONAL",
        confirmation_condition="acting.breaks_as_condition",
    )
    robot.present("talk", talk.pk)
    answer = robot.commands().json()
    held = {"type": "factory.conversation", "id": str(talk.pk), "name": talk.title}
    assert answer["state"]["page"] == {
        "id": tab.id,
        "page": "tests.desk",
        "label": "Desk",
        "title": "Desk",
        "version": 2,
        "description": "A desk.",
    }
    assert answer["state"]["channels"] == [
        {"name": "talk", "type": "factory.conversation", "mayPresent": True, "holds": held},
        {"name": "tenant", "type": "factory.tenant", "mayPresent": True, "holds": None},
        {"name": "quiet", "type": "factory.conversation", "mayPresent": False, "holds": None},
    ]
    assert answer["state"]["views"] == [{"name": "talk_view", "object": held}]
    told = {"description": "A command of the tests."}
    assert answer["state"]["commands"] == [
        {
            "name": "tests.show",
            "label": "Show",
            **told,
            "takesObject": True,
            "inputType": "factory.conversation",
            "inputDescription": "What it is for.",
        },
        {
            "name": "tests.archive",
            "label": "Archive",
            **told,
            "takesObject": False,
            "inputChannel": "talk",
            "confirmation": "REQUIRED",
        },
        {
            "name": "tests.count",
            "label": "Count",
            **told,
            "takesObject": False,
            "parameters": {
                "type": "object",
                "properties": {"word": {"type": "string", "enum": ["a", "b"], "description": "A word."}},
                "required": ["word"],
            },
            "confirmation": "CONDITIONAL",
        },
    ]


def test_what_cannot_be_offered_is_not_told_and_not_run(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.count("good")
    desk.count("off", enabled=False)
    desk.command("unsound", step("handler nobody.wrote_it"), takes="")
    desk.command("empty", takes="")
    desk.count("unnamed_right", rules=("no_such_rule",))
    assert [one["name"] for one in robot.commands().json()["state"]["commands"]] == ["tests.good"]
    assert tab.buttons() == ["good"]
    for name in ("off", "unsound", "empty", "unnamed_right", "missing", "", "a\0b"):
        reply = robot.run(name or " ")
        assert reply.status in (400, 403)
        assert not reply.json()["success"]
    assert len({str(without_call(robot.run(name))) for name in ("off", "unsound", "empty", "missing")}) == 1
    for name in ("off", "unsound", "missing"):
        assert tab.click(name).json()["code"] == Code.UNLISTED_COMMAND


def test_a_command_is_called_by_the_name_that_is_told_or_by_the_pages_own(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.count()
    for name in ("tests.count", "count"):
        assert robot.run(name).json()["command"] == "tests.count"
        assert tab.click(name).json()["command"] == "tests.count"
    for name in ("other.count", "tests.tests.count", "tests.desk:count", "Count", "tests."):
        assert robot.run(name).json()["code"] == Code.UNLISTED_COMMAND


def test_a_command_of_another_page_is_not_there(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.count("mine")
    page = Page.objects.create(key="tests.elsewhere", label={"en": "Elsewhere"})
    Desk(page).count("theirs")
    assert robot.run("theirs").json()["code"] == Code.UNLISTED_COMMAND
    assert tab.click("theirs").json()["code"] == Code.UNLISTED_COMMAND


def test_labels_are_told_in_the_persons_language(desk: Desk, german: Person) -> None:
    desk.count()
    german.open()
    state = german.agent().commands().json()["state"]
    assert (state["page"]["label"], state["commands"][0]["label"]) == ("Tisch", "count (de)")


def test_an_object_that_the_person_may_not_read_any_more_is_withheld(
    desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.show()
    robot.run("show", talk.pk)
    mina.loses("factory.view_conversation")
    reply = robot.commands()
    state = reply.json()["state"]
    assert state["channels"][0]["holds"] == {"withheld": True}
    assert state["views"] == [{"name": "talk_view", "object": {"withheld": True}}]
    assert talk.title not in reply.text
    assert str(talk.pk) not in reply.text
    assert talk.title not in str(tab.views())


# Reading changes nothing


@pytest.mark.parametrize("tool", READS)
def test_a_read_changes_no_row_but_the_log(desk: Desk, tab: Tab, robot: Agent, talk: Any, tool: str) -> None:
    desk.show()
    desk.asks()
    robot.run("show", talk.pk)
    robot.run("note", talk.pk)
    before = tables()
    with CaptureQueriesContext(connection) as statements:
        assert robot.call(tool, {}).json()["outcome"] == "READY"
    assert differences(before, tables()) == {}
    written = {table for one in statements for table in written_by(one["sql"])}
    assert "read_targets_toolcall" in written
    assert written <= {label.replace(".", "_") for label in LOGS}


def written_by(sql: str) -> list[str]:
    """The tables that a statement changes."""
    reads = sql.lstrip("(").startswith(("SELECT", "SAVEPOINT", "RELEASE"))
    return [] if reads else re.findall(r'(?:INTO|UPDATE|FROM) "(\w+)"', sql)


def test_the_cost_of_telling_is_the_same_for_two_commands_and_for_twenty(
    desk: Desk, tab: Tab, robot: Agent, talk: Any
) -> None:
    def declare(number: int) -> None:
        desk.note(
            f"note_{number}",
            rules=("is_open", "is_fit"),
            parameters=({"name": "word", "kind": "string"}, {"name": "day", "kind": "date"}),
        )

    declare(0)
    declare(1)
    robot.present("talk", talk.pk)
    assert len(robot.commands().json()["state"]["commands"]) == 2
    counts = []
    for until in (2, 20):
        for number in range(AgentCommand.objects.count() - before_desk(), until):
            declare(number)
        with CaptureQueriesContext(connection) as statements:
            answer = robot.commands().json()
        assert len(answer["state"]["commands"]) == until
        counts.append(len(statements))
    assert counts[0] == counts[1] <= MOST_STATEMENTS


MOST_STATEMENTS = 32
"""Of a call of pageCommands from the token to the log; each prefetched kind of row is one."""


def before_desk() -> int:
    """How many commands there are of other pages."""
    return AgentCommand.objects.exclude(page__key="tests.desk").count()


# The version


def test_the_version_changes_with_what_is_seen_and_with_nothing_else(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.show()
    desk.note()
    desk.asks("ask")
    desk.command("go", step("open_page factory:start"), takes="")

    def version() -> int:
        return PageSession.objects.get().version

    unseen = (
        lambda: tab.beat(),
        lambda: tab.pull(),
        lambda: robot.commands(),
        lambda: robot.run("note", talk.pk),
        lambda: robot.run("ask", talk.pk),
        lambda: tab.decline(),
        lambda: robot.run("go"),
        lambda: tab.reload(),
    )
    for action in unseen:
        action()
        assert version() == 1
    robot.run("show", talk.pk)
    assert version() == 2
    robot.run("show", talk.pk)
    assert version() == 2
    Conversation.objects.update(title="Renamed")
    assert version() == 2


def test_a_reload_keeps_what_is_shown_and_the_session(desk: Desk, tab: Tab, robot: Agent, talk: Conversation) -> None:
    desk.show()
    desk.command("form", step("show_view talk_form", object="input"))
    robot.run("show", talk.pk)
    robot.run("form", talk.pk)
    before = tab.views()
    again = tab.reload()
    assert again.id == tab.id
    assert {view["name"]: view["html"] for view in again.parts["views"]} == before
    assert list(before) == ["talk_view", "talk_form"]
    assert robot.pages()[0]["version"] == 3
