"""Reading a target as a person: figures, groups and rows under the target's own names, and what is missing, said."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from guardian.shortcuts import assign_perm

from project.demo.factory.models import Conversation
from project.demo.ledger.models import Account, CashTransaction
from read_targets.digest import MODEL_ROWS, WORKSPACE_ROWS, Wish
from read_targets.doors import declared
from read_targets.lists import ListDefinition, Order, UnknownList, get_list, plain, registry
from read_targets.lists.keys import unpack
from read_targets.models import Column, Criterion, CriterionFilter, ReadTarget
from read_targets.policies import SharedAccess, access_of
from read_targets.reading import read
from tests import oracle

pytestmark = pytest.mark.django_db

UTC = ZoneInfo("UTC")
PEOPLE = ("admin", "analyst", "clerk", "guest")


def demo(key: str = "ledger.cash-transactions") -> ReadTarget:
    """One of the demo's targets with all that is declared of it."""
    return declared().get(key=key)


def target_of(columns: dict[str, tuple[str, str, bool]], **fields: Any) -> ReadTarget:
    """A stored target over the cash transactions; a column has a path, a kind and perhaps a total."""
    target = ReadTarget.objects.create(key="test.cash", label={}, **{"list_query": "cashTransactions", **fields})
    for position, (name, (path, kind, total)) in enumerate(columns.items()):
        Column.objects.create(target=target, position=position, name=name, path=path, kind=kind, total=total, label={})
    return declared().get(pk=target.pk)


def permitted(user: User, model: Any = CashTransaction) -> tuple[list[Any], oracle.Rights]:
    """The objects that somebody may view by the oracle, and their rights."""
    rights = oracle.Rights(user)
    relations = [one.name for one in model._meta.get_fields() if one.many_to_one and one.concrete]
    return oracle.viewed(model._base_manager.select_related(*relations).order_by("pk"), rights), rights


@pytest.mark.parametrize("name", PEOPLE)
def test_every_target_of_the_demo_is_read_as_python_reads_it(name: str, person: Callable[[str], User]) -> None:
    user, zone = person(name), ZoneInfo("Asia/Seoul")
    for target in declared().filter(document=""):
        definition, columns = get_list(target.list_query), list(target.columns.all())
        objects, rights = permitted(user, definition.model)
        may_view = rights.remembered()
        columns = [column for column in columns if column.has_values]
        by_path = {column.list_path: column.name for column in columns}
        totals = [column.list_path for column in columns if column.total]
        for column in columns:
            told = oracle.tell(
                objects, may_view, figures=totals, shown=list(by_path), group_by=column.list_path, zone=zone
            )
            digest = read(target, {}, access_of(user), zone, Wish(group_by=column.name, limit=0))
            assert (digest.total, digest.analysed) == (told.total, told.total)
            for path in totals:
                figure = digest.figures[by_path[path]]
                assert (figure.total, figure.count, figure.withheld) == (
                    told.sums[path].sum, told.sums[path].count, told.sums[path].withheld,
                )  # fmt: skip
            assert {oracle.WITHHELD if group.withheld else group.key: group.count for group in digest.groups or ()} == {
                key: count for key, (count, _) in told.groups.items()
            } or digest.rest is not None
            counted = sum(group.count for group in digest.groups or ()) + (digest.rest.count if digest.rest else 0)
            assert counted == told.total
        digest = read(target, {}, access_of(user), zone, Wish(keep="always"))
        expected = {str(key): values for key, values in zip(told.keys, told.values, strict=True)}
        assert len(digest.rows) == min(told.total, WORKSPACE_ROWS)
        for row in digest.rows:
            values = expected[row["id"]]
            hidden = [by_path[path] for path, value in values.items() if value is oracle.WITHHELD]
            assert row == {
                "id": row["id"],
                **{
                    by_path[path]: None if value is oracle.WITHHELD else plain(value, zone)
                    for path, value in values.items()
                },
                **({"withheld": hidden} if hidden else {}),
            }


def test_names_are_the_targets_own(person: Callable[[str], User]) -> None:
    target = target_of(
        {
            "when": ("date", "date", False),
            "money": ("amount", "number", True),
            "where": ("account.name", "string", False),
        }
    )
    digest = read(target, {}, access_of(person("admin")), UTC, Wish(group_by="where"))
    assert [column.name for column in digest.columns] == ["when", "money", "where"]
    assert list(digest.figures) == ["money"]
    assert set(digest.rows[0]) == {"id", "when", "money", "where"}
    assert all(list(group.figures) == ["money"] for group in digest.groups or ())


def test_two_columns_may_show_one_value(person: Callable[[str], User]) -> None:
    target = target_of(
        {"one": ("amount", "number", True), "two": ("amount", "number", True), "three": ("amount", "number", False)}
    )
    digest = read(target, {}, access_of(person("admin")), UTC, Wish(group_by="two", order=(Order("three"),)))
    assert digest.figures["one"] == digest.figures["two"]
    assert set(digest.figures) == {"one", "two"}
    assert all(row["one"] == row["two"] == row["three"] for row in digest.rows)


def test_a_column_without_a_path_is_at_its_name(person: Callable[[str], User]) -> None:
    digest = read(target_of({"memo": ("", "string", False)}), {}, access_of(person("admin")), UTC)
    assert digest.figures == {}
    memos = dict(CashTransaction.objects.values_list("pk", "memo"))
    assert all(row["memo"] == memos[int(row["id"])] for row in digest.rows)


@pytest.mark.parametrize(
    ("wish", "many"),
    [
        (None, MODEL_ROWS), (Wish(limit=0), 0), (Wish(limit=3), 3), (Wish(limit=3, keep="long"), 600),
        (Wish(limit=3, keep="always"), 600), (Wish(limit=20, keep="never"), 20),
    ],
)  # fmt: skip
def test_as_many_rows_are_read_as_are_wished(person: Callable[[str], User], wish: Wish | None, many: int) -> None:
    digest = read(demo(), {}, access_of(person("admin")), UTC, wish)
    assert (len(digest.rows), digest.total, digest.analysed) == (many, 600, 600)


def test_a_short_result_is_kept_only_where_it_is_asked_for(person: Callable[[str], User]) -> None:
    account = demo("ledger.accounts")
    for keep, kept in (("never", False), ("long", False), ("always", True)):
        digest = read(account, {}, access_of(person("clerk")), UTC, Wish(keep=keep))  # type: ignore[arg-type]
        assert (digest.stamp is not None) == kept


def test_a_list_longer_than_a_workspace_is_whole_in_its_figures(person: Callable[[str], User]) -> None:
    digest = read(
        demo("factory.conversations"), {}, access_of(person("admin")), UTC, Wish(keep="long", group_by="state")
    )
    assert (digest.total, digest.analysed, len(digest.rows)) == (1_200, 1_200, WORKSPACE_ROWS)
    assert digest.is_complete
    assert sum(group.count for group in digest.groups or ()) == 1_200


class TestOrder:
    """The list's own order, the target's, and the one that is wished."""

    COLUMNS = {
        "date": ("", "date", False),
        "amount": ("", "number", False),
        "account": ("account.name", "string", False),
    }

    def amounts(self, person: Callable[[str], User], order: str, *wished: Order) -> list[Decimal]:
        """The amounts of the first rows."""
        digest = read(target_of(self.COLUMNS, order=order), {}, access_of(person("admin")), UTC, Wish(order=wished))
        return [Decimal(row["amount"]) for row in digest.rows]

    def test_that_of_the_list(self, person: Callable[[str], User]) -> None:
        expected = CashTransaction.objects.order_by("-date", "-pk").values_list("amount", flat=True)[:20]
        assert self.amounts(person, "") == list(expected)

    def test_that_of_the_target(self, person: Callable[[str], User]) -> None:
        expected = CashTransaction.objects.order_by("account__name", "-amount", "-pk").values_list("amount", flat=True)[
            :20
        ]
        assert self.amounts(person, "account.name -amount") == list(expected)

    def test_that_which_is_wished_by_the_names_of_columns(self, person: Callable[[str], User]) -> None:
        expected = CashTransaction.objects.order_by("-account__name", "amount", "pk").values_list("amount", flat=True)[
            :20
        ]
        assert self.amounts(person, "date", Order("account", True), Order("amount")) == list(expected)


class TestOneRecord:
    """A record by its id, within the rights and the other conditions."""

    def test_an_id_that_may_be_viewed(self, person: Callable[[str], User]) -> None:
        (first, *_), _ = permitted(person("clerk"))
        digest = read(demo(), {"id": f" {first.pk} "}, access_of(person("clerk")), UTC)
        assert (digest.total, [row["id"] for row in digest.rows]) == (1, [str(first.pk)])

    def test_missing_and_forbidden_read_the_same(self, person: Callable[[str], User]) -> None:
        seen = {one.pk for one in permitted(person("clerk"))[0]}
        forbidden = CashTransaction.objects.exclude(pk__in=seen).first()
        assert forbidden is not None
        digests = [
            read(demo(), {"id": key}, access_of(person("clerk")), UTC, Wish(group_by="account", keep="always"))
            for key in (str(forbidden.pk), "999999999", "banana", "٧", "1_0", "x" * 900, "-1", str(2**63))
        ]
        assert all(digest == digests[0] for digest in digests)
        assert (digests[0].total, digests[0].rows, digests[0].groups) == (0, [], [])

    def test_an_identifier(self, person: Callable[[str], User]) -> None:
        talk = Conversation.objects.order_by("pk")[3]
        digest = read(demo("factory.conversations"), {"id": str(talk.pk)}, access_of(person("admin")), UTC)
        assert [row["id"] for row in digest.rows] == [str(talk.pk)]
        other = read(demo("factory.conversations"), {"id": "1"}, access_of(person("admin")), UTC)
        assert other.total == 0


def test_conditions_and_words_narrow_figures_groups_and_rows_down(person: Callable[[str], User]) -> None:
    target = demo()
    criterion = Criterion.objects.create(target=target, name="words", kind="string", label={}, position=99)
    for field in ("memo", "counterparty"):
        CriterionFilter.objects.create(criterion=criterion, field=field, operator="contains")
    target = demo()
    objects, rights = permitted(person("clerk"))
    values = {"from": dt.date(2024, 6, 1), "flow": "EXPENSE", "text": " e "}
    told = oracle.tell(
        objects,
        rights.may_view,
        conditions=[("date", "gte", dt.date(2024, 6, 1)), ("flow", "eq", "EXPENSE")],
        text=" e ",
        searched=["counterparty", "memo", "account.name"],
        figures=["amount"],
        group_by="date",
    )
    digest = read(target, values, access_of(person("clerk")), UTC, Wish(group_by="date", keep="always"))
    assert {int(row["id"]) for row in digest.rows} == set(told.keys)
    assert digest.total == told.total > 0
    assert digest.figures["amount"].total == told.sums["amount"].sum
    assert {group.key: group.count for group in digest.groups or ()} == {
        key: many for key, (many, _) in told.groups.items()
    }
    both = read(target, {"words": "e"}, access_of(person("admin")), UTC)
    assert both.total == sum(
        oracle.fits(one.memo, "contains", "e") and oracle.fits(one.counterparty, "contains", "e")
        for one in CashTransaction.objects.all()
    )


class TestWithheld:
    """What this person may not see is said, and clears *complete* only where it is inside a figure."""

    def test_a_withheld_label_is_said_of_the_rows_read(self, person: Callable[[str], User]) -> None:
        digest = read(demo(), {}, access_of(person("clerk")), UTC, Wish(limit=1_000))
        hidden = sum("withheld" in row for row in digest.rows)
        assert hidden
        assert digest.omissions == [f"account: withheld in {hidden} of the rows read"]
        assert digest.is_complete

    def test_a_withheld_group_is_said_with_all_its_rows(self, person: Callable[[str], User]) -> None:
        digest = read(demo(), {}, access_of(person("clerk")), UTC, Wish(group_by="account", limit=2))
        (group,) = [one for one in digest.groups or () if one.withheld]
        assert digest.omissions == [f"account: withheld in {group.count} rows, which are a group of their own"]

    def test_whoever_may_view_all_misses_nothing(self, person: Callable[[str], User]) -> None:
        for name in ("admin", "analyst"):
            digest = read(demo(), {}, access_of(person(name)), UTC, Wish(group_by="account", limit=1_000))
            assert digest.omissions == []
            assert not any("withheld" in row for row in digest.rows)

    def test_a_value_withheld_from_a_figure_makes_it_incomplete(
        self, person: Callable[[str], User], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        definition = ListDefinition("talksWithBudgets", Conversation, shown="title project.budget messages")
        monkeypatch.setitem(registry._lists, "talksWithBudgets", definition)
        target = target_of(
            {"budget": ("project.budget", "number", True), "messages": ("", "integer", True)},
            list_query="talksWithBudgets",
        )
        objects, rights = permitted(person("clerk"), Conversation)
        told = oracle.tell(objects, rights.may_view, figures=["project.budget", "messages"])
        digest = read(target, {}, access_of(person("clerk")), UTC, Wish(limit=0))
        figure, expected = digest.figures["budget"], told.sums["project.budget"]
        assert (figure.count, figure.total, figure.withheld) == (expected.count, expected.sum, expected.withheld)
        assert figure.withheld
        assert not digest.is_complete
        assert digest.omissions == [f"budget: {figure.withheld} values withheld, in no figure"]
        assert read(target, {}, access_of(person("admin")), UTC).is_complete


class TestStamp:
    """What the rights to a kept reading can be checked by later."""

    def test_the_keys_behind_it_and_of_what_they_refer_to(self, person: Callable[[str], User]) -> None:
        objects, rights = permitted(person("clerk"))
        digest = read(demo(), {"flow": "EXPENSE"}, access_of(person("clerk")), UTC, Wish(limit=2, keep="always"))
        expenses = [one for one in objects if one.flow == "EXPENSE"]
        assert digest.stamp is not None
        assert digest.stamp.row_keys is not None
        assert unpack(digest.stamp.row_keys) == [one.pk for one in expenses]
        seen = {one.account_id for one in expenses if rights.may_view(one.account)}
        assert digest.stamp.relations == {"account": sorted(seen)}

    def test_nothing_where_the_right_is_held_everywhere(self, person: Callable[[str], User]) -> None:
        for name in ("admin", "analyst"):
            digest = read(demo(), {}, access_of(person(name)), UTC, Wish(keep="always"))
            assert digest.stamp is not None
            assert (digest.stamp.row_keys, digest.stamp.relations) == (None, {"account": None})

    def test_each_relation_has_its_own(self, person: Callable[[str], User]) -> None:
        user = person("guest")
        assign_perm("ledger.view_cashtransaction", user)
        assign_perm("ledger.view_account", user, Account.objects.get(pk=2))
        digest = read(demo(), {}, access_of(User.objects.get(pk=user.pk)), UTC, Wish(keep="always"))
        assert digest.stamp is not None
        assert (digest.stamp.row_keys, digest.stamp.relations) == (None, {"account": [2]})


def test_a_preview_reads_what_both_may_view(person: Callable[[str], User]) -> None:
    wish = Wish(group_by="account", limit=1_000, keep="always")
    clerk = read(demo(), {}, access_of(person("clerk")), UTC, wish)
    for viewer in ("admin", "analyst", "clerk"):
        shared = SharedAccess(access_of(person("clerk")), access_of(person(viewer)))
        digest = read(demo(), {}, shared, UTC, wish)
        assert (digest.total, digest.figures, digest.groups, digest.rows) == (
            clerk.total,
            clerk.figures,
            clerk.groups,
            clerk.rows,
        )
    nothing = read(demo(), {}, SharedAccess(access_of(person("clerk")), access_of(person("guest"))), UTC, wish)
    assert (nothing.total, nothing.rows, nothing.groups) == (0, [], [])


def test_a_list_that_is_gone_is_unknown(person: Callable[[str], User]) -> None:
    target = target_of({"memo": ("", "string", False)}, list_query="gone")
    with pytest.raises(UnknownList):
        read(target, {}, access_of(person("admin")), UTC)


def test_statements_are_as_many_however_many_rows_and_groups(person: Callable[[str], User]) -> None:
    def statements(values: dict[str, Any], wish: Wish) -> int:
        access, target = access_of(person("clerk")), demo()
        with CaptureQueriesContext(connection) as captured:
            read(target, values, access, UTC, wish)
        return len(captured)

    few: dict[str, Any] = {"period": "2026-10"}
    many: dict[str, Any] = {}
    for wish in (Wish(), Wish(group_by="date"), Wish(group_by="account", keep="always")):
        statements(many, wish)  # the process remembers content types and rights
        assert statements(few, wish) == statements(many, wish)


@pytest.mark.parametrize(
    ("zone", "period"), [("UTC", "2026-01"), ("Asia/Seoul", "2026-02"), ("America/New_York", "2026-01")]
)
def test_a_day_and_a_month_are_those_of_the_person(person: Callable[[str], User], zone: str, period: str) -> None:
    Conversation.objects.update(started_at=dt.datetime(2026, 1, 31, 18, tzinfo=dt.UTC))
    target = demo("factory.conversations")
    path = next(column.name for column in target.columns.all() if column.list_path == "started_at")
    digest = read(target, {}, access_of(person("admin")), ZoneInfo(zone), Wish(group_by=path))
    assert [group.key for group in digest.groups or ()] == [period]
    assert digest.rows[0][path] == dt.datetime(2026, 1, 31, 18, tzinfo=dt.UTC).astimezone(ZoneInfo(zone)).isoformat()
    values = {"from": dt.date(2026, 2, 1)}
    assert read(target, values, access_of(person("admin")), ZoneInfo(zone)).total == (
        1_200 if period == "2026-02" else 0
    )
