"""Who can read a target: asked, granted and taken back on its page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from guardian.models import GroupObjectPermission, UserObjectPermission
from guardian.shortcuts import assign_perm

from read_targets.admin.readers import readers_of
from read_targets.models import ReadTarget
from read_targets.policies import QUERY, access_of, open_doors, permits
from read_targets.policies.grants import holders

from .pages import CHANGE, text_of_page

SignedIn = Callable[[str], Client]


@pytest.fixture
def accounts(db: None) -> ReadTarget:
    """The target of the accounts."""
    return ReadTarget.objects.get(key="ledger.accounts")


def send(client: Client, target: ReadTarget, action: str, kind: str, name: str) -> HttpResponse:
    """Send one of the forms below *Who can read this*."""
    address = CHANGE.format(target.pk).replace("change", "grants")
    return client.post(address, {"action": action, "kind": kind, "name": name})  # type: ignore[return-value]


def staff(name: str, *codenames: str) -> User:
    """Make somebody new of the staff, with these rights."""
    person = User.objects.create_user(name, is_staff=True)
    person.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
    return person


def test_granting_to_a_person_lets_them_query_and_taking_back_ends_it(
    signed_in: SignedIn, accounts: ReadTarget, person: Callable[[str], User]
) -> None:
    client = signed_in("admin")
    assert not permits(person("guest"), QUERY, accounts)
    response = send(client, accounts, "grant", "person", "guest")
    assert response["Location"] == f"{CHANGE.format(accounts.pk)}#readers"
    assert permits(person("guest"), QUERY, accounts)
    send(client, accounts, "revoke", "person", "guest")
    assert not permits(person("guest"), QUERY, accounts)


def test_granting_to_a_group_lets_its_people_query(
    signed_in: SignedIn, accounts: ReadTarget, person: Callable[[str], User]
) -> None:
    group = Group.objects.create(name="auditors")
    person("guest").groups.add(group)
    client = signed_in("admin")
    send(client, accounts, "grant", "group", "auditors")
    assert permits(person("guest"), QUERY, accounts)
    assert "the group <strong>auditors</strong>" in text_of_page(client.get(CHANGE.format(accounts.pk)))
    send(client, accounts, "revoke", "group", "auditors")
    assert not permits(person("guest"), QUERY, accounts)


def test_a_grant_is_on_this_target_alone(
    signed_in: SignedIn, accounts: ReadTarget, person: Callable[[str], User]
) -> None:
    send(signed_in("admin"), accounts, "grant", "person", "guest")
    others = ReadTarget.objects.exclude(pk=accounts.pk)
    assert not any(permits(person("guest"), QUERY, other) for other in others)


def test_each_change_is_in_the_history(signed_in: SignedIn, accounts: ReadTarget) -> None:
    client = signed_in("admin")
    send(client, accounts, "grant", "person", "guest")
    send(client, accounts, "revoke", "person", "guest")
    said = list(LogEntry.objects.order_by("pk").values_list("object_id", "change_message", "user__username"))
    assert said == [
        (str(accounts.pk), "“guest” may now query this list.", "admin"),
        (str(accounts.pk), "The grant of “guest” was taken back.", "admin"),
    ]


@pytest.mark.parametrize(("kind", "name"), [("person", "nobody"), ("group", "nobody"), ("robot", "guest"), ("", "")])
def test_nobody_of_that_name_changes_nothing(signed_in: SignedIn, accounts: ReadTarget, kind: str, name: str) -> None:
    before = UserObjectPermission.objects.count() + GroupObjectPermission.objects.count()
    send(signed_in("admin"), accounts, "grant", kind, name)
    assert UserObjectPermission.objects.count() + GroupObjectPermission.objects.count() == before
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize(
    ("codenames", "may"),
    [
        ([], False),
        (["view_readtarget"], False),
        (["change_readtarget"], False),
        (["grant_readtarget"], False),
        (["view_readtarget", "grant_readtarget"], True),
    ],
)
def test_who_may_grant(
    signed_in: SignedIn, accounts: ReadTarget, person: Callable[[str], User], codenames: list[str], may: bool
) -> None:
    staff("half", *codenames)
    client = signed_in("half")
    response = send(client, accounts, "grant", "person", "guest")
    assert response.status_code == (302 if may else 403)
    assert permits(person("guest"), QUERY, accounts) is may
    page = client.get(CHANGE.format(accounts.pk))
    assert ('id="grant-person"' in text_of_page(page)) is may


def test_the_right_to_grant_may_be_held_on_one_target(
    signed_in: SignedIn, accounts: ReadTarget, person: Callable[[str], User]
) -> None:
    assign_perm("read_targets.grant_readtarget", staff("half", "view_readtarget"), accounts)
    client = signed_in("half")
    other = ReadTarget.objects.exclude(pk=accounts.pk)[0]
    assert send(client, accounts, "grant", "person", "guest").status_code == 302
    assert send(client, other, "grant", "person", "guest").status_code == 403
    assert permits(person("guest"), QUERY, accounts)
    assert not permits(person("guest"), QUERY, other)


def test_a_grant_by_get_or_without_a_csrf_token_changes_nothing(
    signed_in: SignedIn, accounts: ReadTarget, person: Callable[[str], User]
) -> None:
    address = CHANGE.format(accounts.pk).replace("change", "grants")
    signed_in("admin").get(address, {"action": "grant", "kind": "person", "name": "guest"})
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(person("admin"), backend="django.contrib.auth.backends.ModelBackend")
    assert send(strict, accounts, "grant", "person", "guest").status_code == 403
    assert not permits(person("guest"), QUERY, accounts)


def test_the_page_says_who_may_query_and_whether_the_list_is_open_to_them(
    signed_in: SignedIn, accounts: ReadTarget
) -> None:
    send(signed_in("admin"), accounts, "grant", "person", "guest")
    _page, readers = readers_of(accounts)
    assert {reader.person.username: reader.has_door for reader in readers} == {
        "admin": True,
        "analyst": True,
        "clerk": True,
        "guest": False,
    }
    html = text_of_page(signed_in("admin").get(CHANGE.format(accounts.pk)))
    assert "4 people may query this list." in html


def test_who_can_read_is_paged_and_costs_the_same_for_many(signed_in: SignedIn, accounts: ReadTarget) -> None:
    client = signed_in("admin")
    client.get(CHANGE.format(accounts.pk))
    with CaptureQueriesContext(connection) as few:
        client.get(CHANGE.format(accounts.pk))
    group = Group.objects.create(name="everybody")
    assign_perm(QUERY, group, accounts)
    people = User.objects.bulk_create(User(username=f"person{number:03}") for number in range(120))
    group.user_set.add(*people)
    with CaptureQueriesContext(connection) as many:
        html = text_of_page(client.get(CHANGE.format(accounts.pk)))
    assert len(many) == len(few)
    assert "123 people may query this list." in html
    assert "page 1 of 3" in html
    assert "person046" in html.split('id="readers"')[1].split("Granted on this list")[0]
    last = text_of_page(client.get(CHANGE.format(accounts.pk), {"readers": "3"}))
    assert "person119" in last.split('id="readers"')[1].split("Granted on this list")[0]


@pytest.mark.parametrize("number", ["0", "-1", "99", "x", ""])
def test_a_page_that_is_none_is_no_error(signed_in: SignedIn, accounts: ReadTarget, number: str) -> None:
    assert signed_in("admin").get(CHANGE.format(accounts.pk), {"readers": number}).status_code == 200


def test_the_door_of_many_agrees_with_the_door_of_each(db: None) -> None:
    User.objects.create_user("root", is_superuser=True)
    User.objects.create_user("gone", is_superuser=True, is_active=False)
    User.objects.create_user("left", is_active=False).user_permissions.add(
        Permission.objects.get(codename="view_cashtransaction")
    )
    members = Group.objects.create(name="viewers")
    members.permissions.add(Permission.objects.get(codename="view_tenant"))
    User.objects.create_user("member").groups.add(members)
    for door in ("ledger.view_cashtransaction", "ledger.view_account", "factory.view_tenant", "drilling.view_well"):
        which = set(holders(door))
        assert which == {person for person in User.objects.all() if door in open_doors(person, [door])}


def test_readers_agree_with_the_rights_of_each(accounts: ReadTarget) -> None:
    _page, readers = readers_of(accounts)
    assert {reader.person for reader in readers} == {
        person for person in User.objects.all() if permits(person, QUERY, accounts)
    }
    from read_targets.lists import get_list

    for reader in readers:
        assert reader.has_door is access_of(reader.person).has_door(get_list("accounts"))


def test_a_target_takes_its_grants_with_it(signed_in: SignedIn, accounts: ReadTarget) -> None:
    group = Group.objects.create(name="auditors")
    assign_perm(QUERY, group, accounts)
    key = str(accounts.pk)
    mine = {"object_pk": key, "permission__codename": "query_readtarget"}
    assert UserObjectPermission.objects.filter(**mine).exists()
    signed_in("admin").post(CHANGE.format(accounts.pk).replace("change", "delete"), {"post": "yes"})
    assert not ReadTarget.objects.filter(pk=key).exists()
    assert not UserObjectPermission.objects.filter(**mine).exists()
    assert not GroupObjectPermission.objects.filter(**mine).exists()


@pytest.mark.django_db
def test_a_right_that_there_is_none_is_held_by_superusers_alone() -> None:
    assert {person.username for person in holders("ledger.view_nothing")} == {"admin"}
