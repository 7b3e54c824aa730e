"""What the sample company declares of its pages: sound, in every language, the clerk's alone, and kept once changed."""

from __future__ import annotations

from io import StringIO

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from guardian.models import UserObjectPermission

from page_commands.code import registered_code
from page_commands.commands import commands_of
from page_commands.declaration.soundness import problems_of, problems_of_page
from page_commands.models import AgentCommand, CommandStep, Page, PageView
from page_commands.policies import RUN
from project.demo.factory.models import Conversation, Project
from project.demo.factory.pages import DECLARED
from read_targets.policies import Actor, permitted
from tests.conftest import ROWS

pytestmark = pytest.mark.django_db

COMMANDS = {
    "factory.start": [
        "open_connection_form",
        "show_conversation",
        "open_project",
        "archive_conversation",
        "select_tenant",
        "create_connection",
        "rename_project",
    ],
    "factory.project": ["rename_project"],
}


def build_again() -> str:
    out = StringIO()
    call_command("demo", rows=ROWS, stdout=out)
    return out.getvalue()


def offered(name: str, page: str) -> list[str]:
    return [one.name for one in commands_of(Actor(User.objects.get(username=name)), Page.objects.get(key=page))]


def test_every_page_and_command_is_sound() -> None:
    assert set(Page.objects.values_list("key", flat=True)) == set(DECLARED)
    for page in Page.objects.all():
        assert problems_of_page(page) == []
    for command in AgentCommand.objects.all():
        assert problems_of(command) == [], command.key


@pytest.mark.parametrize("page", COMMANDS)
def test_the_clerk_is_offered_every_command_and_others_none(page: str) -> None:
    assert offered("clerk", page) == offered("admin", page) == COMMANDS[page]
    for name in ("analyst", "guest"):
        assert offered(name, page) == []


def test_what_is_said_to_people_is_said_in_every_language() -> None:
    languages = {code for code, _name in settings.LANGUAGES}
    said = [page.label for page in Page.objects.all()]
    for command in AgentCommand.objects.prefetch_related("rules", "parameters"):
        said.append(command.label)
        said += [rule.reason for rule in command.rules.all()]
        said += [parameter.label for parameter in command.parameters.all()]
        if command.confirmation != "NEVER":
            said += [command.confirmation_title, command.confirmation_message, command.confirmation_button]
    for part in (*PageView.objects.all(), *Page.objects.get(key="factory.start").channels.all()):
        said.append(part.label)
    for text in said:
        assert set(text) == languages
        assert all(text.values())


def test_all_code_of_the_factory_is_used() -> None:
    used = {
        "handler": set(CommandStep.objects.filter(kind="handler").values_list("target", flat=True)),
        "rule": set(AgentCommand.objects.exclude(rules=None).values_list("rules__code", flat=True)),
        "condition": set(AgentCommand.objects.values_list("confirmation_condition", flat=True)) - {""},
        "view": set(PageView.objects.values_list("code", flat=True)),
    }
    for sort, names in used.items():
        there = {code.name for code in registered_code(sort) if code.name.startswith("factory.")}
        assert there == names, sort


def test_the_clerk_may_change_what_commands_change_and_nobody_else() -> None:
    clerk = User.objects.get(username="clerk")
    conversations = permitted(clerk, "factory.change_conversation", Conversation.objects.all())
    viewed = permitted(clerk, "factory.view_conversation", Conversation.objects.all())
    assert set(conversations) == set(viewed)
    projects = set(permitted(clerk, "factory.change_project", Project.objects.all()))
    assert projects
    assert projects < set(permitted(clerk, "factory.view_project", Project.objects.all()))
    for name in ("analyst", "guest"):
        other = User.objects.get(username=name)
        assert not permitted(other, "factory.change_project", Project.objects.all()).exists()
        assert not permitted(other, "factory.change_conversation", Conversation.objects.all()).exists()


def test_built_again_it_keeps_what_an_admin_changed() -> None:
    command = AgentCommand.objects.get(name="open_connection_form")
    AgentCommand.objects.filter(pk=command.pk).update(label={"en": "Ours"}, enabled=False)
    command.rules.all().delete()
    UserObjectPermission.objects.filter(permission__codename="run_agentcommand", object_pk=command.pk).delete()
    AgentCommand.objects.filter(name="select_tenant").delete()
    assert "already there" in build_again()
    command.refresh_from_db()
    assert (command.label, command.enabled, command.rules.count()) == ({"en": "Ours"}, False, 0)
    assert "select_tenant" not in offered("clerk", "factory.start")
    assert not permitted(User.objects.get(username="clerk"), RUN, AgentCommand.objects.filter(pk=command.pk)).exists()


def test_a_company_that_was_built_before_there_were_pages_gets_them() -> None:
    Page.objects.all().delete()
    changes = ("change_conversation", "change_project")
    grants = UserObjectPermission.objects.filter(permission__codename__in=changes)
    before = grants.count()
    grants.filter(permission__codename="change_project").delete()
    User.objects.get(username="clerk").user_permissions.clear()
    Conversation.objects.update(title="kept")
    assert "already there" in build_again()
    assert grants.count() == before
    assert User.objects.get(username="clerk").has_perm("factory.add_gitconnection")
    assert not Conversation.objects.exclude(title="kept").exists()
    for page, names in COMMANDS.items():
        assert offered("clerk", page) == names


def test_built_with_other_rows_it_keeps_its_pages_and_who_runs_them() -> None:
    before = set(AgentCommand.objects.values_list("pk", flat=True))
    call_command("demo", rows=ROWS - 20, stdout=StringIO())
    assert set(AgentCommand.objects.values_list("pk", flat=True)) == before
    assert offered("clerk", "factory.start") == COMMANDS["factory.start"]
    assert permitted(User.objects.get(username="clerk"), "factory.change_project", Project.objects.all()).exists()
