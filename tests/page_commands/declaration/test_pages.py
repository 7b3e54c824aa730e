"""What is wrong with a page itself: its key, its channels and its views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from page_commands.declaration.problem import Problem
from page_commands.declaration.soundness import problems_of_page
from page_commands.models import Channel, Page, PageView

Damage = Callable[[Page], Any]


def again(page: Page) -> Page:
    """The page as it is stored now."""
    return Page.objects.get(pk=page.pk)


def of_page(**said: Any) -> Damage:
    """Change fields of the page."""
    return lambda page: Page.objects.filter(pk=page.pk).update(**said)


def of_row(rows: str, name: str, **said: Any) -> Damage:
    """Change fields of the row of that name."""
    return lambda page: getattr(page, rows).filter(name=name).update(**said)


def test_a_right_page_has_no_problem(page: Page) -> None:
    assert problems_of_page(again(page)) == []


WRONG: list[tuple[Damage, str, str, str, str]] = [
    (of_page(key="no key"), "", "key", "“no key” is no key.", "like factory.start"),
    (
        of_row("channels", "tenant", type="factory.tent"),
        "channels",
        "type",
        "The site has no model “factory.tent”.",
        "ten",
    ),
    (of_row("views", "card", code="shop.card"), "views", "code", "The application has no view “shop.card”.", "banner"),
    (
        of_row("views", "held", channel="shelf"),
        "views",
        "channel",
        "The page has no channel “shelf”.",
        "There are tenant, project.",
    ),
    (
        of_row("views", "held", channel="project"),
        "views",
        "channel",
        "The view shows factory.tenant, and the channel “project” holds factory.project.",
        "Choose one of tenant.",
    ),
]


@pytest.mark.parametrize(("damage", "part", "field", "message", "hint"), WRONG)
def test_a_wrong_page_is_told_where_and_what_would_fit(
    page: Page, damage: Damage, part: str, field: str, message: str, hint: str
) -> None:
    damage(page)
    (problem,) = problems_of_page(again(page))
    assert (problem.part, problem.field, problem.message) == (part, field, message)
    assert hint in problem.hint


def test_rows_that_are_not_stored_are_judged(page: Page) -> None:
    channels = [Channel(name="a", type="factory.tenant"), Channel(name="a", type="factory.tenant")]
    views = [PageView(name="v", code="shop.tenant_card", channel="b")]
    found = problems_of_page(page, channels=channels, views=views)
    assert [(one.part, one.row, one.field) for one in found] == [
        ("channels", 0, "name"),
        ("channels", 1, "name"),
        ("views", 0, "channel"),
    ]


def test_a_view_that_accepts_no_model_may_have_any_channel(page: Page) -> None:
    of_row("views", "banner", channel="project")(page)
    assert problems_of_page(again(page)) == []


def test_a_problem_names_its_row() -> None:
    assert str(Problem("type", "Wrong.", "Right.", "channels", 0, "tenant")) == "channel tenant: Wrong. Right."
