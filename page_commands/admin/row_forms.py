"""The forms of rows: whatever the application knows is chosen; a step's bindings are written, one a line."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..declaration.binding_text import Unwritten, read_bindings, written
from ..declaration.declared import rows
from ..models import Channel, CommandParameter, CommandRule, CommandStep, PageView, StepBinding
from . import choices
from .whole import RowForm, RowFormSet


class ChannelForm(RowForm):
    """A channel of a page."""

    class Meta:
        model = Channel
        fields = ("position", "name", "type", "label", "may_present")

    def prepare(self) -> None:
        """Let the type be an installed model."""
        choices.offer(self, "type", self.formset.offered)


class ChannelFormSet(RowFormSet):
    """The channels."""

    part = "channels"
    unique = "name"

    def offer(self) -> Any:
        """The installed models."""
        return choices.types()


class ViewForm(RowForm):
    """A view of a page."""

    class Meta:
        model = PageView
        fields = ("position", "name", "code", "channel", "label")

    def prepare(self) -> None:
        """Let the code be registered, and the channel one that stands on the same page of the admin."""
        codes, channels = self.formset.offered
        choices.offer(self, "code", codes)
        choices.offer(self, "channel", channels)


class ViewFormSet(RowFormSet):
    """The views."""

    part = "views"
    unique = "name"

    def offer(self) -> Any:
        """The registered views, and the channels that stand above."""
        held = self.whole.rows("channels") if self.is_bound else rows(self.whole.page, "channels")
        return choices.codes("view"), choices.channels(held, _("none: a command binds its object"))


class ParameterForm(RowForm):
    """A parameter of a command."""

    class Meta:
        model = CommandParameter
        fields = (
            *("position", "name", "kind", "label", "description", "required"),
            *("values", "minimum", "maximum", "pattern"),
        )


class ParameterFormSet(RowFormSet):
    """The parameters."""

    part = "parameters"
    unique = "name"


class RuleForm(RowForm):
    """A rule of a command."""

    class Meta:
        model = CommandRule
        fields = ("position", "code", "reason")

    def prepare(self) -> None:
        """Let the rule be registered."""
        choices.offer(self, "code", self.formset.offered)


class RuleFormSet(RowFormSet):
    """The rules."""

    part = "rules"

    def offer(self) -> Any:
        """The registered rules."""
        return choices.codes("rule")


class StepForm(RowForm):
    """A step: one choice of what it does and on what, and its bindings as text."""

    action = forms.CharField(label=gettext_lazy("Does"), max_length=220)
    bindings = forms.CharField(
        label=gettext_lazy("Arguments"),
        required=False,
        strip=False,
        widget=forms.Textarea({"rows": 3, "cols": 40, "spellcheck": "false"}),
    )

    shown_at = {"kind": "action", "target": "action"}

    class Meta:
        model = CommandStep
        fields = ("position",)

    def prepare(self) -> None:
        """Show what is stored; let the step do what the page and the application offer."""
        self.said: list[StepBinding] = []
        if self.instance.pk:
            self.initial["action"] = choices.action_value(self.instance.kind, self.instance.target)
            self.initial["bindings"] = written(self.instance.bindings.all())
        choices.offer(self, "action", self.formset.offered)
        lines = str(self["bindings"].value() or "").count("\n") + 1
        self.fields["bindings"].widget.attrs["rows"] = max(2, lines)

    def clean_action(self) -> str:
        """Take kind and target from the choice."""
        action = str(self.cleaned_data["action"])
        kind, _space, target = action.partition(" ")
        if kind not in CommandStep.Kind.values or not target:
            raise forms.ValidationError(_("Choose what the step does."))
        self.instance.kind, self.instance.target = kind, target
        return action

    def clean_bindings(self) -> str:
        """Read the bindings; what they lead to is judged with the whole command."""
        text = str(self.cleaned_data["bindings"])
        try:
            self.said = read_bindings(text)
        except Unwritten as unwritten:
            raise forms.ValidationError(unwritten.faults) from None
        return text

    def save_bindings(self) -> None:
        """Store the bindings that were written in place of those that were."""
        stored = [(one.argument, one.source, one.value) for one in self.instance.bindings.all()]
        if stored == [(one.argument, one.source, one.value) for one in self.said]:
            return
        self.instance.bindings.all().delete()
        for one in self.said:
            one.step = self.instance
            one.save()


class StepFormSet(RowFormSet):
    """The steps."""

    part = "steps"

    def offer(self) -> Any:
        """Everything that a step can do on the page."""
        return choices.steps(self.whole.page)

    def save(self, commit: bool = True) -> list[Any]:
        """Store the steps, then the bindings of each."""
        steps = super().save(commit)
        if commit:
            for form in self.live_forms:
                if isinstance(form, StepForm) and form.instance.pk is not None:
                    form.save_bindings()
        return steps
