"""What is proposed for a list: seed 000's declaration in one line, from the list's own types."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.exceptions import ValidationError
from django.test import override_settings
from django.urls import clear_url_caches, include, path
from django.views import View
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project.demo.drilling.models import ConnectionRun, Well
from project.demo.factory.models import Conversation, GitConnection, Project, Tenant
from project.demo.ledger.models import Account, CashTransaction, ExchangeRate
from read_targets.declaration import proposal
from read_targets.declaration.naming import camel, kebab
from read_targets.declaration.proposal import Proposal, create_target, propose
from read_targets.declaration.soundness import problems_of
from read_targets.lists import ListDefinition, registry
from read_targets.models import RESERVED, Column, Criterion, CriterionFilter, ReadTarget, ScreenParameter

Propose = Callable[..., tuple[ReadTarget, Proposal]]


@pytest.fixture
def proposed(monkeypatch: pytest.MonkeyPatch) -> Propose:
    """Return the proposal for a list that is registered for the test alone."""

    def proposed_for(model: Any, **facts: Any) -> tuple[ReadTarget, Proposal]:
        name = facts.pop("name", "tested")
        monkeypatch.setitem(registry._lists, name, ListDefinition(name, model, **facts))
        target = ReadTarget(key="tests.tested", list_query=name)
        return target, propose(target)

    return proposed_for


def conditions(found: Proposal) -> dict[str, tuple[str, list[str]]]:
    """The conditions by name: their kind and the filters that they become."""
    return {criterion.name: (criterion.kind, [str(one) for one in filters]) for criterion, filters in found.criteria}


@pytest.mark.django_db
def test_the_ledger_is_declared_as_seed_000_declares_it() -> None:
    ReadTarget.objects.all().delete()
    target = create_target("ledger.cash-transactions", "cashTransactions")
    assert (target.query_tool_name, target.screen_tool_name) == (
        "queryLedgerCashTransactions",
        "openLedgerCashTransactionsScreen",
    )
    assert list(target.columns.values_list("name", "path", "kind", "total")) == [
        ("date", "date", "date", False),
        ("account", "account.name", "string", False),
        ("counterparty", "counterparty", "string", False),
        ("flow", "flow", "enum", False),
        ("amount", "amount", "number", True),
        ("status", "status", "enum", False),
        ("memo", "memo", "string", False),
    ]
    found = {one.name: (one.kind, [str(each) for each in one.filters.all()]) for one in target.criteria.all()}
    assert found == {
        "from": ("date", ["date gte"]),
        "to": ("date", ["date lte"]),
        "year": ("integer", ["date year"]),
        "month": ("integer", ["date month"]),
        "period": ("string", ["date period"]),
        "flow": ("enum", ["flow eq"]),
        "status": ("enum", ["status eq"]),
        "minAmount": ("number", ["amount gte"]),
        "maxAmount": ("number", ["amount lte"]),
        "account": ("string", ["account.name eq"]),
    }
    assert target.criteria.get(name="flow").value_list == ["INCOME", "EXPENSE"]
    month = target.criteria.get(name="month")
    assert (month.minimum, month.maximum) == (Decimal(1), Decimal(12))
    assert month.description == ""
    assert target.criteria.get(name="to").description == "last day"
    assert target.criteria.get(name="account").description == "exact"
    assert target.search_hint == "counterparty, memo, account"
    assert target.order == "-date"
    assert target.model_name == "cash transactions"
    assert target.tag_list == ["ledger", "cash-transactions"]
    assert target.screen == "ledger:cash-transactions"
    taken = {one.criterion: (one.argument, one.needs) for one in target.screen_parameters.all()}
    assert taken == {
        "from": ("from", ""),
        "to": ("to", ""),
        "year": ("year", ""),
        "month": ("month", "year"),
        "flow": ("flow", ""),
        "status": ("status", ""),
        "minAmount": ("minAmount", ""),
        "maxAmount": ("maxAmount", ""),
        "account": ("account.name", ""),
        "text": ("search", ""),
    }
    assert problems_of(target) == []


@pytest.mark.django_db
def test_labels_are_said_in_each_language() -> None:
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    assert target.label["en"] == "Cash transactions"
    assert set(target.label) <= {"en", "ko", "de"}
    assert target.columns.get(name="account").label["en"] == "Account"
    assert target.criteria.get(name="minAmount").label["en"] == "Least amount"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("key", "list_query", "field", "said"),
    [
        ("ledger.x", "unicorns", "list_query", "The application has no list “unicorns”. It has accounts"),
        ("Ledger", "accounts", "key", "<app>.<record>"),
        ("ledger.accounts", "accounts", "key", "already exists"),
        ("ledger.cash--transactions", "accounts", "key", "those of ledger.cash-transactions"),
        ("ledger." + "x" * 40, "accounts", "key", "over 48 characters"),
    ],
)
def test_what_cannot_be_declared_is_said_and_nothing_is_stored(
    key: str, list_query: str, field: str, said: str
) -> None:
    models = (ReadTarget, Column, Criterion, CriterionFilter, ScreenParameter)
    before = [model.objects.count() for model in models]
    with pytest.raises(ValidationError) as refusal:
        create_target(key, list_query)
    assert said in " ".join(refusal.value.message_dict[field])
    assert [model.objects.count() for model in models] == before


def test_a_plain_list_of_one_line_is_enough(proposed: Propose) -> None:
    target, found = proposed(ExchangeRate)
    assert [column.name for column in found.columns] == ["day", "currency", "rate"]
    assert [column.name for column in found.columns if column.total] == []
    assert list(conditions(found)) == ["from", "to", "year", "month", "period", "minRate", "maxRate", "currency"]
    assert (target.search_hint, target.order, target.screen, found.parameters) == ("", "", "", ())


def test_the_date_of_the_order_is_the_date_that_is_ranged_over(proposed: Propose) -> None:
    _target, found = proposed(CashTransaction, shown="date booked_at amount", order="-booked_at")
    assert conditions(found)["from"] == ("date", ["booked_at gte"])


def test_without_an_amount_the_first_total_is_meant(proposed: Propose) -> None:
    _target, found = proposed(ConnectionRun)
    totals = [column.name for column in found.columns if column.total]
    assert totals == ["connections", "minutes", "feet", "hours", "weightOnBit"]
    assert conditions(found)["minMinutes"] == ("number", ["minutes gte"])


def test_what_belongs_to_a_related_object_is_not_totalled(proposed: Propose) -> None:
    _target, found = proposed(ConnectionRun, shown="started_at well.depth_ft minutes")
    assert [column.name for column in found.columns if column.total] == ["minutes"]


def test_a_boolean_a_related_name_and_an_unsearched_text_are_conditions(proposed: Propose) -> None:
    _target, found = proposed(GitConnection, shown="url tenant.name tenant.archived", searched="tenant.name")
    assert conditions(found) == {
        "tenant": ("string", ["tenant.name eq"]),
        "archived": ("boolean", ["tenant.archived eq"]),
        "url": ("string", ["url eq"]),
    }


def test_only_what_is_filtered_is_a_condition(proposed: Propose) -> None:
    _target, found = proposed(CashTransaction, filtered="flow")
    assert list(conditions(found)) == ["flow"]


def test_paths_of_one_name_are_told_apart(proposed: Propose) -> None:
    _target, found = proposed(Conversation, shown="title project.name project.tenant.name project.tenant.status state")
    assert [column.name for column in found.columns] == ["title", "project", "tenant", "status", "state"]
    _target, found = proposed(Project, shown="tenant.name tenant.status name", name="again")
    assert [column.name for column in found.columns] == ["tenant", "status", "name"]
    _target, found = proposed(Permission, shown="name content_type.app_label codename", name="third")
    assert [column.name for column in found.columns] == ["name", "appLabel", "codename"]


def test_the_key_of_a_row_is_no_column_since_every_row_says_it(proposed: Propose) -> None:
    _target, found = proposed(Tenant, shown="id name")
    assert [column.name for column in found.columns] == ["name"]


def test_no_condition_is_named_like_an_argument_that_every_tool_takes(proposed: Propose) -> None:
    _target, found = proposed(Tenant)
    assert not set(conditions(found)) & set(RESERVED)
    assert conditions(found)["tenantName"] == ("string", ["name eq"])


def test_an_order_that_may_not_be_asked_for_is_left_to_the_list(proposed: Propose) -> None:
    target, _found = proposed(CashTransaction, sorted="amount", order="-date")
    assert target.order == ""


class Silent(View):
    """A screen that does not say what it takes."""


class Saying(View):
    """A screen that does."""

    takes = ("flow", "search", "elsewhere")


class Knowing(View):
    """A screen that says it by where it stands."""

    word = ""

    @property
    def takes(self) -> list[str]:
        """What stands in its address."""
        return [self.word]


@pytest.fixture
def standing(settings: Any) -> Callable[[Any], None]:
    """Put a view where the screen of the list `tested` is looked for."""

    def stand(view: Any) -> None:
        class Root:
            urlpatterns = [path("x/", include(([path("tested/", view, name="tested")], "ledger")))]

        settings.ROOT_URLCONF = Root
        clear_url_caches()

    return stand


@pytest.mark.parametrize(
    ("view", "taken"),
    [
        (Silent.as_view(), {"year": "year", "month": "month", "flow": "flow", "text": "search"}),
        (Saying.as_view(), {"flow": "flow", "text": "search"}),
        (Knowing.as_view(word="status"), {"status": "status"}),
        (lambda request: None, {"year": "year", "month": "month", "flow": "flow", "text": "search"}),
    ],
)
def test_a_screen_is_proposed_what_it_says_it_takes(
    proposed: Propose, standing: Callable[[Any], None], view: Any, taken: dict[str, str]
) -> None:
    standing(view)
    target, found = proposed(CashTransaction, searched="memo")
    assert target.screen == "ledger:tested"
    assert {one.criterion: one.argument for one in found.parameters} == taken


def test_without_a_screen_of_its_name_none_is_proposed(proposed: Propose) -> None:
    target, found = proposed(CashTransaction)
    assert (target.screen, found.parameters) == ("", ())


@override_settings(LANGUAGE_CODE="ko", LANGUAGES=[("ko", "Korean")])
def test_a_site_without_english_still_tells_the_model_in_english(proposed: Propose) -> None:
    target, _found = proposed(CashTransaction)
    assert target.model_name == "cash transactions"
    assert set(target.label) == {"ko"}


def test_words_become_names() -> None:
    assert camel("depth_ft") == "depthFt"
    assert camel("project", "tenant") == "projectTenant"
    assert camel("2nd_amount") == "ndAmount"
    assert camel("금액") == ""
    assert len(camel("x" * 99)) == 40
    assert kebab("cashTransactions") == "cash-transactions"
    assert kebab("git2Connections") == "git2-connections"


PATHS: dict[Any, list[str]] = {
    CashTransaction: [
        *("id", "date", "booked_at", "counterparty", "flow", "amount", "status", "memo"),
        *("account.name", "account.currency", "account.opened"),
    ],
    Conversation: ["id", "title", "state", "started_at", "messages", "project.name", "project.tenant.name"],
    ConnectionRun: ["started_at", "connections", "minutes", "feet", "crew", "well.name", "well.depth_ft", "well.field"],
    User: ["id", "username", "email", "is_active", "is_staff", "date_joined", "last_login"],
    Permission: ["name", "codename", "content_type.app_label", "content_type.model"],
    Well: ["name", "field", "spud_date", "depth_ft"],
    Account: ["name", "currency", "opened"],
}
TEXTS = {"counterparty", "memo", "account.name", "title", "project.name", "crew", "well.name", "username", "name"}


@st.composite
def definitions(draw: st.DrawFn) -> ListDefinition:
    """Any list over the models above."""
    model = draw(st.sampled_from(list(PATHS)))
    some = st.lists(st.sampled_from(PATHS[model]), unique=True)
    shown = draw(some.filter(lambda paths: set(paths) - {"id"}))
    order = [draw(st.sampled_from(["", "-"])) + one for one in draw(some)]
    given_: dict[str, Any] = {name: draw(st.none() | some) for name in ("filtered", "sorted", "grouped")}
    searched = [one for one in draw(some) if one in TEXTS]
    return ListDefinition("tested", model, shown=shown, searched=searched, order=order, **given_)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(definition=definitions())
def test_whatever_is_proposed_is_a_right_declaration(
    monkeypatch: pytest.MonkeyPatch, definition: ListDefinition
) -> None:
    monkeypatch.setitem(registry._lists, "tested", definition)
    target = ReadTarget(key="tests.tested", list_query="tested")
    found = propose(target)
    rows: dict[str, Any] = {
        "columns": found.columns,
        "criteria": found.criteria,
        "parameters": found.parameters,
    }
    assert problems_of(target, **rows, in_database=False) == []
    target.clean_fields()
    for row in (*found.columns, *(criterion for criterion, _filters in found.criteria), *found.parameters):
        row.clean_fields(exclude=["target"])


def test_nothing_is_stored_by_proposing() -> None:
    """No database is asked for in this test, so storing would fail it."""
    assert proposal.propose(ReadTarget(key="ledger.x", list_query="accounts")).columns
