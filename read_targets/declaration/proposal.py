"""What a new target is proposed to be, taken from its list's own types: seed 000's declaration in one line.

The admin gives a key and names a list; columns, conditions, search, order and screen follow from the list, and the
admin changes what they like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils import translation
from django.utils.text import Truncator

from ..lists import ListDefinition, ListPath, UnknownList, get_list
from ..models import Column, Criterion, CriterionFilter, ReadTarget, ScreenParameter
from .condition_proposal import Proposed, conditions_for
from .naming import in_every_language, kebab, label_of, names_of
from .routes import leads_somewhere, taken_by
from .soundness import problems_of

STEP = 10
"""Between two positions, so that a row can be put between two others."""

NO_QUANTITY = frozenset(
    (
        *(
            "id",
            "number",
            "no",
            "code",
            "version",
            "position",
            "rank",
            "priority",
            "level",
            "port",
            "sequence",
            "index",
        ),
        *("year", "month", "day", "week", "quarter", "age"),
        *("rate", "ratio", "percent", "percentage", "factor", "score", "temperature"),
        *("latitude", "longitude", "lat", "lon", "lng"),
    )
)
"""Words in a field's name by which its values are no amounts that add up."""

TAKEN_UNSAID = ("year", "month", "flow", "search")
"""Arguments proposed for a screen that does not say what it takes (seed 000)."""

ARGUMENTS = {"text": "search"}
"""Conditions that the address of a screen calls otherwise (seed 000)."""

NEEDS = {"month": "year"}
"""Conditions that a screen takes only together with another (seed 000)."""


@dataclass(frozen=True)
class Proposal:
    """The rows of a target, none of them stored yet."""

    columns: tuple[Column, ...]
    criteria: tuple[Proposed, ...]
    parameters: tuple[ScreenParameter, ...]

    def save(self, target: ReadTarget) -> None:
        """Store the rows under a target that is stored, in this order."""
        criteria = tuple(criterion for criterion, _filters in self.criteria)
        kinds: tuple[tuple[Column | Criterion | ScreenParameter, ...], ...] = (self.columns, criteria, self.parameters)
        for rows in kinds:
            for at, row in enumerate(rows, 1):
                row.target, row.position = target, at * STEP
        Column.objects.bulk_create(self.columns)
        ScreenParameter.objects.bulk_create(self.parameters)
        for criterion, filters in self.criteria:
            # One by one: their filters need their keys, which not every database gives back in bulk.
            criterion.save()
            for one in filters:
                one.criterion = criterion
        CriterionFilter.objects.bulk_create(one for _criterion, filters in self.criteria for one in filters)


def create_target(key: str, list_query: str) -> ReadTarget:
    """Declare the list as a target with everything that is proposed, and return it, stored.

    Raises ValidationError, naming what is wrong, for a key that is none or is taken and for a list that is not there.
    """
    target = ReadTarget(key=key, list_query=list_query)
    with transaction.atomic():
        proposal = propose(target)
        target.full_clean()
        check(target, proposal)
        target.save()
        proposal.save(target)
    return target


def check(target: ReadTarget, proposal: Proposal) -> None:
    """Raise ValidationError where the target with these rows would be a wrong declaration."""
    rows = {"columns": proposal.columns, "criteria": proposal.criteria, "parameters": proposal.parameters}
    problems = problems_of(target, **rows)  # type: ignore[arg-type]  # each name takes its own rows
    if problems:
        raise ValidationError([str(problem) for problem in problems])


def propose(target: ReadTarget) -> Proposal:
    """Fill in what the target says of its list, and return the rows that go with it; stores nothing.

    Raises ValidationError where the target's list is not there.
    """
    try:
        definition = get_list(target.list_query)
    except UnknownList:
        said = [problem.said for problem in problems_of(target, in_database=False) if problem.field == "list_query"]
        raise ValidationError({"list_query": said}) from None
    shown = [definition.path(path) for path in definition.shown or ()]
    # Every row says its primary key already.
    shown = [path for path in shown if path.hops or not path.field.primary_key]
    names = names_of(dict.fromkeys([*shown, *definition.paths.values()]))
    columns = tuple(_column(definition, path, names[path.path]) for path in shown)
    criteria = conditions_for(definition, names, columns)
    _describe(target, definition, names, columns)
    return Proposal(columns, criteria, _parameters(target, criteria))


def _column(definition: ListDefinition, path: ListPath, name: str) -> Column:
    return Column(
        name=name,
        path=path.path,
        kind=path.kind,
        label=in_every_language(lambda: label_of(definition, path)),
        total=_adds_up(path),
    )


def _adds_up(path: ListPath) -> bool:
    """Whether a total means something: amounts and quantities, but no keys, rates or numbers that stand for a name."""
    if path.kind not in ("number", "integer") or path.scale is None or path.field.choices or path.field.primary_key:
        return False
    words = re.findall(r"[a-z]+", kebab(path.path.rpartition(".")[2]))
    # What belongs to a related object would be added once for each row that refers to it.
    return not path.hops and not NO_QUANTITY.intersection(words)


def _describe(
    target: ReadTarget, definition: ListDefinition, names: dict[str, str], columns: tuple[Column, ...]
) -> None:
    options = definition.model._meta
    with translation.override("en"):
        records = str(options.verbose_name_plural)
    # Columns that it groups by are named among the tool's arguments.
    shown = ", ".join(column.name for column in columns if column.list_path not in (definition.grouped or ()))
    ordered = [str(one) for one in definition.own_order if one.path in (definition.sorted or ())]
    target.label = in_every_language(lambda: str(options.verbose_name_plural))
    target.model_name = records[: _longest("model_name")]
    target.description = Truncator(f"the {records} (with {shown})." if shown else f"the {records}.").chars(
        _longest("description")
    )
    target.tags = ", ".join(target.key.split("."))[: _longest("tags")]
    target.search_hint = Truncator(", ".join(names[path] for path in definition.searched)).chars(
        _longest("search_hint")
    )
    target.order = " ".join(ordered) if len(ordered) == len(tuple(definition.order)) else ""
    screen = f"{options.app_label}:{kebab(definition.name)}"
    target.screen = screen if leads_somewhere(screen) else ""


def _longest(name: str) -> int:
    field = ReadTarget._meta.get_field(name)
    return field.max_length if isinstance(field, models.Field) and field.max_length else 0


def _parameters(target: ReadTarget, criteria: tuple[Proposed, ...]) -> tuple[ScreenParameter, ...]:
    if not target.screen:
        return ()
    takes = taken_by(target.screen)
    known = {_squashed(one): one for one in (TAKEN_UNSAID if takes is None else takes)}
    found: dict[str, str] = {}
    for criterion, filters in criteria:
        paths = [one.field for one in filters if one.operator == "eq"]
        found |= _taken(criterion.name, [criterion.name, *paths], known)
    if target.search_hint:
        found |= _taken("text", [ARGUMENTS["text"]], known)
    return tuple(
        ScreenParameter(criterion=name, argument=argument, needs=NEEDS.get(name, ""))
        for name, argument in found.items()
        if NEEDS.get(name, name) in found
    )


def _taken(criterion: str, candidates: list[str], known: dict[str, str]) -> dict[str, str]:
    argument = next((known[_squashed(one)] for one in candidates if _squashed(one) in known), None)
    return {criterion: argument} if argument else {}


def _squashed(name: str) -> str:
    """A name without the ways of spelling it: `minDepth_ft` and `minDepthFt` are one."""
    return re.sub(r"[^a-z0-9.]", "", name.lower())
