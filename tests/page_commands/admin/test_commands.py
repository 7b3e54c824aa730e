"""The page of a command: what is filled in is held against the application as a whole, before anything is saved."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from page_commands.declaration.soundness import problems_of
from page_commands.models import AgentCommand, Page, declared_command

from .conftest import ADD_COMMAND, COMMAND, Form, content_of

SignedIn = Callable[[str], Client]


@pytest.fixture
def form(signed_in: SignedIn, command: AgentCommand) -> Form:
    """The page of the shop's command, in the admin's browser."""
    return Form(signed_in("admin"), COMMAND.format(command.pk), "agentcommand_form")


def test_saving_a_page_as_it_stands_changes_nothing(form: Form, command: AgentCommand) -> None:
    before = content_of(command)
    keys = list(command.steps.values_list("bindings", flat=True))
    assert form.save().status_code == 302
    assert content_of(command) == before
    assert list(command.steps.values_list("bindings", flat=True)) == keys


WRONG: list[tuple[dict[str, str], str]] = [
    ({"name": "Bad name"}, "A name is of small letters, digits and _, a letter first."),
    ({"description": ""}, "This field is required."),
    ({"input_type": "factory.tenat"}, "The site has no model “factory.tenat”."),
    ({"input_type": ""}, "The command takes no object. Choose the type of its object, or leave this empty."),
    (
        {"input_permission": ""},
        "No permission on the object is named, so every object would be refused. It has factory.",
    ),
    ({"input_permission": "factory.view_project"}, "factory.tenant has no permission “factory.view_project”."),
    ({"input_channel": "shelf"}, "The page has no channel “shelf”. There are tenant."),
    (
        {"input_channel": "project"},
        "The channel “project” holds factory.project, and the command takes factory.tenant.",
    ),
    (
        {"confirmation": "REQUIRED"},
        "A condition goes with the confirmation “when a condition holds”, and only with it.",
    ),
    ({"confirmation_condition": "shop.gone"}, "The application has no condition “shop.gone”."),
    ({"confirmation_condition": "shop.project_is_big"}, "“shop.project_is_big” works on factory.project"),
    ({"confirmation_title_en": ""}, "There is no text. Write it in English at least"),
    ({"confirmation_message_en": "{object.nam}"}, "{object.nam}: factory.tenant has no such field. It has id, name"),
    ({"confirmation_button_de": "{colour}"}, "Nothing stands for {colour}."),
    ({"parameters-0-name": "object"}, "The name “object” is reserved."),
    ({"parameters-0-name": "count"}, "The name “count” is used twice."),
    ({"parameters-0-kind": ""}, "This field is required."),
    ({"parameters-1-minimum": "30"}, "The least is more than the most, so nothing fits."),
    ({"parameters-2-values": ""}, "The parameter lists no values. Write one a line."),
    ({"parameters-0-pattern": "[a-"}, "This is no regular expression"),
    ({"rules-0-code": "shop.gone"}, "The application has no rule “shop.gone”."),
    ({"rules-0-code": "shop.of_project"}, "“shop.of_project” works on factory.project"),
    ({"rules-0-reason_en": ""}, "There is no text. Write it in English at least"),
    ({"steps-0-action": ""}, "This field is required."),
    ({"steps-0-action": "dance tenant"}, "Choose what the step does."),
    ({"steps-0-action": "handler shop.gone"}, "The application has no handler “shop.gone”. There are"),
    ({"steps-0-action": "handler shop.of_project"}, "“shop.of_project” works on factory.project"),
    ({"steps-0-bindings": ""}, "The argument “tenant” is not bound. What fits it: input, channel tenant."),
    ({"steps-0-bindings": "tenant = inptu"}, "Line 1: “inptu” is no source. Did you mean input?"),
    ({"steps-0-bindings": "tenant = input\ntenant = input"}, "“tenant” is bound twice. Bind it once."),
    ({"steps-0-bindings": "tenant = channel project"}, "takes factory.tenant, and factory.project is bound to it."),
    ({"steps-0-bindings": "tenant = input\nx = constant 1"}, "The step takes no argument “x”. It takes tenant, note"),
    ({"steps-1-action": "write_channel shelf"}, "The page has no channel “shelf”. There are tenant, project."),
    ({"steps-2-action": "show_view shelf"}, "The page has no view “shelf”. There are card, held, banner."),
    ({"steps-3-action": "mutation gone"}, "The GraphQL schema has no mutation “gone”."),
    ({"steps-4-action": "open_page admin:index"}, "No page of the application has the URL name “admin:index”."),
    ({"steps-4-bindings": "pk = step 4.gone"}, "pk: renameProject answers no “gone”."),
    ({"steps-4-bindings": "pk = step 5"}, "pk: Step 5 is none before this one that returns something."),
]


@pytest.mark.parametrize(("said", "reason"), WRONG)
def test_a_wrong_command_is_refused_with_what_would_fit(
    form: Form, command: AgentCommand, said: dict[str, str], reason: str
) -> None:
    before = content_of(command)
    assert reason in form.refused(**said)
    assert content_of(command) == before


def test_the_reason_stands_at_the_row_that_is_wrong(form: Form) -> None:
    html = form.refused(**{"steps-2-bindings": "object = channel shelf"})
    there = html.index("object: The page has no channel “shelf”.")
    assert html.index('id="steps-2"') < there < html.index('id="steps-3"')


def test_all_that_is_wrong_is_said_at_once(form: Form) -> None:
    said = {"input_permission": "", "rules-0-reason_en": "", "steps-2-bindings": "", "parameters-2-values": ""}
    html = form.refused(**said)
    for reason in ("No permission on the object", "There is no text", "“object” is not bound", "lists no values"):
        assert reason in html


def test_a_command_that_is_switched_off_is_refused_alike(form: Form, command: AgentCommand) -> None:
    before = content_of(command)
    form.fields.pop("enabled")
    assert "The argument “tenant” is not bound." in form.refused(**{"steps-0-bindings": ""})
    assert content_of(command) == before
    assert form.save().status_code == 302
    command.refresh_from_db()
    assert command.enabled is False


def test_a_command_without_steps_is_refused(form: Form, command: AgentCommand) -> None:
    said = {f"steps-{number}-DELETE": "on" for number in range(5)}
    assert "The command does nothing. Add at least one step." in form.refused(**said)
    assert command.steps.count() == 5


def test_a_row_that_goes_takes_its_problems_with_it(form: Form, command: AgentCommand) -> None:
    said = {"rules-0-code": "shop.gone", "rules-0-DELETE": "on", "steps-4-bindings": "", "steps-4-DELETE": "on"}
    assert form.save(**said).status_code == 302
    assert (command.rules.count(), command.steps.count()) == (0, 4)


def test_bindings_are_written_one_a_line_and_read_back(form: Form, command: AgentCommand) -> None:
    assert form.fields["steps-0-bindings"] == 'tenant = input\nnote = parameter note\ncount = constant "3"'
    text = 'tenant = channel tenant\r\nnote = constant "a \\"word\\" & <b>"\r\ncount = parameter count'
    assert form.save(**{"steps-0-bindings": text}).status_code == 302
    touch = command.steps.get(position=1)
    assert list(touch.bindings.values_list("argument", "source", "value")) == [
        ("tenant", "channel", "tenant"),
        ("note", "constant", 'a "word" & <b>'),
        ("count", "parameter", "count"),
    ]
    again = Form(form.client, form.address, "agentcommand_form")
    assert again.fields["steps-0-bindings"] == text.replace("\r\n", "\n")


def test_of_a_step_kind_and_target_are_one_choice(form: Form, command: AgentCommand) -> None:
    html = form.client.get(form.address).content.decode()
    for option, label in (
        ("write_channel tenant", "Write channel: tenant ([object: factory.tenant])"),
        ("show_view card", "Show view: card (object: factory.tenant)"),
        ("show_view held", "Show view: held"),
        ("open_page factory:project-preview", "Open page: factory:project-preview (pk)"),
        ("handler shop.touch", "Call handler: shop.touch (tenant: factory.tenant, [note: str], [count: int])"),
        ("mutation renameProject", "Run mutation: renameProject (id: ID!, name: String!)"),
    ):
        assert re.search(rf'<option value="{re.escape(option)}"[^>]*>{re.escape(label)}</option>', html), option
    said = {"steps-2-action": "show_view banner", "steps-2-bindings": ""}
    assert form.save(**said).status_code == 302
    third = command.steps.get(position=3)
    assert (third.kind, third.target, third.bindings.count()) == ("show_view", "banner", 0)


def test_steps_count_in_the_order_of_their_positions(form: Form, command: AgentCommand) -> None:
    # The last comes first, so that the step it takes something of is none before it.
    assert "Step 1 is none before this one that returns something." in form.refused(**{"steps-4-position": "0"})
    said = {"steps-4-position": "0", "steps-4-bindings": "pk = channel project"}
    assert form.save(**said).status_code == 302
    assert [step.kind for step in command.steps.all()][:2] == ["open_page", "handler"]


def test_a_new_step_and_a_new_rule_are_added(form: Form, command: AgentCommand) -> None:
    form.add("steps", action="show_view held", bindings="", position="60")
    form.add("rules", code="shop.anything", position="20", reason_en="Never on Sundays.")
    assert form.save().status_code == 302
    assert command.steps.get(position=60).target == "held"
    assert command.rules.get(position=20).reason == {"en": "Never on Sundays."}


def test_a_new_row_that_says_nothing_is_no_row(form: Form, command: AgentCommand) -> None:
    before = content_of(command)
    form.add("steps", position="60", action="", bindings="")
    form.add("rules", position="20", code="")
    form.add("parameters", position="40", name="", kind="")
    assert form.save().status_code == 302
    assert content_of(command) == before


def test_two_parameters_may_exchange_their_names(form: Form, command: AgentCommand) -> None:
    said = {
        **{"parameters-0-name": "count", "parameters-1-name": "note", "confirmation_message_en": "{object}"},
        **{"steps-0-bindings": "tenant = input\nnote = parameter count"},
    }
    assert form.save(**said).status_code == 302
    assert dict(command.parameters.values_list("name", "kind")) == {
        "count": "string",
        "note": "integer",
        "level": "enum",
    }


def test_another_page_brings_other_channels_and_views(form: Form, command: AgentCommand) -> None:
    other = Page.objects.get(key="factory.project")
    html = form.refused(page=str(other.pk))
    assert "The page has no channel “tenant”." in html
    assert "The page has no view “card”. There is none." in html
    assert "show_view card (not there)" in html


def test_save_as_new_copies_everything_under_another_name(form: Form, command: AgentCommand) -> None:
    before = content_of(command)
    response = form.save(name="touch_again", _saveasnew="1")
    copy = AgentCommand.objects.get(name="touch_again")
    assert response["Location"] == COMMAND.format(copy.pk)
    copied = content_of(copy)
    assert copied["command"].pop("name") == "touch_again"
    assert {**copied, "command": {**copied["command"], "name": "touch"}} == before
    assert content_of(command) == before
    assert problems_of(declared_command(copy.pk)) == []


def test_save_as_new_under_the_old_name_is_refused(form: Form) -> None:
    count = AgentCommand.objects.count()
    assert "already exists" in form.refused(_saveasnew="1")
    assert AgentCommand.objects.count() == count


def test_a_command_that_the_code_moved_away_under_says_so_and_can_be_mended(form: Form, command: AgentCommand) -> None:
    command.rules.update(code="shop.gone")
    command.steps.filter(position=3).update(target="gone")
    html = form.client.get(form.address).content.decode()
    assert "As it is stored, this command is not offered to anybody:" in html
    assert "rule shop.gone: The application has no rule “shop.gone”." in html
    assert "step 3: The page has no view “gone”." in html
    assert "shop.gone (not there)" in html
    assert "show_view gone (not there)" in html
    mended = Form(form.client, form.address, "agentcommand_form")
    assert "The page has no view “gone”." in mended.refused()
    said = {"rules-0-code": "shop.tenant_is_fine", "steps-2-action": "show_view card"}
    assert mended.save(**said).status_code == 302
    assert problems_of(declared_command(command.pk)) == []


def test_the_list_says_of_each_command_whether_it_works(signed_in: SignedIn, command: AgentCommand) -> None:
    AgentCommand.objects.filter(name="open_project").update(enabled=False)
    command.steps.filter(position=3).update(target="gone")
    html = signed_in("admin").get("/admin/page_commands/agentcommand/").content.decode()
    assert "step 3: The page has no view “gone”. There are card, held, banner." in html
    assert '<td class="field-state">works</td>' in html
    assert '<td class="field-state">switched off</td>' in html
    assert "factory.tenant from an agent" in html


def test_the_list_costs_the_same_for_many_commands(
    signed_in: SignedIn, command: AgentCommand, django_assert_num_queries: object
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client, address = signed_in("admin"), "/admin/page_commands/agentcommand/"
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    for number in range(20):
        command.page.commands.create(name=f"more{number}", description="More.")
    with CaptureQueriesContext(connection) as many:
        client.get(address)
    assert len(many) == len(few)


def test_the_page_shows_the_command_as_the_agent_sees_it(form: Form) -> None:
    html = form.client.get(form.address).content.decode()
    told = html.split('id="told"')[1].split("</section>")[0]
    for said in (
        ".touch&quot;",
        "&quot;takesObject&quot;: true",
        "&quot;inputType&quot;: &quot;factory.tenant&quot;",
        "&quot;maximum&quot;: 20",
    ):
        assert said in told


def test_nothing_in_the_page_is_inline(form: Form) -> None:
    for address in (form.address, f"{ADD_COMMAND}?page=1", ADD_COMMAND):
        html = form.client.get(address, follow=True).content.decode()
        assert not re.search(r"\sstyle=|\son[a-z]+=|<style", html)
        assert all(re.search(r"\ssrc=|type=\"application/json\"", tag) for tag in re.findall(r"<script[^>]*>", html))


# Adding


def test_a_new_command_is_asked_for_its_page_first(signed_in: SignedIn, page: Page) -> None:
    html = signed_in("admin").get(ADD_COMMAND).content.decode()
    assert f'<option value="{page.pk}">Shop (shop.front)</option>' in html
    assert 'name="input_type"' not in html


def test_where_there_is_one_page_it_is_that_one(signed_in: SignedIn, page: Page) -> None:
    Page.objects.exclude(pk=page.pk).delete()
    response = signed_in("admin").get(ADD_COMMAND)
    assert response["Location"] == f"{ADD_COMMAND}?page={page.pk}"


def test_where_there_is_no_page_one_is_asked_for(signed_in: SignedIn, db: None) -> None:
    Page.objects.all().delete()
    html = signed_in("admin").get(ADD_COMMAND).content.decode()
    assert "A command belongs to a page, and there is none yet." in html
    assert 'href="/admin/page_commands/page/add/"' in html


@pytest.mark.parametrize("page_id", ["x", "99999", "-1", "9" * 40, ""])
def test_a_page_that_is_none_is_no_error(signed_in: SignedIn, page: Page, page_id: str) -> None:
    assert signed_in("admin").get(ADD_COMMAND, {"page": page_id}).status_code == 200


def test_a_new_command_is_stored_whole(signed_in: SignedIn, page: Page) -> None:
    form = Form(signed_in("admin"), f"{ADD_COMMAND}?page={page.pk}", "agentcommand_form")
    assert form.fields["page"] == str(page.pk)
    form.fields |= {"name": "show", "description": "Show a tenant.", "label_en": "Show"}
    form.fields |= {"input_type": "factory.tenant", "input_permission": "factory.view_tenant"}
    form.add("steps", action="show_view card", position="10", bindings="object = input")
    assert form.save().status_code == 302
    command = AgentCommand.objects.get(name="show")
    assert problems_of(declared_command(command.pk)) == []
    assert [str(one) for one in command.steps.get().bindings.all()] == ["object ← input"]


def test_of_a_new_command_that_is_wrong_nothing_is_stored(signed_in: SignedIn, page: Page) -> None:
    form = Form(signed_in("admin"), f"{ADD_COMMAND}?page={page.pk}", "agentcommand_form")
    form.fields |= {"name": "show", "description": "Show a tenant."}
    html = form.refused()
    assert "The command does nothing. Add at least one step." in html
    form.add("steps", action="show_view card", position="10", bindings="")
    assert "The argument “object” is not bound." in form.refused()
    assert not AgentCommand.objects.filter(name="show").exists()


def test_a_name_is_used_once_a_page(signed_in: SignedIn, command: AgentCommand) -> None:
    form = Form(signed_in("admin"), f"{ADD_COMMAND}?page={command.page_id}", "agentcommand_form")
    form.fields |= {"name": "touch", "description": "Again."}
    form.add("steps", action="show_view banner", position="10", bindings="")
    assert "already exists" in form.refused()


# Rights


def test_whoever_may_change_commands_changes_their_rows(
    signed_in: SignedIn, command: AgentCommand, hire: Callable[..., User]
) -> None:
    hire("half", "change_agentcommand", is_staff=True)
    form = Form(signed_in("half"), COMMAND.format(command.pk), "agentcommand_form")
    assert form.save(**{"steps-2-action": "show_view banner", "steps-2-bindings": ""}).status_code == 302
    assert command.steps.get(position=3).target == "banner"


def test_whoever_may_only_look_changes_nothing(
    signed_in: SignedIn, command: AgentCommand, hire: Callable[..., User]
) -> None:
    hire("half", "view_agentcommand", is_staff=True)
    client = signed_in("half")
    before = content_of(command)
    response = client.get(COMMAND.format(command.pk))
    html = response.content.decode()
    assert response.status_code == 200
    assert "tenant = input, note = parameter note" in html
    assert "shop.tenant_is_fine" in html
    assert client.post(COMMAND.format(command.pk), {"name": "other"}).status_code == 403
    assert content_of(command) == before


def test_staff_without_a_right_see_nothing(
    signed_in: SignedIn, command: AgentCommand, hire: Callable[..., User]
) -> None:
    hire("half", is_staff=True)
    response = signed_in("half").get(COMMAND.format(command.pk))
    assert response.status_code == 403
    assert "shop.touch" not in response.content.decode()


def test_markup_in_what_is_declared_comes_out_as_text(form: Form, command: AgentCommand) -> None:
    markup = "<script>alert(1)</script>"
    AgentCommand.objects.filter(pk=command.pk).update(label={"en": markup}, description=markup, input_type=markup)
    command.rules.update(code=markup)
    command.steps.filter(position=1).update(target=markup)
    for address in (
        form.address,
        "/admin/page_commands/agentcommand/",
        f"/admin/page_commands/page/{command.page_id}/change/",
    ):
        html = form.client.get(address).content.decode()
        assert markup not in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
