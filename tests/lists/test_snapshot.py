"""One answer is one state of the database, however much others write; and writing comes after reading."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, connections, transaction
from django.db.utils import InternalError

from project.demo.drilling.models import RigEvent
from project.demo.ledger.models import CashTransaction, CashTransactionGroupGrant, CashTransactionUserGrant
from project.schema import schema
from read_targets.digest import Wish
from read_targets.doors import declared
from read_targets.lists import Answer, Question, ask, get_list, snapshot, writing
from read_targets.lists.keys import unpack
from read_targets.policies import access_of
from read_targets.reading import read
from tests.test_foreign import rig_target

LATE = datetime(2026, 11, 1, tzinfo=UTC)
QUESTION = Question(figures=("amount",), group_by="status", limit=1_000)


def in_another_connection(action: Callable[[], None]) -> None:
    """Run `action` to its end in a thread, and so in connections, of its own."""
    failed: list[BaseException] = []

    def run() -> None:
        connections["shared"].connect()
        try:
            action()
        except BaseException as error:  # it is raised again where it is asked for
            failed.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert not thread.is_alive(), "the writer waits for the reader"
    if failed:
        raise failed[0]


@contextmanager
def after_statement(
    number: int, alias: str, action: Callable[[], None], table: str = "ledger_cashtransaction"
) -> Iterator[list[str]]:
    """Run `action` in another connection right after this one has sent its n-th statement on the table."""
    sent: list[str] = []

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if f'FROM "{table}"' in sql:
            sent.append(sql)
            if len(sent) == number:
                in_another_connection(action)
        return result

    with connections[alias].execute_wrapper(wrapper):
        yield sent


def shake(key: int = 900_000) -> None:
    """Add one transaction, take one away, and change a third."""
    with transaction.atomic(using=CashTransaction.objects.db):
        CashTransaction.objects.create(
            id=key, date=date(2026, 11, 30), account_id=1, flow="INCOME", amount=Decimal("123456.78"), status="DRAFT"
        )
        CashTransaction.objects.filter(pk__in=[1, 2, 3]).delete()
        CashTransaction.objects.filter(pk=4).update(amount=Decimal("7.77"), status="CANCELLED")


def agrees(answer: Answer) -> bool:
    """Whether count, sums, groups and rows are those of one state."""
    amounts = [row.values["amount"] for row in answer.rows]
    groups = answer.groups or []
    return answer.total == len(amounts) == sum(group.count for group in groups) and answer.figures[
        "amount"
    ].total == sum(amounts) == sum(group.figures["amount"].total for group in groups)


@pytest.mark.parametrize(("statement", "group_by"), [(1, "status"), (1, None), (2, "date")])
@pytest.mark.parametrize("name", ["admin", "clerk"])
def test_figures_groups_and_rows_agree_while_others_write(
    shared: str, statement: int, group_by: str | None, name: str
) -> None:
    user = User.objects.get(username=name)
    definition, question = get_list("cashTransactions"), Question(figures=("amount",), group_by=group_by, limit=1_000)
    before = ask(definition, question, access_of(user))
    with after_statement(statement, shared, shake) as sent:
        during = ask(definition, question, access_of(user))
    assert len(sent) == 2
    assert during == before
    assert agrees(Answer(during.total, during.figures, during.groups, None, during.rows)) or group_by is None
    after = ask(definition, question, access_of(user))
    assert after != before
    assert {row.id for row in before.rows} - {row.id for row in after.rows} == {row.id for row in before.rows} & {
        1,
        2,
        3,
    }


def test_without_a_snapshot_they_would_not(shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the test above would show nothing."""
    monkeypatch.setattr("read_targets.lists.engine.snapshot", lambda using: nullcontext())
    user = User.objects.get(username="admin")
    with after_statement(1, shared, shake):
        answer = ask(get_list("cashTransactions"), QUESTION, access_of(user))
    assert not agrees(answer)


@pytest.mark.parametrize("statement", [1, 2, 3])
def test_a_reading_and_what_its_rights_are_checked_by_are_one_state(shared: str, statement: int) -> None:
    clerk = User.objects.get(username="clerk")
    target = declared().get(key="ledger.cash-transactions")

    def regrant() -> None:
        shake()
        CashTransactionUserGrant.objects.filter(user=clerk, content_object_id__gt=300).delete()
        CashTransactionGroupGrant.objects.filter(content_object_id__gt=300).delete()

    wish = Wish(group_by="status", keep="always")
    with after_statement(statement, shared, regrant) as sent:
        digest = read(target, {}, access_of(clerk), UTC, wish)
    assert len(sent) >= 3
    assert digest.stamp is not None
    assert digest.stamp.row_keys is not None
    assert sorted(int(row["id"]) for row in digest.rows) == unpack(digest.stamp.row_keys)
    assert digest.total == len(digest.rows) == sum(group.count for group in digest.groups or ())
    assert digest.figures["amount"].total == sum(Decimal(row["amount"]) for row in digest.rows)
    assert (read(target, {}, access_of(clerk), UTC, wish).total or 0) < (digest.total or 0)


def test_everything_asked_of_one_graphql_field_is_one_state(shared: str, rf: Any) -> None:
    request = rf.post("/graphql")
    request.user = User.objects.get(username="admin")
    groups = 'byStatus: groups(by: "status") byFlow: groups(by: "flow")'
    query = f"{{ cashTransactions(pagination: {{limit: 1000}}) {{ total sums rows {groups} }} }}"
    with after_statement(1, shared, shake) as sent:
        answer = schema.execute(query, context_value=request)
    assert answer.errors is None
    assert len(sent) >= 2
    told = answer.data["cashTransactions"]
    amounts = [Decimal(row["amount"]) for row in told["rows"]]
    assert (told["total"], Decimal(told["sums"]["amount"])) == (len(amounts), sum(amounts))
    for groups in (told["byStatus"], told["byFlow"]):
        assert (sum(one["count"] for one in groups), sum(Decimal(one["sums"]["amount"]) for one in groups)) == (
            len(amounts), sum(amounts),
        )  # fmt: skip


def test_a_list_of_another_shape_is_one_state_over_all_its_pages(shared: str) -> None:
    target, clerk = rig_target(), User.objects.get(username="clerk")

    def take_away() -> None:
        RigEvent.objects.filter(at__gte=LATE).delete()

    before = read(target, {}, access_of(clerk), UTC, Wish(limit=20, keep="always"))
    with after_statement(2, shared, take_away, "drilling_rigevent"):
        during = read(target, {}, access_of(clerk), UTC, Wish(limit=20, keep="always"))
    assert (during.total, during.analysed) == (1_250, 1_000)
    assert during == before


def test_writing_comes_after_a_snapshot(shared: str) -> None:
    with snapshot(shared):
        many = CashTransaction.objects.count()
    in_another_connection(shake)
    with writing(shared):
        CashTransaction.objects.filter(pk=5).update(memo="written")
    assert CashTransaction.objects.count() == many - 2
    assert CashTransaction.objects.get(pk=5).memo == "written"


def fail_after(memo: str) -> None:
    """Write, and fail."""
    CashTransaction.objects.filter(pk=5).update(memo=memo)
    raise ZeroDivisionError


def test_writing_is_all_or_nothing(shared: str) -> None:
    with pytest.raises(ZeroDivisionError), writing(shared):
        fail_after("written")
    assert CashTransaction.objects.get(pk=5).memo != "written"
    assert not connections[shared].in_atomic_block


def test_a_snapshot_that_fails_is_closed(shared: str) -> None:
    with pytest.raises(ZeroDivisionError), snapshot(shared):
        _ = CashTransaction.objects.count() / 0
    assert not connections[shared].in_atomic_block
    shake()


def test_a_snapshot_within_a_snapshot_is_the_same(shared: str) -> None:
    with snapshot(shared):
        before = CashTransaction.objects.count()
        in_another_connection(shake)
        with snapshot(shared):
            assert CashTransaction.objects.count() == before
        assert CashTransaction.objects.count() == before
    assert CashTransaction.objects.count() == before - 2


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="The mode of a transaction is SQLite's")
class TestOnSQLite:
    """A snapshot queues behind no writer; who writes takes the lock before reading."""

    def test_the_mode_is_given_back(self, shared: str) -> None:
        database = connections[shared]
        database.transaction_mode = "EXCLUSIVE"  # type: ignore[attr-defined]  # of the SQLite wrapper alone
        for enter in (snapshot, writing, snapshot):
            with enter(shared):
                CashTransaction.objects.count()
            assert database.transaction_mode == "EXCLUSIVE"  # type: ignore[attr-defined]

    def test_a_snapshot_does_not_wait_for_a_writer(self, shared: str) -> None:
        with writing(shared):
            CashTransaction.objects.filter(pk=5).update(memo="unseen")

            def look() -> None:
                with snapshot(shared):
                    assert CashTransaction.objects.get(pk=5).memo != "unseen"

            in_another_connection(look)

    def test_writing_holds_the_lock_from_its_start(self, shared: str) -> None:
        with writing(shared):

            def write() -> None:
                with connections[shared].cursor() as cursor:
                    cursor.execute("PRAGMA busy_timeout = 0")
                with writing(shared):
                    pass

            with pytest.raises(OperationalError, match="locked"):
                in_another_connection(write)

    def test_a_write_that_follows_a_read_in_one_transaction_would_fail(self, shared: str) -> None:
        """Why reading and writing are two transactions."""

        def read_and_write() -> None:
            CashTransaction.objects.count()
            in_another_connection(shake)
            CashTransaction.objects.filter(pk=5).update(memo="written")

        with pytest.raises(OperationalError, match="locked"), transaction.atomic(using=shared):
            read_and_write()


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="The isolation of a transaction is PostgreSQL's")
class TestOnPostgreSQL:
    """A snapshot repeats its reads and writes nothing; what follows is as it was."""

    @staticmethod
    def isolation(alias: str) -> tuple[str, str]:
        """How the transaction that is open reads, and whether it may write."""
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')")
            found: tuple[str, str] = cursor.fetchone()
            return found

    def test_it_is_repeatable_and_read_only_and_ends_with_it(self, shared: str) -> None:
        with snapshot(shared):
            assert self.isolation(shared) == ("repeatable read", "on")
        with writing(shared):
            assert self.isolation(shared) == ("read committed", "off")

    def test_nothing_can_be_written_in_it(self, shared: str) -> None:
        with pytest.raises(InternalError, match="read-only"), snapshot(shared):
            shake()


@pytest.mark.django_db
class TestWithinATransaction:
    """Inside a transaction that is open already, that one stands."""

    def test_a_snapshot_leaves_it_as_it_is(self) -> None:
        assert connection.in_atomic_block
        with snapshot():
            CashTransaction.objects.filter(pk=5).update(memo="written")
        with snapshot():
            assert CashTransaction.objects.get(pk=5).memo == "written"

    def test_writing_is_undone_alone(self) -> None:
        CashTransaction.objects.filter(pk=5).update(memo="outer")
        with pytest.raises(ZeroDivisionError), writing():
            fail_after("inner")
        assert CashTransaction.objects.get(pk=5).memo == "outer"
        with writing():
            CashTransaction.objects.filter(pk=5).update(memo="inner")
        assert CashTransaction.objects.get(pk=5).memo == "inner"
