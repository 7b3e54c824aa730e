"""An id becomes an object only here: of the declared type, and only as far as the person may read it."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Model

from read_targets.cards.words import quoted_words
from read_targets.policies import Actor, readable, shown_fields

from .refusals import object_unreadable

LONGEST_KEY = 200


def model_of(type_label: str) -> type[Model] | None:
    """Return the model that a type names as `app.model`, None where there is none."""
    app_label, _, name = type_label.partition(".")
    try:
        return apps.get_model(app_label, name)
    except (LookupError, ValueError):
        return None


def type_of(obj: Model | type[Model]) -> str:
    """Return a model, or an object's, as types name it: `factory.tenant`."""
    return obj._meta.label_lower


def find_object(actor: Actor, type_label: str, key: Any) -> Model | None:
    """Return the object of that type and key, None alike where there is none and where the person may not read it."""
    model = model_of(type_label)
    text = str(key)
    if model is None or not text or len(text) > LONGEST_KEY or "\0" in text:
        return None
    try:
        value = model._meta.pk.to_python(text)
    except ValidationError:
        return None
    if str(value) != text and not isinstance(value, UUID):
        # "1_0" and "１" are whole numbers to Python, and to nobody else: an id is read and never guessed at.
        return None
    return readable(actor, model).filter(pk=value).first()


def access_object(actor: Actor, type_label: str, key: Any) -> Model:
    """Return the object as `find_object` does; raises Refused where it does not."""
    found = find_object(actor, type_label, key)
    if found is None:
        raise object_unreadable()
    return found


def lock_object(type_label: str, key: str) -> None:
    """Wait for the row of that type and key, if there is one, and lock it until the open transaction ends.

    Whose it is to read is asked afterwards, as it then stands.
    """
    model = model_of(type_label)
    if model is not None:
        model._base_manager.select_for_update(of=("self",)).filter(pk=key).values_list("pk").first()


def is_there(obj: Model) -> bool:
    """Whether the object is still there, for whomever."""
    return type(obj)._base_manager.filter(pk=obj.pk).exists()


def version_of(obj: Model) -> str:
    """Return a digest that differs as soon as any of the object's own columns does."""
    values = [(field.attname, repr(getattr(obj, field.attname))) for field in obj._meta.concrete_fields]
    return hashlib.sha256(repr(values).encode()).hexdigest()


def name_of(obj: Model) -> str:
    """Return what the object calls itself, made fit to be quoted: a stranger may have chosen the words."""
    return quoted_words(str(obj))


def told(obj: Model) -> dict[str, str]:
    """Return the object as answers tell it: its type, its id and its name."""
    return {"type": type_of(obj), "id": str(obj.pk), "name": name_of(obj)}


def may_be_told(field: Any) -> bool:
    """Whether a value of the field may be told of an object that a person may read: its key, or what a list shows."""
    return bool(field.primary_key) or field.name in shown_fields(field.model)


WITHHELD = object()
"""Stands for a value behind an object that the person may not read."""


def value_at(actor: Actor, obj: Model, path: str) -> Any:
    """Return the value at a dotted path of the object's fields, across to-one relations as far as the person may read.

    None where a relation is empty, WITHHELD where it leads to what they may not read, and for a field that no list of
    the application shows. Raises FieldDoesNotExist for a path that the model does not have.
    """
    current: Any = obj
    for name in path.split("."):
        if current is None or current is WITHHELD:
            return current
        field = current._meta.get_field(name)
        if field.auto_created and not field.concrete:
            raise FieldDoesNotExist(name)
        if not field.is_relation:
            current = getattr(current, field.attname) if may_be_told(field) else WITHHELD
            continue
        key = getattr(current, field.attname)
        if key is None:
            return None
        related = field.related_model
        current = readable(actor, related).filter(**{field.target_field.name: key}).first() or WITHHELD
    return current
