"""The rules for the object that a command takes: its type, where it comes from, and the right to be held on it."""

from __future__ import annotations

from collections.abc import Iterator

from django.apps import apps
from django.contrib.auth.models import Permission
from django.db.models import Model
from django.utils.translation import gettext as _

from .declared import Declared
from .problem import Problem, listed, there_are


def type_labels() -> list[str]:
    """Return every installed model as types name it: `factory.tenant`."""
    return sorted(model._meta.label_lower for model in apps.get_models())


def permissions_of(model: type[Model]) -> list[str]:
    """Return the permissions (`app.codename`) that the model declares, with those of the models it extends.

    What a model does not declare may be another's, whose grants are on other objects of the same key.
    """
    extended = dict.fromkeys([model, *model._meta.get_parent_list(), model._meta.concrete_model or model])
    return list(dict.fromkeys(name for one in extended for name in own_permissions(one)))


def own_permissions(model: type[Model]) -> list[str]:
    """Return the permissions (`app.codename`) that the model itself declares."""
    options = model._meta
    names = [f"{action}_{options.model_name}" for action in options.default_permissions]
    return [f"{options.app_label}.{name}" for name in (*names, *(name for name, _label in options.permissions))]


def of_object(whole: Declared, in_database: bool) -> Iterator[Problem]:
    """What is wrong with the object that the command takes, if it takes one."""
    command = whole.command
    if not command.input_type:
        hint = _("Choose the type of its object, or leave this empty.")
        for field in ("input_description", "input_channel", "input_permission"):
            if getattr(command, field):
                yield Problem(field, _("The command takes no object."), hint)
        return
    if whole.model is None:
        message = _("The site has no model “%(name)s”.") % {"name": command.input_type}
        yield Problem("input_type", message, there_are(type_labels(), command.input_type))
    else:
        yield from _of_permission(command.input_permission, whole.model, in_database)
    yield from _of_channel(whole)


def _of_permission(permission: str, model: type[Model], in_database: bool) -> Iterator[Problem]:
    known = permissions_of(model)
    said = {"name": permission, "model": model._meta.label_lower}
    hint = _("It has %(names)s.") % {"names": listed(known, permission)}
    if not permission:
        message = _("No permission on the object is named, so every object would be refused.")
        yield Problem("input_permission", message, hint)
    elif permission not in known:
        yield Problem("input_permission", _("%(model)s has no permission “%(name)s”.") % said, hint)
    elif in_database:
        app_label, _dot, codename = permission.partition(".")
        if not Permission.objects.filter(content_type__app_label=app_label, codename=codename).exists():
            hint = _("It is made by manage.py migrate.")
            yield Problem("input_permission", _("The permission “%(name)s” is not stored.") % said, hint)


def _of_channel(whole: Declared) -> Iterator[Problem]:
    command = whole.command
    if not command.input_channel:
        return
    fitting = [one.name for one in whole.channels if one.type == command.input_type]
    channel = whole.channel(command.input_channel)
    said = {"name": command.input_channel, "type": command.input_type}
    if channel is None:
        hint = there_are(fitting, command.input_channel) if fitting else _("The page has none of %(type)s.") % said
        yield Problem("input_channel", _("The page has no channel “%(name)s”.") % said, hint)
    elif channel.type != command.input_type:
        hint = _("Choose one of %(names)s.") % {"names": listed(fitting)} if fitting else _("Leave it empty.")
        message = _("The channel “%(name)s” holds %(held)s, and the command takes %(type)s.")
        yield Problem("input_channel", message % {**said, "held": channel.type}, hint)
