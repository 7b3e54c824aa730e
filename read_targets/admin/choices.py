"""What the admin's selects offer: lists, paths, operators, screens and permissions, by the names that are stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.apps import apps
from django.contrib.auth.models import Permission
from django.template.loader import get_template
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..declaration.naming import kebab
from ..declaration.routes import screen_names
from ..declaration.shapes import Shape
from ..lists import registered_lists
from ..models import Kind, Operator

Choices = list[tuple[Any, Any]]

OTHER_SHAPE = "*"
"""The choice of a list that is not registered, but read through a GraphQL document; no list can have this name."""


class Offered(forms.Select):
    """A select in one template: Django's own takes one for each option, and a target's page has thousands of them."""

    template_name = "read_targets/widgets/select.html"

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> str:
        return get_template(template_name).render(context)


def lists() -> Choices:
    """The registered lists, by application."""
    groups: dict[str, Choices] = {}
    for one in registered_lists():
        app = str(apps.get_app_config(one.model._meta.app_label).verbose_name)
        records = capfirst(str(one.model._meta.verbose_name_plural))
        groups.setdefault(app, []).append((one.name, f"{records} ({one.name})"))
    return list(groups.items())


def plain(names: Iterable[str]) -> Choices:
    """Names that are their own labels."""
    return [(name, name) for name in names]


def kinds() -> Choices:
    """The kinds, and the choice to take the list's own."""
    return [("", _("as in the list")), *Kind.choices]


def operators(shape: Shape | None) -> Choices:
    """The operators that go with any filtered path of the list."""
    known = set(Operator.values)
    if shape is not None and shape.says_paths:
        known = {operator for path in shape.filtered for operator in shape.operators(path)}
    return [("", "---------"), *(choice for choice in Operator.choices if choice[0] in known)]


def orders(paths: Sequence[str]) -> Choices:
    """Each path in both directions, as an order spells them."""
    up, down = _("ascending"), _("descending")
    pairs = [[(path, f"{path} ({up})"), (f"-{path}", f"{path} ({down})")] for path in paths]
    return [("", "---------"), *(choice for pair in pairs for choice in pair)]


def screens() -> Choices:
    """The application's screens: those named after a registered list first."""
    named = {f"{one.model._meta.app_label}:{kebab(one.name)}" for one in registered_lists()}
    every = screen_names()
    groups = [
        (_("Screens of lists"), plain(name for name in every if name in named)),
        (_("Other screens"), plain(name for name in every if name not in named)),
    ]
    return [("", _("no screen")), *((label, choices) for label, choices in groups if choices)]


def view_permissions() -> Choices:
    """The rights to view a model, as `app.codename`."""
    found = Permission.objects.filter(codename__startswith="view_").order_by("content_type__app_label", "codename")
    return [
        ("", "---------"),
        *plain(f"{app}.{codename}" for app, codename in found.values_list("content_type__app_label", "codename")),
    ]


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
