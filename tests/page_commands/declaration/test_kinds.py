"""What a binding brings, held against what an argument takes."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping
from decimal import Decimal
from inspect import Parameter
from typing import Annotated, Any

import pytest

from page_commands.declaration.kinds import Brought, brought_by, paths_of, read_constant, spelled
from project.demo.factory.models import Conversation, Project, Tenant
from read_targets.agent import Unreadable
from read_targets.models import AgentToken

TENANT, TEXT, WHOLE = Brought(Tenant), Brought(plain=str), Brought(plain=int)
UNKNOWN = Brought()


def constant(text: str) -> Brought:
    """A fixed value."""
    return Brought(plain=str, values=(text,), is_constant=True)


@pytest.mark.parametrize(
    ("brought", "annotation", "fits"),
    [
        (TENANT, Tenant, True),
        (TENANT, Tenant | None, True),
        (TENANT, Project, False),
        (TENANT, str, False),
        (TENANT, Any, True),
        (TENANT, Parameter.empty, True),
        (TENANT, object, True),
        (TEXT, Tenant, False),
        (TEXT, str, True),
        (TEXT, str | None, True),
        (TEXT, Annotated[str, "said"], True),
        (TEXT, int, False),
        (TEXT, int | str, True),
        (WHOLE, int, True),
        (WHOLE, Decimal, True),
        (WHOLE, float, True),
        (WHOLE, bool, False),
        (WHOLE, str, False),
        (Brought(plain=bool), bool, True),
        (Brought(plain=bool), int, False),
        (Brought(plain=Decimal), Decimal, True),
        (Brought(plain=Decimal), int, False),
        (Brought(plain=dt.date), dt.date, True),
        (Brought(plain=dt.date), dt.datetime, False),
        (Brought(plain=dt.datetime), dt.date, True),
        (Brought(plain=uuid.UUID), uuid.UUID, True),
        (Brought(plain=uuid.UUID), str, False),
        (TEXT, Mapping[str, Any], True),
        (UNKNOWN, Tenant, True),
        (UNKNOWN, int, True),
        (constant("12"), int, True),
        (constant("12"), str, True),
        (constant("x"), int, False),
        (constant("x"), Tenant, False),
        (constant("12"), int | None, True),
        (constant("x"), int | None, False),
        (constant("x"), int | str, True),
        (constant("x"), float, False),
        (constant("x"), Any, True),
        (constant("x"), str | None, True),
    ],
)
def test_fitting(brought: Brought, annotation: Any, fits: bool) -> None:
    assert brought.fits(annotation) is fits


@pytest.mark.parametrize(
    ("text", "annotation", "value"),
    [
        ("12", int, 12),
        ("12", int | None, 12),
        ("12", str, "12"),
        ("12", int | str, "12"),
        ("1.5", int | Decimal, Decimal("1.5")),
        ("12", Parameter.empty, "12"),
        ("true", bool, True),
        ("2026-10-31", dt.date, dt.date(2026, 10, 31)),
        ("12", Mapping[str, Any], "12"),
    ],
)
def test_a_constant_is_read_as_what_is_asked_for(text: str, annotation: Any, value: Any) -> None:
    read = read_constant(text, annotation)
    assert (read, type(read)) == (value, type(value))


def test_a_constant_that_does_not_read_is_refused() -> None:
    with pytest.raises(Unreadable):
        read_constant("x", int | Decimal)


@pytest.mark.parametrize(
    ("model", "path", "brought"),
    [
        (Conversation, "", Brought(Conversation)),
        (Conversation, "title", Brought(plain=str)),
        (Conversation, "id", Brought(plain=uuid.UUID)),
        (Conversation, "messages", Brought(plain=int)),
        (Conversation, "started_at", Brought(plain=dt.datetime)),
        (Conversation, "project", Brought(Project)),
        (Conversation, "project.started", Brought(plain=dt.date)),
        (Conversation, "project.budget", Brought(plain=Decimal)),
        (Conversation, "project.tenant", Brought(Tenant)),
        (Conversation, "project.tenant.archived", Brought(plain=bool)),
        (Conversation, "pk", None),
        (Conversation, "project_id", None),
        (Conversation, "titel", None),
        (Conversation, "title.length", None),
        (Conversation, "project.", None),
        (Conversation, ".", None),
        (Tenant, "project", None),
        (Tenant, "project_set", None),
        (AgentToken, "toolsets", None),
    ],
)
def test_a_path_leads_to_one_value(model: Any, path: str, brought: Brought | None) -> None:
    assert brought_by(model, path) == brought


def test_paths_lead_where_they_are_said_to() -> None:
    paths = paths_of(Conversation)
    assert paths[:2] == ["id", "project"]
    assert "project.tenant" in paths
    assert all(brought_by(Conversation, path) is not None for path in paths)


@pytest.mark.parametrize(
    ("annotation", "words"), [(Tenant, "factory.tenant"), (int | None, "int"), (Tenant | str, "factory.tenant | str")]
)
def test_an_annotation_is_spelled_as_it_is_stored(annotation: Any, words: str) -> None:
    assert spelled(annotation) == words
