"""Who may run a command: asked, granted and taken back on its page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from guardian.models import GroupObjectPermission, UserObjectPermission
from guardian.shortcuts import assign_perm

from page_commands.admin.runners import runners_of
from page_commands.models import AgentCommand
from page_commands.policies import GRANT, RUN, may_run
from project.demo.factory.models import Tenant
from read_targets.policies import Actor

from .conftest import COMMAND

SignedIn = Callable[[str], Client]


def send(client: Client, command: AgentCommand, action: str, kind: str, name: str) -> HttpResponse:
    """Grant or revoke."""
    address = COMMAND.format(command.pk).replace("change", "grants")
    return client.post(address, {"action": action, "kind": kind, "name": name}, follow=True)  # type: ignore[return-value]


def runs(name: str, command: AgentCommand) -> bool:
    """Whether the person of that name may run the command."""
    return may_run(Actor(User.objects.get(username=name)), command)


def test_a_person_is_granted_and_the_grant_is_taken_back(signed_in: SignedIn, command: AgentCommand) -> None:
    client = signed_in("admin")
    assert not runs("guest", command)
    assert "“guest” may now run this command." in send(client, command, "grant", "person", "guest").content.decode()
    assert runs("guest", command)
    html = client.get(COMMAND.format(command.pk)).content.decode()
    assert "Take back the grant of guest" in html
    assert "was taken back" in send(client, command, "revoke", "person", "guest").content.decode()
    assert not runs("guest", command)
    said = list(LogEntry.objects.order_by("action_time").values_list("change_message", flat=True))
    assert said == ["“guest” may now run this command.", "The grant of “guest” was taken back."]


def test_a_group_is_granted(signed_in: SignedIn, command: AgentCommand) -> None:
    group = Group.objects.create(name="helpers")
    User.objects.get(username="guest").groups.add(group)
    send(signed_in("admin"), command, "grant", "group", "helpers")
    assert runs("guest", command)
    send(signed_in("admin"), command, "revoke", "group", "helpers")
    assert not runs("guest", command)


def test_a_grant_is_of_this_command_alone(signed_in: SignedIn, command: AgentCommand) -> None:
    other = command.page.commands.create(name="other", description="Other.")
    send(signed_in("admin"), command, "grant", "person", "guest")
    assert not runs("guest", other)


@pytest.mark.parametrize(
    ("kind", "name"), [("person", "nobody"), ("group", "nobody"), ("person", ""), ("x", "guest"), ("person", "a\0")]
)
def test_nobody_is_granted_nothing(signed_in: SignedIn, command: AgentCommand, kind: str, name: str) -> None:
    before = UserObjectPermission.objects.count()
    html = send(signed_in("admin"), command, "grant", kind, name).content.decode()
    assert "There is nobody of the name" in html
    assert UserObjectPermission.objects.count() == before
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize(
    ("codenames", "status"),
    [
        ([], 403),
        (["view_agentcommand"], 403),
        (["change_agentcommand"], 403),
        (["grant_agentcommand"], 403),
        (["view_agentcommand", "grant_agentcommand"], 200),
    ],
)
def test_who_may_grant(
    signed_in: SignedIn, command: AgentCommand, hire: Callable[..., User], codenames: list[str], status: int
) -> None:
    hire("half", *codenames, is_staff=True)
    assert send(signed_in("half"), command, "grant", "person", "guest").status_code == status
    assert runs("guest", command) is (status == 200)


def test_the_right_to_grant_may_be_of_one_command(
    signed_in: SignedIn, command: AgentCommand, hire: Callable[..., User]
) -> None:
    other = command.page.commands.create(name="other", description="Other.")
    assign_perm(GRANT, hire("half", "view_agentcommand", is_staff=True), command)
    assert send(signed_in("half"), command, "grant", "person", "guest").status_code == 200
    assert send(signed_in("half"), other, "grant", "person", "guest").status_code == 403
    assert (runs("guest", command), runs("guest", other)) == (True, False)


def test_a_grant_by_get_grants_nothing(signed_in: SignedIn, command: AgentCommand) -> None:
    address = COMMAND.format(command.pk).replace("change", "grants")
    query = {"action": "grant", "kind": "person", "name": "guest"}
    assert signed_in("admin").get(address, query).status_code == 302
    assert not runs("guest", command)


def test_who_can_run_agrees_with_the_rights_of_each(command: AgentCommand, hire: Callable[..., User]) -> None:
    group = Group.objects.create(name="helpers")
    assign_perm(RUN, group, command)
    hire("member").groups.add(group)
    hire("everywhere", "run_agentcommand")
    hire("gone", "run_agentcommand", is_active=False)
    assign_perm(RUN, hire("alone"), command)
    _page, runners = runners_of(command)
    people = list(User.objects.all())
    assert {runner.person for runner in runners} == {one for one in people if may_run(Actor(one), command)}
    assert {runner.person.username for runner in runners} == {"admin", "member", "everywhere", "alone"}


def test_who_can_run_says_whether_any_object_is_theirs(command: AgentCommand, hire: Callable[..., User]) -> None:
    one, two, three = (hire(name, "run_agentcommand") for name in ("one", "two", "three"))
    assign_perm("factory.view_tenant", one, Tenant.objects.first())
    three.user_permissions.add(*User.objects.get(username="admin").user_permissions.all())
    _page, runners = runners_of(command)
    having = {runner.person.username: runner.has_object for runner in runners}
    assert having == {"admin": True, "one": True, "two": False, "three": False}
    assert two.username in having
    AgentCommand.objects.filter(pk=command.pk).update(input_type="", input_permission="")
    _page, runners = runners_of(AgentCommand.objects.get(pk=command.pk))
    assert all(runner.has_object for runner in runners)


def test_who_can_run_is_paged_and_costs_the_same_for_many(signed_in: SignedIn, command: AgentCommand) -> None:
    client, address = signed_in("admin"), COMMAND.format(command.pk)
    group = Group.objects.create(name="everybody")
    assign_perm(RUN, group, command)
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    people = User.objects.bulk_create(User(username=f"person{number:03}") for number in range(120))
    group.user_set.add(*people)
    with CaptureQueriesContext(connection) as many:
        html = client.get(address).content.decode()
    assert len(many) == len(few)
    assert "121 people may run this command." in html
    assert "page 1 of 3" in html
    assert "person119" in client.get(address, {"runners": "3"}).content.decode().split("Granted on this command")[0]


@pytest.mark.parametrize("number", ["0", "-1", "99", "x", ""])
def test_a_page_of_people_that_is_none_is_no_error(signed_in: SignedIn, command: AgentCommand, number: str) -> None:
    assert signed_in("admin").get(COMMAND.format(command.pk), {"runners": number}).status_code == 200


def test_a_command_takes_its_grants_with_it(signed_in: SignedIn, command: AgentCommand) -> None:
    assign_perm(RUN, Group.objects.create(name="helpers"), command)
    assign_perm(RUN, User.objects.get(username="guest"), command)
    mine = {"object_pk": str(command.pk), "permission__codename": "run_agentcommand"}
    signed_in("admin").post(COMMAND.format(command.pk).replace("change", "delete"), {"post": "yes"})
    assert not AgentCommand.objects.filter(pk=command.pk).exists()
    assert not UserObjectPermission.objects.filter(**mine).exists()
    assert not GroupObjectPermission.objects.filter(**mine).exists()


def test_names_with_markup_come_out_as_text(
    signed_in: SignedIn, command: AgentCommand, hire: Callable[..., User]
) -> None:
    assign_perm(RUN, hire("<b>bold</b>"), command)
    html = signed_in("admin").get(COMMAND.format(command.pk)).content.decode()
    assert "<b>bold</b>" not in html
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
