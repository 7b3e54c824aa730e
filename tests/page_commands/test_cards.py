"""The words on a confirmation: exactly what will run, what strangers named quoted, and in the person's language."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils.translation import gettext, override

from project.demo.factory.models import Conversation, Project

from .conftest import Person
from .desk import Desk, conversation, step, tenant
from .tab import Agent, Tab

TITLE = {"en": "Archive {object}?", "de": "{object} archivieren?", "ko": "{object} 보관할까요?"}
MESSAGE = {
    "en": "{object.title} of {object.project.name} has {object.messages} messages. {word} is said on {day}.",
    "de": "{object.title}: {object.messages} Nachrichten, {word}, {day}.",
}
BUTTON = {"en": "Archive", "de": "Archivieren", "ko": "보관"}

PARAMETERS: tuple[dict[str, Any], ...] = (
    {"name": "word", "kind": "string"},
    {"name": "day", "kind": "date"},
    {"name": "amount", "kind": "number"},
    {"name": "loud", "kind": "boolean"},
)


@pytest.fixture
def archive(desk: Desk) -> None:
    """A command whose words name everything that they may."""
    desk.command(
        "archive",
        step("handler acting.everything"),
        parameters=PARAMETERS,
        confirmation="REQUIRED",
        confirmation_title=TITLE,
        confirmation_message=MESSAGE,
        confirmation_button=BUTTON,
    )


def test_the_card_says_exactly_what_will_run(archive: None, tab: Tab, robot: Agent) -> None:
    project = Project.objects.create(tenant=tenant(), name="shop", started="2026-01-01")
    talk = conversation("Fix the tax rounding", project=project, messages=1234)
    given = {"word": "lamp", "day": "2026-02-28", "amount": "1234567.50", "loud": False}
    assert robot.run("archive", talk.pk, **given).status == 202
    card = tab.card()
    assert card.title == "Archive “Fix the tax rounding”?"
    said = "“Fix the tax rounding” of “shop” has 1,234 messages. “lamp” is said on Feb. 28, 2026."
    assert card.message == said
    assert card.button == "Archive"
    assert card.facts == {
        "Command": "Archive",
        "For": "“Fix the tax rounding”",
        "Word": "“lamp”",
        "Day": "Feb. 28, 2026",
        "Amount": "1,234,567.50",
        "Loud": "No",
    }
    assert "An agent that calls itself “Robot” asks for it." in card.text


def test_values_that_are_not_set_are_said_to_be_nothing(archive: None, tab: Tab, robot: Agent) -> None:
    robot.run("archive", conversation("Talk").pk)
    card = tab.card()
    assert card.message == "“Talk” of nothing has 10 messages. nothing is said on nothing."
    assert card.facts == {"Command": "Archive", "For": "“Talk”"}


STRANGE = {
    "cut": ("x" * 81, "x" * 79 + "…", "x" * 81),
    "whole": ("x" * 80, "x" * 80, "x" * 80),
    "bidi": ("safe\u202egnp.exe\u2066\u200f", "safegnp.exe", "safe⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+200F⟩"),
    "lines": ("one\r\ntwo\u2028three\x07", "one two three", "one⟨U+000D⟩⟨U+000A⟩two⟨U+2028⟩three⟨U+0007⟩"),
    "markup": ('<b onclick="x()">&lt;{word}', "<b onclick='x()'>&lt;{word}", "<b onclick='x()'>&lt;{word}"),
    "quotes": ("a” and nothing else: “b", "a’ and nothing else: ‘b", "a’ and nothing else: ‘b"),
    "blanks": ("  a \t b  ", "a b", "a ⟨U+0009⟩ b"),
    "joined": ("می\u200cخواهم", "می\u200cخواهم", "می\u200cخواهم"),
}
"""A stranger's words, how a sentence quotes them, and how a parameter is spelled out: nothing of it is left out."""


@pytest.mark.parametrize("kind", STRANGE)
def test_what_strangers_named_is_quoted_plain_and_short(archive: None, tab: Tab, robot: Agent, kind: str) -> None:
    words, shown, spelled = STRANGE[kind]
    talk = conversation(words)
    robot.run("archive", talk.pk, word=words)
    card = tab.card()
    quoted = f"“{shown}”"
    assert card.title == f"Archive {quoted}?"
    assert card.facts["For"] == quoted
    assert card.facts["Word"].replace("“ ", "“").replace(" ”", "”") == f"“{spelled}”"
    assert card.message.startswith(f"{quoted} of nothing has")
    assert "<b onclick" not in card.html
    assert "\u202e" not in card.html


def test_an_agent_that_names_itself_like_an_instruction_is_quoted_too(archive: None, mina: Person, tab: Tab) -> None:
    mina.agent("You must agree\u202e <i>now</i>").run("archive", conversation("Talk").pk)
    assert "calls itself “You must agree <i>now</i>” asks" in tab.card().text
    assert "<i>" not in tab.card().html


@pytest.mark.parametrize("who", ["german", "korean"])
def test_the_card_is_in_the_persons_language(archive: None, request: pytest.FixtureRequest, who: str) -> None:
    person: Person = request.getfixturevalue(who)
    language = {"german": "de", "korean": "ko"}[who]
    tab = person.open()
    person.agent().run("archive", conversation("Rund").pk, word="Lampe", day="2026-02-28")
    card = tab.card()
    with override(language):
        quoted = gettext("“%(words)s”") % {"words": "Rund"}
        for label in ("Command", "For"):
            assert gettext(label) in card.facts
    assert card.title == TITLE[language].replace("{object}", quoted)
    assert card.button == BUTTON[language]
    assert card.facts[gettext_in(language, "Command")] == f"archive ({language})"
    if language == "de":
        assert "10" in card.message
        assert "28. Februar 2026" in card.message


def gettext_in(language: str, text: str) -> str:
    """A text of the catalogue."""
    with override(language):
        return gettext(text)


def test_without_words_of_its_own_the_card_has_ours(desk: Desk, tab: Tab, robot: Agent) -> None:
    command = desk.asks()
    command.confirmation_title = {"en": "x"}
    command.confirmation_message = {"en": "y"}
    command.confirmation_button = {"en": "z"}
    command.save()
    robot.run("note", conversation("Talk").pk)
    card = tab.card()
    assert (card.title, card.message, card.button) == ("x", "y", "z")
    assert card.facts == {"Command": "Note", "For": "“Talk”"}


def test_what_lies_behind_a_relation_that_the_person_may_not_view_is_withheld(
    archive: None, mina: Person, tab: Tab, robot: Agent
) -> None:
    project = Project.objects.create(tenant=tenant(), name="Hidden house", started="2026-01-01")
    mina.loses("factory.view_project")
    robot.run("archive", conversation("Talk", project=project).pk)
    card = tab.card()
    assert card.message.startswith("“Talk” of withheld has")
    assert "Hidden" not in card.html


def test_the_card_goes_when_its_object_may_not_be_read_any_more(
    archive: None, mina: Person, tab: Tab, robot: Agent
) -> None:
    robot.run("archive", conversation("Secret talk").pk)
    assert len(tab.cards()) == 1
    mina.loses("factory.view_conversation")
    assert tab.cards() == []
    assert "Secret" not in str(tab.parts)


def test_the_card_on_the_desk_names_no_object(archive: None, mina: Person, tab: Tab, robot: Agent) -> None:
    robot.run("archive", conversation("Secret talk").pk, word="Secret word")
    page = tab.browser.get("/desk/").text
    assert "Archive" in page
    assert "Secret" not in page
    listed = tab.browser.get("/agent/cards").text
    assert "confirmation" in listed
    assert "Secret" not in listed


def test_the_card_shows_the_object_as_it_is_now(archive: None, tab: Tab, robot: Agent) -> None:
    talk = conversation("Before")
    robot.run("archive", talk.pk)
    assert tab.card().title == "Archive “Before”?"
    Conversation.objects.update(title="After")
    # And agreeing to it is refused: it is not what was asked for.
    assert tab.card().title == "Archive “After”?"
    assert tab.approve().json()["code"] == "page_commands.object_changed"
