"""What the admin's selects offer: models, permissions, code, channels and steps, by the names that are stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.apps import apps
from django.template.loader import get_template
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..code import Sort, registered_code
from ..declaration.declared import rows
from ..declaration.object_rules import own_permissions
from ..declaration.takes import Action, actions
from ..models import Channel, CommandStep, Page

Choices = list[tuple[Any, Any]]

EMPTY = ("", "---------")


class Offered(forms.Select):
    """A select in one template: Django's own takes one for each option, and a site may have hundreds of models."""

    template_name = "read_targets/widgets/select.html"

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> str:
        return get_template(template_name).render(context)


def offer(form: forms.BaseForm, name: str, choices: Choices) -> None:
    """Let the form's field `name` be chosen from `choices`.

    A value that is none of them (any more) stays in the select, saying so; whether it fits is judged on saving.
    """
    field = form.fields[name]
    stored = form.data.get(form.add_prefix(name)) if form.is_bound else form.get_initial_for_field(field, name)
    if stored and stored not in _values(choices):
        choices = [*choices, (stored, _("%(name)s (not there)") % {"name": stored})]
    # What belongs to a text input, its width and length, would be wrong of a select.
    attrs = {name: value for name, value in field.widget.attrs.items() if name not in ("class", "maxlength")}
    field.widget = Offered(attrs=attrs, choices=choices)
    field.widget.is_required = field.required


def _values(choices: Choices) -> set[str]:
    found: set[str] = set()
    for value, label in choices:
        found |= _values(label) if isinstance(label, list) else {value}
    return found


def types(empty: str = "") -> Choices:
    """The installed models, by application; `empty` is what choosing none says."""
    groups: Choices = [("", empty or EMPTY[1])]
    for config in sorted(apps.get_app_configs(), key=lambda config: str(config.verbose_name)):
        models = sorted(config.get_models(), key=lambda model: model._meta.label_lower)
        named = [
            (one._meta.label_lower, f"{capfirst(one._meta.verbose_name)} ({one._meta.label_lower})") for one in models
        ]
        if named:
            groups.append((str(config.verbose_name), named))
    return groups


def permissions() -> Choices:
    """The permissions that models declare, by model."""
    groups: Choices = [("", _("none: it takes no object"))]
    for model in sorted(apps.get_models(), key=lambda model: model._meta.label_lower):
        groups.append((model._meta.label_lower, [(name, name) for name in own_permissions(model)]))
    return groups


def codes(sort: Sort, empty: str = "") -> Choices:
    """The registered code of a sort, with the first line of its documentation and what it works on."""
    offered: Choices = [("", empty or EMPTY[1])]
    for code in registered_code(sort):
        label = f"{code.label} ({code.name})" if code.label else code.name
        offered.append((code.name, f"{label}: {code.accepts._meta.label_lower}" if code.accepts else label))
    return offered


def channels(held: Iterable[Channel], empty: str) -> Choices:
    """The channels of a page, each with the type of its object."""
    return [("", empty), *((one.name, f"{one.name} ({one.type})") for one in held)]


def steps(page: Page | None) -> Choices:
    """Everything that a step can do on a page, by kind; each says what it takes."""
    groups: dict[str, Choices] = {}
    labels = dict(CommandStep.Kind.choices)
    for action in actions(rows(page, "channels"), rows(page, "views")):
        group = capfirst(str(labels[action.kind]))
        groups.setdefault(group, []).append((action_value(action.kind, action.target), f"{group}: {_said(action)}"))
    return [EMPTY, *groups.items()]


def action_value(kind: str, target: str) -> str:
    """What a step does as one value: its kind and what it acts on."""
    return f"{kind} {target}"


def _said(action: Action) -> str:
    return f"{action.target} ({action.signature})" if action.takes else action.target
