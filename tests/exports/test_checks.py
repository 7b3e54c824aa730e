"""The system checks of exports: silent where nobody set them up, and else what is missing, with what would do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from read_targets.cards.exports import checks, files
from read_targets.cards.exports.checks import check_exports


def ids() -> list[str]:
    """The checks that fail."""
    return [found.id for found in check_exports(None)]


def test_as_the_site_is_set_up_nothing_is_wrong() -> None:
    assert ids() == []


def test_where_lists_are_not_exported_nothing_is_missing(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.READ_TARGETS = {}
    monkeypatch.setattr(checks, "task_library", lambda: False)
    assert ids() == []


def test_a_storage_that_is_not_there_is_an_error(settings: Any) -> None:
    settings.READ_TARGETS = {"EXPORT_STORAGE": "nowhere"}
    assert ids() == ["read_targets.E005"]


def test_a_storage_that_is_served_is_an_error(settings: Any, folder: Path) -> None:
    settings.MEDIA_ROOT = str(folder.parent)
    assert ids() == ["read_targets.E005"]
    settings.MEDIA_ROOT = str(folder.parent / "media")
    assert ids() == []
    settings.READ_TARGETS = {"EXPORT_STORAGE": "default"}
    assert ids() == ["read_targets.E005"]


def test_a_library_that_is_missing_takes_the_forms_that_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "find_spec", lambda name: None if name == "xlsxwriter" else object())
    assert (files.forms(), ids()) == (["csv"], ["read_targets.W008"])
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    assert (files.forms(), ids()) == ([], ["read_targets.W008"])


def test_without_a_worker_it_is_said(settings: Any) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}}
    assert ids() == ["read_targets.W008"]
    del settings.TASKS
    assert ids() == ["read_targets.W008"]
