"""What is past its time is forgotten, and nothing else."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from read_targets.models import Card, Workspace, WorkspaceVersion


def test_only_what_is_past_its_time_is_forgotten(agent: Any) -> None:
    one = agent("analyst")
    for name in ("old", "new"):
        one.answer("queryLedgerCashTransactions", name=name)
    past = timezone.now() - timedelta(seconds=1)
    Card.objects.filter(version__workspace__name="old").update(expires_at=past)
    WorkspaceVersion.objects.filter(workspace__name="old").update(expires_at=past)
    said = StringIO()
    call_command("forget_expired", stdout=said)
    assert said.getvalue() == "Forgot 1 cards and 1 workspace versions.\n"
    assert [one.name for one in Workspace.objects.all()] == ["new"]
    assert Card.objects.count() == WorkspaceVersion.objects.count() == 1
