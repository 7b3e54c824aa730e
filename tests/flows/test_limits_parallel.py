"""Calls at once over connections of their own: the limit holds across them, and counting keeps nobody waiting."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from read_targets.agent.contract import Refused
from read_targets.agent.limits import check_calls
from read_targets.agent.tokens import create_token
from read_targets.lists import writing
from read_targets.models import AgentDoors
from read_targets.policies import Actor

from .test_kept_parallel import at_once, real_connections

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def actors(transactional_db: None) -> list[Actor]:
    """One person through four of their agents."""
    user, _is_new = User.objects.get_or_create(username="analyst")
    return [Actor(user, create_token(user, f"agent {place}")[0]) for place in range(4)]


def test_a_limit_holds_across_connections(actors: list[Actor], settings: Any, tmp_path: Path) -> None:
    settings.READ_TARGETS = {"CALLS_A_MINUTE_OF_TOKEN": 8, "CALLS_A_MINUTE_OF_PERSON": 20}

    delays: list[int] = []

    def call_twelve_times(place: int) -> Counter[str]:
        answers: Counter[str] = Counter()
        for _ in range(12):
            try:
                check_calls(actors[place])
            except Refused as refused:
                delays.append(refused.next_action.delay_ms)
            else:
                answers["let through"] += 1
        return answers

    started = time.monotonic()
    with real_connections(tmp_path):
        answers = at_once(4, call_twelve_times)
    regained = int((time.monotonic() - started) / 3)  # of the person's, one every three seconds
    let_through = sum(one["let through"] for one in answers)
    assert 20 <= let_through <= 20 + regained
    assert delays
    assert all(0 < delay <= 60_000 for delay in delays)
    assert all(one["let through"] <= 8 + (time.monotonic() - started) // 7 for one in answers)


def test_counting_waits_for_nobody_who_writes(actors: list[Actor], settings: Any, tmp_path: Path) -> None:
    settings.READ_TARGETS = {"CALLS_A_MINUTE_OF_TOKEN": 2}
    writes, done = threading.Event(), threading.Event()

    def write() -> None:
        with writing():
            AgentDoors.objects.update_or_create(pk=1)
            writes.set()
            assert done.wait(30)

    def call() -> float:
        assert writes.wait(30)
        started = time.monotonic()
        try:
            check_calls(actors[0])
        finally:
            done.set()
        return time.monotonic() - started

    with real_connections(tmp_path):
        _nothing, seconds = at_once(2, lambda place: write() if place == 0 else call())
    assert seconds < 2
