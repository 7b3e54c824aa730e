"""The preview as a person: what both may view, for whom it may be shown, in the log each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.http import HttpResponse
from django.test import Client
from guardian.shortcuts import assign_perm

from project.demo.ledger.models import Account, CashTransaction
from read_targets.lists import ListDefinition, register_list
from read_targets.lists import registry as lists_registry
from read_targets.models import ReadTarget, ToolCall
from read_targets.policies import PREVIEW
from read_targets.policies.eyes import may_look_as, people_for

from .pages import CHANGE, text_of_page

SignedIn = Callable[[str], Client]

NOBODY = "There is nobody of that name as whom you may look."
COUNTERPARTY = "Only-in-this-test GmbH"


@pytest.fixture
def cash(db: None) -> ReadTarget:
    """The target of the cash transactions; the newest of them has a counterparty that nothing else has."""
    newest = CashTransaction.objects.order_by("-date", "-pk")[0]
    CashTransaction.objects.filter(pk=newest.pk).update(counterparty=COUNTERPARTY)
    return ReadTarget.objects.get(key="ledger.cash-transactions")


def look(client: Client, target: ReadTarget, person: str, **headers: str) -> HttpResponse:
    """Preview `target` as `person`."""
    address = CHANGE.format(target.pk).replace("change", "preview")
    return client.post(address, {"person": person}, headers=headers)  # type: ignore[return-value]


def hire(name: str, *codenames: str, **facts: Any) -> User:
    """Make somebody new, with these rights of this app and of the ledger."""
    person = User.objects.create_user(name, **facts)
    person.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
    return person


def test_it_shows_the_tool_the_count_the_figures_and_the_rows(signed_in: SignedIn, cash: ReadTarget) -> None:
    response = look(signed_in("admin"), cash, "analyst")
    html = text_of_page(response)
    assert response.status_code == 200
    assert "queryLedgerCashTransactions" in html
    assert "openLedgerCashTransactionsScreen" in html
    assert f"<strong>{CashTransaction.objects.count()}</strong> rows" in html
    assert COUNTERPARTY in html
    assert "The first 20 rows" in html


def test_the_figures_are_those_of_all_rows(signed_in: SignedIn, cash: ReadTarget) -> None:
    total = sum(CashTransaction.objects.values_list("amount", flat=True))
    assert f"<td>{total}</td>" in text_of_page(look(signed_in("admin"), cash, "analyst"))


def test_of_the_page_only_the_result_is_sent_again(signed_in: SignedIn, cash: ReadTarget) -> None:
    part = text_of_page(look(signed_in("admin"), cash, "analyst", **{"HX-Request": "true"}))
    assert "<html" not in part
    assert COUNTERPARTY in part
    assert "<html" in text_of_page(look(signed_in("admin"), cash, "analyst"))


def test_only_rows_that_both_may_view_are_shown(signed_in: SignedIn, cash: ReadTarget) -> None:
    admin = hire("half", "view_readtarget", "preview_as_person", is_staff=True)
    rows = list(CashTransaction.objects.order_by("pk")[:4])
    person = hire("reader")
    assign_perm("read_targets.query_readtarget", person, cash)
    for row in rows[:3]:
        assign_perm("ledger.view_cashtransaction", person, row)
    for row in rows[2:]:
        assign_perm("ledger.view_cashtransaction", admin, row)
    html = text_of_page(look(signed_in("half"), cash, "reader"))
    assert "<strong>1</strong> row for both you and reader." in html
    assert f'<th scope="row">{rows[2].pk}</th>' in html
    for hidden in (rows[0], rows[1], rows[3]):
        assert f'<th scope="row">{hidden.pk}</th>' not in html


@pytest.fixture
def scoped_list() -> Iterator[str]:
    """A list of the application's own scope: everybody has their own accounts, by the first letter of their name."""

    def scope(actor: Any) -> Any:
        return Account.objects.exclude(name__startswith=actor.user.username[0].upper())

    register_list(ListDefinition("scoped", Account, searched="name", order="name", queryset=scope))
    yield "scoped"
    del lists_registry._lists["scoped"]


def test_of_the_applications_own_scope_both_have_their_part(signed_in: SignedIn, db: None, scoped_list: str) -> None:
    for name in ("Hidden from half", "Reserved from reader", "Of both"):
        Account.objects.create(name=name, currency="KRW", opened="2026-01-01")
    ReadTarget.objects.filter(key="ledger.accounts").update(list_query=scoped_list)
    target = ReadTarget.objects.get(key="ledger.accounts")
    hire("half", "view_readtarget", "preview_as_person", "view_account", is_staff=True)
    assign_perm("read_targets.query_readtarget", hire("reader", "view_account"), target)
    html = text_of_page(look(signed_in("half"), target, "reader"))
    assert "Of both" in html
    assert "Hidden from half" not in html
    assert "Reserved from reader" not in html


def test_a_related_value_that_one_of_them_may_not_view_is_withheld(signed_in: SignedIn, cash: ReadTarget) -> None:
    hire("half", "view_readtarget", "preview_as_person", "view_cashtransaction", is_staff=True)
    html = text_of_page(look(signed_in("half"), cash, "analyst"))
    assert "withheld" in html
    for account in Account.objects.all():
        assert f"<td>{account.name}</td>" not in html


def test_each_preview_is_in_the_log(signed_in: SignedIn, cash: ReadTarget) -> None:
    look(signed_in("admin"), cash, "analyst")
    call = ToolCall.objects.get()
    assert (call.user.username, call.previewed_by.username) == ("analyst", "admin")
    assert (call.tool, call.outcome, call.token) == ("queryLedgerCashTransactions", "READY", None)
    assert call.rows == CashTransaction.objects.count()


@pytest.mark.parametrize("person", ["admin2", "left", "nobody-of-that-name", "", "ADMIN"])
def test_nobody_looks_as_those_they_may_not(signed_in: SignedIn, cash: ReadTarget, person: str) -> None:
    hire("half", "view_readtarget", "preview_as_person", "view_cashtransaction", is_staff=True)
    hire("admin2", is_superuser=True)
    hire("left", is_active=False)
    response = look(signed_in("half"), cash, person)
    html = text_of_page(response)
    assert response.status_code == 403
    assert NOBODY in html
    assert COUNTERPARTY not in html
    assert "queryLedgerCashTransactions" not in html
    assert not ToolCall.objects.exists()


def test_a_superuser_looks_as_another(signed_in: SignedIn, cash: ReadTarget) -> None:
    hire("admin2", is_superuser=True)
    assert COUNTERPARTY in text_of_page(look(signed_in("admin"), cash, "admin2"))


@pytest.mark.parametrize(
    ("codenames", "status"),
    [
        ([], 403),
        (["preview_as_person"], 403),
        (["view_readtarget", "view_cashtransaction"], 403),
        (["view_readtarget", "view_cashtransaction", "preview_as_person"], 200),
        (["change_readtarget", "view_cashtransaction", "preview_as_person"], 200),
    ],
)
def test_who_may_preview_at_all(signed_in: SignedIn, cash: ReadTarget, codenames: list[str], status: int) -> None:
    hire("half", *codenames, is_staff=True)
    response = look(signed_in("half"), cash, "analyst")
    assert response.status_code == status
    assert (COUNTERPARTY in text_of_page(response)) is (status == 200)
    assert ToolCall.objects.exists() is (status == 200)


@pytest.mark.parametrize("name", ["analyst", "clerk", "guest"])
def test_people_who_are_no_staff_do_not(signed_in: SignedIn, cash: ReadTarget, name: str) -> None:
    response = look(signed_in(name), cash, "analyst")
    assert response.status_code == 302
    assert not ToolCall.objects.exists()


def test_a_preview_by_get_shows_nothing(signed_in: SignedIn, cash: ReadTarget) -> None:
    address = CHANGE.format(cash.pk).replace("change", "preview")
    response = signed_in("admin").get(address, {"person": "analyst"})
    assert response.status_code == 302
    assert not ToolCall.objects.exists()


def test_without_a_csrf_token_nothing_is_shown(cash: ReadTarget) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="admin"), backend="django.contrib.auth.backends.ModelBackend")
    response = look(client, cash, "analyst")
    assert response.status_code == 403
    assert COUNTERPARTY not in text_of_page(response)
    assert not ToolCall.objects.exists()


def no_grant(person: User, target: ReadTarget) -> None:
    """Nothing at all."""


def door_alone(person: User, target: ReadTarget) -> None:
    """The list's own right, without the target."""
    person.user_permissions.add(Permission.objects.get(codename="view_cashtransaction"))


def target_alone(person: User, target: ReadTarget) -> None:
    """The target, without the list's own right."""
    assign_perm("read_targets.query_readtarget", person, target)


def both_everywhere(person: User, target: ReadTarget) -> None:
    """Both rights at model level."""
    person.user_permissions.add(*Permission.objects.filter(codename__in=["view_cashtransaction", "query_readtarget"]))


def both_on_objects(person: User, target: ReadTarget) -> None:
    """Both rights on single objects."""
    assign_perm("read_targets.query_readtarget", person, target)
    assign_perm("ledger.view_cashtransaction", person, CashTransaction.objects.order_by("-date", "-pk")[0])


def both_by_group(person: User, target: ReadTarget) -> None:
    """Both rights on single objects, through a group."""
    group = Group.objects.create(name="readers")
    person.groups.add(group)
    assign_perm("read_targets.query_readtarget", group, target)
    assign_perm("ledger.view_cashtransaction", group, CashTransaction.objects.order_by("-date", "-pk")[0])


@pytest.mark.parametrize(
    ("entitle", "is_shown", "reason"),
    [
        (no_grant, False, "may not query the target"),
        (door_alone, False, "may not query the target"),
        (target_alone, False, "may not open the list itself: they lack the right ledger.view_cashtransaction."),
        (both_everywhere, True, ""),
        (both_on_objects, True, ""),
        (both_by_group, True, ""),
    ],
)
def test_the_preview_answers_as_the_persons_agent_would_be(
    signed_in: SignedIn, cash: ReadTarget, entitle: Callable[[User, ReadTarget], None], is_shown: bool, reason: str
) -> None:
    entitle(hire("reader"), cash)
    html = text_of_page(look(signed_in("admin"), cash, "reader"))
    assert (COUNTERPARTY in html) is is_shown
    assert ("queryLedgerCashTransactions" in html) is is_shown
    assert reason in html
    assert ToolCall.objects.get().outcome == ("READY" if is_shown else "REJECTED")


def test_an_admin_without_the_lists_door_sees_nothing_of_it(signed_in: SignedIn, cash: ReadTarget) -> None:
    hire("half", "view_readtarget", "preview_as_person", is_staff=True)
    html = text_of_page(look(signed_in("half"), cash, "analyst"))
    assert "You may not open the list yourself" in html
    assert COUNTERPARTY not in html


def test_a_target_that_is_switched_off_is_previewed_and_says_so(signed_in: SignedIn, cash: ReadTarget) -> None:
    ReadTarget.objects.filter(pk=cash.pk).update(enabled=False)
    html = text_of_page(look(signed_in("admin"), cash, "analyst"))
    assert "The target is switched off" in html
    assert COUNTERPARTY in html


def break_list(target: ReadTarget) -> None:
    """The list is no longer registered."""
    ReadTarget.objects.filter(pk=target.pk).update(list_query="gone")


def break_path(target: ReadTarget) -> None:
    """A column's path is no longer the list's."""
    target.columns.filter(name="memo").update(path="account.gone")


def break_document(target: ReadTarget) -> None:
    """The document is no GraphQL."""
    ReadTarget.objects.filter(pk=target.pk).update(document="query {", rows_path="a", door_permission="no.such")


def break_filter(target: ReadTarget) -> None:
    """A condition filters what is not there."""
    target.criteria.get(name="flow").filters.update(field="gone", operator="period")


@pytest.mark.parametrize("damage", [break_list, break_path, break_document, break_filter])
def test_a_broken_target_is_no_error_of_the_page(
    signed_in: SignedIn, cash: ReadTarget, damage: Callable[[ReadTarget], None]
) -> None:
    damage(cash)
    client = signed_in("admin")
    response = look(client, cash, "analyst")
    assert response.status_code == 200
    assert "The declaration is wrong, so there is no tool." in text_of_page(response)
    assert COUNTERPARTY not in text_of_page(response)
    assert client.get(CHANGE.format(cash.pk)).status_code == 200


@pytest.fixture
def failing_list() -> Iterator[str]:
    """A list whose own scope fails."""

    def scope(actor: Any) -> Any:
        raise RuntimeError("a secret of the application")

    register_list(ListDefinition("failing", Account, searched="name", order="name", queryset=scope))
    yield "failing"
    del lists_registry._lists["failing"]


def test_a_list_that_fails_is_no_error_of_the_page(signed_in: SignedIn, cash: ReadTarget, failing_list: str) -> None:
    ReadTarget.objects.filter(key="ledger.accounts").update(list_query=failing_list)
    response = look(signed_in("admin"), ReadTarget.objects.get(key="ledger.accounts"), "analyst")
    html = text_of_page(response)
    assert response.status_code == 200
    assert "The list failed; the server&#x27;s log says how." in html
    assert "a secret of the application" not in html
    assert ToolCall.objects.get().outcome == "INTERNAL"


def test_values_of_rows_are_data_on_the_page(signed_in: SignedIn, cash: ReadTarget) -> None:
    newest = CashTransaction.objects.order_by("-date", "-pk")[0]
    CashTransaction.objects.filter(pk=newest.pk).update(memo="<script>alert(1)</script>")
    html = text_of_page(look(signed_in("admin"), cash, "analyst"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<script>alert" not in html


def test_the_page_of_a_target_offers_the_preview_to_those_who_may(signed_in: SignedIn, cash: ReadTarget) -> None:
    hire("half", "view_readtarget", is_staff=True)
    assert 'id="preview"' not in text_of_page(signed_in("half").get(CHANGE.format(cash.pk)))
    html = text_of_page(signed_in("admin").get(CHANGE.format(cash.pk)))
    assert 'id="preview"' in html
    assert '<option value="clerk">' in html


def test_which_people_and_may_as_this_person_agree(cash: ReadTarget) -> None:
    hire("half", "preview_as_person")
    hire("whole", "preview_as_person", is_superuser=True)
    hire("gone", "preview_as_person", is_active=False)
    hire("gone-admin", is_superuser=True, is_active=False)
    everybody = list(User.objects.all())
    for viewer in everybody:
        which = set(people_for(viewer, PREVIEW))
        assert which == {person for person in everybody if may_look_as(viewer, person, PREVIEW)}
