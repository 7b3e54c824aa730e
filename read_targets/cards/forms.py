"""What a person sets on their desk, and says of a token that they make."""

from __future__ import annotations

import zoneinfo
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from ..agent.models import AgentToken, Toolset
from ..agent.registry import tools_of
from ..agent.tokens import MOST_DAYS
from ..conf import imported, setting
from ..policies import Actor
from ..preferences import Preference


class PreferenceForm(forms.ModelForm):
    """The person's time zone and language. What the company sets for them is shown and cannot be changed."""

    class Meta:
        model = Preference
        fields = ("time_zone", "language")
        labels = {"time_zone": gettext_lazy("Time zone"), "language": gettext_lazy("Language")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone, language = self.fields["time_zone"], self.fields["language"]
        zone.widget = forms.TextInput(
            {"list": "time-zones", "autocomplete": "off", "spellcheck": "false", "placeholder": settings.TIME_ZONE}
        )
        self.fields["language"] = forms.ChoiceField(
            choices=[("", _("As the site: %(name)s") % {"name": _own_name(settings.LANGUAGE_CODE)}), *_languages()],
            required=False,
            label=language.label,
        )
        hook = imported("PREFERENCES")
        given = hook(self.instance.user) if hook else (None, None)
        for name, value in zip(("time_zone", "language"), given, strict=True):
            if value:
                self.fields[name].disabled = True
                self.fields[name].help_text = _("Set for you by this site.")
                self.initial[name] = value

    @property
    def zones(self) -> list[str]:
        """The time zones that may be named."""
        return sorted(zoneinfo.available_timezones())

    def save(self, commit: bool = True) -> Preference:
        """Keep what was set, and nothing else of the row; what the company sets is not copied into it."""
        changed = {name: self.cleaned_data[name] for name, field in self.fields.items() if not field.disabled}
        Preference.objects.update_or_create(user=self.instance.user, defaults=changed)
        return Preference.objects.select_related("user").get(user=self.instance.user)


def _languages() -> list[tuple[str, str]]:
    return [(code, _own_name(code)) for code, _name in settings.LANGUAGES]


def _own_name(code: str) -> str:
    """A language's name as those who speak it write it."""
    try:
        return str(get_language_info(code)["name_local"])
    except KeyError:
        return code


class TokenForm(forms.Form):
    """A token that the person makes for one of their agents; what it reaches is said and never taken for granted."""

    ALL, SOME = "all", "some"

    name = forms.CharField(
        label=gettext_lazy("Name of the agent"), max_length=AgentToken._meta.get_field("name").max_length
    )
    days = forms.IntegerField(label=gettext_lazy("Good for, in days"), min_value=1, max_value=MOST_DAYS)
    reach = forms.ChoiceField(
        label=gettext_lazy("What it reaches"),
        widget=forms.RadioSelect,
        choices=(
            (ALL, gettext_lazy("All that I may use, and what I may use later")),
            (SOME, gettext_lazy("Only these sets of tools")),
        ),
    )
    toolsets = forms.ModelMultipleChoiceField(
        Toolset.objects.none(), label=gettext_lazy("Sets of tools"), required=False, widget=forms.CheckboxSelectMultiple
    )
    may_act = forms.BooleanField(label=gettext_lazy("It may act for me"), required=False)

    def __init__(self, person: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tools = tools_of(Actor(person))
        offered = Toolset.objects.filter(entries__tool_key__in={tool.key for tool in self.tools}).distinct()
        self.fields["toolsets"].queryset = offered  # type: ignore[attr-defined]  # of a choice among rows
        self.initial.setdefault("days", min(setting("TOKEN_DAYS"), MOST_DAYS))
        if not offered:
            self.fields["reach"].choices = self.fields["reach"].choices[:1]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Refuse a choice of sets without one, and sets beside the choice of all."""
        cleaned = super().clean() or self.cleaned_data
        reach, toolsets = cleaned.get("reach"), cleaned.get("toolsets")
        if reach == self.SOME and not toolsets and "toolsets" not in self.errors:
            self.add_error("toolsets", _("Choose at least one set."))
        if reach == self.ALL and toolsets:
            self.add_error("reach", _("Choose either all that you may use, or sets of tools."))
        return cleaned
