"""The system checks of page commands."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import CheckMessage, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import DatabaseError
from django.test import override_settings

from page_commands import checks
from page_commands.models import AgentCommand, Page

pytestmark = pytest.mark.django_db


def ours() -> list[CheckMessage]:
    """What this app's checks say."""
    return [message for message in run_checks() if (message.id or "").startswith("page_commands.")]


def test_the_company_passes() -> None:
    assert ours() == []


@override_settings(ROOT_URLCONF="django.contrib.auth.urls")
def test_a_door_without_an_address_is_told_of() -> None:
    (message,) = checks.check_place(None)
    assert message.id == "page_commands.W001"
    assert 'path("pages/", include("page_commands.urls"))' in (message.hint or "")


def test_code_that_moved_away_under_a_command_is_found() -> None:
    command = AgentCommand.objects.get(page__key="factory.start", name="open_connection_form")
    command.rules.update(code="factory.gone")
    (message,) = ours()
    assert (message.id, message.obj) == ("page_commands.W002", command)
    assert message.msg == (
        "The command factory.start:open_connection_form is not offered. rule factory.gone: The application has no rule "
        "“factory.gone”."
    )
    assert "factory.tenant_is_not_archived" in (message.hint or "")
    with pytest.raises(SystemCheckError, match="open_connection_form"):
        call_command("check", fail_level="WARNING")
    # A stored row must not keep `migrate` from bringing the change that mends it.
    call_command("check")


def test_code_that_moved_away_under_a_page_is_found() -> None:
    page = Page.objects.get(key="factory.start")
    page.views.filter(name="tenant_facts").update(code="factory.gone")
    found = [message for message in ours() if message.id == "page_commands.W003"]
    assert [message.obj for message in found] == [page]
    assert "view tenant_facts: The application has no view “factory.gone”." in found[0].msg
    assert "factory.tenant_facts" in (found[0].hint or "")


@pytest.mark.parametrize("whose", ["command", "page"])
def test_what_is_switched_off_is_left_alone(whose: str) -> None:
    command = AgentCommand.objects.get(page__key="factory.start", name="open_connection_form")
    command.rules.update(code="factory.gone")
    if whose == "command":
        AgentCommand.objects.filter(pk=command.pk).update(enabled=False)
    else:
        Page.objects.filter(key="factory.start").update(enabled=False)
    assert ours() == []


def test_without_tables_the_checks_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_table() -> Any:
        raise DatabaseError("no such table")

    monkeypatch.setattr(checks, "declared_commands", no_table)
    assert checks.check_stored_declarations(None) == []
