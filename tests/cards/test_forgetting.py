"""What is past its time is forgotten, and nothing else; other apps join."""

from __future__ import annotations

import time
import uuid
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from read_targets.cards import forgetting
from read_targets.cards.forgetting import forget_expired, register_forgetting, unregister_forgetting
from read_targets.models import (
    AgentDoors,
    Allowance,
    Card,
    HeavyRead,
    KeptAnswer,
    ToolCall,
    Workspace,
    WorkspaceVersion,
)

from .conftest import question, screen

PAST = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else forgets anything."""
    monkeypatch.setattr(forgetting, "_registered", {})


def test_only_what_is_past_its_time_is_forgotten(agent: Any, clerk: User, settings: Any) -> None:
    settings.READ_TARGETS = {"CALLS_A_MINUTE_OF_TOKEN": None, "CALLS_A_MINUTE_OF_PERSON": None}
    one = agent("analyst")
    for name in ("old", "new"):
        one.answer("queryLedgerCashTransactions", name=name)
    past = timezone.now() - PAST
    Card.objects.filter(version__workspace__name="old").update(expires_at=past)
    WorkspaceVersion.objects.filter(workspace__name="old").update(expires_at=past)
    for expires_at in (past, past, timezone.now() + PAST * 60):
        KeptAnswer.objects.create(user=clerk, tool="do", expires_at=expires_at)
    now = time.time_ns() // 1_000
    for place, moment in enumerate((now, now, now, now + 60_000_000)):
        Allowance.objects.create(key=f"person:{place}", full_at=moment)
        HeavyRead.objects.create(user=clerk, place=place, holder=uuid.uuid4().hex, expires_at=moment)
    said = StringIO()
    call_command("forget_expired", stdout=said)
    assert said.getvalue().splitlines() == [
        "Forgot 1 cards.",
        "Forgot 1 workspace versions.",
        "Forgot 2 kept answers.",
        "Forgot 0 calls of the log.",
        "Forgot 3 full allowances.",
        "Forgot 3 long readings.",
    ]
    assert Allowance.objects.get().key == "person:3"
    assert HeavyRead.objects.get().place == 3
    assert [one.name for one in Workspace.objects.all()] == ["new"]
    assert Card.objects.count() == WorkspaceVersion.objects.count() == KeptAnswer.objects.count() == 1


def test_what_became_of_a_question_is_kept_as_long_as_any_card(clerk: User, settings: Any) -> None:
    settings.READ_TARGETS = {"KEEP_DAYS": 10}
    fresh, old = (question(clerk, expires_at=timezone.now() - PAST) for _ in range(2))
    Card.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=10))
    offered = screen(clerk)
    Card.objects.filter(pk=offered.id).update(expires_at=timezone.now() - PAST)
    assert forget_expired()["cards"] == 2
    assert list(Card.objects.values_list("pk", flat=True)) == [fresh.pk]


def test_other_apps_forget_too(db: None) -> None:
    asked = []

    def forget() -> int:
        asked.append(uuid.uuid4())
        return 7

    register_forgetting("lamps", forget)
    register_forgetting("lamps", forget)
    assert forget_expired() == dict.fromkeys(forgetting._OWN, 0) | {"lamps": 7}
    assert len(asked) == 1
    unregister_forgetting("lamps")
    assert "lamps" not in forget_expired()


@pytest.mark.parametrize("name", ["cards", "lamps"])
def test_a_name_is_forgotten_by_one(name: str) -> None:
    def first() -> int:
        return 0

    def second() -> int:
        return 0

    if name == "lamps":
        register_forgetting(name, first)
    with pytest.raises(ImproperlyConfigured, match=name):
        register_forgetting(name, second)


def calls_at(user: User, *days_ago: float) -> None:
    """Write a call to the log for each moment."""
    now = timezone.now()
    ToolCall.objects.bulk_create(
        ToolCall(user=user, tool=str(days), outcome="READY", milliseconds=1, at=now - timedelta(days=days))
        for days in days_ago
    )


@pytest.mark.parametrize(
    ("days", "left"), [(None, ["1", "179.9"]), (1, []), (30, ["1"]), (181, ["1", "179.9", "180.1"])]
)
def test_the_log_is_kept_for_as_long_as_an_admin_says(clerk: User, days: int | None, left: list[str]) -> None:
    AgentDoors.objects.all().delete()
    if days is not None:
        AgentDoors.objects.update_or_create(pk=1, defaults={"keep_calls_days": days})
    calls_at(clerk, 1.0, 179.9, 180.1, 400)
    gone = forget_expired()["calls of the log"]
    assert [call.tool.removesuffix(".0") for call in ToolCall.objects.order_by("-at")] == left
    assert gone == 4 - len(left)


def test_many_calls_go_batch_by_batch(clerk: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgetting, "AT_ONCE", 3)
    calls_at(clerk, 1, *(200 + n / 10 for n in range(8)))
    # Three of one moment: a batch takes all of them, or it would never end.
    ToolCall.objects.filter(tool__in=("200.1", "200.2", "200.3")).update(at=timezone.now() - timedelta(days=200))
    with CaptureQueriesContext(connection) as sent:
        assert forget_expired()["calls of the log"] == 8
    deleted = [
        one["sql"] for one in sent.captured_queries if one["sql"].startswith('DELETE FROM "read_targets_toolcall"')
    ]
    assert len(deleted) == 3
    assert ToolCall.objects.get().tool == "1"
