"""Forgetting what is past its time: pages that ended, with what their tabs were to show, and old runs."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from read_targets.conf import setting

from .live.models import MISSED, CommandRun, PageSession

ENDED_FOR = timedelta(days=1)


def forget_pages() -> int:
    """Delete the sessions of pages that ended, or fell silent, more than a day ago; return how many went."""
    before = timezone.now() - ENDED_FOR
    silent = Q(ended_at__lt=before) | Q(ended_at=None, seen_at__lt=before - MISSED)
    return _deleted(PageSession.objects.filter(silent).delete(), PageSession)


def forget_runs() -> int:
    """Delete the runs asked for longer ago than cards are kept; return how many went."""
    before = timezone.now() - timedelta(days=setting("KEEP_DAYS"))
    return _deleted(CommandRun.objects.filter(asked_at__lt=before).delete(), CommandRun)


def _deleted(done: tuple[int, dict[str, int]], model: type) -> int:
    return done[1].get(model._meta.label, 0)  # type: ignore[attr-defined]  # a model
