"""The permission matrix: every way to hold or not to hold the right to a list, at every door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse
from guardian.shortcuts import assign_perm, remove_perm

from project.demo.ledger.models import Account, CashTransaction
from read_targets.agent.tokens import create_token
from read_targets.models import Card, ReadTarget, ToolCall, WorkspaceVersion
from tests.conftest import Agent

TOOL = "queryLedgerCashTransactions"
MARK = "mark-of-a-row"
VIEW = "ledger.view_cashtransaction"


@pytest.fixture
def marked(db: None) -> list[CashTransaction]:
    """The ledger with a mark in every row, by which a row is known wherever it leaks; the first five are granted."""
    CashTransaction.objects.update(memo=MARK, counterparty=MARK)
    return list(CashTransaction.objects.order_by("-date", "-pk")[:5])


def permission(dotted: str) -> Permission:
    app_label, codename = dotted.split(".")
    return Permission.objects.get(content_type__app_label=app_label, codename=codename)


def make(kind: str, granted: list[CashTransaction]) -> User:
    """A person who holds the right in one way, and the right on the target likewise."""
    user = User.objects.create_user(f"person-{kind}", password="x", is_active="inactive" not in kind)
    user.is_superuser = "superuser" in kind
    user.save()
    group = Group.objects.create(name=f"group-{kind}")
    user.groups.add(group)
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    everywhere = kind in ("model", "inactive model", "model and object")
    if everywhere:
        user.user_permissions.add(permission(VIEW), permission("read_targets.query_readtarget"))
    if kind == "group model":
        group.permissions.add(permission(VIEW), permission("read_targets.query_readtarget"))
    for holder, kinds in (
        (user, ("object", "both", "model and object", "inactive object")),
        (group, ("group object", "both")),
    ):
        if kind in kinds:
            assign_perm("read_targets.query_readtarget", holder, target)
            for one in granted:
                assign_perm(VIEW, holder, one)
    if kind == "target without door":
        assign_perm("read_targets.query_readtarget", user, target)
    if kind == "door without target":
        assign_perm(VIEW, user, granted[0])
    return user


ALL, FIVE = "all", "five"
KINDS = {
    "superuser": ALL,
    "model": ALL,
    "group model": ALL,
    "model and object": ALL,
    "object": FIVE,
    "group object": FIVE,
    "both": FIVE,
    "none": None,
    "inactive": None,
    "inactive superuser": None,
    "inactive model": None,
    "inactive object": None,
    "target without door": None,
}


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def read_by_token(user: User) -> Any:
    return Agent(create_token(user, "matrix")[1]).call(TOOL, show="workspace")


def listed_by_token(user: User) -> Any:
    return Agent(create_token(user, "matrix")[1]).tools()


def read_by_session(user: User) -> Any:
    return browser_of(user).post(f"/agent/tools/{TOOL}", '{"show": "workspace"}', "application/json")


def read_by_graphql(user: User) -> Any:
    query = '{ cashTransactions { total items { memo } sums groups(by: "memo") } }'
    return browser_of(user).post("/graphql", {"query": query}, "application/json")


def read_by_screen(user: User) -> Any:
    return browser_of(user).get("/ledger/cash-transactions/")


READS: dict[str, Callable[[User], Any]] = {
    "token": read_by_token,
    "session": read_by_session,
    "graphql": read_by_graphql,
    "screen": read_by_screen,
}


def total_of(door: str, response: Any) -> int:
    if door == "graphql":
        return int(response.json()["data"]["cashTransactions"]["total"])
    if door == "screen":
        return int(response.content.decode().split('data-total="')[1].split('"')[0])
    return int(response.json()["coverage"]["analysedRows"])


@pytest.mark.parametrize("door", READS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_person_reads_what_is_theirs_and_nothing_else(marked: list[CashTransaction], kind: str, door: str) -> None:
    response = READS[door](make(kind, marked))
    if KINDS[kind] is not None:
        assert total_of(door, response) == (CashTransaction.objects.count() if KINDS[kind] == ALL else 5)
        return
    assert MARK not in response.content.decode()
    assert response.status_code in (302, 401, 403) or response.json()["errors"]
    assert not Card.objects.exists()
    assert not WorkspaceVersion.objects.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_is_told_to_those_who_may_call_it(marked: list[CashTransaction], kind: str) -> None:
    response = listed_by_token(make(kind, marked))
    assert (TOOL in response.content.decode()) == (KINDS[kind] is not None)


def test_the_door_alone_opens_the_screen_and_not_the_tool(marked: list[CashTransaction]) -> None:
    user = make("door without target", marked)
    assert read_by_token(user).status_code == 403
    assert total_of("screen", read_by_screen(user)) == 1


def test_an_anonymous_person_reads_nothing(marked: list[CashTransaction], client: Client) -> None:
    query = {"query": "{ cashTransactions { total items { memo } } }"}
    responses = [
        client.get("/agent/tools"),
        client.post(f"/agent/tools/{TOOL}", "{}", "application/json"),
        client.post("/graphql", query, "application/json"),
        client.get("/ledger/cash-transactions/"),
        client.get("/desk/"),
        client.get("/desk/workspaces/ledger-cash-transactions/1"),
        client.get("/agent/cards"),
        client.get("/admin/read_targets/readtarget/"),
    ]
    for response in responses:
        assert response.status_code in (302, 401, 403)
        assert MARK not in response.content.decode()


@pytest.fixture
def workspace(marked: list[CashTransaction]) -> tuple[User, str]:
    """A person with five granted rows, and the workspace on which they were read."""
    user = make("object", marked)
    return user, read_by_token(user).json()["card"]["url"]


def test_a_workspace_is_its_persons_alone(workspace: tuple[User, str], marked: list[CashTransaction]) -> None:
    user, url = workspace
    assert browser_of(user).get(url).content.decode().count(MARK) >= 5
    for kind in ("superuser", "model", "none"):
        response = browser_of(make(kind, marked)).get(url)
        missing = browser_of(User.objects.get(username=f"person-{kind}")).get("/desk/workspaces/nothing/1")
        assert response.status_code == missing.status_code == 404
        assert MARK not in response.content.decode()


def test_a_grant_taken_away_closes_the_rows_and_the_figures(
    workspace: tuple[User, str], marked: list[CashTransaction]
) -> None:
    user, url = workspace
    before = browser_of(user).get(url).content.decode()
    remove_perm(VIEW, user, marked[0])
    after = browser_of(user).get(url).content.decode()
    # Each row says the mark twice: as its memo and as its counterparty.
    assert (before.count(MARK), after.count(MARK)) == (10, 8)
    assert 'class="tiles"' in before
    assert 'class="tiles"' not in after


@pytest.mark.parametrize("loss", ["target", "door", "disabled", "inactive"])
def test_a_right_taken_away_closes_the_workspace(workspace: tuple[User, str], marked: list[Any], loss: str) -> None:
    user, url = workspace
    browser = browser_of(user)
    assert browser.get(url).status_code == 200
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    if loss == "target":
        remove_perm("read_targets.query_readtarget", user, target)
    elif loss == "door":
        for one in marked:
            remove_perm(VIEW, user, one)
    elif loss == "disabled":
        ReadTarget.objects.filter(pk=target.pk).update(enabled=False)
    else:
        User.objects.filter(pk=user.pk).update(is_active=False)
    response = browser.get(url)
    assert response.status_code in (302, 403)
    assert MARK not in response.content.decode()
    desk = browser.get("/desk/")
    assert MARK not in desk.content.decode()


def test_a_related_object_that_is_closed_takes_its_column_with_it(marked: list[CashTransaction]) -> None:
    user = make("object", marked)
    for account in Account.objects.all():
        Account.objects.filter(pk=account.pk).update(name=f"account no. {account.pk}")
        assign_perm("ledger.view_account", user, account)
    url = Agent(create_token(user, "matrix")[1]).answer(TOOL, show="workspace", groupBy="account")["card"]["url"]
    assert "account no." in browser_of(user).get(url).content.decode()
    remove_perm("ledger.view_account", user, marked[0].account)
    assert "account no." not in browser_of(user).get(url).content.decode()


def test_cards_are_their_tokens_or_their_persons(workspace: tuple[User, str], marked: list[CashTransaction]) -> None:
    user, url = workspace
    other = Agent(create_token(user, "another agent")[1])
    assert url not in other.client.get("/agent/cards", headers=other.headers).content.decode()
    assert url in browser_of(user).get("/agent/cards").content.decode()
    stranger = make("model", marked)
    assert url not in browser_of(stranger).get("/agent/cards").content.decode()


@pytest.mark.parametrize(("change", "seen"), [("Aaaa", "first"), ("Zzzz", "last")])
def test_a_withheld_value_moves_nothing(marked: list[CashTransaction], change: str, seen: str) -> None:
    """By no filter, search, order, group or sum can a person tell what is withheld from them."""
    user = make("object", marked)
    one = Agent(create_token(user, "matrix")[1])
    asked: list[dict[str, Any]] = [
        {"orderBy": "account"},
        {"orderBy": "-account"},
        {"groupBy": "account"},
        {"text": change},
        {"account": change},
    ]

    def answers() -> list[Any]:
        told = [one.answer(TOOL, show="answer", **arguments) for arguments in asked]
        return [{name: answer.get(name) for name in ("coverage", "summary", "sampleRows", "record")} for answer in told]

    before = answers()
    for account in Account.objects.all():
        Account.objects.filter(pk=account.pk).update(name=f"{change} {account.pk}")
    assert answers() == before


def test_a_preview_shows_only_what_both_may_view(marked: list[CashTransaction]) -> None:
    person = make("object", marked)
    staff = User.objects.create_user("staff", password="x", is_staff=True)
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    for dotted in ("read_targets.view_readtarget", "read_targets.change_readtarget", "read_targets.preview_as_person"):
        staff.user_permissions.add(permission(dotted))
    url = reverse("admin:read_targets_readtarget_preview", args=[target.pk])

    def seen(name: str) -> str:
        page: str = browser_of(staff).post(url, {"person": name}).content.decode()
        return page

    assert MARK not in seen(person.username)
    assign_perm(VIEW, staff, marked[0])
    assert seen(person.username).count(MARK) == 2
    assert ToolCall.objects.filter(previewed_by=staff, user=person).count() == 2
    superuser = make("superuser", marked)
    assert MARK not in seen(superuser.username)
    assert not ToolCall.objects.filter(user=superuser).exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_preview_as_each_person_shows_what_they_read(marked: list[CashTransaction], kind: str) -> None:
    person = make(kind, marked)
    admin = User.objects.get(username="admin")
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    url = reverse("admin:read_targets_readtarget_preview", args=[target.pk])
    page = browser_of(admin).post(url, {"person": person.username}).content.decode()
    assert (MARK in page) == (KINDS[kind] is not None)
