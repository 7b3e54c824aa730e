"""The page of a target: what is filled in is held against the list as a whole, before anything is saved."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.http import HttpResponse
from django.test import Client

from read_targets.declaration.soundness import problems_of
from read_targets.models import ReadTarget

from .pages import CHANGE, fields_of, new_row, row_of, text_of_page

SignedIn = Callable[[str], Client]


@pytest.fixture
def cash(db: None) -> ReadTarget:
    """The target of the cash transactions, as it was proposed."""
    return ReadTarget.objects.get(key="ledger.cash-transactions")


@pytest.fixture(scope="module")
def as_proposed() -> dict[str, Any]:
    """What stands in the page's form before anything is changed: read by the first test, and the same for each."""
    return {}


@pytest.fixture
def form(signed_in: SignedIn, cash: ReadTarget, as_proposed: dict[str, Any]) -> Form:
    """The page of the cash transactions, in the admin's browser."""
    form = Form(signed_in("admin"), cash, as_proposed)
    as_proposed |= form.fields
    return form


class Form:
    """The page of a target in a browser."""

    def __init__(self, client: Client, target: ReadTarget, fields: dict[str, Any] | None = None) -> None:
        self.client = client
        self.address = CHANGE.format(target.pk)
        self.fields = dict(fields or fields_of(client.get(self.address)))

    def set(self, prefix: str, by: str, value: str, /, **said: str) -> None:
        """Fill in fields of the row whose field `by` says `value`."""
        row = row_of(self.fields, prefix, by, value)
        self.fields |= {f"{row}-{field}": text for field, text in said.items()}

    def add(self, prefix: str, /, **said: str) -> None:
        """Add a row."""
        self.fields = new_row(self.fields, prefix, **said)

    def save(self, **said: str) -> HttpResponse:
        """Press *Save*."""
        return self.client.post(self.address, {**self.fields, **said})  # type: ignore[return-value]


def content_of(target: ReadTarget) -> dict[str, Any]:
    """Everything that is declared, as it is stored."""
    target = ReadTarget.objects.get(pk=target.pk)
    plain = {name: value for name, value in vars(target).items() if not name.startswith("_")}
    return {
        "target": plain,
        "columns": list(target.columns.values_list("position", "name", "path", "kind", "label", "unit", "total")),
        "criteria": [
            (
                one.position,
                one.name,
                one.kind,
                one.label,
                one.values,
                one.minimum,
                [str(each) for each in one.filters.all()],
            )
            for one in target.criteria.all()
        ],
        "parameters": list(target.screen_parameters.values_list("position", "criterion", "argument", "needs")),
    }


def refused(response: HttpResponse) -> str:
    """The page of a declaration that was not saved."""
    assert response.status_code == 200
    return text_of_page(response)


def test_saving_a_page_as_it_stands_changes_nothing(form: Form, cash: ReadTarget) -> None:
    before = content_of(cash)
    assert form.save().status_code == 302
    assert content_of(cash) == before


WRONG_ROWS: list[tuple[str, str, str, dict[str, str], str]] = [
    ("columns", "name", "memo", {"path": "secret"}, "The list does not show “secret”. It shows date, account.name"),
    ("columns", "name", "memo", {"kind": "number"}, "“memo” is not of the type number. Choose the type string."),
    ("columns", "name", "memo", {"name": "amount"}, "The name “amount” is used twice."),
    ("columns", "name", "memo", {"name": "id"}, "The name “id” is reserved."),
    ("columns", "name", "memo", {"name": "1x"}, "Enter a valid value."),
    ("columns", "name", "memo", {"total": "on"}, "A column of the type text has no total."),
    ("criteria", "name", "status", {"name": "text"}, "The name “text” is reserved. Reserved are id, text, groupBy"),
    ("criteria", "name", "status", {"name": "flow"}, "The name “flow” is used twice."),
    (
        "criteria",
        "name",
        "status",
        {"values": "BOOKED\nPAID"},
        "The field has no PAID. It has DRAFT, BOOKED, CANCELLED.",
    ),
    ("criteria", "name", "status", {"values": "BOOKED\nBOOKED"}, "A value is there twice."),
    ("criteria", "name", "status", {"field_1": "", "operator_1": ""}, "The condition filters nothing."),
    ("criteria", "name", "status", {"operator_1": ""}, "Choose how the value is compared with the field."),
    ("criteria", "name", "status", {"field_1": ""}, "Choose the field that the value is compared with."),
    ("criteria", "name", "status", {"field_1": "secret"}, "The list does not filter “secret”. It filters date"),
    ("criteria", "name", "status", {"operator_1": "gte"}, "“status” cannot be compared by “gte”. It goes with eq"),
    ("criteria", "name", "status", {"kind": "date"}, "A value of the type date does not go with “status” and “eq”."),
    ("criteria", "name", "year", {"kind": "number"}, "A value of the type number does not go with “date” and “year”."),
    ("criteria", "name", "month", {"maximum": "13"}, "Stay between 1 and 12, or leave it empty."),
    ("criteria", "name", "minAmount", {"minimum": "2", "maximum": "1"}, "The least is more than the most"),
    ("criteria", "name", "account", {"minimum": "2"}, "Only a number has a least and a most."),
    ("criteria", "name", "account", {"pattern": "[A-"}, "This is no regular expression"),
    ("criteria", "name", "minAmount", {"pattern": "1"}, "Only a text has a pattern."),
    ("criteria", "name", "period", {"pattern": ".*"}, "A month has a pattern of its own."),
    ("criteria", "name", "account", {"values": "Main"}, "Only one of some values has a list of them."),
    ("screen_parameters", "criterion", "flow", {"criterion": "colour"}, "There is no condition “colour”."),
    ("screen_parameters", "criterion", "flow", {"criterion": "status"}, "“status” is there twice."),
    ("screen_parameters", "criterion", "flow", {"argument": "status"}, "“status” is there twice."),
    ("screen_parameters", "criterion", "flow", {"argument": "colour"}, "The screen takes no “colour”. It takes from"),
    ("screen_parameters", "criterion", "month", {"needs": "period"}, "“period” is no other parameter here."),
    ("screen_parameters", "criterion", "month", {"needs": "month"}, "“month” is no other parameter here."),
]


@pytest.mark.parametrize(("prefix", "name", "value", "said", "reason"), WRONG_ROWS)
def test_a_wrong_row_is_refused_with_what_would_fit(
    form: Form, cash: ReadTarget, prefix: str, name: str, value: str, said: dict[str, str], reason: str
) -> None:
    before = content_of(cash)
    form.set(prefix, name, value, **said)
    assert reason in refused(form.save())
    assert content_of(cash) == before


WRONG_TARGETS: list[tuple[dict[str, str], str]] = [
    ({"list_query": "unicorns"}, "The application has no list “unicorns”. It has accounts, cashTransactions"),
    ({"list_query": ""}, "Choose a list, or write the document"),
    ({"list_query": "exchangeRates"}, "The list searches nothing."),
    ({"order_0": "-secret"}, "The list does not sort by “secret”. It sorts by date"),
    ({"screen": "ledger:nowhere"}, "No address without arguments has the URL name “ledger:nowhere”."),
    ({"screen": ""}, "There are parameters, but no screen that takes them."),
    ({"key": "ledger.accounts"}, "already exists"),
    ({"key": "no key"}, "like ledger.cash-transactions"),
    ({"document": "{ me }"}, "Choose a list or write a document, not both"),
]


@pytest.mark.parametrize(("said", "reason"), WRONG_TARGETS)
def test_a_wrong_target_is_refused_with_what_would_fit(
    form: Form, cash: ReadTarget, said: dict[str, str], reason: str
) -> None:
    before = content_of(cash)
    assert reason in refused(form.save(**said))
    assert content_of(cash) == before


def test_the_reason_stands_at_the_row_that_is_wrong(form: Form) -> None:
    form.set("criteria", "name", "status", values="PAID")
    html = refused(form.save())
    row = row_of(form.fields, "criteria", "name", "status")
    there = html.index("The field has no PAID.")
    assert html.index(f'id="{row}"') < there < html.index(f'id="criteria-{int(row.split("-")[1]) + 1}"')


def test_all_that_is_wrong_is_said_at_once(form: Form) -> None:
    form.set("columns", "name", "memo", path="secret")
    form.set("criteria", "name", "status", values="PAID")
    html = refused(form.save(screen="ledger:nowhere"))
    for reason in ("does not show “secret”", "The field has no PAID", "ledger:nowhere"):
        assert reason in html


def test_a_target_without_columns_is_refused(form: Form, cash: ReadTarget) -> None:
    for number in range(int(form.fields["columns-TOTAL_FORMS"])):
        form.fields[f"columns-{number}-DELETE"] = "on"
    assert "The target shows no column. Show at least one of date" in refused(form.save())
    assert cash.columns.count() == 7


def test_a_row_that_goes_takes_its_problems_with_it(form: Form, cash: ReadTarget) -> None:
    form.set("columns", "name", "memo", path="secret", DELETE="on")
    assert form.save().status_code == 302
    assert "memo" not in cash.columns.values_list("name", flat=True)


def test_of_a_new_column_the_path_is_enough(form: Form, cash: ReadTarget) -> None:
    form.set("columns", "name", "account", DELETE="on")
    form.add("columns", path="account.name", position="80")
    assert form.save().status_code == 302
    column = cash.columns.get(name="account")
    assert (column.path, column.kind, column.position) == ("account.name", "string", 80)
    assert column.label["en"] == "Account"


def test_of_a_new_condition_type_and_values_follow_from_its_field(form: Form, cash: ReadTarget) -> None:
    form.set("criteria", "name", "status", DELETE="on")
    form.set("screen_parameters", "criterion", "status", DELETE="on")
    form.add("criteria", name="state", field_1="status", operator_1="eq", position="90")
    assert form.save().status_code == 302
    criterion = cash.criteria.get(name="state")
    assert criterion.kind == "enum"
    assert criterion.value_list == ["DRAFT", "BOOKED", "CANCELLED"]
    assert [str(one) for one in criterion.filters.all()] == ["status eq"]


def test_a_condition_may_become_several_filters(form: Form, cash: ReadTarget) -> None:
    form.add(
        "criteria",
        **{"name": "day", "kind": "date", "position": "95"},
        **{"field_1": "date", "operator_1": "gte", "field_2": "date", "operator_2": "lte"},
    )
    assert form.save().status_code == 302
    day = cash.criteria.get(name="day")
    assert [str(one) for one in day.filters.all()] == ["date gte", "date lte"]

    again = Form(form.client, cash)
    again.set("criteria", "name", "day", field_2="", operator_2="")
    assert again.save().status_code == 302
    assert [str(one) for one in day.filters.all()] == ["date gte"]


def test_a_new_row_that_says_nothing_is_no_row(form: Form, cash: ReadTarget) -> None:
    before = content_of(cash)
    form.add("columns", position="90", name="", path="", kind="", unit="")
    form.add("criteria", position="90", name="", kind="")
    assert form.save().status_code == 302
    assert content_of(cash) == before


def test_two_rows_may_exchange_their_names(form: Form, cash: ReadTarget) -> None:
    flow, status = (row_of(form.fields, "columns", "name", name) for name in ("flow", "status"))
    form.fields |= {f"{flow}-name": "status", f"{status}-name": "flow"}
    assert form.save().status_code == 302
    assert dict(cash.columns.filter(path__in=["flow", "status"]).values_list("path", "name")) == {
        "flow": "status",
        "status": "flow",
    }


def test_a_name_may_pass_from_a_row_that_goes_to_another(form: Form, cash: ReadTarget) -> None:
    form.set("columns", "name", "memo", DELETE="on")
    form.set("columns", "name", "counterparty", name="memo")
    assert form.save().status_code == 302
    assert cash.columns.get(name="memo").path == "counterparty"


def test_labels_are_one_input_a_language(form: Form, cash: ReadTarget) -> None:
    response = form.client.get(form.address)
    for code in ("en", "ko", "de"):
        assert f'lang="{code}"' in text_of_page(response)
    assert form.save(label_en="Money", label_ko="돈", label_de="").status_code == 302
    cash.refresh_from_db()
    assert cash.label == {"en": "Money", "ko": "돈"}


def test_the_order_is_chosen_from_what_the_list_sorts_by(form: Form, cash: ReadTarget) -> None:
    assert form.save(order_0="status", order_1="-amount").status_code == 302
    cash.refresh_from_db()
    assert cash.order == "status -amount"


def test_save_as_new_copies_everything_under_another_key(form: Form, cash: ReadTarget) -> None:
    before = content_of(cash)
    response = form.save(key="ledger.bookings", _saveasnew="1")
    copy = ReadTarget.objects.get(key="ledger.bookings")
    assert response["Location"] == CHANGE.format(copy.pk)
    copied = content_of(copy)
    assert {**copied, "target": None} == {**before, "target": None}
    assert content_of(cash) == before
    assert problems_of(copy) == []


def test_save_as_new_under_the_old_key_is_refused(form: Form) -> None:
    count = ReadTarget.objects.count()
    assert "already exists" in refused(form.save(_saveasnew="1"))
    assert ReadTarget.objects.count() == count


def test_a_target_that_the_code_moved_away_under_says_so_and_can_be_mended(form: Form, cash: ReadTarget) -> None:
    cash.columns.filter(name="memo").update(path="remark")
    html = text_of_page(form.client.get(form.address))
    assert "As it is stored, this target is not offered to any agent:" in html
    assert "column memo: The list does not show “remark”." in html
    assert "remark (not there)" in html
    mended = Form(form.client, cash)
    assert "The list does not show “remark”." in refused(mended.save())
    mended.set("columns", "name", "memo", path="memo")
    assert mended.save().status_code == 302
    assert problems_of(cash) == []


def test_nothing_in_the_page_is_inline(form: Form) -> None:
    html = text_of_page(form.client.get(form.address))
    assert not re.search(r"\sstyle=|\son[a-z]+=|<style", html)
    assert all(re.search(r"\ssrc=|type=\"application/json\"", tag) for tag in re.findall(r"<script[^>]*>", html))


def entitled(name: str, *codenames: str) -> User:
    """Make somebody of the company staff, with these rights of this app."""
    person = User.objects.get(username=name)
    person.is_staff = True
    person.save()
    person.user_permissions.add(
        *Permission.objects.filter(content_type__app_label="read_targets", codename__in=codenames)
    )
    return person


def test_whoever_may_change_targets_changes_their_rows(signed_in: SignedIn, cash: ReadTarget) -> None:
    entitled("guest", "change_readtarget")
    form = Form(signed_in("guest"), cash)
    form.set("columns", "name", "memo", unit="words")
    assert form.save().status_code == 302
    assert cash.columns.get(name="memo").unit == "words"


def test_whoever_may_only_look_changes_nothing(signed_in: SignedIn, cash: ReadTarget) -> None:
    entitled("guest", "view_readtarget")
    client = signed_in("guest")
    before = content_of(cash)
    response = client.get(CHANGE.format(cash.pk))
    assert response.status_code == 200
    assert "counterparty" in text_of_page(response)
    assert "date is at least" in text_of_page(response)
    assert client.post(CHANGE.format(cash.pk), {"key": "x.y"}).status_code == 403
    assert content_of(cash) == before


def test_staff_without_a_right_see_nothing(signed_in: SignedIn, cash: ReadTarget) -> None:
    entitled("guest")
    response = signed_in("guest").get(CHANGE.format(cash.pk))
    assert response.status_code == 403
    assert "counterparty" not in text_of_page(response)
