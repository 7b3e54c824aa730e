"""A workspace of the ledger, exports of it, and a storage that is gone with the test."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from openpyxl import load_workbook

from read_targets.agent.dispatch import call_tool
from read_targets.cards.exports.files import storage
from read_targets.cards.exports.running import run_export
from read_targets.cards.exports.starting import start_export
from read_targets.models import Export, WorkspaceVersion
from read_targets.policies import Actor

TOOL = "queryLedgerCashTransactions"

Exported = Callable[..., Export]


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """Where the files lie."""
    place = tmp_path / "exports"
    exports = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(place)}}
    settings.STORAGES = {**settings.STORAGES, "exports": exports}
    return place


def version_of(user: User, tool: str = TOOL, **arguments: Any) -> WorkspaceVersion:
    """Put a reading on the person's workspace."""
    answer = call_tool(Actor(user), tool, {"show": "workspace", **arguments}).to_json()
    assert "card" in answer, answer
    said = answer["card"]["workspace"]
    return WorkspaceVersion.objects.get(workspace__user=user, workspace__name=said["name"], number=said["version"])


@pytest.fixture
def exported(db: None) -> Exported:
    """Have a list exported as a person, by their name or themselves, and return the export as it ended."""

    def run(person: str | User, form: str = "csv", version: WorkspaceVersion | None = None, **arguments: Any) -> Export:
        user = User.objects.get(username=person) if isinstance(person, str) else person
        export = start_export(user, version or version_of(user, **arguments), form)
        run_export(str(export.pk))
        return Export.objects.get(pk=export.pk)

    return run


def content_of(export: Export) -> bytes:
    """The bytes of the file."""
    with storage().open(export.file) as file:
        return bytes(file.read())


def rows_of(export: Export) -> tuple[list[str], list[list[str]], str]:
    """The heads of a CSV, its rows, and its note."""
    head, *rows, note = csv.reader(io.StringIO(content_of(export).decode("utf-8-sig"), newline=""))
    return head, rows, note[0]


def book_of(export: Export) -> Any:
    """The workbook of an XLSX."""
    return load_workbook(io.BytesIO(content_of(export)))
