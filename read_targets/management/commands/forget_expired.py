"""`manage.py forget_expired`: delete the cards and workspaces that are past their time; run it once a day."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from read_targets.cards.forgetting import forget_expired


class Command(BaseCommand):
    """Deletes what is past its time."""

    help = "Delete the cards and workspace versions that are past the days for which they are kept."

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete, and say how much."""
        gone = forget_expired()
        self.stdout.write(f"Forgot {gone['cards']} cards and {gone['versions']} workspace versions.")
