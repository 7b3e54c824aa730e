"""`manage.py forget_expired`: delete what is past its time, of every app that keeps something; run it once a day."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from read_targets.cards.forgetting import forget_expired


class Command(BaseCommand):
    """Deletes what is past its time."""

    help = "Delete the cards, workspaces, answers and whatever else is past the time for which it is kept."

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete, and say how much of what."""
        for name, count in forget_expired().items():
            self.stdout.write(f"Forgot {count} {name}.")
