"""What a person sets on their desk."""

from __future__ import annotations

import zoneinfo
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from ..conf import imported
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
