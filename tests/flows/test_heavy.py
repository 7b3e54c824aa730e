"""Long readings of one person at once: so many and no more, over all processes, and never held for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from read_targets import heavy
from read_targets.heavy import Place, free_places, one_call
from read_targets.lists import TooManyReads, snapshot
from read_targets.models import HeavyRead
from tests.slow import FOR_EVER, count_to

from .test_kept_parallel import at_once, real_connections

PATIENCE = 10.0


def until(holds: Callable[[], Any]) -> Any:
    """Wait until something holds, and return what it gives."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.01)
    assert found
    return found


@pytest.fixture(autouse=True)
def _nobody_was_refused() -> None:
    heavy._refused.clear()


@pytest.fixture
def people(transactional_db: None, tmp_path: Path) -> Iterator[list[int]]:
    """Two people, in a database in which connections are real."""
    keys = [User.objects.create(username=f"reader {number}").pk for number in range(2)]
    with real_connections(tmp_path):
        yield keys


def in_thread(action: Callable[[], Any]) -> Any:
    """What `action` returns in a thread, and so over a connection, of its own."""
    return at_once(1, lambda place: action())[0]


def held() -> int:
    """Places that are held now."""
    found: int = in_thread(lambda: HeavyRead.objects.count() - free_places().count())
    return found


class TestPlaces:
    """One row for each place, and one statement that takes it."""

    def test_fifty_at_once_find_as_many_as_there_are(self, people: list[int]) -> None:
        places = [Place(people[number % 2], 4, 60) for number in range(50)]
        answers = at_once(50, lambda number: places[number].take())
        # On SQLite taking waits but a moment for who writes, and then lets the reading go on uncounted.
        taken = [place for place in places if place.holder]
        assert len(taken) == 8 if connection.vendor == "postgresql" else len(taken) <= 8
        assert held() == len(taken)
        assert answers.count(True) >= len(taken)
        assert len({place.holder for place in taken}) == len(taken)

    def test_a_place_that_is_given_back_is_free(self, people: list[int]) -> None:
        first, second = Place(people[0], 1, 60), Place(people[0], 1, 60)
        assert [first.take(), second.take()] == [True, False]
        first.give_back()
        assert second.take()
        assert Place(people[1], 1, 60).take()

    def test_a_place_whose_holder_is_gone_is_free_after_its_time(self, people: list[int]) -> None:
        gone, heir = Place(people[0], 1, -heavy.LONGER), Place(people[0], 1, 60)
        assert [gone.take(), heir.take()] == [True, True]
        gone.give_back()  # it was there after all, but the place is another's now
        assert [held(), Place(people[0], 1, 60).take()] == [1, False]

    def test_who_was_refused_is_asked_at_once_for_a_moment(self, people: list[int]) -> None:
        Place(people[0], 1, 60).take()
        assert not Place(people[0], 1, 60).take()
        assert [Place(people[number], 1, 60).after for number in range(2)] == [0.0, 0.5]

    def test_a_reading_goes_on_where_sqlite_cannot_count_it(self, people: list[int]) -> None:
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL keeps nobody waiting who writes another row")
        writes, done = threading.Event(), threading.Event()

        def write() -> None:
            from read_targets.lists import writing

            with writing():
                User.objects.filter(pk=people[0]).update(first_name="x")
                writes.set()
                assert done.wait(PATIENCE)

        def take() -> bool:
            assert writes.wait(PATIENCE)
            try:
                return Place(people[0], 1, 60).take()
            finally:
                done.set()

        _nothing, let_through = at_once(2, lambda number: write() if number == 0 else take())
        assert let_through
        assert held() == 0


class TestReadings:
    """Only a reading that turns out long takes a place, while it is being read."""

    @pytest.fixture(autouse=True)
    def _soon(self, settings: Any) -> None:
        settings.READ_TARGETS = {"READS_AT_ONCE": 1, "HEAVY_AFTER_MS": 50, "READ_SECONDS": PATIENCE}

    def test_one_too_many_is_ended_and_the_place_is_given_back(self, people: list[int]) -> None:
        person, other = (User(pk=key) for key in people)
        may_end = threading.Event()

        def long_one() -> None:
            with one_call(person), snapshot():
                User.objects.exists()
                assert may_end.wait(PATIENCE)

        reading = threading.Thread(target=lambda: at_once(1, lambda place: long_one()))
        reading.start()
        try:
            until(lambda: held() == 1)

            def too_many() -> None:
                with pytest.raises(TooManyReads), one_call(person), snapshot(), connection.cursor() as cursor:
                    cursor.execute(FOR_EVER)
                # Nobody else has less for it, and the connection goes on.
                with one_call(other), snapshot():
                    assert User.objects.exists()

            in_thread(too_many)
            assert held() == 1
        finally:
            may_end.set()
            reading.join(PATIENCE)
        until(lambda: HeavyRead.objects.count() == 0 if connection.vendor == "postgresql" else held() == 0)

    def test_a_quick_reading_writes_nothing(self, people: list[int]) -> None:
        def quick() -> list[str]:
            with CaptureQueriesContext(connection) as sent, one_call(User(pk=people[0])), snapshot():
                User.objects.exists()
            return [one["sql"] for one in sent.captured_queries]

        in_thread(quick)  # the first of a connection asks what limit it has
        assert not [sql for sql in in_thread(quick) if "heavyread" in sql]
        assert held() == 0

    def test_without_a_ceiling_none_is_weighed(self, people: list[int], settings: Any) -> None:
        settings.READ_TARGETS = {"READS_AT_ONCE": None, "HEAVY_AFTER_MS": 0}

        def read() -> None:
            with one_call(User(pk=people[0])), snapshot(), connection.cursor() as cursor:
                cursor.execute(count_to(10))
                time.sleep(0.15)

        in_thread(read)
        assert held() == 0
