"""What is wrong with a command: each rule, where it is said, and what would fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.urls import set_urlconf
from django.utils import translation

from page_commands import mutations
from page_commands.code import _registered, unregister
from page_commands.declaration.problem import Problem, listed
from page_commands.declaration.soundness import is_sound, problems_of
from page_commands.models import AgentCommand, declared_command, declared_commands

Damage = Callable[[AgentCommand], Any]


def again(command: AgentCommand) -> AgentCommand:
    """The command as it is stored now, with all that is declared of it."""
    return declared_command(command.pk)


def of_command(**said: Any) -> Damage:
    """Change fields of the command."""
    return lambda command: AgentCommand.objects.filter(pk=command.pk).update(**said)


def of_row(rows: str, position: int, **said: Any) -> Damage:
    """Change fields of the row at that position."""
    return lambda command: getattr(command, rows).filter(position=position).update(**said)


def of_binding(position: int, argument: str, **said: Any) -> Damage:
    """Change a binding of the step at that position."""
    return lambda command: command.steps.get(position=position).bindings.filter(argument=argument).update(**said)


def unbind(position: int, *arguments: str) -> Damage:
    """Take bindings of the step at that position away."""
    return lambda command: command.steps.get(position=position).bindings.filter(argument__in=arguments).delete()


def bind(position: int, argument: str, source: str, value: str = "") -> Damage:
    """Add a binding to the step at that position."""

    def damage(command: AgentCommand) -> None:
        command.steps.get(position=position).bindings.create(argument=argument, source=source, value=value)

    return damage


def step(kind: str, target: str, **bindings: str) -> Damage:
    """Have this one step alone; each binding is its source and value."""

    def damage(command: AgentCommand) -> None:
        command.steps.all().delete()
        only = command.steps.create(position=1, kind=kind, target=target)
        for argument, said in bindings.items():
            source, _space, value = said.partition(" ")
            only.bindings.create(argument=argument, source=source, value=value)

    return damage


def both(*damages: Damage) -> Damage:
    """Do several."""
    return lambda command: [damage(command) for damage in damages]


def test_a_right_command_has_no_problem(command: AgentCommand) -> None:
    assert problems_of(again(command)) == []
    assert is_sound(again(command))


def test_every_command_of_the_company_is_right(db: None) -> None:
    commands = list(declared_commands())
    assert commands
    assert {one.key: problems_of(one) for one in commands} == {one.key: [] for one in commands}


OBJECT: list[tuple[Damage, str, str, str]] = [
    (of_command(input_type="factory.tenat"), "input_type", "The site has no model “factory.tenat”.", "factory.tenant"),
    (of_command(input_type="nothing"), "input_type", "The site has no model “nothing”.", "factory.tenant"),
    (
        both(
            of_command(input_type="", input_channel="", input_permission="", confirmation="NEVER"),
            of_command(confirmation_condition=""),
            of_row("rules", 1, code="shop.anything", reason={"en": "No."}),
            step("show_view", "banner"),
        ),
        "input_description",
        "The command takes no object.",
        "Choose the type of its object, or leave this empty.",
    ),
    (
        of_command(input_permission=""),
        "input_permission",
        "No permission on the object is named, so every object would be refused.",
        "It has factory.add_tenant, factory.change_tenant, factory.delete_tenant, factory.view_tenant.",
    ),
    (
        of_command(input_permission="factory.view_project"),
        "input_permission",
        "factory.tenant has no permission “factory.view_project”.",
        "factory.view_tenant",
    ),
    (
        of_command(input_channel="tennant"),
        "input_channel",
        "The page has no channel “tennant”.",
        "There are tenant.",
    ),
    (
        of_command(input_channel="project"),
        "input_channel",
        "The channel “project” holds factory.project, and the command takes factory.tenant.",
        "Choose one of tenant.",
    ),
]

PARAMETERS: list[tuple[Damage, str, str, str]] = [
    (of_row("parameters", 1, name="object"), "name", "The name “object” is reserved.", "choose another name"),
    (of_row("parameters", 1, kind="colour"), "kind", "“colour” is no type of a parameter.", "string, number, integer"),
    (of_row("parameters", 1, minimum=1), "minimum", "Only a number has a least and a most.", "Leave it empty."),
    (of_row("parameters", 1, maximum=1), "maximum", "Only a number has a least and a most.", "Leave it empty."),
    (of_row("parameters", 2, minimum=30), "minimum", "The least is more than the most", "Exchange the two."),
    (of_row("parameters", 1, pattern="[a-"), "pattern", "This is no regular expression", "[A-Z]{3}"),
    (of_row("parameters", 2, pattern="1"), "pattern", "Only a text has a pattern.", "Leave it empty."),
    (of_row("parameters", 3, values=""), "values", "The parameter lists no values.", "Write one a line."),
    (of_row("parameters", 3, values="A\nA"), "values", "A value is there twice.", "Write each once."),
    (of_row("parameters", 1, values="A"), "values", "Only one of some values has a list of them.", "Leave them empty"),
]

RULES: list[tuple[Damage, str, str, str]] = [
    (
        of_row("rules", 1, code="shop.gone"),
        "code",
        "The application has no rule “shop.gone”.",
        "shop.anything, shop.tenant_is_fine",
    ),
    (
        of_row("rules", 1, code="shop.of_project"),
        "code",
        "“shop.of_project” works on factory.project, and the command takes factory.tenant.",
        "shop.tenant_is_fine",
    ),
    (of_row("rules", 1, reason={}), "reason", "There is no text.", "Write it in English at least"),
    (of_row("rules", 1, reason={"de": "Nein."}), "reason", "There is no text.", "Write it in English at least"),
    (
        of_row("rules", 1, reason={"en": "No.", "de": "{object.nam}"}),
        "reason",
        "{object.nam}: factory.tenant has no such field.",
        "It has id, name, archived, status",
    ),
    (
        of_row("rules", 1, reason={"en": "{colour}"}),
        "reason",
        "Nothing stands for {colour}.",
        "There are {object}, {object.field}, {note}, {count}, {level}.",
    ),
    (of_row("rules", 1, reason={"en": "{ object }"}), "reason", "Nothing stands for { object }.", "{object}"),
]

CONFIRMATION: list[tuple[Damage, str, str, str]] = [
    (
        of_command(confirmation_condition=""),
        "confirmation_condition",
        "A condition goes with the confirmation “when a condition holds”, and only with it.",
        "shop.is_big",
    ),
    (
        of_command(confirmation="REQUIRED"),
        "confirmation_condition",
        "A condition goes with the confirmation “when a condition holds”, and only with it.",
        "Leave it empty.",
    ),
    (
        of_command(confirmation_condition="shop.gone"),
        "confirmation_condition",
        "The application has no condition “shop.gone”.",
        "shop.is_big",
    ),
    (
        of_command(confirmation_condition="shop.project_is_big"),
        "confirmation_condition",
        "“shop.project_is_big” works on factory.project, and the command takes factory.tenant.",
        "shop.is_big",
    ),
    (of_command(confirmation="SOMETIMES"), "confirmation", "“SOMETIMES” does not say when to ask.", "NEVER, REQUIRED"),
    (
        of_command(confirmation="NEVER", confirmation_condition="", confirm_clicks=True),
        "confirm_clicks",
        "Nothing is ever asked, so a click asks nothing either.",
        "Leave it off",
    ),
    (of_command(confirmation_title={}), "confirmation_title", "There is no text.", "English"),
    (of_command(confirmation_message={"ko": "?"}), "confirmation_message", "There is no text.", "English"),
    (of_command(confirmation_button={}), "confirmation_button", "There is no text.", "English"),
    (
        of_command(confirmation_message={"en": "{object.status.name}"}),
        "confirmation_message",
        "{object.status.name}: factory.tenant has no such field.",
        "It has id, name",
    ),
]

CHANNEL_STEPS: list[tuple[Damage, str, str, str]] = [
    (step("write_channel", "shelf"), "target", "The page has no channel “shelf”.", "There are tenant, project."),
    (
        step("write_channel", "project", object="input"),
        "bindings",
        "The argument “object” takes factory.project, and factory.tenant is bound to it.",
        "What fits it: channel project.",
    ),
    (
        step("write_channel", "tenant", obj="input"),
        "bindings",
        "The step takes no argument “obj”.",
        "It takes object.",
    ),
    (
        step("write_channel", "tenant", object="constant 17"),
        "bindings",
        "The argument “object” takes factory.tenant, and str is bound to it.",
        "What fits it: input, channel tenant.",
    ),
]

VIEW_STEPS: list[tuple[Damage, str, str, str]] = [
    (step("show_view", "chart"), "target", "The page has no view “chart”.", "There are card, held, banner."),
    (
        step("show_view", "card"),
        "bindings",
        "The argument “object” is not bound.",
        "What fits it: input, channel tenant.",
    ),
    (
        step("show_view", "card", object="channel project"),
        "bindings",
        "The argument “object” takes factory.tenant, and factory.project is bound to it.",
        "What fits it: input, channel tenant.",
    ),
    (
        step("show_view", "held", object="input"),
        "bindings",
        "The view shows what its channel holds, whatever is bound here.",
        "a step that writes its channel",
    ),
    (step("show_view", "banner", object="input"), "bindings", "The step takes no argument “object”.", "It takes none."),
    (
        both(
            step("show_view", "card", object="input"), lambda one: one.page.views.filter(name="card").update(code="x.y")
        ),
        "target",
        "The view “card” is rendered by code that is not registered.",
        "on the page's own form",
    ),
]

PAGE_STEPS: list[tuple[Damage, str, str, str]] = [
    (
        step("open_page", "factory:project"),
        "target",
        "No page of the application has the URL name “factory:project”.",
        "factory:project-preview",
    ),
    (step("open_page", "admin:index"), "target", "No page of the application has the URL name “admin:index”.", "home"),
    (step("open_page", "logout"), "target", "No page of the application has the URL name “logout”.", "home"),
    (step("open_page", "graphql"), "target", "No page of the application has the URL name “graphql”.", "home"),
    (
        step("open_page", "https://elsewhere.example/"),
        "target",
        "No page of the application has the URL name “https://elsewhere.example/”.",
        "home",
    ),
    (
        step("open_page", "factory:project-preview", id="input"),
        "bindings",
        "The argument “pk” is not bound.",
        "What fits it: input",
    ),
    (
        step("open_page", "factory:project-preview", pk="parameter note"),
        "bindings",
        "The argument “pk” is needed, and the parameter bound to it may be left out.",
        "Make the parameter required.",
    ),
]

HANDLER_STEPS: list[tuple[Damage, str, str, str]] = [
    (step("handler", "shop.tuch"), "target", "The application has no handler “shop.tuch”.", "shop.touch"),
    (
        step("handler", "shop.of_project", project="channel project"),
        "target",
        "“shop.of_project” works on factory.project, and the command takes factory.tenant.",
        "shop.touch",
    ),
    (step("handler", "shop.touch"), "bindings", "The argument “tenant” is not bound.", "input, channel tenant."),
    (
        step("handler", "shop.touch", tenant="input", colour="constant red"),
        "bindings",
        "The step takes no argument “colour”.",
        "It takes tenant, note, count.",
    ),
    (
        step("handler", "shop.touch", tenant="channel project"),
        "bindings",
        "The argument “tenant” takes factory.tenant, and factory.project is bound to it.",
        "input, channel tenant.",
    ),
    (
        step("handler", "shop.touch", tenant="input name"),
        "bindings",
        "The argument “tenant” takes factory.tenant, and str is bound to it.",
        "input, channel tenant.",
    ),
    (
        step("handler", "shop.touch", tenant="input", note="input"),
        "bindings",
        "The argument “note” takes str, and factory.tenant is bound to it.",
        "input name",
    ),
    (
        step("handler", "shop.touch", tenant="input", count="parameter note"),
        "bindings",
        "The argument “count” takes int, and str is bound to it.",
        "parameter count",
    ),
    (
        step("handler", "shop.unreadable", thing="input"),
        "target",
        "The arguments of “shop.unreadable” cannot be read",
        "Import what its arguments are annotated with",
    ),
]

MUTATION_STEPS: list[tuple[Damage, str, str, str]] = [
    (step("mutation", "renamProject"), "target", "The GraphQL schema has no mutation “renamProject”.", "renameProject"),
    (
        step("mutation", "renameProject", id="input"),
        "bindings",
        "The argument “name” is not bound.",
        "input name",
    ),
    (
        step("mutation", "renameProject", id="input", name="parameter level", colour="constant red"),
        "bindings",
        "The step takes no argument “colour”.",
        "It takes id, name.",
    ),
    (
        step("mutation", "renameProject", id="input archived", name="parameter level"),
        "bindings",
        "The argument “id” takes ID!, and bool is bound to it.",
        "input",
    ),
    (
        step("mutation", "renameProject", id="input", name="parameter note"),
        "bindings",
        "The argument “name” is needed, and the parameter bound to it may be left out.",
        "Make the parameter required.",
    ),
]

BINDINGS: list[tuple[Damage, str, str, str]] = [
    (of_binding(1, "tenant", source="magic"), "bindings", "tenant: “magic” is no source.", "input, parameter, channel"),
    (
        of_binding(2, "object", value="naem"),
        "bindings",
        "object: factory.tenant has no field “naem”.",
        "It has id, name, archived, status",
    ),
    (
        of_binding(1, "note", value="nota"),
        "bindings",
        "note: The command has no parameter “nota”.",
        "There are note, count, level.",
    ),
    (
        of_binding(3, "object", value="tennant"),
        "bindings",
        "object: The page has no channel “tennant”.",
        "There are tenant, project.",
    ),
    (
        of_binding(5, "pk", value="2"),
        "bindings",
        "pk: Step 2 is none before this one that returns something.",
        "these return something: 1, 4.",
    ),
    (
        of_binding(5, "pk", value="5"),
        "bindings",
        "pk: Step 5 is none before this one that returns something.",
        "these return something: 1, 4.",
    ),
    (
        of_binding(1, "note", source="step", value="1"),
        "bindings",
        "note: Step 1 is none before this one that returns something.",
        "No step before this one returns anything",
    ),
    (of_binding(5, "pk", value="first"), "bindings", "pk: “first” names no step.", "Write its number"),
    (of_binding(5, "tab", value=""), "bindings", "tab: The fixed value is empty.", "leave the argument out"),
]

EVERY = [
    *(("", *case) for case in OBJECT),
    *(("parameters", *case) for case in PARAMETERS),
    *(("rules", *case) for case in RULES),
    *(("", *case) for case in CONFIRMATION),
    *(
        ("bindings" if case[1] == "bindings" else "steps", *case)
        for case in (*CHANNEL_STEPS, *VIEW_STEPS, *PAGE_STEPS, *HANDLER_STEPS, *MUTATION_STEPS, *BINDINGS)
    ),
]


@pytest.mark.parametrize(("part", "damage", "field", "message", "hint"), EVERY)
def test_a_wrong_command_is_told_where_and_what_would_fit(
    command: AgentCommand, part: str, damage: Damage, field: str, message: str, hint: str
) -> None:
    damage(command)
    problems = problems_of(again(command))
    found = [one for one in problems if one.part == part and one.field == field and message in one.message]
    assert found, problems
    assert hint in found[0].hint
    assert all(one.message and one.hint for one in problems)
    assert not is_sound(again(command))


ONLY_ONE = [
    of_command(input_permission=""),
    of_command(input_channel="project"),
    of_row("rules", 1, code="shop.gone"),
    of_row("rules", 1, reason={}),
    of_command(confirmation_title={}),
    of_binding(3, "object", value="tennant"),
    of_binding(1, "note", value="nota"),
    step("handler", "shop.tuch"),
    step("show_view", "card"),
]


@pytest.mark.parametrize("damage", ONLY_ONE)
def test_one_fault_is_said_once(command: AgentCommand, damage: Damage) -> None:
    damage(command)
    assert len(problems_of(again(command))) == 1


def test_a_command_does_something(command: AgentCommand) -> None:
    command.steps.all().delete()
    assert problems_of(again(command)) == [
        Problem("", "The command does nothing.", "Add at least one step.", "steps"),
    ]


def test_a_step_of_no_kind_is_none(command: AgentCommand) -> None:
    command.steps.filter(position=2).update(kind="dance")
    (problem,) = problems_of(again(command))
    assert (problem.part, problem.row, problem.field) == ("steps", 1, "kind")
    assert "write_channel" in problem.hint


def test_a_problem_says_its_row(command: AgentCommand) -> None:
    command.steps.get(position=3).bindings.update(value="tennant")
    (problem,) = problems_of(again(command))
    assert (problem.part, problem.row, problem.name) == ("bindings", 2, "3")
    assert str(problem) == "step 3: object: The page has no channel “tennant”. There are tenant, project."


def test_problems_are_said_in_the_active_language(command: AgentCommand) -> None:
    AgentCommand.objects.filter(pk=command.pk).update(input_permission="")
    with translation.override("de"):
        (problem,) = problems_of(again(command))
        assert "factory.view_tenant" in problem.hint


def test_a_permission_that_is_not_stored_is_told_of(command: AgentCommand) -> None:
    Permission.objects.filter(codename="view_tenant").delete()
    (problem,) = problems_of(again(command))
    assert problem.message == "The permission “factory.view_tenant” is not stored."
    assert "migrate" in problem.hint
    assert problems_of(again(command), in_database=False) == []


FITTING = [
    step("write_channel", "tenant"),
    step("write_channel", "project", object="channel project"),
    step("show_view", "held"),
    step("show_view", "banner"),
    step("open_page", "factory:start"),
    step("open_page", "factory:tenants", search="input name"),
    step("open_page", "home"),
    step("handler", "shop.touch", tenant="channel tenant", count="parameter count", note="input status"),
    step(
        "handler",
        "shop.typed",
        text="constant a",
        number="constant 1.50",
        whole="constant 12",
        yes="constant true",
        day="constant 2026-10-31",
    ),
    step("handler", "shop.whatever", anything="input", more="parameter note"),
    step("mutation", "renameProject", id="constant 3", name="constant new"),
    both(of_command(input_description=""), step("show_view", "banner")),
    both(of_command(input_channel=""), step("show_view", "banner")),
]


@pytest.mark.parametrize("change", FITTING)
def test_what_fits_is_taken(command: AgentCommand, change: Damage) -> None:
    change(command)
    assert problems_of(again(command)) == []
    assert is_sound(again(command))


@pytest.mark.parametrize(
    ("argument", "text", "wanted"),
    [("whole", "1.5", "int"), ("number", "one", "Decimal"), ("yes", "perhaps", "bool"), ("day", "31.10.2026", "date")],
)
def test_a_constant_reads_as_the_type_that_is_asked_for(
    command: AgentCommand, argument: str, text: str, wanted: str
) -> None:
    said = {
        "text": "constant a",
        "number": "constant 1",
        "whole": "constant 1",
        "yes": "constant true",
        "day": "constant 2026-10-31",
    }
    step("handler", "shop.typed", **{**said, argument: f"constant {text}"})(command)
    (problem,) = problems_of(again(command))
    assert problem.message == f"The argument “{argument}” takes {wanted}, and str is bound to it."


def test_a_command_without_an_object_needs_none_of_its_fields(command: AgentCommand) -> None:
    said = {"input_type": "", "input_description": "", "input_channel": "", "input_permission": ""}
    of_command(**said, confirmation="NEVER", confirmation_condition="")(command)
    of_row("rules", 1, code="shop.anything", reason={"en": "No."})(command)
    step("handler", "shop.whatever", note="parameter note")(command)
    assert problems_of(again(command)) == []
    bind(1, "tenant", "input")(command)
    (problem,) = problems_of(again(command))
    assert problem.message == "tenant: The command takes no object."


def test_rows_that_are_not_stored_are_judged_in_place_of_the_stored(command: AgentCommand) -> None:
    declared = again(command)
    assert [one.message for one in problems_of(declared, steps=[])] == ["The command does nothing."]
    assert len(problems_of(declared, rules=[], parameters=[])) >= 2


def test_soundness_asks_the_database_nothing(command: AgentCommand, django_assert_num_queries: Any) -> None:
    declared = again(command)
    with django_assert_num_queries(0):
        assert is_sound(declared)
        assert is_sound(declared)


def test_soundness_is_asked_again_when_the_code_changes(command: AgentCommand) -> None:
    declared = again(command)
    assert is_sound(declared)
    kept = _registered["rule", "shop.tenant_is_fine"]
    unregister("rule", "shop.tenant_is_fine")
    assert not is_sound(declared)
    _registered["rule", "shop.tenant_is_fine"] = kept
    assert is_sound(declared)


def test_soundness_is_asked_again_when_the_routes_change(command: AgentCommand) -> None:
    declared = again(command)
    assert is_sound(declared)
    set_urlconf("django.contrib.auth.urls")
    try:
        assert not is_sound(declared)
    finally:
        set_urlconf(None)


def _no_schema() -> Any:
    return None


def _gone() -> Any:
    raise ImportError("no such module")


@pytest.mark.parametrize("schema", [_no_schema, _gone])
def test_a_site_without_a_schema_has_no_mutations(
    command: AgentCommand, monkeypatch: pytest.MonkeyPatch, schema: Callable[[], Any]
) -> None:
    monkeypatch.setattr(mutations, "graphql_schema", schema)
    (problem,) = [one for one in problems_of(again(command)) if one.field == "target"]
    assert problem.message == "The GraphQL schema has no mutation “renameProject”."
    assert problem.hint == "There is none."


def test_of_many_names_the_nearest_are_told() -> None:
    names = [f"app.model{number}" for number in range(50)]
    said = listed(names, "app.model49")
    assert said.startswith("app.model49")
    assert said.endswith("and 30 more")
