"""What a click and an agreement are for: what the person saw, and nothing that took its place since."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from page_commands.codes import Code
from page_commands.declaration.kinds import brought_by
from page_commands.objects import WITHHELD, value_at
from project.demo.factory.models import Conversation, Project, Tenant
from read_targets.policies import Actor

from .acting import code
from .conftest import Person
from .desk import Desk, conversation, step
from .tab import Agent, Tab


def test_a_click_is_for_the_object_that_the_button_showed(desk: Desk, tab: Tab, robot: Agent) -> None:
    shown, swapped_in = conversation("Shown"), conversation("Swapped in")
    desk.note(input_channel="talk", confirmation="REQUIRED")
    robot.present("talk", shown.pk)
    tab.pull()
    robot.present("talk", swapped_in.pk)
    refused = tab.click("note").json()
    assert (refused["code"], code.times("note")) == (Code.PAGE_CHANGED, 0)
    assert refused["reasons"] == ["The page has changed since it was asked, so nothing was done."]
    tab.pull()
    assert tab.click("note").json()["outcome"] == "READY"


@pytest.mark.parametrize("version", [None, 0, "1", True, 10**20])
def test_a_click_that_does_not_say_what_it_saw_is_refused(desk: Desk, tab: Tab, version: Any) -> None:
    desk.count()
    fields = {"nonce": tab.told["nonce"], "version": version}
    assert tab.browser.post(f"{tab.address}/commands/count", fields).json()["success"] is False
    assert code.times("count") == 0


def test_a_nonce_of_a_row_is_for_that_row_and_that_command(desk: Desk, tab: Tab, talk: Conversation) -> None:
    desk.note()
    desk.note("other")
    other = conversation("Other")
    of_row = tab.browser.nonce(f"tests.desk:note:{talk.pk}")
    for command, key, nonce in (
        ("note", other.pk, of_row),
        ("other", talk.pk, of_row),
        ("note", talk.pk, tab.told["nonce"]),
    ):
        reply = tab.click(command, key, nonce=nonce).json()
        assert reply["code"] == "read_targets.click_not_proven"
    assert code.times("note") == 0
    assert tab.click("note", talk.pk, nonce=of_row).json()["outcome"] == "READY"


def test_what_the_question_said_of_other_objects_is_agreed_to_as_well(desk: Desk, tab: Tab, robot: Agent) -> None:
    tenant = Tenant.objects.create(name="Acme", status="ACTIVE")
    project = Project.objects.create(tenant=tenant, name="Sandbox", started="2026-01-01")
    talk = conversation("Talk")
    Conversation.objects.update(project=project)
    desk.asks(confirmation_message={"en": "It belongs to {object.project.name}."})
    asked = robot.run("note", talk.pk)
    card = tab.card()
    assert "It belongs to “Sandbox”." in card.text
    Project.objects.update(name="PRODUCTION")
    assert tab.decide(card).json()["code"] == Code.OBJECT_CHANGED
    assert robot.poll(asked).json()["code"] == Code.OBJECT_CHANGED
    assert code.times("note") == 0


def test_an_object_from_another_channel_is_shown_and_agreed_to_as_well(desk: Desk, tab: Tab, robot: Agent) -> None:
    talk, bystander = conversation("Talk"), conversation("Bystander")
    desk.command(
        "both",
        step("handler acting.everything", one="input", two="channel talk"),
        confirmation="REQUIRED",
    )
    robot.present("talk", bystander.pk)
    robot.run("both", talk.pk)
    card = tab.card()
    assert "“Bystander”" in card.text
    Conversation.objects.filter(pk=bystander.pk).update(messages=99)
    assert tab.decide(card).json()["code"] == Code.OBJECT_CHANGED
    assert code.given == []


def test_an_agents_call_does_not_take_the_place_of_what_the_person_clicked(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.asks(confirm_clicks=True)
    tab.click("note", talk.pk)
    robot.run("note", conversation("Another").pk)
    assert len(tab.cards()) == 2


def test_what_broke_after_an_outside_effect_is_not_known_and_not_run_again(
    desk: Desk, tab: Tab, robot: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.command("send", step("handler acting.sends"), takes="")

    def broken(*args: Any) -> Any:
        raise RuntimeError("reading back broke")

    with monkeypatch.context() as during:
        during.setattr("page_commands.running.state_of", broken)
        first = robot.run("send", key="once").json()
    assert first["code"] == Code.OUTCOME_UNKNOWN
    again = robot.run("send", key="once").json()
    assert (again["code"], again["callId"]) == (Code.OUTCOME_UNKNOWN, first["callId"])
    assert Path(os.environ[code.FOLDER], "outside").read_text().splitlines() == ["begun", "sent"]


def test_a_kept_answer_withholds_what_the_person_may_not_read_any_more(
    desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    tenant = Tenant.objects.create(name="BETA-SECRET", status="ACTIVE")
    desk.show()
    assert robot.present("tenant", tenant.pk).json()["outcome"] == "READY"
    first = robot.run("show", talk.pk, key="k")
    assert "BETA-SECRET" in first.text
    mina.loses("factory.view_tenant")
    for again in (robot.run("show", talk.pk, key="k"), robot.poll(first)):
        answer = again.json()
        assert answer["callId"] == first.json()["callId"]
        assert "BETA-SECRET" not in again.text
        assert answer["resultingState"]["channels"]["tenant"] == {"withheld": True}
        assert answer["resultingState"]["channels"]["talk"]["id"] == str(talk.pk)


def test_that_an_object_is_gone_is_told_only_by_the_run_that_took_it_away(
    desk: Desk, mina: Person, tab: Tab, robot: Agent
) -> None:
    desk.note()
    desk.command("remove", step("handler acting.removes", conversation="input"))
    noted, removed = conversation("Noted"), conversation("Removed")
    first, second = robot.run("note", noted.pk, key="n"), robot.run("remove", removed.pk, key="r")
    assert second.json()["changed"]["object"]["gone"] is True
    assert robot.run("remove", removed.pk, key="r").json()["changed"]["object"]["gone"] is True
    mina.loses("factory.view_conversation")
    there = robot.poll(first)
    Conversation.objects.filter(pk=noted.pk).delete()
    gone = robot.poll(first)
    assert there.json() == gone.json()
    assert there.json()["code"] == Code.OBJECT_UNREADABLE


def test_what_no_list_shows_is_named_by_no_text_and_no_binding(mina: Person) -> None:
    assert brought_by(User, "password") is None
    assert brought_by(Conversation, "title") is not None
    assert value_at(Actor(mina.user), mina.user, "password") is WITHHELD
