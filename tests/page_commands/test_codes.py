"""Every code of a command's answers: its outcome, its status, what may be done next, and in which words it is said."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from page_commands.codes import Code
from page_commands.models import AgentCommand, CommandRun, PageSession
from project.demo.factory.models import Conversation
from read_targets.agent.tokens import revoke

from .acting import code as acting_code
from .conftest import Person
from .desk import Desk, conversation, step
from .tab import Agent, Tab
from .wires import Reply


@dataclass
class Scene:
    """What a code is produced in: a page without commands, open in one tab of a person whose agent may act."""

    desk: Desk
    person: Person
    tab: Tab
    agent: Agent
    talk: Any

    def asked(self) -> Reply:
        """A call that waits for the person."""
        self.desk.asks()
        return self.agent.run("note", self.talk.pk)


@pytest.fixture
def scene(desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Any) -> Scene:
    return Scene(desk, mina, tab, robot, talk)


Produce = Callable[[Scene], Reply]


def unlisted_command(scene: Scene) -> Reply:
    return scene.agent.run("nothing")


def takes_no_object(scene: Scene) -> Reply:
    scene.desk.note(described=False, input_channel="talk")
    return scene.agent.run("note", scene.talk.pk)


def object_unreadable(scene: Scene) -> Reply:
    scene.desk.note()
    return scene.agent.run("note", uuid.uuid4())


def input_missing(scene: Scene) -> Reply:
    scene.desk.note()
    return scene.agent.run("note")


def input_missing_on_its_channel(scene: Scene) -> Reply:
    scene.desk.note(described=False, input_channel="talk")
    return scene.agent.run("note")


def input_not_permitted(scene: Scene) -> Reply:
    scene.desk.note()
    scene.person.loses("factory.change_conversation")
    return scene.agent.run("note", scene.talk.pk)


def parameters_unreadable(scene: Scene) -> Reply:
    scene.desk.count(parameters=({"name": "word", "kind": "integer"},))
    return scene.agent.run("count", word="many")


def busy(scene: Scene) -> Reply:
    scene.desk.count()
    until = timezone.now() + timedelta(seconds=30)
    PageSession.objects.update(busy_call=uuid.uuid4(), busy_until=until)
    return scene.agent.run("count")


def no_page(scene: Scene) -> Reply:
    scene.desk.count()
    scene.tab.leave()
    return scene.agent.run("count")


def which_page(scene: Scene) -> Reply:
    scene.desk.count()
    scene.person.open()
    return scene.agent.run("count")


def refused_by_rules(scene: Scene) -> Reply:
    scene.desk.note(rules=("is_open",))
    return scene.agent.run("note", conversation("Closed", state="CLOSED").pk)


def not_presentable(scene: Scene) -> Reply:
    scene.desk.count()
    return scene.agent.present("quiet", scene.talk.pk)


def waiting_for_person(scene: Scene) -> Reply:
    return scene.asked()


def declined(scene: Scene) -> Reply:
    asked = scene.asked()
    scene.tab.decline()
    return scene.agent.poll(asked)


def confirmation_expired(scene: Scene) -> Reply:
    asked = scene.asked()
    CommandRun.objects.update(expires_at=timezone.now())
    return scene.agent.poll(asked)


def page_closed(scene: Scene) -> Reply:
    asked = scene.asked()
    scene.tab.go_to()
    return scene.agent.poll(asked)


def superseded(scene: Scene) -> Reply:
    asked = scene.asked()
    scene.agent.run("note", scene.talk.pk)
    return scene.agent.poll(asked)


def agent_stopped(scene: Scene) -> Reply:
    asked = scene.asked()
    revoke(scene.person.token())
    # The token is heard no more, so the person's own session asks what became of the call.
    return scene.tab.browser.get(f"/agent/calls/{asked.json()['callId']}")


def already_decided(scene: Scene) -> Reply:
    scene.asked()
    card = scene.tab.card()
    scene.tab.decide(card, "decline")
    return scene.tab.decide(card)


def object_changed(scene: Scene) -> Reply:
    asked = scene.asked()
    type(scene.talk).objects.update(title="Another title")
    scene.tab.approve()
    return scene.agent.poll(asked)


def page_changed(scene: Scene) -> Reply:
    asked = scene.asked()
    scene.agent.present("talk", scene.talk.pk)
    return scene.agent.poll(asked)


def command_changed(scene: Scene) -> Reply:
    asked = scene.asked()
    AgentCommand.objects.update(confirmation_button={"en": "Something else"})
    scene.tab.approve()
    return scene.agent.poll(asked)


def outcome_unknown(scene: Scene) -> Reply:
    scene.desk.command("send", step("handler acting.sends_and_breaks"), takes="")
    return scene.agent.run("send")


def run_failed(scene: Scene) -> Reply:
    scene.desk.command("break", step("handler acting.breaks"), takes="")
    return scene.agent.run("break")


@dataclass(frozen=True)
class Told:
    """How a code is answered: by what, with which outcome, status and next action, and of what it tells more.

    `of` are the fields that it has besides: `command` where one was found, `input` only where one was passed.
    """

    produce: Produce
    outcome: str
    status: int
    next_action: dict[str, Any]
    of: str = ""


ASK, REFRESH, NONE = {"type": "ASK_USER"}, {"type": "REFRESH_STATE"}, {"type": "NONE"}
WAIT = {"type": "WAIT", "delayMs": 2000}
FIX_INPUT, FIX_PARAMETERS, FIX_PAGE = (
    {"type": "FIX_ARGUMENTS", "fields": [name]} for name in ("input", "parameters", "page")
)

EXPECTED: dict[Code, Told] = {
    Code.UNLISTED_COMMAND: Told(unlisted_command, "REJECTED", 403, REFRESH),
    Code.TAKES_NO_OBJECT: Told(takes_no_object, "INVALID_INPUT", 400, FIX_INPUT, "command"),
    Code.OBJECT_UNREADABLE: Told(object_unreadable, "REJECTED", 403, ASK, "command input"),
    Code.INPUT_MISSING: Told(input_missing, "INVALID_INPUT", 400, FIX_INPUT, "command"),
    Code.INPUT_NOT_PERMITTED: Told(input_not_permitted, "REJECTED", 403, ASK, "command input reasons language"),
    Code.PARAMETERS_UNREADABLE: Told(parameters_unreadable, "INVALID_INPUT", 400, FIX_PARAMETERS, "command"),
    # Of a busy page nothing is looked up, and so it is where there is none, or where it is not known which.
    Code.BUSY: Told(busy, "CONFLICT", 409, {"type": "WAIT", "delayMs": 1000}),
    Code.NO_PAGE: Told(no_page, "REJECTED", 403, ASK),
    Code.WHICH_PAGE: Told(which_page, "INVALID_INPUT", 400, FIX_PAGE, "pages"),
    Code.REFUSED_BY_RULES: Told(refused_by_rules, "REJECTED", 403, ASK, "command input reasons language"),
    Code.NOT_PRESENTABLE: Told(not_presentable, "REJECTED", 403, REFRESH),
    Code.WAITING_FOR_PERSON: Told(waiting_for_person, "NOT_READY", 202, WAIT, "command input card isDataReady"),
    Code.DECLINED: Told(declined, "CANCELLED", 200, NONE, "command input executed"),
    Code.CONFIRMATION_EXPIRED: Told(confirmation_expired, "CANCELLED", 200, ASK, "command input executed"),
    Code.PAGE_CLOSED: Told(page_closed, "CANCELLED", 200, ASK, "command input executed"),
    Code.SUPERSEDED: Told(superseded, "CANCELLED", 200, NONE, "command input executed"),
    Code.AGENT_STOPPED: Told(agent_stopped, "REJECTED", 403, ASK, "command input executed"),
    # Which the person is told, who has declined.
    Code.ALREADY_DECIDED: Told(already_decided, "CONFLICT", 409, REFRESH, "reasons language"),
    Code.OBJECT_CHANGED: Told(object_changed, "CONFLICT", 409, REFRESH, "command input executed"),
    Code.PAGE_CHANGED: Told(page_changed, "CONFLICT", 409, REFRESH, "command input executed"),
    Code.COMMAND_CHANGED: Told(command_changed, "CONFLICT", 409, REFRESH, "command input executed"),
    Code.OUTCOME_UNKNOWN: Told(outcome_unknown, "DEPENDENCY", 503, ASK, "command"),
    Code.RUN_FAILED: Told(run_failed, "INTERNAL", 500, NONE, "command"),
}

ALWAYS = {"success", "outcome", "toolName", "callId", "message", "code", "nextAction"}


@pytest.mark.parametrize("code", Code)
def test_every_code_is_answered_as_the_contract_says(scene: Scene, code: Code) -> None:
    assert code in EXPECTED, f"{code} is answered by no test"
    told = EXPECTED[code]
    reply = told.produce(scene)
    answer = reply.json()
    assert (answer["code"], answer["outcome"], reply.status) == (code, told.outcome, told.status)
    assert answer["nextAction"] == told.next_action
    assert answer["success"] is (told.outcome in ("NOT_READY", "CANCELLED"))
    of_failures = {"error", "params"} if not answer["success"] else set()
    assert answer.keys() - of_failures == ALWAYS | set(told.of.split())
    if "command" in answer:
        assert answer["command"] == scene.desk.page.commands.get().full_name
    if "input" in answer and code != Code.OBJECT_UNREADABLE:
        assert answer["input"] == {"type": "factory.conversation", "id": str(told_of(scene))}
    # Whatever the code, nothing was done, and nothing is told of how it came.
    assert answer.get("executed", False) is False
    assert acting_code.times() == 0
    assert acting_code.SECRET not in reply.text


def told_of(scene: Scene) -> Any:
    """The object that the command was called for."""
    closed = Conversation.objects.filter(title="Closed").first()
    return closed.pk if closed is not None else scene.talk.pk


def test_a_missing_input_that_only_the_page_can_give_is_the_persons_matter(scene: Scene) -> None:
    reply = input_missing_on_its_channel(scene)
    answer = reply.json()
    assert (reply.status, answer["outcome"], answer["code"]) == (403, "REJECTED", Code.INPUT_MISSING)
    assert answer["nextAction"] == ASK
    assert "talk" in answer["error"]


# Seed 002's four tests


def test_a_command_sees_the_object_that_was_passed(scene: Scene) -> None:
    scene.desk.command("take", step("handler acting.everything", it="input"))
    answer = scene.agent.run("take", scene.talk.pk).json()
    assert (answer["outcome"], answer["success"]) == ("READY", True)
    assert answer["input"] == {"type": "factory.conversation", "id": str(scene.talk.pk)}
    assert acting_code.given == [{"it": scene.talk}]
    assert acting_code.seen[0].object == scene.talk
    assert acting_code.seen[0].user == scene.person.user


def test_an_object_that_the_person_cannot_read_is_refused(scene: Scene) -> None:
    scene.desk.note()
    scene.person.loses("factory.view_conversation")
    answer = scene.agent.run("note", scene.talk.pk).json()
    assert (answer["code"], answer["command"]) == (Code.OBJECT_UNREADABLE, "tests.note")
    assert acting_code.times() == 0


def test_an_object_for_a_command_without_input_description_is_refused(scene: Scene) -> None:
    scene.desk.note(described=False, input_channel="talk")
    scene.agent.present("talk", scene.talk.pk)
    assert scene.agent.run("note", scene.talk.pk).json()["code"] == Code.TAKES_NO_OBJECT
    assert acting_code.times() == 0
    # The same command for what the page holds is the page's own matter.
    assert scene.agent.run("note").json()["outcome"] == "READY"
    assert acting_code.times("note") == 1


def test_a_rule_that_refuses_the_object_answers_with_its_reason(scene: Scene) -> None:
    scene.desk.note(rules=("is_open",))
    closed = conversation("Fix the tax rounding", state="CLOSED")
    answer = scene.agent.run("note", closed.pk).json()
    assert answer["code"] == Code.REFUSED_BY_RULES
    assert answer["reasons"] == ["en: is_open refuses “Fix the tax rounding”."]
    assert answer["language"] == "en"
    assert answer["input"] == {"type": "factory.conversation", "id": str(closed.pk)}
    assert acting_code.times() == 0


# The reasons, in the person's language, for a click as for a call


@pytest.fixture(params=["en", "de", "ko"])
def reader(request: pytest.FixtureRequest, mina: Person, german: Person, korean: Person) -> tuple[str, Person]:
    """A person who reads in one of the languages."""
    return request.param, {"en": mina, "de": german, "ko": korean}[request.param]


def test_every_rule_that_refuses_gives_its_reason_in_the_persons_language(
    desk: Desk, reader: tuple[str, Person]
) -> None:
    language, person = reader
    desk.note(rules=("is_open", "is_fit", "is_short"))
    talk = conversation("Lang", state="CLOSED", messages=51)
    person.open()
    answer = person.agent().run("note", talk.pk).json()
    assert answer["language"] == language
    assert [reason.partition(" ")[::2] for reason in answer["reasons"]] == [
        (f"{language}:", f"is_open refuses {quoted('Lang', language)}."),
        (f"{language}:", f"is_short refuses {quoted('Lang', language)}."),
    ]


def quoted(words: str, language: str) -> str:
    """Words in the quotation marks of the language's catalogue."""
    from django.utils.translation import override

    from page_commands.words import quoted as in_marks

    with override(language):
        return in_marks(words)


def test_a_handlers_refusal_is_the_applications_reason(desk: Desk, reader: tuple[str, Person]) -> None:
    language, person = reader
    desk.command("refuse", step("handler acting.refuses"), takes="")
    tab = person.open()
    by_agent, by_click = person.agent().run("refuse").json(), tab.click("refuse").json()
    for answer in (by_agent, by_click):
        assert answer["code"] == Code.REFUSED_BY_RULES
        assert (answer["reasons"], answer["language"]) == ([acting_code.REASONS[language]], language)
    assert acting_code.times() == 0


def test_the_click_is_refused_with_the_same_reasons_as_the_call(desk: Desk, reader: tuple[str, Person]) -> None:
    _language, person = reader
    desk.note("strict", rules=("is_open", "is_short"))
    desk.note("plain")
    talk = conversation("Zu lang", state="CLOSED", messages=51)
    tab, agent = person.open(), person.agent()
    told = {name: [agent.run(name, talk.pk), tab.click(name, talk.pk)] for name in ("strict",)}
    person.loses("factory.change_conversation")
    told["plain"] = [agent.run("plain", talk.pk), tab.click("plain", talk.pk)]
    for replies in told.values():
        by_agent, by_click = (without_call(reply) for reply in replies)
        assert by_agent == by_click
        assert replies[0].status == replies[1].status == 403
        assert by_agent["reasons"]
    assert acting_code.times() == 0


def without_call(reply: Reply) -> dict[str, Any]:
    """An answer without the id of its call, which each has of its own."""
    answer: dict[str, Any] = reply.json()
    assert uuid.UUID(answer.pop("callId"))
    return answer


def click_nothing(scene: Scene) -> Reply:
    return scene.tab.click("nothing")


def click_for_what_is_not_there(scene: Scene) -> Reply:
    scene.desk.note()
    return scene.tab.click("note", uuid.uuid4())


def click_with_an_empty_channel(scene: Scene) -> Reply:
    scene.desk.note(input_channel="talk")
    return scene.tab.click("note")


def click_with_what_does_not_fit(scene: Scene) -> Reply:
    scene.desk.count(parameters=({"name": "word", "kind": "integer"},))
    return scene.tab.click("count", word="many")


def click_while_it_is_busy(scene: Scene) -> Reply:
    busy(scene)
    return scene.tab.click("count")


def click_on_what_breaks(scene: Scene) -> Reply:
    scene.desk.command("break", step("handler acting.breaks"), takes="")
    return scene.tab.click("break")


@pytest.mark.parametrize(
    ("click", "code"),
    [
        (click_nothing, Code.UNLISTED_COMMAND),
        (click_for_what_is_not_there, Code.OBJECT_UNREADABLE),
        (click_with_an_empty_channel, Code.INPUT_MISSING),
        (click_with_what_does_not_fit, Code.PARAMETERS_UNREADABLE),
        (click_while_it_is_busy, Code.BUSY),
        (click_on_what_breaks, Code.RUN_FAILED),
    ],
)
def test_a_click_that_comes_to_nothing_always_gives_the_person_a_reason(
    scene: Scene, click: Produce, code: Code
) -> None:
    reply = click(scene)
    answer = reply.json()
    assert (answer["code"], answer["language"]) == (code, "en")
    assert len(answer["reasons"]) == 1
    assert answer["reasons"][0].endswith((" done.", " in a moment."))
    assert acting_code.SECRET not in reply.text
    assert acting_code.times() == 0


def test_an_agent_is_told_which_pages_are_open_when_it_must_choose(scene: Scene) -> None:
    second = scene.person.open()
    answer = which_page(scene).json()
    ids = answer["params"]["page"]["values"]
    assert ids[:2] == [scene.tab.id, second.id]
    assert [page["id"] for page in answer["pages"]] == ids
    assert {page["title"] for page in answer["pages"]} == {"Desk"}
