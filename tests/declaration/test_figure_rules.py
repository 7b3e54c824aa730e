"""What a declaration may say of averages and goals, and what would fit where it is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.checks import run_checks

from read_targets.declaration.soundness import is_sound, problems_of
from read_targets.doors import declared
from read_targets.lists import ListDefinition, registry
from read_targets.models import Column, Goal, ReadTarget

KEY = "drilling.connection-runs"


@pytest.fixture
def runs(db: None) -> ReadTarget:
    """The target of the connection runs, with an average on each basis."""
    return declared().get(key=KEY)


def set_column(name: str, **facts: Any) -> Callable[[ReadTarget], Any]:
    """Store something else of a column."""
    return lambda target: target.columns.filter(name=name).update(**facts)


def set_goal(**facts: Any) -> Callable[[ReadTarget], Any]:
    """Store something else of a goal."""
    return lambda target: target.goals.filter(column="feetPerHour").update(**facts)


WRONG: dict[str, tuple[Callable[[ReadTarget], Any], tuple[str, str, str], str]] = {
    "no such weight": (
        set_column("weightOnBit", weight="feat"),
        ("columns", "weight", "“feat” is no other column of numbers here."),
        "Choose one of connections, minutes, feet, hours.",
    ),
    "no weight": (set_column("weightOnBit", weight=""), ("columns", "weight", "Choose a column."), "Choose one of"),
    "itself": (
        set_column("weightOnBit", weight="weightOnBit"),
        ("columns", "weight", "“weightOnBit” is no other column of numbers here."),
        "Choose one of",
    ),
    "a text as weight": (
        set_column("weightOnBit", weight="crew"),
        ("columns", "weight", "“crew” is no other column of numbers here."),
        "Choose one of",
    ),
    "a figure alone as weight": (
        set_column("weightOnBit", weight="feetPerHour"),
        ("columns", "weight", "“feetPerHour” is no other column of numbers here."),
        "Choose one of",
    ),
    "no denominator": (
        set_column("feetPerHour", denominator=""),
        ("columns", "denominator", "Choose a column."),
        "Choose one of",
    ),
    "a weight that nothing is weighed by": (
        set_column("minutes", weight="feet"),
        ("columns", "weight", "This average is made of something else."),
        "Leave it empty, or choose the average “by a weight”.",
    ),
    "an unknown basis": (
        set_column("minutes", basis="median"),
        ("columns", "basis", "There is no basis “median”."),
        "Choose one of rows, weights, ratio.",
    ),
    "a text that is averaged": (
        set_column("crew", basis="weights", weight="feet"),
        ("columns", "basis", "A column of the type text has no average."),
        "Choose the average “every value alike”.",
    ),
    "a total of nothing": (
        set_column("feetPerHour", total=True),
        ("columns", "total", "A ratio without values of its own has no total."),
        "Leave the total off",
    ),
    "a ratio that is no number": (
        set_column("feetPerHour", kind="string"),
        ("columns", "kind", "A ratio is a number."),
        "Choose the type number.",
    ),
    "a goal of nothing": (
        set_goal(column="crew"),
        ("goals", "column", "There is no figure “crew”."),
        "There are connections, minutes",
    ),
    "a goal of no direction": (
        set_goal(direction="up"),
        ("goals", "direction", "There is no direction “up”."),
        "Choose one of higher_is_better, lower_is_better.",
    ),
}


@pytest.mark.parametrize("wrong", list(WRONG))
def test_what_is_wrong_is_found_said_and_not_offered(runs: ReadTarget, wrong: str) -> None:
    break_it, (part, field, message), hint = WRONG[wrong]
    break_it(runs)
    target = declared().get(pk=runs.pk)
    problem = next(one for one in problems_of(target) if one.field == field)
    assert (problem.part, problem.message) == (part, message)
    assert problem.hint.startswith(hint)
    assert not is_sound(target)
    assert any(message in one.msg for one in run_checks() if one.id == "read_targets.W002")


def test_two_goals_of_one_source_are_one_too_many(runs: ReadTarget) -> None:
    goals = [Goal(column="minutes", value=1, direction="lower_is_better", source="company") for _ in range(2)]
    assert {one.field for one in problems_of(runs, goals=goals)} == {"source"}
    goals[1].source = "well"
    assert problems_of(runs, goals=goals) == []


def test_floats_are_neither_weighed_nor_divided(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.lists.shelf import Thing

    monkeypatch.setitem(registry._lists, "floats", ListDefinition("floats", Thing, shown="price rough count"))
    target = ReadTarget(key="shelf.floats", list_query="floats")
    price, rough, count = (Column(name=name, kind=kind) for name, kind in (
        ("price", "number"), ("rough", "number"), ("count", "integer"),
    ))  # fmt: skip

    def found(**facts: Any) -> list[tuple[str, str]]:
        share = Column(name="share", kind="number", **facts)
        return [(one.name, one.field) for one in problems_of(target, columns=[price, rough, count, share], goals=[])]

    assert found(basis="ratio", numerator="price", denominator="count") == []
    assert found(basis="ratio", numerator="rough", denominator="count") == [("share", "numerator")]
    assert found(basis="weights", path="price", weight="rough") == [("share", "weight")]
    assert found(basis="weights", path="rough", weight="count") == [("share", "basis")]
