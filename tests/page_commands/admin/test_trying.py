"""A command tried as a person: for whom it may be, what is asked and told, in the log each time, and nothing run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from guardian.shortcuts import assign_perm

from page_commands import CommandContext, command_rule
from page_commands.code import unregister
from page_commands.models import AgentCommand, CommandRun, Effect
from page_commands.policies import RUN, TRY
from project.demo.factory.models import Conversation, Project, Tenant
from read_targets.agent.models import ToolCall
from read_targets.lists import ListDefinition, registry
from read_targets.models import Preference
from read_targets.policies.eyes import may_look_as, people_for

from .conftest import COMMAND

SignedIn = Callable[[str], Client]
Hire = Callable[..., User]

NOBODY = "There is nobody of that name as whom you may try it."
PARAMETERS = '{"count": 3, "level": "LOW", "note": "a word"}'
MARKUP = "<b>Evil</b> & “Co”"


@pytest.fixture
def tenant(db: None) -> Tenant:
    """A tenant that nothing else is about."""
    return Tenant.objects.create(name="Only-in-this-test", status="TRIAL")


@pytest.fixture
def runner(command: AgentCommand, hire: Hire) -> User:
    """Somebody who may run the command on any tenant."""
    person = hire("runner", "view_tenant")
    assign_perm(RUN, person, command)
    return person


def attempt(
    client: Client,
    command: AgentCommand,
    person: str = "runner",
    obj: Any = "",
    parameters: str = PARAMETERS,
    **headers: str,
) -> HttpResponse:
    """Try the command as `person`."""
    address = COMMAND.format(command.pk).replace("change", "try")
    said = {"person": person, "object": getattr(obj, "pk", obj), "parameters": parameters}
    return client.post(address, said, headers={"HX-Request": "true", **headers})  # type: ignore[return-value]


def text(response: HttpResponse) -> str:
    """What is shown."""
    return response.content.decode()


# As whom, and who may


@pytest.mark.parametrize(
    ("codenames", "status"),
    [
        ([], 403),
        (["try_as_person"], 403),
        (["view_agentcommand"], 403),
        (["view_agentcommand", "preview_as_person"], 403),
        (["view_agentcommand", "try_as_person"], 200),
        (["change_agentcommand", "try_as_person"], 200),
    ],
)
def test_who_may_try_at_all(
    signed_in: SignedIn,
    command: AgentCommand,
    runner: User,
    tenant: Tenant,
    hire: Hire,
    codenames: list[str],
    status: int,
) -> None:
    hire("half", "view_tenant", *codenames, is_staff=True)
    response = attempt(signed_in("half"), command, obj=tenant)
    assert response.status_code == status
    assert ("They may run the command" in text(response)) is (status == 200)
    assert ToolCall.objects.exists() is (status == 200)


@pytest.mark.parametrize("person", ["admin", "left", "nobody-of-that-name", "", "RUNNER", "a\0"])
def test_nobody_tries_as_those_they_may_not(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant, hire: Hire, person: str
) -> None:
    hire("half", "view_agentcommand", "try_as_person", "view_tenant", is_staff=True)
    hire("left", is_active=False)
    response = attempt(signed_in("half"), command, person, tenant)
    assert response.status_code == 403
    assert NOBODY in text(response)
    assert tenant.name not in text(response)
    assert "They may run the command" not in text(response)
    assert not ToolCall.objects.exists()


def test_a_superuser_tries_as_another(signed_in: SignedIn, command: AgentCommand, tenant: Tenant, hire: Hire) -> None:
    hire("root", is_superuser=True)
    assert tenant.name in text(attempt(signed_in("admin"), command, "root", tenant))


@pytest.mark.parametrize("name", ["clerk", "guest"])
def test_people_who_are_no_staff_do_not(signed_in: SignedIn, command: AgentCommand, tenant: Tenant, name: str) -> None:
    assert attempt(signed_in(name), command, "clerk", tenant).status_code == 302
    assert not ToolCall.objects.exists()


def test_a_try_by_get_shows_nothing(signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant) -> None:
    address = COMMAND.format(command.pk).replace("change", "try")
    response = signed_in("admin").get(address, {"person": "runner", "object": tenant.pk})
    assert response.status_code == 302
    assert not ToolCall.objects.exists()


def test_without_a_csrf_token_nothing_is_shown(command: AgentCommand, runner: User, tenant: Tenant) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="admin"), backend="django.contrib.auth.backends.ModelBackend")
    response = attempt(client, command, obj=tenant)
    assert response.status_code == 403
    assert tenant.name not in text(response)
    assert not ToolCall.objects.exists()


def test_which_people_and_may_as_this_person_agree(command: AgentCommand, hire: Hire) -> None:
    hire("half", "try_as_person")
    hire("whole", "try_as_person", is_superuser=True)
    hire("gone", "try_as_person", is_active=False)
    hire("gone-admin", is_superuser=True, is_active=False)
    everybody = list(User.objects.all())
    for viewer in everybody:
        assert set(people_for(viewer, TRY)) == {person for person in everybody if may_look_as(viewer, person, TRY)}


def test_the_page_offers_the_try_to_those_who_may(signed_in: SignedIn, command: AgentCommand, hire: Hire) -> None:
    hire("half", "view_agentcommand", is_staff=True)
    assert 'id="try"' not in text(signed_in("half").get(COMMAND.format(command.pk)))
    html = text(signed_in("admin").get(COMMAND.format(command.pk)))
    assert 'id="try"' in html
    assert '<option value="clerk">' in html
    assert "Id of the factory.tenant:" in html


# What is told


def test_every_right_and_rule_is_told_and_the_steps(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    html = text(attempt(signed_in("admin"), command, obj=tenant))
    assert "It would run." in html
    assert "They may run the command: page_commands.run_agentcommand" in html
    assert "They hold the permission on the object: factory.view_tenant" in html
    assert "The tenant is fine" in html
    assert "refused" not in html
    assert "Nothing: it runs at once." in html
    for step in (
        "Call handler: shop.touch",
        "Write channel: tenant",
        "Show view: card",
        "Run mutation: renameProject",
        "Open page: factory:project-preview",
    ):
        assert step in html
    for argument in (
        "<code>tenant</code> = “Only-in-this-test”",
        "<code>note</code> = “a word”",
        "<code>count</code> = “3”",
        "<code>object</code> = what the channel tenant holds then",
        "<code>name</code> = “Only-in-this-test”",
        "<code>pk</code> = what step 1.project returns",
    ):
        assert argument in html


def test_of_the_page_only_the_result_is_sent_again(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    assert "<html" not in text(attempt(signed_in("admin"), command, obj=tenant))
    whole = text(attempt(signed_in("admin"), command, obj=tenant, **{"HX-Request": ""}))
    assert "<html" in whole
    assert f'value="{tenant.pk}"' in whole
    assert "&quot;level&quot;: &quot;LOW&quot;" in whole


def test_whoever_may_not_run_it_is_refused(
    signed_in: SignedIn, command: AgentCommand, tenant: Tenant, hire: Hire
) -> None:
    hire("other", "view_tenant")
    html = text(attempt(signed_in("admin"), command, "other", tenant))
    assert "It would be refused." in html
    assert "You may not run “Touch”." in html
    assert "What would run" not in html
    call = ToolCall.objects.get()
    assert (call.outcome, call.code) == ("REJECTED", "page_commands.unlisted_command")


def test_whoever_lacks_the_permission_on_the_object_is_refused(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    AgentCommand.objects.filter(pk=command.pk).update(input_permission="factory.change_tenant")
    html = text(attempt(signed_in("admin"), command, obj=tenant))
    assert "It would be refused." in html
    assert "You lack the permission factory.change_tenant on it." in html
    assert ToolCall.objects.get().code == "page_commands.input_not_permitted"


def test_a_rule_refuses_with_its_reason_in_the_language_of_the_person(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    Tenant.objects.filter(pk=tenant.pk).update(archived=True)
    html = text(attempt(signed_in("admin"), command, obj=tenant))
    assert "“Only-in-this-test” is archived." in html
    Preference.objects.create(user=runner, language="de")
    html = text(attempt(signed_in("admin"), command, obj=tenant))
    assert '<td lang="de">Nein.</td>' in html
    assert "is archived." not in html
    assert {(call.outcome, call.code) for call in ToolCall.objects.all()} == {
        ("REJECTED", "page_commands.refused_by_rules")
    }


def test_what_would_be_asked_is_told_in_the_language_of_the_person(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    Preference.objects.create(user=runner, language="de")
    html = text(attempt(signed_in("admin"), command, obj=tenant, parameters='{"count": 12, "level": "HIGH"}'))
    assert "It would ask the person first." in html
    asked = html.split('<blockquote class="page-commands-card" lang="de">')[1].split("</blockquote>")[0]
    assert "Only-in-this-test“ anfassen?" in asked or "Only-in-this-test” anfassen?" in asked
    assert "12 times." in asked
    assert "Anfassen" in asked
    assert "A click on the button is agreement enough." in html
    call = ToolCall.objects.get()
    assert (call.outcome, call.code) == ("NOT_READY", "page_commands.waiting_for_person")


def test_a_click_that_is_asked_too_says_so(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    AgentCommand.objects.filter(pk=command.pk).update(confirm_clicks=True)
    html = text(attempt(signed_in("admin"), command, obj=tenant, parameters='{"count": 12, "level": "HIGH"}'))
    assert "A click on the button asks first." in html


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        ("", "count: required (type integer)"),
        ('{"count": 30, "level": "LOW"}', "count: "),
        ('{"count": 3, "level": "MIDDLE"}', "level: "),
        ('{"count": 3, "level": "LOW", "colour": "red"}', "colour: argument_unknown"),
        ("[1]", "parameters: not_an_object"),
        ("{", "parameters: not_an_object"),
    ],
)
def test_parameters_that_do_not_fit_are_told(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant, parameters: str, fault: str
) -> None:
    html = text(attempt(signed_in("admin"), command, obj=tenant, parameters=parameters))
    assert "The parameters do not fit." in html
    assert fault in html
    assert ToolCall.objects.get().code == "page_commands.parameters_unreadable"


def test_the_address_that_would_open_is_told(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    command.steps.get(position=5).bindings.filter(argument="pk").update(source="input", value="")
    html = text(attempt(signed_in("admin"), command, obj=tenant))
    assert f"<code>/factory/projects/{tenant.pk}/?tab=news</code>" in html


def test_a_command_that_is_switched_off_is_tried_and_says_so(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    AgentCommand.objects.filter(pk=command.pk).update(enabled=False)
    html = text(attempt(signed_in("admin"), command, obj=tenant))
    assert "The command or its page is switched off" in html
    assert "It would run." in html


def test_a_command_that_takes_no_object_is_tried_without(signed_in: SignedIn, db: None) -> None:
    command = AgentCommand.objects.get(page__key="factory.start", name="select_tenant")
    command.steps.all().delete()
    command.steps.create(position=1, kind="show_view", target="tenant_facts")
    none = {"input_type": "", "input_description": "", "input_permission": ""}
    AgentCommand.objects.filter(pk=command.pk).update(**none)
    assert "It would run." in text(attempt(signed_in("admin"), command, "clerk", "", ""))
    assert "The command takes no object: leave it out." in text(attempt(signed_in("admin"), command, "clerk", "1", ""))


# Objects


@pytest.mark.parametrize("key", ["", "  ", "99999999", "x", "9" * 300, "a\0", "1 or 1=1"])
def test_of_an_object_that_is_none_nothing_is_told(
    signed_in: SignedIn, command: AgentCommand, runner: User, key: str
) -> None:
    html = text(attempt(signed_in("admin"), command, obj=key))
    assert "takes an object: say which" in html or "There is no factory.tenant of that id that you may view." in html
    assert "They may run the command" not in html


def test_what_the_admin_may_not_view_reads_like_what_is_not_there(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant, hire: Hire
) -> None:
    hire("half", "view_agentcommand", "try_as_person", is_staff=True)
    forbidden = text(attempt(signed_in("half"), command, obj=tenant))
    missing = text(attempt(signed_in("half"), command, obj="99999999"))
    assert forbidden == missing
    assert tenant.name not in forbidden
    assert "There is no factory.tenant of that id that you may view." in forbidden


def test_what_the_person_may_not_view_is_said_to_be_so(
    signed_in: SignedIn, command: AgentCommand, tenant: Tenant, hire: Hire
) -> None:
    assign_perm(RUN, hire("runner"), command)
    html = text(attempt(signed_in("admin"), command, obj=tenant))
    assert "runner may not view it: their agent is told that there is no such object." in html
    assert tenant.name not in html
    assert ToolCall.objects.get().code == "page_commands.object_unreadable"


def test_the_scope_of_the_application_counts_for_both(
    signed_in: SignedIn,
    command: AgentCommand,
    runner: User,
    tenant: Tenant,
    hire: Hire,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hire("half", "view_agentcommand", "try_as_person", "view_tenant", is_staff=True)
    hidden_from = ["half"]

    def scope(actor: Any) -> Any:
        return Tenant.objects.exclude(pk=tenant.pk) if actor.user.username in hidden_from else Tenant.objects.all()

    monkeypatch.setitem(registry._lists, "tenants", ListDefinition("tenants", Tenant, queryset=scope))
    assert "that you may view" in text(attempt(signed_in("half"), command, obj=tenant))
    hidden_from[:] = ["runner"]
    assert "runner may not view it" in text(attempt(signed_in("half"), command, obj=tenant))
    hidden_from.clear()
    assert "It would run." in text(attempt(signed_in("half"), command, obj=tenant))


@pytest.fixture
def about_project(command: AgentCommand, hire: Hire) -> Project:
    """The command, now about a conversation's project; the person may view all of it, the admin not the tenant."""
    person = hire("runner", "view_conversation", "view_project", "view_tenant", "view_project")
    assign_perm(RUN, person, command)
    hire("half", "view_agentcommand", "try_as_person", "view_project", is_staff=True)
    command.rules.update(code="shop.of_project", reason={"en": "It is of {object.tenant} and {object.tenant.name}."})
    command.steps.all().delete()
    step = command.steps.create(position=1, kind="handler", target="shop.whatever")
    step.bindings.create(argument="tenant", source="input", value="tenant")
    step.bindings.create(argument="named", source="input", value="tenant.name")
    AgentCommand.objects.filter(pk=command.pk).update(
        input_type="factory.project",
        input_channel="project",
        input_permission="factory.view_project",
        confirmation="REQUIRED",
        confirmation_condition="",
        confirmation_title={"en": "For {object.tenant.name}?"},
        confirmation_message={"en": "It is of {object.tenant}."},
    )
    tenant = Tenant.objects.create(name="Hidden from half", status="TRIAL")
    project: Project = Project.objects.create(tenant=tenant, name="Portal", started="2026-01-01")
    return project


def test_what_stands_behind_an_object_is_shown_as_far_as_both_may_view_it(
    signed_in: SignedIn, command: AgentCommand, about_project: Project
) -> None:
    html = text(attempt(signed_in("half"), command, obj=about_project))
    assert "It would ask the person first." in html
    assert "“Portal”" in html
    assert "Hidden from half" not in html
    assert "For withheld?" in html
    assert "<code>named</code> = withheld from you or from them" in html
    assert "Hidden from half" in text(attempt(signed_in("admin"), command, obj=about_project))


def test_a_reason_names_nothing_that_the_admin_may_not_view(
    signed_in: SignedIn, command: AgentCommand, about_project: Project
) -> None:
    Project.objects.filter(pk=about_project.pk).update(name="Closed")
    html = text(attempt(signed_in("half"), command, obj=about_project))
    assert "It is of withheld and withheld." in html
    assert "Hidden from half" not in html


def test_the_rights_of_the_person_alone_decide(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant, hire: Hire
) -> None:
    """The admin lacks both rights, and may look for all that."""
    admin = hire("half", "view_agentcommand", "try_as_person", is_staff=True)
    assign_perm("factory.view_tenant", admin, tenant)
    AgentCommand.objects.filter(pk=command.pk).update(input_permission="factory.change_tenant")
    assign_perm("factory.change_tenant", runner, tenant)
    assert "It would run." in text(attempt(signed_in("half"), command, obj=tenant))


# Nothing is run


def counts() -> dict[str, int]:
    """How many rows every table has, but for the log."""
    return {
        model._meta.label: model._base_manager.count()
        for model in apps.get_models(include_auto_created=True)
        if model is not ToolCall and model._meta.label != "sessions.Session"
    }


def contents() -> Any:
    """What the records of the factory say."""
    return [list(model._base_manager.order_by("pk").values()) for model in (Tenant, Project)]


@pytest.mark.parametrize("parameters", [PARAMETERS, '{"count": 12, "level": "HIGH"}', "{"])
def test_a_try_changes_nothing_but_the_log(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant, parameters: str
) -> None:
    client = signed_in("admin")
    before, said = counts(), contents()
    assert attempt(client, command, obj=tenant, parameters=parameters).status_code == 200
    assert counts() == before
    assert contents() == said
    assert ToolCall.objects.count() == 1
    assert not CommandRun.objects.exists()
    assert not Effect.objects.exists()


def test_every_command_of_the_company_is_tried_without_a_trace(signed_in: SignedIn, db: None) -> None:
    client = signed_in("admin")
    objects = {
        "factory.tenant": Tenant.objects.filter(archived=False).first(),
        "factory.project": Project.objects.first(),
        "factory.conversation": Conversation.objects.exclude(state="CLOSED").first(),
    }
    before, said = counts(), contents()
    talks = list(Conversation.objects.order_by("pk").values())
    commands = list(AgentCommand.objects.all())
    for one in commands:
        given = {p.name: "https://new.example/x.git" for p in one.parameters.all()}
        html = text(attempt(client, one, "admin", objects.get(one.input_type, ""), str(given).replace("'", '"')))
        assert "It would" in html
        assert "It would be refused." not in html
    assert (counts(), contents()) == (before, said)
    assert list(Conversation.objects.order_by("pk").values()) == talks
    assert ToolCall.objects.count() == len(commands)


def test_what_a_rule_writes_is_undone(signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant) -> None:
    @command_rule("shop.writing")
    def writing(context: CommandContext) -> bool:
        """Writes where it should not"""
        Tenant.objects.filter(pk=tenant.pk).update(name="Written by a rule")
        return True

    try:
        command.rules.create(position=9, code="shop.writing", reason={"en": "No."})
        assert "Writes where it should not" in text(attempt(signed_in("admin"), command, obj=tenant))
    finally:
        unregister("rule", "shop.writing")
    tenant.refresh_from_db()
    assert tenant.name == "Only-in-this-test"


def test_a_rule_that_breaks_refuses(signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant) -> None:
    @command_rule("shop.breaking")
    def breaking(context: CommandContext) -> bool:
        raise RuntimeError("a secret of the application")

    try:
        command.rules.create(position=9, code="shop.breaking", reason={"en": "It cannot be told."})
        response = attempt(signed_in("admin"), command, obj=tenant)
    finally:
        unregister("rule", "shop.breaking")
    assert response.status_code == 200
    assert "It cannot be told." in text(response)
    assert "a secret of the application" not in text(response)


def test_an_object_that_breaks_is_no_error_of_the_page(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Tenant) -> str:
        raise RuntimeError("a secret of the application")

    monkeypatch.setattr(Tenant, "__str__", broken)
    response = attempt(signed_in("admin"), command, obj=tenant)
    assert response.status_code == 200
    assert "The application&#x27;s code failed; the server&#x27;s log says how." in text(response)
    assert "a secret of the application" not in text(response)
    assert ToolCall.objects.get().outcome == "INTERNAL"


def test_a_broken_declaration_is_not_tried(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    command.steps.filter(position=3).update(target="gone")
    html = text(attempt(signed_in("admin"), command, obj=tenant))
    assert "The declaration is wrong, so the command is not offered." in html
    assert "step 3: The page has no view “gone”." in html
    assert "They may run the command" not in html


def test_each_try_is_in_the_log(signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant) -> None:
    attempt(signed_in("admin"), command, obj=tenant)
    call = ToolCall.objects.get()
    assert (call.user.username, call.previewed_by.username) == ("runner", "admin")
    assert (call.tool, call.outcome, call.code, call.token) == ("runPageCommand", "READY", "", None)


def test_names_with_markup_come_out_as_text(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    Tenant.objects.filter(pk=tenant.pk).update(name=MARKUP)
    command.steps.get(position=1).bindings.filter(argument="count").update(value="7")
    said = {"label": {"en": MARKUP}, "confirmation_button": {"en": MARKUP}}
    AgentCommand.objects.filter(pk=command.pk).update(**said)
    parameters = '{"count": 12, "level": "HIGH", "note": "<i>x</i>"}'
    html = text(attempt(signed_in("admin"), command, obj=tenant, parameters=parameters))
    assert "It would ask the person first." in html
    assert "&lt;b&gt;Evil&lt;/b&gt; &amp; ‘Co’" in html
    assert "&lt;i&gt;x&lt;/i&gt;" in html
    assert "<b>Evil" not in html
    assert "<i>x" not in html
    Tenant.objects.filter(pk=tenant.pk).update(archived=True)
    assert "&lt;b&gt;Evil&lt;/b&gt; &amp; ‘Co’” is archived." in text(attempt(signed_in("admin"), command, obj=tenant))


def test_a_try_writes_to_no_table_but_the_log(
    signed_in: SignedIn, command: AgentCommand, runner: User, tenant: Tenant
) -> None:
    client = signed_in("admin")
    with CaptureQueriesContext(connection) as asked:
        attempt(client, command, obj=tenant)
    writing = [one["sql"] for one in asked if one["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert len(writing) == 1
    assert "read_targets_toolcall" in writing[0]
