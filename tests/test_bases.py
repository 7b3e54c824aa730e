"""Averages as a person reads and keeps them: nothing withheld is in them, and none outlives the right to its parts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.contrib.auth.models import User
from guardian.shortcuts import assign_perm, remove_perm

from project.demo.factory.models import Conversation, Project
from read_targets.cards.models import WorkspaceVersion
from read_targets.cards.sources import review_of
from read_targets.digest import Wish
from read_targets.foreign_figures import figures_of, no_figures
from read_targets.goals import judged
from read_targets.lists import Figure, ListDefinition, plain, registry
from read_targets.models import Column, Goal, ReadTarget
from read_targets.policies import QUERY, access_of
from read_targets.reading import read
from tests import oracle

COLUMNS: dict[str, dict[str, Any]] = {
    "title": {"kind": "string"},
    "messages": {"kind": "integer", "basis": "weights", "weight": "budget"},
    "budget": {"path": "project.budget", "kind": "number"},
    "perMessage": {"kind": "number", "basis": "ratio", "numerator": "budget", "denominator": "messages"},
}


@pytest.fixture
def talks(db: None, monkeypatch: pytest.MonkeyPatch) -> ReadTarget:
    """Conversations, weighed by the budgets of their projects, of which the clerk may view some."""
    definition = ListDefinition("talksWithBudgets", Conversation, shown="title project.budget messages")
    monkeypatch.setitem(registry._lists, "talksWithBudgets", definition)
    target = ReadTarget.objects.create(key="factory.talks", list_query="talksWithBudgets")
    for position, (name, facts) in enumerate(COLUMNS.items()):
        Column.objects.create(target=target, position=position, name=name, **facts)
    Goal.objects.create(target=target, column="perMessage", value=1, direction="lower_is_better")
    for name in ("clerk", "admin"):
        assign_perm(QUERY, User.objects.get(username=name), target)
    return target


def figures(target: ReadTarget, user: User) -> dict[str, Figure]:
    return read(target, {}, access_of(user), UTC, Wish(limit=0)).figures


def test_a_withheld_weight_is_in_no_average_and_the_answer_says_so(
    talks: ReadTarget, person: Callable[[str], User]
) -> None:
    clerk = person("clerk")
    rights = oracle.Rights(clerk)
    rows = oracle.viewed(Conversation.objects.select_related("project"), rights)
    seen = [one for one in rows if one.project is not None and rights.may_view(one.project)]
    hidden = [one for one in rows if one.project is not None and not rights.may_view(one.project)]
    assert seen
    assert hidden
    digest = read(talks, {}, access_of(clerk), UTC, Wish(limit=0))
    told = digest.figures["messages"].quotient
    whole = [one for one in seen if one.project.budget is not None]
    below = sum((Fraction(one.project.budget) for one in whole), Fraction(0))
    above = sum((one.messages * Fraction(one.project.budget) for one in whole), Fraction(0))
    assert told is not None
    assert told.value == (oracle.half_even(above / below, 4) if below else None)
    assert (told.count, told.missing) == (len(whole), len(rows) - len(whole))
    assert told.withheld == len(hidden)
    assert not digest.is_complete
    assert digest.omissions[0] == (
        f"messages: {told.missing} values without budget ({told.withheld} withheld), not in the weighted average"
    )


def test_nobody_learns_a_budget_that_they_may_not_view(talks: ReadTarget, person: Callable[[str], User]) -> None:
    clerk = person("clerk")
    rights = oracle.Rights(clerk)
    hidden = [one.pk for one in Project.objects.all() if not rights.may_view(one)]
    before = figures(talks, clerk)
    for budget in (None, Decimal("0.00"), Decimal("99999.99")):
        Project.objects.filter(pk__in=hidden).update(budget=budget)
        assert figures(talks, clerk) == before


def test_kept_averages_close_with_the_right_to_a_weight(talks: ReadTarget, agent: Any, person: Any) -> None:
    clerk: User = person("clerk")
    answer = agent("clerk").answer(talks.query_tool_name, show="workspace")
    assert (answer["outcome"], answer["code"]) == ("PARTIAL", "read_targets.values_withheld")
    version = WorkspaceVersion.objects.get()
    assert version.content["goals"][0]["metric"] == "perMessage"
    assert review_of(clerk, version).figures_open
    for project in Project.objects.all():
        remove_perm("factory.view_project", clerk, project)
        for group in clerk.groups.all():
            remove_perm("factory.view_project", group, project)
    review = review_of(User.objects.get(pk=clerk.pk), version)
    assert not review.figures_open
    assert review.closed_columns == {"budget"}
    assert review.permitted


@pytest.mark.parametrize(
    ("average", "direction", "delta", "is_met"),
    [
        ("4.99", "lower_is_better", "-0.01", True),
        ("5.00", "lower_is_better", "0.00", True),
        ("5.00", "higher_is_better", "0.00", True),
        ("5.01", "lower_is_better", "0.01", False),
        ("4.99", "higher_is_better", "-0.01", False),
    ],
)
def test_a_goal_is_met_on_its_good_side_and_at_it(average: str, direction: str, delta: str, is_met: bool) -> None:
    goal = Goal(column="x", value=Decimal("5.00000"), direction=direction)
    (one,) = judged([goal], {"x": Figure(1, Decimal(average), scale=2)})
    assert (one.target, one.delta, one.is_met) == (Decimal(5), Decimal(delta), is_met)


def test_without_an_average_no_goal_is_met_or_missed() -> None:
    (one,) = judged([Goal(column="x", value=5, direction="lower_is_better")], {"x": Figure(), "y": Figure()})
    assert (one.actual, one.delta, one.is_met) == (None, None, None)


FOREIGN = (
    Column(name="value", kind="number", basis="weights", weight="times", total=True),
    Column(name="times", kind="integer"),
    Column(name="each", kind="number", basis="ratio", numerator="value", denominator="times"),
)


def test_a_list_of_another_shape_stands_on_the_same_bases() -> None:
    rows: list[dict[str, Any]] = [
        {"value": Decimal("1.50"), "times": 3},
        {"value": Decimal("4.5"), "times": 1},
        {"value": Decimal("9"), "times": None},
        {"value": None, "times": 100},
    ]
    found = no_figures(FOREIGN)
    for row in rows:
        found = {name: found[name] + one for name, one in figures_of(FOREIGN, row).items()}
    weighed, share = found["value"].quotient, found["each"].quotient
    assert weighed is not None
    assert share is not None
    assert (plain(weighed.value), weighed.bottom.value, weighed.count, weighed.missing) == ("2.250000", 4, 2, 1)
    assert (plain(share.value), plain(share.top.value), share.count, share.missing) == ("1.500000", "6.00", 2, 2)
    assert (found["value"].count, plain(found["value"].total)) == (3, "15.00")


def test_of_no_rows_of_another_shape_there_is_no_average() -> None:
    told = no_figures(FOREIGN)
    assert [(one.on_basis, one.quotient and one.quotient.bottom.value) for one in told.values()] == [(None, 0)] * 2
