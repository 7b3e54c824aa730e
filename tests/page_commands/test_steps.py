"""The steps of a command: what is seen by the run alone, what each argument is bound to, and all steps or none."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from guardian.shortcuts import assign_perm

from page_commands.codes import Code
from page_commands.models import CommandRun, Effect, PageSession
from project.demo.factory.models import Conversation, Project, Tenant

from .acting import code
from .conftest import Person
from .desk import Desk, conversation, step, tenant
from .tab import Agent, Tab

# Seen by this run only


def test_an_input_lands_on_no_channel_without_a_step_that_writes_one(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.note()
    answer = robot.run("note", talk.pk).json()
    assert answer["resultingState"]["channels"] == {"talk": None, "tenant": None, "quiet": None}
    assert answer["changed"] == {}
    assert answer["resultingState"]["version"] == 1
    assert PageSession.objects.get().channels == {}
    assert tab.pull() == []
    # Nor is it there for the next command.
    desk.note("again", input_channel="talk")
    assert robot.run("again").json()["code"] == Code.INPUT_MISSING


def test_write_channel_puts_it_there_and_another_command_reads_it(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.show()
    desk.command("take", step("handler acting.everything", it="input"), described=False, input_channel="talk")
    answer = robot.run("show", talk.pk).json()
    held = {"type": "factory.conversation", "id": str(talk.pk), "name": talk.title}
    assert answer["changed"] == {"channels": {"talk": held}}
    assert answer["resultingState"]["channels"]["talk"] == held
    # The view of the channel shows what the channel holds.
    assert answer["resultingState"]["views"] == [{"name": "talk_view", "object": held}]
    assert [effect["kind"] for effect in tab.pull()] == ["state"]
    assert tab.views() == {"talk_view": f"<p>{talk.title}</p>"}
    assert robot.run("take").json()["outcome"] == "READY"
    assert code.given == [{"it": talk}]


def test_write_channel_without_an_object_empties_it(desk: Desk, tab: Tab, robot: Agent, talk: Conversation) -> None:
    desk.show()
    desk.command("empty", step("write_channel talk"), takes="")
    robot.run("show", talk.pk)
    answer = robot.run("empty").json()
    assert answer["changed"] == {"channels": {"talk": None}}
    assert answer["resultingState"]["views"] == []
    assert tab.views() == {}


def test_show_view_binds_the_view_to_it_and_leaves_the_channels_alone(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.command("form", step("show_view talk_form", object="input"))
    first, second = talk, conversation("Another <b>talk</b>")
    for one in (first, second):
        answer = robot.run("form", one.pk).json()
        bound = {"type": "factory.conversation", "id": str(one.pk), "name": one.title}
        assert answer["changed"] == {"views": [{"name": "talk_form", "object": bound}]}
        assert answer["resultingState"]["channels"]["talk"] is None
    assert tab.views() == {"talk_form": "<p>Another &lt;b&gt;talk&lt;/b&gt;</p>"}
    assert [effect["payload"] for effect in tab.applied] == [{"show": "talk_form"}] * 2


def test_showing_the_same_again_brings_it_before_the_person_and_is_no_new_version(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.command("form", step("show_view talk_form", object="input"))
    version = robot.run("form", talk.pk).json()["resultingState"]["version"]
    answer = robot.run("form", talk.pk).json()
    assert (answer["changed"], answer["resultingState"]["version"]) == ({}, version)
    assert "nothing that we can tell changed" in answer["message"]
    assert [effect["payload"] for effect in tab.pull()] == [{"show": "talk_form"}] * 2


def test_a_view_without_an_object_is_shown(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.command("plain", step("show_view plain"), takes="")
    assert robot.run("plain").json()["changed"] == {"views": [{"name": "plain", "object": None}]}
    assert tab.views() == {"plain": "<p>plain</p>"}


def test_open_page_goes_to_an_address_of_this_site_with_what_is_bound(desk: Desk, tab: Tab, robot: Agent) -> None:
    project = Project.objects.create(tenant=tenant(), name="shop", started="2026-01-01")
    desk.command(
        "go",
        step("open_page factory:project-preview", pk="input", named="input name", word="parameter word"),
        takes="factory.project",
        parameters=({"name": "word", "kind": "string"},),
    )
    assert robot.run("go", project.pk, word="a&b=ü//evil.example").json()["outcome"] == "READY"
    (effect,) = tab.pull()
    assert effect["kind"] == "navigate"
    words = "named=shop&word=a%26b%3D%C3%BC%2F%2Fevil.example"
    assert effect["payload"] == {"href": f"/factory/projects/{project.pk}/?{words}"}
    assert tab.browser.get(effect["payload"]["href"]).status == 200


@pytest.mark.parametrize("word", ["//evil.example/", "/\\evil.example", "\\evil.example"])
def test_open_page_never_leaves_this_site(desk: Desk, tab: Tab, robot: Agent, word: str, settings: Any) -> None:
    settings.ROOT_URLCONF = "tests.page_commands.open_urls"
    desk.command(
        "go",
        step("open_page anywhere", where="parameter word"),
        takes="",
        parameters=({"name": "word", "kind": "string", "required": True},),
    )
    answer = robot.run("go", word=word).json()
    assert answer["code"] == Code.RUN_FAILED
    assert tab.pull() == []
    assert robot.run("go", word="here").json()["outcome"] == "READY"
    assert [effect["payload"]["href"] for effect in tab.pull()] == ["/here"]


# Bindings


def test_an_argument_comes_from_each_source(desk: Desk, tab: Tab, robot: Agent) -> None:
    owner = tenant()
    project = Project.objects.create(tenant=owner, name="shop", started=dt.date(2026, 1, 31), budget=Decimal("12.50"))
    talk = conversation(project=project)
    desk.show()
    robot.run("show", talk.pk)
    desk.command(
        "take",
        step("handler acting.everything", conversation="channel talk", word="parameter word"),
        step(
            "handler acting.everything",
            it="input",
            name="input name",
            started="input started",
            budget="input budget",
            owner="input tenant",
            owner_name="input tenant.name",
            word="parameter word",
            held="channel talk",
            nothing="channel tenant",
            whole="step 1",
            part="step 1.word",
            made="step 1.conversation",
            fixed="constant 007",
        ),
        takes="factory.project",
        parameters=({"name": "word", "kind": "string"},),
    )
    answer = robot.run("take", project.pk, word="lamp").json()
    assert answer["outcome"] == "READY", answer
    assert code.given[1:] == [
        {
            "it": project,
            "name": "shop",
            "started": dt.date(2026, 1, 31),
            "budget": Decimal("12.50"),
            "owner": owner,
            "owner_name": owner.name,
            "word": "lamp",
            "held": talk,
            # An empty channel sets nothing.
            "whole": {"conversation": talk, "word": "lamp"},
            "part": "lamp",
            "made": talk,
            "fixed": "007",
        }
    ]


def test_a_constant_is_read_as_the_type_that_the_handler_asks_for(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.command(
        "take",
        step(
            "handler acting.exactly",
            text="constant 12",
            number="constant 0.10",
            whole="constant 12",
            yes="constant true",
            day="constant 2026-02-28",
        ),
        takes="",
    )
    assert robot.run("take").json()["outcome"] == "READY"
    (taken,) = code.given
    assert taken["number"] == Decimal("0.10")
    assert (taken["text"], taken["whole"], taken["yes"], taken["day"]) == ("12", 12, True, dt.date(2026, 2, 28))


def test_what_lies_behind_an_object_that_the_person_may_not_view_is_not_bound(
    desk: Desk, mina: Person, tab: Tab, robot: Agent
) -> None:
    project = Project.objects.create(tenant=tenant("Hidden house"), name="shop", started="2026-01-01")
    desk.command("take", step("handler acting.everything", word="input tenant.name"), takes="factory.project")
    mina.loses("factory.view_tenant")
    reply = robot.run("take", project.pk)
    assert reply.json()["success"] is False
    assert code.given == []
    assert "Hidden" not in reply.text


def test_an_object_on_a_channel_is_read_anew_as_the_person(
    desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.command("take", step("handler acting.everything", held="channel talk"), takes="")
    robot.present("talk", talk.pk)
    Conversation.objects.update(title="Renamed")
    robot.run("take")
    assert code.given[0]["held"].title == "Renamed"
    mina.loses("factory.view_conversation")
    answer = robot.run("take").json()
    assert answer["resultingState"]["channels"]["talk"] == {"withheld": True}
    assert code.given[1] == {}


def test_the_context_tells_the_person_the_page_and_what_steps_before_returned(
    desk: Desk, mina: Person, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.command(
        "take",
        step("handler acting.note", conversation="input", word="constant one"),
        step("show_view plain"),
        step("handler acting.everything"),
    )
    robot.run("take", talk.pk)
    (context,) = code.seen
    assert context.user == mina.user
    assert (context.command.name, str(context.session.pk), context.object) == ("take", tab.id, talk)
    assert [bool(result) for result in context.results] == [True, False]
    assert context.results[0]["word"] == "one"


# All or none


BROKEN = {
    "breaks": (Code.RUN_FAILED, 500),
    "breaks_database": ("read_targets.database_unavailable", 503),
    "refuses": (Code.REFUSED_BY_RULES, 403),
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("by", ["agent", "click"])
def test_when_the_third_step_raises_the_first_two_are_undone_and_nothing_is_shown(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation, how: str, by: str
) -> None:
    desk.command(
        "three",
        step("handler acting.retitle", conversation="input", title="constant changed"),
        step("write_channel talk", object="input"),
        step(f"handler acting.{how}"),
        step("open_page factory:start"),
    )
    reply = robot.run("three", talk.pk) if by == "agent" else tab.click("three", talk.pk)
    answer = reply.json()
    assert (answer["code"], reply.status) == BROKEN[how]
    assert code.SECRET not in reply.text
    assert "no_such_table" not in reply.text
    talk.refresh_from_db()
    assert talk.title == "Add a login page"
    assert code.times() == 0
    assert tab.pull() == []
    session = PageSession.objects.get()
    assert (session.channels, session.views, session.version, session.last_seq) == ({}, [], 1, 0)
    assert (session.busy_call, session.busy_until) == (None, None)
    assert CommandRun.objects.get().state == "failed"
    assert not Effect.objects.exists()


def test_an_object_that_a_handler_made_is_shown_only_where_the_person_may_read_it(
    desk: Desk, mina: Person, tab: Tab, robot: Agent
) -> None:
    desk.command("hide", step("handler acting.hides"), step("show_view tenant_form", object="step 1.tenant"), takes="")
    assert robot.run("hide").json()["outcome"] == "READY"
    mina.loses("factory.view_tenant")
    before = Tenant.objects.count()
    reply = robot.run("hide")
    assert (reply.json()["code"], reply.status) == (Code.OBJECT_UNREADABLE, 403)
    assert "hidden" not in reply.text
    assert Tenant.objects.count() == before
    assert code.times("hides") == 1


@pytest.mark.parametrize("target", ["write_channel tenant", "show_view tenant_form"])
def test_an_object_of_another_type_than_the_channel_or_view_takes_is_not_put_there(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation, target: str
) -> None:
    # What a handler returns can only be told when it runs.
    desk.command(
        "mix",
        step("handler acting.note", conversation="input"),
        step(target, object="step 1.conversation"),
    )
    answer = robot.run("mix", talk.pk).json()
    assert answer["success"] is False
    assert code.times() == 0
    assert tab.pull() == []


def test_an_object_that_the_command_deletes_is_told_to_be_gone(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.show()
    robot.run("show", talk.pk)
    desk.command("remove", step("handler acting.removes", conversation="input"))
    answer = robot.run("remove", talk.pk).json()
    assert answer["outcome"] == "READY"
    assert answer["changed"]["object"]["gone"] is True
    assert answer["resultingState"]["channels"]["talk"] == {"withheld": True}
    assert not Conversation.objects.filter(pk=talk.pk).exists()


def test_changed_tells_the_values_that_moved_and_no_others(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.command("retitle", step("handler acting.retitle", conversation="input", title="constant Fixed"))
    answer = robot.run("retitle", talk.pk).json()
    assert answer["changed"] == {"object": {"title": "Fixed"}}
    assert robot.run("retitle", talk.pk).json()["changed"] == {}


# A handler that acts outside


def test_what_breaks_after_acting_outside_is_not_known_and_not_run_again(
    desk: Desk, tab: Tab, robot: Agent, tmp_path: Any
) -> None:
    desk.command("send", step("handler acting.sends_and_breaks"), takes="")
    first = robot.run("send", key="k-1")
    assert (first.json()["code"], first.status) == (Code.OUTCOME_UNKNOWN, 503)
    again = robot.run("send", key="k-1")
    assert (again.body, again.status) == (first.body, 503)
    assert robot.poll(first).body == first.body
    assert (tmp_path / "outside").read_text() == "sent\n"


def test_what_breaks_behind_a_step_that_acted_outside_is_not_known_either(
    desk: Desk, tab: Tab, robot: Agent, tmp_path: Any
) -> None:
    for how in ("breaks", "refuses"):
        desk.command(how, step("handler acting.sends"), step(f"handler acting.{how}"), takes="")
        answer = robot.run(how).json()
        assert answer["code"] == Code.OUTCOME_UNKNOWN
    # The part of it that is in the database is undone all the same.
    assert code.times() == 0
    assert (tmp_path / "outside").read_text() == "begun\nsent\n" * 2


def test_a_handler_that_refuses_before_it_acted_outside_has_only_refused(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.command("send", step("handler acting.sends_not"), takes="")
    answer = robot.run("send").json()
    assert (answer["code"], answer["reasons"]) == (Code.REFUSED_BY_RULES, [code.REASONS["en"]])


def test_what_is_outside_and_goes_well_is_ready(desk: Desk, tab: Tab, robot: Agent, tmp_path: Any) -> None:
    desk.command("send", step("handler acting.sends", word="constant x"), takes="")
    first = robot.run("send", key="k-1")
    assert first.json()["outcome"] == "READY"
    assert robot.run("send", key="k-1").body == first.body
    assert (tmp_path / "outside").read_text() == "begun x\nsent x\n"


# Objects


def test_an_id_that_is_none_reads_as_one_that_is_not_there(desk: Desk, tab: Tab, robot: Agent) -> None:
    for number in (1, 10):
        Tenant.objects.update_or_create(pk=number, defaults={"name": f"No. {number}", "status": "ACTIVE"})
    desk.command("take", step("handler acting.everything", it="input"), takes="factory.tenant")
    for key in ("0", "-1", "9" * 30, "1.0", "1_0", "１", "+1", "01", "null", "None", "a" * 201, "{}", "1 OR 1=1"):
        assert robot.run("take", key).json()["code"] == Code.OBJECT_UNREADABLE, key
        assert tab.click("take", key).json()["code"] == Code.OBJECT_UNREADABLE, key
    assert code.given == []
    assert robot.run("take", "1").json()["outcome"] == "READY"


def test_an_object_within_the_persons_rights_but_of_another_type_is_not_there(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.command("take", step("handler acting.everything", it="input"), takes="factory.tenant")
    assert robot.run("take", talk.pk).json()["code"] == Code.OBJECT_UNREADABLE


def test_an_object_outside_of_the_applications_own_scope_is_not_there(
    desk: Desk, tab: Tab, robot: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from read_targets.lists import get_list, registry

    kept, dropped = conversation("kept"), conversation("dropped")
    scoped = replace(get_list("conversations"), queryset=lambda actor: Conversation.objects.exclude(title="dropped"))
    monkeypatch.setitem(registry._lists, "conversations", scoped)
    desk.note()
    assert robot.run("note", dropped.pk).json()["code"] == Code.OBJECT_UNREADABLE
    assert robot.run("note", kept.pk).json()["outcome"] == "READY"
    assert robot.present("talk", dropped.pk).json()["code"] == Code.OBJECT_UNREADABLE


def test_a_grant_on_the_object_alone_is_enough(desk: Desk, mina: Person, tab: Tab, robot: Agent) -> None:
    desk.note()
    mine, theirs = conversation("mine"), conversation("theirs")
    for right in ("view", "change"):
        mina.loses(f"factory.{right}_conversation")
        assign_perm(f"factory.{right}_conversation", mina.user, mine)
    assert robot.run("note", mine.pk).json()["outcome"] == "READY"
    assert robot.run("note", theirs.pk).json()["code"] == Code.OBJECT_UNREADABLE


def test_present_puts_an_object_on_its_channel_and_nothing_else(
    desk: Desk, tab: Tab, robot: Agent, talk: Conversation
) -> None:
    desk.count()
    answer = robot.present("talk", talk.pk).json()
    held = {"type": "factory.conversation", "id": str(talk.pk), "name": talk.title}
    assert answer["changed"] == {"channels": {"talk": held}}
    assert answer["input"] == {"type": "factory.conversation", "id": str(talk.pk)}
    assert tab.views() == {"talk_view": f"<p>{talk.title}</p>"}
    again = robot.present("talk", talk.pk).json()
    assert (again["changed"], again["resultingState"]["version"]) == ({}, answer["resultingState"]["version"])
    assert len(tab.applied) == 1
