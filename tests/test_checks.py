"""The system checks: a site that is set up wrong is told so, with what would be right."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks import CheckMessage, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import DatabaseError
from django.test import override_settings

from project.demo.ledger.models import CashTransactionUserGrant
from read_targets import checks
from read_targets.agent.models import Toolset
from read_targets.models import ReadTarget

pytestmark = pytest.mark.django_db


def ours(**options: Any) -> list[CheckMessage]:
    """What this app's checks say."""
    return [message for message in run_checks(**options) if (message.id or "").startswith("read_targets.")]


def test_the_company_passes() -> None:
    assert ours() == []


def test_atomic_requests_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    databases = {"default": {}, "other": {"ATOMIC_REQUESTS": True}}
    monkeypatch.setattr(checks, "settings", SimpleNamespace(DATABASES=databases))
    (message,) = checks.check_requests_are_not_atomic(None)
    assert (message.id, message.is_serious()) == ("read_targets.E001", True)
    assert "'other'" in message.msg
    assert message.hint


@override_settings(READ_TARGETS={"KEEP_DAYS": 3, "KEEP_DAY": 3, "SHEMA": "x"})
def test_a_setting_that_is_not_known_is_named() -> None:
    found = checks.check_settings(None)
    assert [(message.id, message.msg) for message in found] == [
        ("read_targets.E002", "READ_TARGETS has no setting KEEP_DAY."),
        ("read_targets.E002", "READ_TARGETS has no setting SHEMA."),
    ]
    assert "KEEP_DAYS" in (found[0].hint or "")


@pytest.mark.parametrize("name", ["PREFERENCES", "SCHEMA"])
def test_a_setting_that_leads_nowhere_is_named(name: str) -> None:
    with override_settings(READ_TARGETS={name: "project.nowhere.at_all"}):
        found = checks.check_settings(None)
    assert [message.id for message in found] == ["read_targets.E003"]
    assert "project.nowhere" in (found[0].hint or "")


@override_settings(ROOT_URLCONF="django.contrib.auth.urls")
def test_doors_without_an_address_are_told_of() -> None:
    found = checks.check_places(None)
    assert [message.id for message in found] == ["read_targets.W001"] * len(checks.PLACES)
    assert 'include("read_targets.agent.urls")' in (found[0].hint or "")


def test_code_that_moved_away_under_a_row_is_found_by_the_command() -> None:
    ReadTarget.objects.filter(key="ledger.accounts").update(list_query="gone")
    (message,) = ours()
    assert message.id == "read_targets.W002"
    assert message.msg == "The read target ledger.accounts is not offered. The application has no list “gone”."
    assert "cashTransactions" in (message.hint or "")
    with pytest.raises(SystemCheckError, match=r"ledger\.accounts"):
        call_command("check", fail_level="WARNING")
    # A stored row must not keep `migrate` from bringing the change that mends it.
    call_command("check")


def test_of_a_row_where_it_is_wrong_is_said() -> None:
    ReadTarget.objects.get(key="ledger.accounts").columns.filter(name="opened").update(path="closed")
    (message,) = ours()
    assert "column opened: The list does not show “closed”." in message.msg


def test_a_screen_that_moved_away_is_told_of_as_that() -> None:
    ReadTarget.objects.filter(key="ledger.accounts").update(screen="ledger:gone")
    (message,) = ours()
    assert message.msg.startswith("The screen of the read target ledger.accounts is not offered.")


def test_targets_that_are_switched_off_are_left_alone() -> None:
    ReadTarget.objects.filter(key="ledger.accounts").update(list_query="gone", enabled=False)
    assert ours() == []


def test_a_toolset_of_tools_that_are_gone_is_told_of() -> None:
    books = Toolset.objects.create(key="books")
    books.entries.create(tool_key="ledger.accounts")
    books.entries.create(tool_key="no.such")
    (message,) = ours()
    assert message.id == "read_targets.W003"
    assert "'no.such'" in message.msg
    assert "ledger.accounts" in (message.hint or "")


def test_without_tables_the_checks_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_table() -> Any:
        raise DatabaseError("no such table")

    monkeypatch.setattr(checks, "declared", no_table)
    assert checks.check_stored_declarations(None) == []


def test_grants_without_an_index_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [one for one in ours() if one.id == "read_targets.W006"]
    monkeypatch.setattr(CashTransactionUserGrant._meta, "unique_together", ())
    (warning,) = [one for one in ours() if one.id == "read_targets.W006"]
    assert warning.obj is CashTransactionUserGrant
    assert "ledger.CashTransactionUserGrant" in warning.msg
