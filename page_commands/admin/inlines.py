"""The rows of a command and of a page: whoever may change the one may change the others."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ..declaration.binding_text import written
from ..models import AgentCommand, Channel, CommandParameter, CommandRule, CommandStep, Page, PageView
from .row_forms import (
    ChannelForm,
    ChannelFormSet,
    ParameterForm,
    ParameterFormSet,
    RuleForm,
    RuleFormSet,
    StepForm,
    StepFormSet,
    ViewForm,
    ViewFormSet,
)


class _RowInline(admin.options.InlineModelAdmin):
    """Rows follow the rights to what they belong to, having none of their own that anybody would think to grant."""

    owner: ClassVar[type[Model]]
    extra = 0
    ordering = ("position", "pk")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for what they belong to."""
        return any(self._may(request, action) for action in ("view", "change", "add"))

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for changing what they belong to, or for adding one."""
        return self._may(request, "change") or (obj is None and self._may(request, "add"))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for changing what they belong to, or for adding one."""
        return self.has_add_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for changing what they belong to, or for adding one."""
        return self.has_add_permission(request, obj)

    def _may(self, request: HttpRequest, action: str) -> bool:
        options = self.owner._meta
        return bool(request.user.has_perm(f"{options.app_label}.{action}_{options.model_name}"))


class ChannelInline(_RowInline, admin.TabularInline):
    """The channels of a page, one a line."""

    owner = Page
    model = Channel
    form = ChannelForm
    formset = ChannelFormSet
    fields = ("position", "name", "type", "label", "may_present")


class ViewInline(_RowInline, admin.TabularInline):
    """The views of a page, one a line."""

    owner = Page
    model = PageView
    form = ViewForm
    formset = ViewFormSet
    fields = ("position", "name", "code", "channel", "label")


class ParameterInline(_RowInline, admin.StackedInline):
    """The parameters of a command, folded up to their names."""

    owner = AgentCommand
    model = CommandParameter
    form = ParameterForm
    formset = ParameterFormSet
    template = "read_targets/admin/_criteria.html"
    fields = (
        ("name", "kind", "required", "position"),
        ("description", "values"),
        ("minimum", "maximum", "pattern"),
        "label",
    )


class RuleInline(_RowInline, admin.TabularInline):
    """The rules of a command, one a line."""

    owner = AgentCommand
    model = CommandRule
    form = RuleForm
    formset = RuleFormSet
    fields = ("position", "code", "reason")


class StepInline(_RowInline, admin.StackedInline):
    """The steps of a command in their order, each with its bindings."""

    owner = AgentCommand
    model = CommandStep
    form = StepForm
    formset = StepFormSet
    template = "page_commands/admin/_steps.html"
    readonly_fields = ("bound",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """What the step does in one choice, or for somebody who may only look as text."""
        if self.has_change_permission(request, obj):
            return ("action", "bindings", "position")
        return ("kind", "target", "bound", "position")

    @admin.display(description=_("arguments"))
    def bound(self, step: CommandStep) -> str:
        """The bindings as they are written."""
        return ", ".join(written(step.bindings.all()).splitlines())

    def get_queryset(self, request: HttpRequest) -> QuerySet[CommandStep]:
        """The steps with their bindings, which stand in the same forms."""
        return super().get_queryset(request).prefetch_related("bindings")
