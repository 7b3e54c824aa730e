"""Forgetting what is past its time: cards and workspace versions are kept `KEEP_DAYS` days."""

from __future__ import annotations

from django.utils import timezone

from .models import Card, Workspace, WorkspaceVersion


def forget_expired() -> dict[str, int]:
    """Delete every card and workspace version that is past its time; return how many of each kind went."""
    now = timezone.now()
    cards, _ = Card.objects.filter(expires_at__lte=now).delete()
    versions, _ = WorkspaceVersion.objects.filter(expires_at__lte=now).delete()
    Workspace.objects.filter(versions=None).delete()
    return {"cards": cards, "versions": versions}
