"""The forms of a target's rows. Whatever the list knows is chosen, and what is left empty is taken from the list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ..declaration.naming import in_every_language, label_of, names_of
from ..declaration.shapes import ListShape, Shape
from ..lists import ListDefinition
from ..models import Basis, Column, Criterion, CriterionFilter, Goal, Kind, ScreenParameter
from . import choices

FILTERS = 3
"""Filters of a condition that the form shows; further ones, which only code can make, stay as they are."""


class RowForm(forms.ModelForm):
    """A row of a target, whose list is like `shape`; it may name `columns`, `conditions` and what a screen `takes`."""

    def __init__(
        self,
        *args: Any,
        shape: Shape | None = None,
        columns: Sequence[str] = (),
        conditions: Sequence[str] = (),
        takes: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.shape = shape
        self.columns = list(dict.fromkeys(columns))
        self.conditions = conditions
        self.takes = takes
        if self.fields:
            self.prepare()

    def prepare(self) -> None:
        """Fill the selects."""

    def has_changed(self) -> bool:
        """Whether anything was filled in; a new row's position alone is nothing, nor is what was emptied."""
        if self.instance.pk is None:
            return any(self[name].data for name in self.changed_data if name != "position")
        return super().has_changed()

    @property
    def definition(self) -> ListDefinition | None:
        """The registered list, where it is one."""
        return self.shape.definition if isinstance(self.shape, ListShape) else None


class ColumnForm(RowForm):
    """A column; its path is enough, the rest follows from the list."""

    class Meta:
        model = Column
        fields = (
            *("position", "path", "name", "label", "kind", "unit", "total"),
            *("basis", "weight", "numerator", "denominator"),
        )

    def prepare(self) -> None:
        """Let the path be one that the list shows, and parts be columns; name and type may be left to the list."""
        if self.shape is not None and self.shape.shown:
            choices.offer(self, "path", [("", _("as the name")), *choices.plain(self.shape.shown)])
        choices.offer(self, "kind", choices.kinds())
        self.fields["kind"].required = self.fields["name"].required = self.fields["basis"].required = False
        for part in ("weight", "numerator", "denominator"):
            choices.offer(self, part, [("", "---------"), *choices.plain(self.columns)])

    def clean(self) -> dict[str, Any]:
        """Take name, type and label from the path where they are left empty; a ratio needs no path."""
        cleaned = super().clean() or self.cleaned_data
        cleaned["basis"] = cleaned.get("basis") or Basis.ROWS
        if cleaned["basis"] == Basis.RATIO and not cleaned.get("path"):
            cleaned["kind"] = cleaned.get("kind") or Kind.NUMBER
            if not cleaned.get("name") and "name" not in self.errors:
                self.add_error("name", _("Give the column a name."))
            return cleaned
        path = cleaned.get("path") or cleaned.get("name") or ""
        if not path:
            self.add_error("path", _("Choose what the column shows."))
            return cleaned
        if not cleaned.get("kind") and "kind" not in self.errors:
            kinds = self.shape.column_kinds(path) if self.shape is not None else None
            cleaned["kind"] = next(iter(kinds or ()), "")
            if kinds is not None and not kinds:
                self.add_error("kind", _("The list does not say: choose the type."))
        definition = self.definition
        if definition is not None and path in definition.paths:
            found = definition.path(path)
            if not cleaned.get("name") and "name" not in self.errors:
                cleaned["name"] = names_of([found])[path]
            if not cleaned.get("label") and self.instance.pk is None:
                cleaned["label"] = in_every_language(lambda: label_of(definition, found))
        elif not cleaned.get("name") and "name" not in self.errors:
            self.add_error("name", _("Give the column a name."))
        return cleaned


def _pairs() -> Iterator[tuple[str, str]]:
    """The names of the fields that hold the filters."""
    return ((f"field_{number}", f"operator_{number}") for number in range(1, FILTERS + 1))


class CriterionForm(RowForm):
    """A condition with its filters; type and values may be left to the field that it filters."""

    field_1 = forms.CharField(label=_("Field"), max_length=200, required=False)
    operator_1 = forms.CharField(label=_("Compared"), required=False)
    field_2 = forms.CharField(label=_("And the field"), max_length=200, required=False)
    operator_2 = forms.CharField(label=_("Compared"), required=False)
    field_3 = forms.CharField(label=_("And the field"), max_length=200, required=False)
    operator_3 = forms.CharField(label=_("Compared"), required=False)

    class Meta:
        model = Criterion
        fields = ("position", "name", "kind", "label", "description", "values", "minimum", "maximum", "pattern")

    def prepare(self) -> None:
        """Show the stored filters; let fields and operators be those of the list."""
        stored = list(self.instance.filters.all())[:FILTERS] if self.instance.pk else []
        for (field, operator), one in zip(_pairs(), stored, strict=False):
            self.initial[field], self.initial[operator] = one.field, one.operator
        for field, operator in _pairs():
            if self.shape is not None and self.shape.filtered:
                choices.offer(self, field, [("", "---------"), *choices.plain(self.shape.filtered)])
            choices.offer(self, operator, choices.operators(self.shape))
        choices.offer(self, "kind", choices.kinds())
        self.fields["kind"].required = False

    @property
    def filters(self) -> list[CriterionFilter]:
        """The filters that were chosen, not stored."""
        chosen = ((self.cleaned_data.get(field), self.cleaned_data.get(operator)) for field, operator in _pairs())
        return [CriterionFilter(field=field, operator=operator) for field, operator in chosen if field and operator]

    def clean(self) -> dict[str, Any]:
        """Refuse half a filter; take type and values from the first filter where they are left empty."""
        cleaned = super().clean() or self.cleaned_data
        for field, operator in _pairs():
            if cleaned.get(field) and not cleaned.get(operator):
                self.add_error(operator, _("Choose how the value is compared with the field."))
            elif cleaned.get(operator) and not cleaned.get(field):
                self.add_error(field, _("Choose the field that the value is compared with."))
        first = next(iter(self.filters), None)
        if not cleaned.get("kind") and "kind" not in self.errors:
            cleaned["kind"] = self._kind_of(first) if first else ""
            if not cleaned["kind"]:
                self.add_error("kind", _("Choose the type, or a filter that it follows from."))
        if first and cleaned.get("kind") == "enum" and not cleaned.get("values") and self._knows(first):
            cleaned["values"] = "\n".join(value for value in self.shape.values(first.field) if value)  # type: ignore[union-attr]
        return cleaned

    def _knows(self, one: CriterionFilter) -> bool:
        return self.shape is not None and (not self.shape.says_paths or one.field in self.shape.filtered)

    def _kind_of(self, one: CriterionFilter) -> str:
        if self.shape is None or not self._knows(one) or one.operator not in self.shape.operators(one.field):
            return ""
        return next(iter(self.shape.condition_kinds(one.field, one.operator)), "")

    def save_filters(self) -> None:
        """Store the filters that were chosen in place of those that the form showed."""
        if not {name for pair in _pairs() for name in pair}.intersection(self.changed_data):
            return
        shown = list(self.instance.filters.values_list("pk", flat=True)[:FILTERS])
        self.instance.filters.filter(pk__in=shown).delete()
        for one in self.filters:
            one.criterion = self.instance
            one.save()


class GoalForm(RowForm):
    """A goal for the average of a column."""

    class Meta:
        model = Goal
        fields = ("position", "column", "direction", "value", "source", "label")

    def prepare(self) -> None:
        """Let the column be one of the target's."""
        choices.offer(self, "column", [("", "---------"), *choices.plain(self.columns)])


class ScreenParameterForm(RowForm):
    """A condition that the screen takes."""

    class Meta:
        model = ScreenParameter
        fields = ("position", "criterion", "argument", "needs")

    def prepare(self) -> None:
        """Let the conditions be those of the target, the argument one that the screen says it takes."""
        conditions = [("", "---------"), *choices.plain(self.conditions)]
        choices.offer(self, "criterion", conditions)
        choices.offer(self, "needs", conditions)
        if self.takes is not None:
            choices.offer(self, "argument", [("", "---------"), *choices.plain(self.takes)])
