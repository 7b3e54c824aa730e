"""The rows of a target on its page: whoever may change the target may change them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ..models import Column, Criterion, Goal, ReadTarget, ScreenParameter
from .row_forms import ColumnForm, CriterionForm, GoalForm, ScreenParameterForm
from .row_formsets import ColumnFormSet, CriterionFormSet, GoalFormSet, ScreenParameterFormSet


class _RowInline(admin.options.InlineModelAdmin):
    """Rows follow the rights to their target, having none of their own that anybody would think to grant."""

    extra = 0
    ordering = ("position", "pk")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for the target."""
        return _may(request, "view") or _may(request, "change") or _may(request, "add")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for changing the target, or for adding one."""
        return _may(request, "change") or (obj is None and _may(request, "add"))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for changing the target, or for adding one."""
        return self.has_add_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for changing the target, or for adding one."""
        return self.has_add_permission(request, obj)


def _may(request: HttpRequest, action: str) -> bool:
    return bool(request.user.has_perm(f"{ReadTarget._meta.app_label}.{action}_{ReadTarget._meta.model_name}"))


class ColumnInline(_RowInline, admin.TabularInline):
    """The columns, one a line."""

    model = Column
    form = ColumnForm
    formset = ColumnFormSet
    fields = (
        *("position", "path", "name", "label", "kind", "unit", "total"),
        *("basis", "weight", "numerator", "denominator"),
    )


class GoalInline(_RowInline, admin.TabularInline):
    """What averages should come to, one a line."""

    model = Goal
    form = GoalForm
    formset = GoalFormSet
    fields = ("position", "column", "direction", "value", "source", "label")


class CriterionInline(_RowInline, admin.StackedInline):
    """The conditions, folded up to their names."""

    model = Criterion
    form = CriterionForm
    formset = CriterionFormSet
    template = "read_targets/admin/_criteria.html"
    fields = (
        ("name", "kind", "position"),
        ("field_1", "operator_1"),
        ("field_2", "operator_2"),
        ("field_3", "operator_3"),
        ("description", "values"),
        ("minimum", "maximum", "pattern"),
        "label",
    )

    readonly_fields = ("filter_text",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The filters in selects, or for somebody who may only look as text."""
        if self.has_change_permission(request, obj):
            return self.fields
        name, *_filters, description, limits, label = self.fields
        return (name, "filter_text", description, limits, label)

    @admin.display(description=_("filters"))
    def filter_text(self, criterion: Criterion) -> str:
        """The filters that the condition becomes."""
        return ", ".join(f"{one.field} {one.get_operator_display()}" for one in criterion.filters.all())

    def get_queryset(self, request: HttpRequest) -> QuerySet[Criterion]:
        """The conditions with their filters, which stand in the same forms."""
        return super().get_queryset(request).prefetch_related("filters")


class ScreenParameterInline(_RowInline, admin.TabularInline):
    """What the screen takes, one a line."""

    model = ScreenParameter
    form = ScreenParameterForm
    formset = ScreenParameterFormSet
    fields = ("position", "criterion", "argument", "needs")
