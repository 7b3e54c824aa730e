"""What the drilling of the sample company answers: an average on each basis, its gaps, and its goals."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from project.demo.drilling.models import ConnectionRun
from read_targets.models import Preference, ReadTarget
from tests.oracle import half_even

TOOL = "queryDrillingConnectionRuns"


def ratio(runs: Iterable[Any], top: str, bottom: str, scale: int) -> tuple[str | None, int]:
    """A ratio worked out by hand, and how many runs lack a part of it."""
    parts = [(getattr(run, top), getattr(run, bottom)) for run in runs]
    whole = [(one, two) for one, two in parts if one is not None and two is not None]
    below = sum((Fraction(two) for _one, two in whole), Fraction(0))
    above = sum((Fraction(one) for one, _two in whole), Fraction(0))
    return (str(half_even(above / below, scale + 4)) if below else None), len(parts) - len(whole)


def weighted(runs: Iterable[Any], value: str, weight: str, scale: int) -> str | None:
    """A weighted average worked out by hand."""
    parts = [(getattr(run, value), getattr(run, weight)) for run in runs]
    whole = [(Fraction(one), Fraction(two)) for one, two in parts if one is not None and two is not None]
    below = sum((two for _one, two in whole), Fraction(0))
    return str(half_even(sum((one * two for one, two in whole), Fraction(0)) / below, scale + 4)) if below else None


def test_a_ratio_is_told_with_its_parts_and_what_lacks_them(agent: Any) -> None:
    metrics = agent("admin").answer(TOOL, rows=0)["summary"]["metrics"]
    runs = list(ConnectionRun.objects.all())
    expected, missing = ratio(runs, "feet", "hours", 1)
    assert missing
    whole = [run for run in runs if run.feet is not None and run.hours is not None]
    assert metrics["feetPerHour"] == {
        "averageBasis": "ratio",
        "ratio": expected,
        "numeratorTotal": str(sum(run.feet for run in whole)),
        "denominatorTotal": str(sum(run.hours for run in whole)),
        "contributingRowCount": len(whole),
        "missingPartCount": missing,
        "numeratorField": "feet",
        "denominatorField": "hours",
        "isRatioComplete": False,
    }
    assert metrics["minutesPerConnection"]["ratio"] == ratio(runs, "minutes", "connections", 2)[0]
    assert metrics["minutesPerConnection"]["isRatioComplete"] is True


def test_a_weighted_average_is_told_with_its_weight_and_what_has_none(agent: Any) -> None:
    metric = agent("admin").answer(TOOL, rows=0)["summary"]["metrics"]["weightOnBit"]
    valued = [run for run in ConnectionRun.objects.all() if run.weight_on_bit is not None]
    whole = [run for run in valued if run.feet is not None]
    values = [run.weight_on_bit for run in valued if run.weight_on_bit is not None]
    assert 0 < len(whole) < len(valued) < ConnectionRun.objects.count()
    assert metric == {
        "averageBasis": "weights",
        "weightedAverage": weighted(valued, "weight_on_bit", "feet", 1),
        "weightTotal": str(sum(run.feet for run in whole)),
        "weightedCount": len(whole),
        "missingWeightCount": len(valued) - len(whole),
        "weightField": "feet",
        "isWeightComplete": False,
        "count": len(valued),
        "sum": str(sum(values)),
        "average": str(half_even(sum(map(Fraction, values)) / len(valued), 5)),
        "min": str(min(values)),
        "max": str(max(values)),
    }


@pytest.mark.parametrize("group_by", ["crew", "startedAt", "well"])
def test_every_group_has_its_averages(agent: Any, person: Any, group_by: str) -> None:
    Preference.objects.create(user=person("admin"), time_zone="UTC")
    summary = agent("admin").answer(TOOL, rows=0, groupBy=group_by)["summary"]
    keys: dict[str, Any] = {
        "crew": lambda run: run.crew,
        "well": lambda run: run.well.name,
        "startedAt": lambda run: f"{run.started_at:%Y-%m}",
    }
    runs = list(ConnectionRun.objects.select_related("well"))
    assert "rest" not in summary
    for group in summary["groups"]:
        own = [run for run in runs if keys[group_by](run) == group["key"]]
        expected, missing = ratio(own, "feet", "hours", 1)
        told = group["metrics"]
        assert told["feetPerHour"]["ratio"] == expected
        assert told["feetPerHour"].get("missingPartCount", 0) == missing
        assert told["weightOnBit"]["weightedAverage"] == weighted(own, "weight_on_bit", "feet", 1)
        minutes = sum(Fraction(run.minutes) for run in own)
        assert (told["minutes"]["sum"], told["minutes"]["average"]) == (
            str(half_even(minutes, 2)), str(half_even(minutes / len(own), 6)),
        )  # fmt: skip


def test_what_has_no_part_is_said_and_the_list_is_whole_for_all_that(agent: Any) -> None:
    answer = agent("admin").answer(TOOL, rows=0)
    metrics, coverage = answer["summary"]["metrics"], answer["coverage"]
    assert coverage["omissions"] == [
        f"weightOnBit: {metrics['weightOnBit']['missingWeightCount']} values without feet, not in the weighted average",
        f"feetPerHour: {metrics['feetPerHour']['missingPartCount']} rows without feet or hours, not in the ratio",
    ]
    assert (answer["outcome"], coverage["isComplete"]) == ("READY", True)
    assert "coverage.omissions" in answer["message"]


def test_without_any_weight_or_denominator_there_is_no_average_and_it_is_said(agent: Any) -> None:
    ConnectionRun.objects.update(connections=0, feet=None, hours=0)
    ConnectionRun.objects.filter(weight_on_bit=None).update(weight_on_bit=1)
    answer = agent("admin").answer(TOOL, rows=0, groupBy="crew")
    metrics = answer["summary"]["metrics"]
    assert (metrics["minutesPerConnection"]["ratio"], metrics["minutesPerConnection"]["denominatorTotal"]) == (None, 0)
    assert (metrics["weightOnBit"]["weightedAverage"], metrics["weightOnBit"]["weightTotal"]) == (None, "0.0")
    assert "minutesPerConnection: no ratio, since connections comes to 0" in answer["coverage"]["omissions"]
    assert {goal["isMet"] for goal in answer["goals"]} == {None}
    assert {group["metrics"]["feetPerHour"]["ratio"] for group in answer["summary"]["groups"]} == {None}


def test_goals_stand_beside_the_averages_that_they_are_about(agent: Any) -> None:
    answer = agent("admin").answer(TOOL, rows=0)
    metrics = answer["summary"]["metrics"]
    for goal, (metric, figure, target, is_good) in zip(
        answer["goals"],
        [
            ("minutesPerConnection", "ratio", "5", lambda delta: delta <= 0),
            ("feetPerHour", "ratio", "110", lambda delta: delta >= 0),
            ("weightOnBit", "weightedAverage", "30.5", lambda delta: delta <= 0),
        ],
        strict=True,
    ):
        actual = metrics[metric][figure]
        delta = Decimal(actual) - Decimal(target)
        assert (goal["metric"], goal["figure"], goal["target"], goal["actual"]) == (metric, figure, target, actual)
        assert (Decimal(goal["delta"]), goal["isMet"]) == (delta, is_good(delta))
    assert [goal["source"] for goal in answer["goals"]] == ["company", "company", "rig"]


def test_rows_have_no_value_of_a_figure_alone(agent: Any) -> None:
    one = agent("admin")
    answer = one.answer(TOOL, rows=1)
    assert not {"feetPerHour", "minutesPerConnection"} & set(answer["sampleRows"]["items"][0])
    for name in ("groupBy", "orderBy"):
        refused = one.answer(TOOL, **{name: "feetPerHour"})
        assert refused["outcome"] == "INVALID_INPUT"
        assert "feetPerHour" not in refused["params"][name]["values"]


def test_units_are_those_of_each_column(agent: Any) -> None:
    units = agent("admin").answer(TOOL, rows=0)["units"]
    assert units == {
        "minutes": "min", "feet": "ft", "hours": "h", "weightOnBit": "klbf",
        "minutesPerConnection": "min/connection", "feetPerHour": "ft/h",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["weighted by Feet", "Minutes per connection", "values without a weight", "rows without a part"]),
        ("de", ["gewichtet nach Fuß", "Minuten je Verbindung", "Werte ohne Gewicht", "Zeilen ohne einen Teil"]),
        ("ko", ["가중치"]),
    ],
)
def test_a_workspace_tells_people_the_same(
    agent: Any, signed_in: Any, person: Any, language: str, said: list[str]
) -> None:
    Preference.objects.create(user=person("admin"), language=language, time_zone="UTC")
    answer = agent("admin").answer(TOOL, groupBy="crew", show="workspace")
    browser = signed_in("admin")
    page = browser.get(answer["card"]["url"], headers={"Accept-Language": language}).content.decode()
    for words in said:
        assert words in page
    assert page.count('class="goal ') == 3


def test_a_group_is_charted_by_an_average(agent: Any, signed_in: Any) -> None:
    answer = agent("admin").answer(TOOL, groupBy="crew", show="workspace")
    browser = signed_in("admin")
    page = browser.get(f"{answer['card']['url']}?chart=feetPerHour-ratio").content.decode()
    assert 'aria-current="true">Feet per hour</a>' in page
    assert browser.get(f"{answer['card']['url']}?chart=feetPerHour").status_code == 404
    assert browser.get(f"{answer['card']['url']}?sort=feetPerHour").status_code == 404


def test_the_tools_of_a_target_go_with_its_weight(agent: Any) -> None:
    target = ReadTarget.objects.get(key="drilling.connection-runs")
    target.columns.get(name="hours").delete()
    ReadTarget.objects.get(pk=target.pk).save()
    assert agent("admin").call(TOOL).status_code == 403
