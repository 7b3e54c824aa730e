"""What is read for a call ends with its time, with its caller, and touches nothing else on its connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections

from project.demo.ledger.models import CashTransaction
from read_targets.lists import CallerLeft, Stopped, TooManyReads, TooSlow, snapshot, writing
from read_targets.lists import bounds as bounds_module
from read_targets.lists.bounds import Bound, Caller, bound_now, bounded, called_by
from tests.slow import FOR_EVER, count_to, slow_rows

SOON = 0.15
"""Seconds that a reading of these tests may take: enough for all that is not meant to be too slow."""
PATIENCE = 10.0


def read_for_ever(alias: str) -> None:
    """Run a statement that does not end by itself in any time of a test."""
    with connections[alias].cursor() as cursor:
        cursor.execute(FOR_EVER)


def is_usable(alias: str) -> bool:
    """Whether the connection answers, outside of any transaction and with no limit left behind."""
    assert not connections[alias].in_atomic_block
    with connections[alias].cursor() as cursor:
        cursor.execute(count_to(200_000))
        if connection.vendor == "postgresql":
            cursor.execute("SHOW statement_timeout")
            assert cursor.fetchone() == ("0",)
    with snapshot(alias):
        return CashTransaction.objects.exists()


def bound() -> Bound:
    """What bounds the reading just now."""
    found = bound_now()
    assert found is not None
    return found


@contextmanager
def meanwhile(action: Any, *arguments: Any, after: float = 0.1) -> Iterator[None]:
    """Do something in another thread, a moment later."""
    timer = threading.Timer(after, action, arguments)
    timer.start()
    try:
        yield
    finally:
        timer.join(PATIENCE)
        assert not timer.is_alive()


def test_what_takes_too_long_is_ended(shared: str) -> None:
    with pytest.raises(TooSlow), bounded(SOON), snapshot(shared):
        read_for_ever(shared)
    assert is_usable(shared)


def test_rows_that_come_one_by_one_are_ended_too(shared: str) -> None:
    rows = slow_rows(CashTransaction)
    with pytest.raises(TooSlow), bounded(SOON), snapshot(shared):
        list(rows.iterator(chunk_size=10))
    assert is_usable(shared)


def test_a_snapshot_within_tells_the_reason_as_well(shared: str) -> None:
    rows = slow_rows(CashTransaction)
    with bounded(SOON), snapshot(shared), pytest.raises(TooSlow), snapshot(shared):
        list(rows.iterator(chunk_size=10))
    assert is_usable(shared)


def test_the_time_is_the_calls_and_not_a_statements(shared: str) -> None:
    with bounded(SOON):
        with snapshot(shared):
            CashTransaction.objects.count()
        time.sleep(SOON)
        with pytest.raises(TooSlow), snapshot(shared):
            CashTransaction.objects.count()
    assert is_usable(shared)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite looks at the clock itself, and has no setting")
class TestTheSetting:
    """PostgreSQL is told what is left of the time; a shorter limit that the site set itself stands."""

    @pytest.fixture
    def own(self, shared: str) -> Iterator[Any]:
        """Give the connection a limit of its own."""
        connections[shared].close()
        connections[shared].connect()
        yield lambda limit: connections[shared].cursor().execute(f"SET statement_timeout = '{limit}'")
        connections[shared].close()
        connections[shared].connect()

    @staticmethod
    def milliseconds(alias: str) -> int:
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'")
            found: int = cursor.fetchone()[0]
            return found

    def test_a_statement_has_what_the_one_before_it_left(self, shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bounds_module, "RENEWED_AFTER", 0.0)
        with bounded(60), snapshot(shared):
            first = self.milliseconds(shared)
            time.sleep(0.02)
            assert 50_000 < self.milliseconds(shared) < first <= 60_000

    @pytest.mark.parametrize(("limit", "seconds", "least", "most"), [("50ms", 60, 50, 50), ("1h", 60, 50_000, 60_000)])
    def test_the_shorter_of_both_holds(
        self, shared: str, own: Any, limit: str, seconds: float, least: int, most: int
    ) -> None:
        own(limit)
        with bounded(seconds), snapshot(shared):
            assert least <= self.milliseconds(shared) <= most

    @pytest.mark.parametrize("seconds", [60, None])
    def test_what_the_sites_own_limit_ends_was_too_slow_as_well(
        self, shared: str, own: Any, seconds: float | None
    ) -> None:
        own("50ms")
        with pytest.raises(TooSlow), bounded(seconds), snapshot(shared):
            read_for_ever(shared)


def test_without_a_limit_nothing_is_ended(shared: str) -> None:
    for seconds in (None, 60):
        with bounded(seconds), snapshot(shared), connections[shared].cursor() as cursor:
            cursor.execute(count_to(300_000))
            assert cursor.fetchone() == (300_000,)


def test_outside_of_a_call_nothing_is_ended(shared: str) -> None:
    with bounded(0.0):
        pass
    assert is_usable(shared)


def test_what_an_administrator_ends_is_no_reason_of_ours(shared: str) -> None:
    def end() -> None:
        if connection.vendor == "sqlite":
            driver.interrupt()
        else:
            connections[shared].connect()
            with connections[shared].cursor() as cursor:
                cursor.execute("SELECT pg_cancel_backend(%s)", [driver.info.backend_pid])
            connections.close_all()

    driver = connections[shared].connection
    with pytest.raises(DatabaseError), meanwhile(end), bounded(PATIENCE), snapshot(shared):
        read_for_ever(shared)
    assert is_usable(shared)


def test_another_error_of_the_database_stays_what_it_is(shared: str) -> None:
    with pytest.raises(DatabaseError, match="nowhere"), bounded(SOON), snapshot(shared):
        connections[shared].cursor().execute("SELECT * FROM nowhere")
    assert is_usable(shared)


class TestStopping:
    """From another thread: at once within the snapshot, and nowhere else."""

    def test_a_statement_ends_at_once(self, shared: str) -> None:
        began = time.monotonic()
        with pytest.raises(CallerLeft), bounded(PATIENCE), meanwhile(bound().stop, CallerLeft()), snapshot(shared):
            read_for_ever(shared)
        assert time.monotonic() - began < PATIENCE
        assert is_usable(shared)

    def test_between_two_statements_the_next_is_not_sent(self, shared: str) -> None:
        def read() -> None:
            CashTransaction.objects.count()
            bound().stop(CallerLeft())
            read_for_ever(shared)

        with pytest.raises(CallerLeft), bounded(None), snapshot(shared):
            read()
        assert is_usable(shared)

    def test_the_first_reason_stands(self, shared: str) -> None:
        def read() -> None:
            bound().stop(TooManyReads())
            bound().stop(CallerLeft())
            CashTransaction.objects.count()

        with pytest.raises(TooManyReads), bounded(None), snapshot(shared):
            read()

    @pytest.mark.parametrize("when", ["before", "between", "after"])
    def test_outside_of_the_snapshot_no_connection_is_touched(
        self, shared: str, when: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        touched: list[Any] = []
        monkeypatch.setattr(bounds_module, "_cancel", lambda *given: touched.append(given))
        one = Bound(None)
        if when == "before":
            one.stop(CallerLeft())
        for _ in range(2):
            if when != "before":
                with snapshot(shared), one.within(connections[shared]):
                    CashTransaction.objects.count()
            if when == "between":
                one.stop(CallerLeft())
                break
        one.end()
        one.stop(CallerLeft())
        assert touched == []
        assert is_usable(shared)

    def test_what_comes_next_on_the_connection_waits_until_the_stopping_is_done(
        self, shared: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun, may_end, order = threading.Event(), threading.Event(), []

        def slowly(*given: Any) -> None:
            begun.set()
            assert may_end.wait(PATIENCE)
            order.append("stopped")

        monkeypatch.setattr(bounds_module, "_cancel", slowly)
        with bounded(None):
            with snapshot(shared):
                CashTransaction.objects.count()
                stopping = threading.Thread(target=bound().stop, args=(CallerLeft(),))
                stopping.start()
                assert begun.wait(PATIENCE)
                threading.Timer(0.1, may_end.set).start()
            order.append("left")
        stopping.join(PATIENCE)
        assert order == ["stopped", "left"]

    def test_a_stop_that_finds_no_statement_hits_none_that_follows(self, shared: str) -> None:
        for _ in range(20):
            with bounded(None), snapshot(shared):
                CashTransaction.objects.exists()
                bound().stop(CallerLeft())
            with connections[shared].cursor() as cursor:
                cursor.execute(count_to(1_000))
                assert cursor.fetchone() == (1_000,)

    def test_what_acts_is_not_ended_midway(self, shared: str) -> None:
        with bounded(0.0), writing(shared):
            bound().stop(CallerLeft())
            CashTransaction.objects.filter(pk=5).update(memo="written")
            with snapshot(shared):
                assert CashTransaction.objects.get(pk=5).memo == "written"
        assert CashTransaction.objects.get(pk=5).memo == "written"


class TestCallers:
    """Whoever hangs up has everything ended that is read for them, and nothing of anybody else."""

    def test_all_of_theirs_ends(self, shared: str) -> None:
        caller, others = Caller(), Caller()
        with called_by(others), bounded(None):
            untouched = bound()

        def read() -> None:
            assert caller.leave() == (bound(),)
            bound().stop(CallerLeft())
            CashTransaction.objects.count()

        with pytest.raises(CallerLeft), called_by(caller), bounded(None), snapshot(shared):
            read()
        assert others.leave() == ()
        assert untouched.reason is None

    def test_what_would_begin_after_they_left_does_not(self, shared: str) -> None:
        caller = Caller()
        caller.leave()
        with pytest.raises(Stopped), called_by(caller), bounded(None), snapshot(shared):
            CashTransaction.objects.count()
        assert is_usable(shared)

    def test_a_reading_that_is_over_is_forgotten(self) -> None:
        caller = Caller()
        with called_by(caller), bounded(None):
            pass
        assert caller.leave() == ()
