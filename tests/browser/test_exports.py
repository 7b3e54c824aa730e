"""An export in a real browser, under the strict policy: its bar outlives a reload, and then the file is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from project.demo.ledger.models import CashTransaction
from read_targets.agent.dispatch import call_tool
from read_targets.cards.exports.running import run_export
from read_targets.models import Export
from read_targets.policies import Actor

SOON = 4_000
"""Milliseconds within which the page must know; it asks every second."""


@pytest.fixture
def workspace(sign_in: Callable[[str, str], Page], settings: Any, tmp_path: Path) -> Page:
    """A workspace of the ledger, in the analyst's browser."""
    exports = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "exports": exports}
    analyst = User.objects.get(username="analyst")
    card = call_tool(Actor(analyst), "queryLedgerCashTransactions", {"show": "workspace"}).to_json()["card"]
    return sign_in("analyst", card["url"])


def test_a_bar_moves_outlives_a_reload_and_ends_in_a_file(workspace: Page) -> None:
    workspace.get_by_role("button", name="Export the whole list as CSV").click()
    workspace.wait_for_url("**/desk/exports/*")
    expect(workspace.get_by_text("waits for its turn")).to_be_visible()
    export = Export.objects.get()
    Export.objects.update(state="running", rows_total=600, rows_written=300)
    bar = workspace.get_by_role("progressbar")
    expect(bar).to_have_attribute("value", "50", timeout=SOON)
    workspace.reload()
    expect(bar).to_have_attribute("value", "50")
    Export.objects.update(state="waiting")
    run_export(str(export.pk))
    link = workspace.get_by_role("link", name="Download")
    expect(link).to_be_visible(timeout=SOON)
    expect(bar).to_have_count(0)
    with workspace.expect_download() as download:
        link.click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert download.value.suggested_filename.endswith(".csv")
    assert len(text.splitlines()) >= CashTransaction.objects.count() + 2


def test_one_on_its_way_is_cancelled_on_the_workspace(workspace: Page) -> None:
    workspace.get_by_role("button", name="Export the whole list as XLSX").click()
    workspace.go_back()
    workspace.reload()
    workspace.get_by_role("button", name="Cancel").click()
    expect(workspace.get_by_text("The export is cancelled.")).to_be_visible()
    assert Export.objects.get().state == "cancelled"
