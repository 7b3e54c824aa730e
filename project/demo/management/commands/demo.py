"""`manage.py demo`: builds the sample company."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand

from project.demo import people
from project.demo.company import build

ROWS = 50_000


def at_least_one(text: str) -> int:
    """Read a number of rows; raises ArgumentTypeError for less than one and for what is no number."""
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows; 50000 would be one.")
    return int(text)


class Command(BaseCommand):
    """Build the sample company, the same for the same number of rows, into a migrated database."""

    help = "Builds the sample company, the same for the same number of rows: records, people, grants, targets, pages."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--rows", type=at_least_one, default=ROWS, help="transactions in the ledger (default: %(default)s)"
        )

    def handle(self, *args: Any, rows: int, **options: Any) -> None:
        if build(rows):
            self.stdout.write(f"Built the sample company with {rows} transactions.")
        else:
            self.stdout.write(f"The sample company with {rows} transactions is already there; its records are kept.")
        self.stdout.write(f"Its people are {', '.join(people.NAMES)}; the password of each is their name.")
