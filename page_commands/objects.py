"""An id becomes an object only here: of the declared type, and only as far as the person may read it."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Model

from read_targets.cards.words import quoted_words
from read_targets.policies import Actor, readable

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


def find_object(actor: Actor, type_label: str, key: Any, *, lock: bool = False) -> Model | None:
    """Return the object of that type and key, None alike where there is none and where the person may not read it.

    With `lock` its row stays locked until the open transaction ends.
    """
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
    objects = readable(actor, model).filter(pk=value)
    return (objects.select_for_update(of=("self",)) if lock else objects).first()


def access_object(actor: Actor, type_label: str, key: Any, *, lock: bool = False) -> Model:
    """Return the object as `find_object` does; raises Refused where it does not."""
    found = find_object(actor, type_label, key, lock=lock)
    if found is None:
        raise object_unreadable()
    return found


def is_gone(type_label: str, key: str) -> bool:
    """Whether there is no object of that type and key (any more), for anybody. Not to be told to anybody."""
    model = model_of(type_label)
    return model is None or not model._base_manager.filter(pk=key).exists()


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


WITHHELD = object()
"""Stands for a value behind an object that the person may not read."""


def value_at(actor: Actor, obj: Model, path: str) -> Any:
    """Return the value at a dotted path of the object's fields, across to-one relations as far as the person may read.

    None where a relation is empty, WITHHELD where it leads to what they may not read. Raises FieldDoesNotExist for a
    path that the model does not have.
    """
    current: Any = obj
    for name in path.split("."):
        if current is None or current is WITHHELD:
            return current
        field = current._meta.get_field(name)
        if field.auto_created and not field.concrete:
            raise FieldDoesNotExist(name)
        if not field.is_relation:
            current = getattr(current, field.attname)
            continue
        key = getattr(current, field.attname)
        if key is None:
            return None
        related = field.related_model
        current = readable(actor, related).filter(**{field.target_field.name: key}).first() or WITHHELD
    return current
