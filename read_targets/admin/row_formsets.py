"""A target's rows as they are edited together: what is wrong is said at the row, before anything is saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from django.db import models
from django.forms import BaseInlineFormSet
from django.forms.formsets import DELETION_FIELD_NAME

from ..declaration.problem import Part, Problem
from ..declaration.proposal import STEP
from ..declaration.routes import taken_by
from ..declaration.shapes import Shape, shape_of
from ..declaration.soundness import problems_of
from ..models import ReadTarget
from .row_forms import CriterionForm, RowForm


class Page:
    """The formsets of one page, which are right or wrong only together."""

    def __init__(self) -> None:
        self.formsets: dict[Part, RowFormSet] = {}
        self._is_checked = False

    def check(self, target: ReadTarget) -> None:
        """Hold all rows against the list, once, and say every problem at its row."""
        if self._is_checked:
            return
        self._is_checked = True
        live = {part: formset.live_forms for part, formset in self.formsets.items()}
        problems = problems_of(
            target,
            columns=[form.instance for form in live.get("columns", ())],
            goals=[form.instance for form in live.get("goals", ())],
            criteria=[(form.instance, form.filters) for form in live.get("criteria", ())],  # type: ignore[attr-defined]
            parameters=[form.instance for form in live.get("parameters", ())],
        )
        for problem in problems:
            if problem.part in self.formsets:
                self.formsets[problem.part].say(problem)


class RowFormSet(BaseInlineFormSet):
    """Rows of one kind. `page` holds the formsets that are checked together with this one."""

    part: ClassVar[Part] = "columns"
    unique: ClassVar[str] = "name"

    def __init__(self, *args: Any, page: Page | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.page = page
        if page is not None:
            page.formsets[self.part] = self

    @cached_property
    def shape(self) -> Shape | None:
        """What the target's list is like; asked for late, when the target's own form has been read."""
        return shape_of(self.instance)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Hand the list on to each form; a new row comes last."""
        kwargs = {**super().get_form_kwargs(index), "shape": self.shape}
        if index is None:
            kwargs["initial"] = {"position": self._next_position}
        return kwargs

    @cached_property
    def _next_position(self) -> int:
        last = self.get_queryset().aggregate(last=models.Max("position"))["last"] if self.instance.pk else None
        return int(last or 0) + STEP

    @cached_property
    def live_forms(self) -> list[RowForm]:
        """The forms of the rows that will be there: neither deleted nor left empty; asking cleans them all."""
        self.errors  # noqa: B018  # cleans the forms
        return [
            form
            for form in self.forms
            if isinstance(form, RowForm)
            and (form.instance.pk is not None or form.has_changed())
            and not (self.can_delete and form.cleaned_data.get(DELETION_FIELD_NAME))
        ]

    @cached_property
    def column_names(self) -> list[str]:
        """The names of the target's columns, as they are stored and as they are filled in."""
        stored = self.instance.columns.values_list("name", flat=True) if self.instance.pk else []
        return [*stored, *_posted(self.data, "columns")]

    def clean(self) -> None:
        """Check the page as a whole, which finds names used twice as well, and says where."""
        if self.page is not None:
            self.page.check(self.instance)

    def say(self, problem: Problem) -> None:
        """Say a problem at the row that has it; a row that cannot be read has been told enough."""
        if problem.row is None:
            self.non_form_errors().append(problem.said)
            return
        form = self.live_forms[problem.row]
        if problem.field not in form.errors:
            form.add_error(problem.field if problem.field in form.fields else None, problem.said)

    def save(self, commit: bool = True) -> list[Any]:
        """Store the rows: first those that go, then those that stay, so that a name may pass from one to another."""
        rows = super().save(commit=False)
        if commit:
            for row in self.deleted_objects:
                row.delete()
            for row in rows:
                if row.pk is not None:
                    type(row)._base_manager.filter(pk=row.pk).update(**{self.unique: f"renamed {row.pk}"})
            for row in rows:
                row.save()
        return rows


def _posted(data: Mapping[str, Any], prefix: str) -> list[str]:
    """The names of rows, as they are filled in."""
    return [value for name, value in data.items() if name.startswith(f"{prefix}-") and name.endswith("-name") and value]


class ColumnFormSet(RowFormSet):
    """The columns."""

    part = "columns"

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Hand on the columns, of which averages are made."""
        return {**super().get_form_kwargs(index), "columns": self.column_names}


class GoalFormSet(RowFormSet):
    """The goals."""

    part = "goals"
    unique = "column"

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Hand on the columns, whose averages goals are about."""
        return {**super().get_form_kwargs(index), "columns": self.column_names}


class CriterionFormSet(RowFormSet):
    """The conditions, each with its filters."""

    part = "criteria"

    def save(self, commit: bool = True) -> list[Any]:
        """Store the conditions, then the filters of each."""
        rows = super().save(commit)
        if commit:
            for form in self._filtering_forms():
                form.save_filters()
        return rows

    def _filtering_forms(self) -> Iterator[CriterionForm]:
        return (form for form in self.live_forms if isinstance(form, CriterionForm) and form.instance.pk is not None)


class ScreenParameterFormSet(RowFormSet):
    """What the screen takes."""

    part = "parameters"
    unique = "criterion"

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Hand on the conditions and what the screen says it takes."""
        return {**super().get_form_kwargs(index), "conditions": self._conditions, "takes": self._takes}

    @cached_property
    def _conditions(self) -> list[str]:
        stored = self.instance.criteria.values_list("name", flat=True) if self.instance.pk else []
        return list(dict.fromkeys([*stored, *_posted(self.data, "criteria"), "text"]))

    @cached_property
    def _takes(self) -> tuple[str, ...] | None:
        return taken_by(self.instance.screen) if self.instance.screen else None
