"""The permission matrix of commands: every way to hold or not to hold the rights, at every door of an open page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from guardian.shortcuts import assign_perm

from page_commands.codes import Code
from page_commands.models import AgentCommand, CommandRun, PageSession
from project.demo.factory.models import Conversation
from read_targets.cards.clicks import nonce_for
from tests.page_commands.acting import code
from tests.page_commands.conftest import Person
from tests.page_commands.desk import Desk, conversation, hire, permission
from tests.page_commands.tab import Agent, Browser, Tab
from tests.page_commands.tables import differences, tables
from tests.page_commands.wires import InProcess, Reply

MARK = "mark-of-an-object"
RUN, VIEW, CHANGE = "page_commands.run_agentcommand", "factory.view_conversation", "factory.change_conversation"
ALL, GRANTED, UNREADABLE, NOT_PERMITTED, UNLISTED, NO_TOOL, NOBODY = (
    "all", "granted", "unreadable", "not permitted", "unlisted", "no tool", "nobody",
)  # fmt: skip

KINDS = {
    "superuser": ALL,
    "model": ALL,
    "group model": ALL,
    "model and object": ALL,
    "object": GRANTED,
    "group object": GRANTED,
    "both": GRANTED,
    "none": NO_TOOL,
    "objects without command": NO_TOOL,
    "another command": UNLISTED,
    "command without objects": UNREADABLE,
    "command and view": NOT_PERMITTED,
    "inactive model": NOBODY,
    "inactive object": NOBODY,
    "inactive superuser": NOBODY,
}
"""How a person may hold the rights to the command `note` and the first of two conversations, and what they may do."""


@dataclass
class Case:
    """A person of a kind, who has the page open, and whose agent may act."""

    kind: str
    user: User
    tab: Tab
    agent: Agent
    granted: Conversation
    other: Conversation

    @property
    def may(self) -> str:
        """What the kind may do."""
        return KINDS[self.kind]


def entitle(user: User, kind: str, command: AgentCommand, granted: Conversation) -> None:
    """Give a person the rights of their kind."""
    group = Group.objects.create(name=f"group of {kind}")
    user.groups.add(group)
    rights = [RUN, VIEW, CHANGE]
    if kind in ("model", "model and object", "inactive model"):
        user.user_permissions.add(*map(permission, rights))
    if kind == "group model":
        group.permissions.add(*map(permission, rights))
    if kind == "objects without command":
        user.user_permissions.add(permission(VIEW), permission(CHANGE))
    if kind == "command without objects":
        user.user_permissions.add(permission(RUN))
    if kind == "command and view":
        user.user_permissions.add(permission(RUN), permission(VIEW))
    if kind == "another command":
        assign_perm(RUN, user, AgentCommand.objects.get(name="another"))
        user.user_permissions.add(permission(VIEW), permission(CHANGE))
    holders = {
        "object": [user],
        "model and object": [user],
        "inactive object": [user],
        "group object": [group],
        "both": [user, group],
    }
    for holder in holders.get(kind, []):
        assign_perm(RUN, holder, command)
        assign_perm(VIEW, holder, granted)
        assign_perm(CHANGE, holder, granted)


@pytest.fixture(params=KINDS)
def case(request: pytest.FixtureRequest, desk: Desk) -> Case:
    """Each kind of person in turn; an inactive one had everything open before they were made so."""
    kind = request.param
    desk.note("another")
    command = desk.show("note")
    granted, other = conversation(f"{MARK} one"), conversation(f"{MARK} two")
    user = hire(f"person {kind}")
    person = Person(user)
    tab, agent = person.open(), person.agent()
    entitle(user, kind, command, granted)
    User.objects.filter(pk=user.pk).update(is_superuser="superuser" in kind, is_active="inactive" not in kind)
    return Case(kind, user, tab, agent, granted, other)


REFUSED: dict[str, tuple[str, int]] = {
    GRANTED: (Code.OBJECT_UNREADABLE, 403),
    UNREADABLE: (Code.OBJECT_UNREADABLE, 403),
    NOT_PERMITTED: (Code.INPUT_NOT_PERMITTED, 403),
    UNLISTED: (Code.UNLISTED_COMMAND, 403),
    NO_TOOL: ("read_targets.unknown_tool", 403),
    NOBODY: ("read_targets.bad_credential", 401),
}


def refused(reply: Reply, expected: tuple[str, int]) -> None:
    """The reply is the refusal, and tells nothing of any object."""
    assert (reply.json()["code"], reply.status) == expected
    assert MARK not in reply.text


def test_each_person_does_at_every_door_what_is_theirs_and_nothing_else(case: Case) -> None:
    for door in (is_told, agent_runs, click_runs, agent_presents, page_shows):
        PageSession.objects.update(channels={}, views=[])
        door(case)


def is_told(case: Case) -> None:
    """The command is told to those who may run it, and its tool to those who may run any."""
    reply = case.agent.commands()
    if case.may in (NO_TOOL, NOBODY):
        refused(reply, REFUSED[case.may])
        assert case.agent.call("openPages", {}).json()["code"] == REFUSED[case.may][0]
    else:
        names = [command["name"] for command in reply.json()["state"]["commands"]]
        assert ("tests.note" in names) is (case.may != UNLISTED)
    tools = case.agent.wire.send("GET", "/agent/tools", **case.agent.headers).text
    assert ("runPageCommand" in tools) is (case.may not in (NO_TOOL, NOBODY))


def agent_runs(case: Case) -> None:
    """An agent runs it for what the person may."""
    for one in (case.granted, case.other):
        before = tables()
        reply = case.agent.run("note", one.pk)
        if case.may == ALL or (case.may == GRANTED and one == case.granted):
            assert reply.json()["changed"]["channels"]["talk"]["id"] == str(one.pk)
        else:
            refused(reply, REFUSED[case.may])
            assert differences(before, tables()) == {}


def click_runs(case: Case) -> None:
    """A click runs it for what the person may."""
    # Whoever may not sign in any more has no page open any more, which is written down when they are met again.
    left_out = ("page_commands.pagesession", "page_commands.effect") if case.may == NOBODY else ()
    for one in (case.granted, case.other):
        if case.may != NOBODY:
            case.tab.pull()
        before = tables(*left_out)
        reply = case.tab.click("note", one.pk)
        if case.may == ALL or (case.may == GRANTED and one == case.granted):
            assert reply.json()["changed"]["channels"]["talk"]["id"] == str(one.pk)
            continue
        assert MARK not in reply.text
        assert differences(before, tables(*left_out)) == {}
        if case.may == NOBODY:
            assert (reply.status, list(reply.json())) == (403, ["error"])
        else:
            refused(reply, REFUSED[UNLISTED] if case.may == NO_TOOL else REFUSED[case.may])


def agent_presents(case: Case) -> None:
    """An agent presents what the person may view."""
    views_all = case.kind in ("another command", "command and view")
    for one in (case.granted, case.other):
        before = tables()
        reply = case.agent.present("talk", one.pk)
        if case.may == ALL or views_all or (case.may == GRANTED and one == case.granted):
            assert reply.json()["changed"]["channels"]["talk"]["id"] == str(one.pk)
        else:
            refused(reply, REFUSED[case.may])
            assert differences(before, tables()) == {}


def page_shows(case: Case) -> None:
    """The page shows the button and the object to those who may run the one and view the other."""
    AgentCommand.objects.filter(name="note").update(input_channel="talk")
    PageSession.objects.filter(pk=case.tab.id).update(channels={"talk": str(case.granted.pk)})
    if case.may == NOBODY:
        reply = case.tab.look()
        assert (reply.status, MARK in reply.text) == (403, False)
        return
    sees = case.may in (ALL, GRANTED, NOT_PERMITTED, UNLISTED) or case.kind == "objects without command"
    assert (MARK in case.tab.views()["talk_view"]) is sees
    assert ("note" in case.tab.buttons()) is (case.may in (ALL, GRANTED, NOT_PERMITTED))


DECIDED = {
    ALL: None,
    GRANTED: None,
    UNREADABLE: Code.OBJECT_UNREADABLE,
    NOT_PERMITTED: Code.INPUT_NOT_PERMITTED,
    UNLISTED: Code.UNLISTED_COMMAND,
    NO_TOOL: Code.UNLISTED_COMMAND,
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_asked_is_run_by_an_approval_only_under_the_rights_held_then(desk: Desk, kind: str) -> None:
    desk.note("another")
    command = desk.asks()
    talk = conversation(f"{MARK} one")
    user = hire(f"person {kind}", is_superuser=True)
    person = Person(user)
    tab, agent = person.open(), person.agent()
    assert agent.run("note", talk.pk).status == 202
    card = tab.card()
    entitle(user, kind, command, talk)
    User.objects.filter(pk=user.pk).update(is_superuser="superuser" in kind, is_active="inactive" not in kind)
    reply = tab.decide(card)
    if KINDS[kind] == NOBODY:
        assert reply.status in (401, 403)
        assert CommandRun.objects.get().state == "waiting"
    else:
        assert reply.json().get("code") == DECIDED[KINDS[kind]]
        assert (reply.status == 200) is (KINDS[kind] in (ALL, GRANTED))
    assert code.times("note") == (1 if KINDS[kind] in (ALL, GRANTED) else 0)


def test_nobody_who_is_not_signed_in_gets_anywhere(desk: Desk, mina: Person, tab: Tab, talk: Any) -> None:
    Conversation.objects.filter(pk=talk.pk).update(title=MARK)
    desk.asks()
    mina.agent().run("note", talk.pk)
    card = tab.card()
    wire = InProcess()
    wire.client.cookies["csrftoken"] = "c" * 32
    stranger = Browser(wire, mina.user.pk)
    before = tables()
    replies = {
        "list": stranger.get("/agent/tools"),
        "pages": stranger.post("/agent/tools/openPages", {}),
        "run": stranger.post("/agent/tools/runPageCommand", {"command": "note", "input": str(talk.pk)}),
        "present": stranger.post("/agent/tools/present", {"channel": "talk", "input": str(talk.pk)}),
        "poll": stranger.get(f"/agent/calls/{CommandRun.objects.get().pk}"),
        "open": stranger.post("/pages/sessions", {"ticket": tab.browser.ticket("tests.desk"), "tab": "x" * 32}),
        "look": stranger.get(tab.address),
        "beat": stranger.post(f"{tab.address}/beat", {"shown": 1}),
        "leave": stranger.post(f"{tab.address}/leave", {}),
        "click": stranger.post(f"{tab.address}/commands/note", {"nonce": tab.told["nonce"], "object": str(talk.pk)}),
        "decide": stranger.post(card.address, {"decision": "approve", "nonce": card.nonce, "session": card.session}),
        "stream": stranger.get("/pages/stream"),
    }
    assert {name: reply.status for name, reply in replies.items() if reply.status not in (401, 403)} == {}
    assert all(MARK not in reply.text for reply in replies.values())
    assert differences(before, tables()) == {}


# Missing and forbidden


def bytes_of(reply: Reply) -> bytes:
    """An answer byte for byte, apart from the id of its call."""
    return reply.body.replace(reply.json()["callId"].encode(), b"")


def test_a_missing_object_and_a_forbidden_one_read_the_same(desk: Desk, mina: Person, tab: Tab, robot: Agent) -> None:
    desk.note()
    mina.loses(VIEW)
    talk = conversation(MARK)
    doors = (
        lambda: robot.run("note", talk.pk),
        lambda: tab.click("note", talk.pk),
        lambda: robot.present("talk", talk.pk),
    )
    key = talk.pk
    forbidden = [bytes_of(door()) for door in doors]
    talk.delete()
    talk.pk = key
    assert [bytes_of(door()) for door in doors] == forbidden
    assert all(str(key).encode() in body or b'"input"' not in body for body in forbidden)


def test_a_missing_command_and_a_forbidden_one_read_the_same(
    desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Any
) -> None:
    command = desk.note()
    desk.note("another")
    mina.loses(RUN)
    assign_perm(RUN, mina.user, AgentCommand.objects.get(name="another"))
    doors = (lambda: robot.run("note", talk.pk), lambda: tab.click("note", talk.pk))
    forbidden = [bytes_of(door()) for door in doors]
    command.delete()
    assert [bytes_of(door()) for door in doors] == forbidden


def test_a_missing_channel_and_one_that_takes_nothing_read_the_same(
    desk: Desk, tab: Tab, robot: Agent, talk: Any
) -> None:
    desk.count()
    closed, missing = robot.present("quiet", talk.pk), robot.present("nothing", talk.pk)
    assert bytes_of(closed) == bytes_of(missing)
    assert closed.json()["params"]["channel"]["values"] == ["talk", "tenant"]


def test_a_strangers_card_and_one_that_is_not_there_read_the_same(
    desk: Desk, mina: Person, other: Person, tab: Tab, robot: Agent, talk: Any
) -> None:
    desk.asks()
    robot.run("note", talk.pk)
    card = tab.card()
    theirs = other.open()
    request: Any = SimpleNamespace(
        user=other.user, session=SimpleNamespace(session_key=theirs.browser.wire.cookies["sessionid"])
    )
    missing_id = "00000000-0000-4000-8000-000000000000"
    bodies = []
    for card_id in (card.id, missing_id):
        html = card.html.replace(card.id, card_id).replace(card.nonce, nonce_for(request, card_id))
        reply = theirs.decide(replace(card, id=card_id, html=html), session=theirs.id)
        assert reply.status == 403
        assert reply.json()["code"] == "read_targets.card_unavailable"
        bodies.append(reply.body)
    assert bodies[0] == bodies[1]
    assert code.times() == 0
