"""Averages and goals on the page of a target: chosen, refused where they are wrong, copied and previewed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from read_targets.models import Column, Goal, ReadTarget

from .pages import text_of_page
from .test_change_page import Form, refused
from .test_preview import look

SignedIn = Callable[[str], Client]


@pytest.fixture
def runs(db: None) -> ReadTarget:
    """The target of the connection runs."""
    return ReadTarget.objects.get(key="drilling.connection-runs")


@pytest.fixture
def form(signed_in: SignedIn, runs: ReadTarget) -> Form:
    """Its page in the admin's browser."""
    return Form(signed_in("admin"), runs)


def figures_of(target: ReadTarget) -> tuple[list[Any], list[Any]]:
    """The averages and the goals of a target, as they are stored."""
    columns = target.columns.values_list("name", "path", "total", "basis", "weight", "numerator", "denominator")
    return list(columns), list(target.goals.values_list("column", "value", "direction", "source", "label"))


def test_saving_a_page_as_it_stands_changes_no_figure(form: Form, runs: ReadTarget) -> None:
    before = figures_of(runs)
    assert form.save().status_code == 302
    assert figures_of(runs) == before


def test_a_ratio_needs_a_name_and_two_columns_alone(form: Form, runs: ReadTarget) -> None:
    form.add("columns", position="300", name="feetEach", basis="ratio", numerator="feet", denominator="connections")
    form.add("goals", position="90", column="feetEach", value="92.5", direction="higher_is_better", source="well")
    assert form.save().status_code == 302
    added = Column.objects.get(target=runs, name="feetEach")
    assert (added.kind, added.has_values, added.parts) == (
        "number", False, {"numerator": "feet", "denominator": "connections"},
    )  # fmt: skip
    assert Goal.objects.get(target=runs, column="feetEach").value == Decimal("92.5")


@pytest.mark.parametrize(
    ("part", "by", "value", "changes", "said"),
    [
        ("columns", "name", "weightOnBit", {"weight": ""}, "Choose a column. Choose one of connections, minutes"),
        ("columns", "name", "feetPerHour", {"numerator": "gone"}, "“gone” is no other column of numbers here."),
        ("columns", "name", "hours", {"name": "time"}, "“hours” is no other column of numbers here."),
        ("columns", "name", "minutes", {"denominator": "feet"}, "This average is made of something else."),
        ("goals", "column", "feetPerHour", {"column": "crew"}, "There is no figure “crew”."),
        ("goals", "column", "feetPerHour", {"value": ""}, "This field is required."),
    ],
)
def test_what_is_wrong_is_said_at_its_row_and_nothing_is_saved(
    form: Form, runs: ReadTarget, part: str, by: str, value: str, changes: dict[str, str], said: str
) -> None:
    before = figures_of(runs)
    form.set(part, by, value, **changes)
    assert said in refused(form.save())
    assert figures_of(runs) == before


def test_save_as_new_copies_averages_and_goals(form: Form, runs: ReadTarget) -> None:
    assert form.save(key="drilling.copy", _saveasnew="1").status_code == 302
    assert figures_of(ReadTarget.objects.get(key="drilling.copy")) == figures_of(runs)


def test_the_preview_shows_averages_and_goals(signed_in: SignedIn, runs: ReadTarget) -> None:
    html = text_of_page(look(signed_in("admin"), runs, "clerk"))
    assert "one sum over another: feet / hours" in html
    assert "by a weight: feet" in html
    assert "feetPerHour (company): higher is better, 110" in html
    assert '<th scope="col">feetPerHour</th>' not in html
