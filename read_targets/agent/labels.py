"""A text in each language of the site, filled in as one input a language and stored as one JSON object."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.template.loader import get_template
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _


def text_of(texts: dict[str, str] | None, fallback: str, language: str | None = None) -> str:
    """Return the text in `language` (default: the active one), else in the site's own language, else `fallback`."""
    texts = texts or {}
    language = language or get_language() or settings.LANGUAGE_CODE
    tried = (language, language.partition("-")[0], settings.LANGUAGE_CODE, settings.LANGUAGE_CODE.partition("-")[0])
    return next((texts[code] for code in tried if texts.get(code)), fallback)


class LabelWidget(forms.MultiWidget):
    """One text input for each language, named by it."""

    template_name = "read_targets/widgets/label.html"
    use_fieldset = True

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        widgets: dict[str, forms.Widget | type[forms.Widget]] = {
            code: forms.TextInput({"lang": code, "aria-label": str(name)}) for code, name in settings.LANGUAGES
        }
        super().__init__(widgets, attrs)

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> str:
        """Render with the site's own templates: the default form renderer looks only inside of the apps."""
        return get_template(template_name).render(context)

    def decompress(self, value: Any) -> list[str]:
        """Split the stored object into its languages."""
        return [(value or {}).get(code, "") for code, _name in settings.LANGUAGES]

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Give each input the name of its language."""
        context = super().get_context(name, value, attrs)
        for one, (code, label) in zip(context["widget"]["subwidgets"], settings.LANGUAGES, strict=True):
            one["language"], one["language_code"] = label, code
        return context


class LabelFormField(forms.MultiValueField):
    """The form field of a label: a text a language, none of them needed."""

    widget = LabelWidget

    def __init__(self, *, max_length: int = 200, **kwargs: Any) -> None:
        for name in ("encoder", "decoder"):
            kwargs.pop(name, None)
        fields = [forms.CharField(required=False, max_length=max_length) for _code, _name in settings.LANGUAGES]
        super().__init__(fields, require_all_fields=False, **kwargs)

    def compress(self, data_list: list[str]) -> dict[str, str]:
        """Join the languages into the object that is stored, without the empty ones."""
        given = zip(settings.LANGUAGES, data_list or [], strict=False)
        return {code: text.strip() for (code, _name), text in given if text and text.strip()}

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare by what would be stored."""
        return bool(super().has_changed(initial, data))


class LabelField(models.JSONField):
    """A text per language: `{"en": "Cash transactions", "ko": "입출금"}`; empty where the key is label enough."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("default", dict)
        kwargs.setdefault("blank", True)
        super().__init__(*args, **kwargs)

    def formfield(self, **kwargs: Any) -> Any:
        """A text input for each language."""
        given = {"form_class": LabelFormField, "show_hidden_initial": False, **kwargs, "widget": LabelWidget}
        return models.Field.formfield(self, **given)

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        """Refuse what is no object of texts."""
        super().validate(value, model_instance)
        if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
            raise ValidationError(_("A label is a text for each language."))
