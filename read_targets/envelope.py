"""A reading as the contract tells it: scope, coverage, units, summary, sample rows, and what to say of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Literal

from django.utils import timezone

from .agent.codes import Code
from .agent.contract import (
    Coverage,
    DataResult,
    GoalSummary,
    GroupSummary,
    Metric,
    Provenance,
    RatioMetric,
    RestSummary,
    RowsMetric,
    SampleRows,
    Scope,
    Summary,
    TimeRange,
    WeightsMetric,
)
from .agent.labels import text_of
from .agent.registry import Call
from .criteria import conditions_of, days_asked
from .digest import MODEL_GROUPS, Digest, Wish
from .goals import Judged, judged
from .lists import Figure, Group, Rest, plain
from .models import Column, ReadTarget


def result_of(
    target: ReadTarget, call: Call, values: Mapping[str, Any], zone: dt.tzinfo, wish: Wish, digest: Digest
) -> DataResult:
    """Return the answer to a query, without its card."""
    rows = digest.rows[: wish.limit]
    kept = wish.keeps(digest.analysed)
    coverage = _coverage(digest)
    one = digest.analysed == 1 and bool(rows) and not kept
    shown: dict[str, Any] = {"record": digest.rows[0]} if one else {"sample_rows": _sample(rows, digest)}
    code = {} if coverage.is_complete else {"code": str(_code(digest))}
    goals = goals_of(target, digest)
    return DataResult(
        success=True,
        outcome="READY" if coverage.is_complete else "PARTIAL",
        is_data_ready=coverage.is_complete,
        tool_name=call.tool_name,
        call_id=call.id,
        message=_message(digest, coverage, len(rows), kept=kept, one=one),
        scope=scope_of(target, values, zone),
        coverage=coverage,
        units={column.name: column.unit for column in digest.columns if column.unit},
        summary=summary_of(digest, wish, MODEL_GROUPS),
        **shown,
        **({"goals": goals} if goals else {}),
        provenance=_provenance(digest),
        **code,
    )


def _provenance(digest: Digest) -> Provenance:
    """Where the numbers came from, and of a replica how far it may have been behind."""
    behind = {} if digest.behind_ms is None else {"behind_ms": digest.behind_ms}
    now = timezone.now().astimezone(dt.UTC).strftime("%FT%TZ")
    return Provenance(source="BACKEND_QUERY", computed_at=now, **behind)


def scope_of(target: ReadTarget, values: Mapping[str, Any], zone: dt.tzinfo) -> Scope:
    """Return what the figures are of: the list, the conditions as they were read, and the bounds they came to."""
    bounds = bounds_of(target, values, zone)
    return Scope(
        entity_type=target.key,
        selected_ids=[values["id"].strip()] if "id" in values else [],
        **({"time_range": TimeRange(start=bounds[0], end=bounds[1])} if bounds else {}),
        filters={name: plain(value) for name, value in values.items() if name != "id"},
        time_zone=str(zone),
    )


def bounds_of(target: ReadTarget, values: Mapping[str, Any], zone: dt.tzinfo) -> tuple[str | None, str | None] | None:
    """Return the moments between which the conditions on the date select, None where none does.

    A list of another shape decides for itself where a day of its begins, so nothing is claimed of it.
    """
    days = None if target.is_foreign else days_asked(conditions_of(target, values))
    return days.bounds(zone) if days is not None else None


def _coverage(digest: Digest) -> Coverage:
    omitted = {"omissions": digest.omissions} if digest.omissions else {}
    return Coverage(
        requested_rows=digest.total,
        analysed_rows=digest.analysed,
        requested_entities=1,
        analysed_entities=1,
        **omitted,
        values_missing=any(figure.missing_values for figure in digest.figures.values()),
    )


def _code(digest: Digest) -> Code:
    return Code.BOUNDED_READ if digest.total != digest.analysed else Code.VALUES_WITHHELD


def summary_of(digest: Digest, wish: Wish, most: int) -> Summary:
    """Return the figures, and the first `most` groups with the others added up in the rest."""
    columns = {column.name: column for column in digest.columns}
    metrics = {name: metric_of(columns[name], figure) for name, figure in digest.figures.items()}
    if digest.groups is None:
        return Summary(metrics=metrics)
    groups, rest = cut(digest, wish, most)
    told = {"rest": _rest(rest)} if rest is not None else {}
    return Summary(metrics=metrics, group_by=wish.group_by, groups=[_group(one) for one in groups], **told)


def cut(digest: Digest, wish: Wish, most: int) -> tuple[list[Group], Rest | None]:
    """Return `most` groups, of months the latest, and the rest: what the reading left over and what is cut here."""
    groups = digest.groups or []
    by_month = any(column.name == wish.group_by and column.kind == "date" for column in digest.columns)
    kept, others = (groups[-most:], groups[:-most]) if by_month else (groups[:most], groups[most:])
    rest = digest.rest or Rest(0, 0, {})
    for group in others:
        rest += group
    return kept, rest if rest.group_count else None


def metric_of(column: Column, figure: Figure) -> Metric:
    """Return a column's figure on the basis of its average, which is told with all that it was made of."""
    values: dict[str, Any] = {}
    if figure.has_values:
        values = {
            "count": figure.count,
            "sum": plain(figure.total),
            "average": plain(figure.average),
            "min": plain(figure.minimum),
            "max": plain(figure.maximum),
        }
    quotient = figure.quotient
    if quotient is None:
        return RowsMetric(average_basis="rows", **values)
    if quotient.basis == "weights":
        return WeightsMetric(
            average_basis="weights",
            weighted_average=plain(quotient.value),
            weight_total=plain(quotient.bottom.value),
            weighted_count=quotient.count,
            missing_weight_count=quotient.missing,
            weight_field=column.weight,
            is_weight_complete=not quotient.missing,
            **values,
        )
    return RatioMetric(
        average_basis="ratio",
        ratio=plain(quotient.value),
        numerator_total=plain(quotient.top.value),
        denominator_total=plain(quotient.bottom.value),
        contributing_row_count=quotient.count,
        missing_part_count=quotient.missing,
        numerator_field=column.numerator,
        denominator_field=column.denominator,
        is_ratio_complete=not quotient.missing,
        **values,
    )


def part_of(figure: Figure) -> Metric:
    """Return what a group tells of a column: its sum, the average on its basis, and how much that leaves out."""
    values = {"sum": plain(figure.total)} if figure.has_values else {}
    quotient, average = figure.quotient, plain(figure.on_basis)
    if quotient is None:
        return RowsMetric(average_basis="rows", average=average, **values)
    missing = quotient.missing
    if quotient.basis == "weights":
        left_out = {"missing_weight_count": missing, "is_weight_complete": False} if missing else {}
        return WeightsMetric(average_basis="weights", weighted_average=average, **left_out, **values)
    left_out = {"missing_part_count": missing, "is_ratio_complete": False} if missing else {}
    return RatioMetric(average_basis="ratio", ratio=average, **left_out, **values)


def _group(group: Group) -> GroupSummary:
    withheld = {"withheld": True} if group.withheld else {}
    return GroupSummary(key=plain(group.key), **withheld, row_count=group.count, metrics=_parts(group.figures))


def _rest(rest: Rest) -> RestSummary:
    return RestSummary(group_count=rest.group_count, row_count=rest.count, metrics=_parts(rest.figures))


def _parts(figures: Mapping[str, Figure]) -> dict[str, Metric]:
    return {name: part_of(figure) for name, figure in figures.items()}


FIGURES: dict[str, Literal["average", "weightedAverage", "ratio"]] = {
    "rows": "average",
    "weights": "weightedAverage",
    "ratio": "ratio",
}
"""The name of the average on each basis."""


def goals_of(target: ReadTarget, digest: Digest) -> list[GoalSummary]:
    """Return the target's goals, each held against the average of its column on that column's basis."""
    return [_goal(one, digest.figures[one.goal.column]) for one in judged(target.goals.all(), digest.figures)]


def _goal(one: Judged, figure: Figure) -> GoalSummary:
    label = text_of(one.goal.label, "")
    return GoalSummary(
        metric=one.goal.column,
        figure=FIGURES[figure.basis],
        target=plain(one.target),
        actual=plain(one.actual),
        direction=one.goal.direction,
        delta=plain(one.delta),
        is_met=one.is_met,
        **({"source": one.goal.source} if one.goal.source else {}),
        **({"label": label} if label else {}),
    )


def _sample(rows: list[dict[str, Any]], digest: Digest) -> SampleRows:
    return SampleRows(
        items=rows, returned=len(rows), total_analysed=digest.analysed, truncated=len(rows) < digest.analysed
    )


def _message(digest: Digest, coverage: Coverage, shown: int, *, kept: bool, one: bool) -> str:
    """Say what this is and what is missing, in English for the model."""
    if one:
        said = ["One record: answer from its fields, and say of a field that is null that it is not recorded."]
    elif kept:
        stored = len(digest.rows)
        which = f"All {stored} rows" if stored == digest.analysed else f"The first {stored} of {digest.analysed} rows"
        which = which if digest.total == digest.analysed else f"The {stored} rows that were read"
        said = [
            f"{which} are on a workspace that the person opens from the card.",
            "Say the point in a line or two from the summary; do not write the table out.",
        ]
    elif not digest.analysed:
        said = ["No rows fit these conditions."]
    else:
        said = [f"{shown} of {digest.analysed} rows are shown. Every number you say comes from this answer."]
    if digest.total != digest.analysed:
        many = "an unknown number of" if digest.total is None else str(digest.total)
        said.append(
            f"Only {digest.analysed} of {many} rows were read; the figures are of those rows, not of the list: say so, "
            "and ask to narrow the conditions."
        )
    elif coverage.omissions:
        said.append("What is missing stands in coverage.omissions: say so where it matters.")
    return " ".join(said)
