"""Fifty calls with one key at once, each over a connection of its own: one runs, and all are told its answer."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client

from read_targets.agent.registry import Call
from read_targets.agent.tokens import create_token
from read_targets.models import KeptAnswer, ToolCall

from .doer import TOOL, Doer, act, cut_off_now, offered, refusal, runs, slowly

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 50


@contextmanager
def real_connections(folder: Path) -> Iterator[None]:
    """Let threads begun inside have connections that wait for each other: SQLite's shared memory does not."""
    settings = connection.settings_dict
    name = settings["NAME"]
    if connection.vendor != "sqlite":
        yield
        return
    path = str(folder / "copy.sqlite3")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [path])
    # As `migrate` leaves it: of several that turn a database to WAL at once, SQLite refuses some without a wait.
    with closing(sqlite3.connect(path)) as copy:
        copy.execute("PRAGMA journal_mode=WAL")
    settings["NAME"] = path
    try:
        yield
    finally:
        settings["NAME"] = name


def at_once(number: int, action: Callable[[int], Any]) -> list[Any]:
    """Run `action` in so many threads at the same moment, and return what each returned."""
    answers: list[Any] = [None] * number
    failures: list[BaseException] = []
    start = threading.Barrier(number)

    def run(place: int) -> None:
        try:
            start.wait(30)
            answers[place] = action(place)
        except BaseException as error:  # a thread's exception would be lost
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failures
    assert not any(thread.is_alive() for thread in threads)
    return answers


@pytest.fixture
def sent(transactional_db: None, tmp_path: Path) -> Iterator[Callable[..., list[Any]]]:
    """Send calls at once as one agent, and return the responses."""
    user, _is_new = User.objects.get_or_create(username="analyst")
    _token, secret = create_token(user, "test agent", may_act=True)

    def send(keys: list[str], **arguments: Any) -> list[Any]:
        def call(place: int) -> Any:
            headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": keys[place]}
            return Client().post(f"/agent/tools/{TOOL}", arguments, "application/json", headers=headers)

        return at_once(len(keys), call)

    with real_connections(tmp_path):
        yield send


def counted(query: Callable[[], Any]) -> Any:
    """Ask the database that the threads wrote to."""
    return at_once(1, lambda place: query())[0]


def shown_later(call: Call) -> Any:
    """Do it, and learn a moment later that the person saw it."""
    result = act(call)
    time.sleep(0.3)
    return result.model_copy(update={"delivery": "SHOWN"})


@pytest.mark.parametrize("does", [act, slowly, shown_later])
def test_one_key_many_times_at_once_runs_once_and_answers_the_same(
    sent: Callable[..., list[Any]], does: Callable[[Call], Any]
) -> None:
    with offered(Doer(does)):
        responses = sent(["k-1"] * AT_ONCE, what="lamp")
    assert {response.status_code for response in responses} == {200}
    assert len({response.content for response in responses}) == 1
    assert responses[0].json()["changed"] == {"what": "lamp"}
    assert counted(runs) == 1
    assert counted(KeptAnswer.objects.count) == 1
    assert counted(ToolCall.objects.count) == AT_ONCE


def test_many_keys_at_once_run_once_each(sent: Callable[..., list[Any]]) -> None:
    with offered(Doer()):
        responses = sent([f"k-{number % 5}" for number in range(20)])
    assert {response.status_code for response in responses} == {200}
    assert len({response.json()["callId"] for response in responses}) == counted(runs) == 5


def test_a_key_of_refused_calls_is_free_for_each_of_them(sent: Callable[..., list[Any]]) -> None:
    asked: list[str] = []

    def refuse(call: Call) -> Any:
        asked.append(call.id)
        raise refusal()

    with offered(Doer(refuse)):
        responses = sent(["k-1"] * 10)
    assert Counter(response.json()["code"] for response in responses) == {"tests.refused": 10}
    assert len(set(asked)) == 10
    assert counted(KeptAnswer.objects.count) == 0


def test_of_a_call_that_was_cut_off_one_alone_is_the_heir(sent: Callable[..., list[Any]]) -> None:
    with offered(Doer()):
        call_id = sent(["k-1"])[0].json()["callId"]
        counted(lambda: cut_off_now(call_id))
        responses = sent(["k-1"] * 10)
    assert {response.json()["callId"] for response in responses} == {call_id}
    assert counted(runs) == 2
