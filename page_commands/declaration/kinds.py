"""What a binding brings and what an argument takes: an object of a model, or a value of a plain type."""

from __future__ import annotations

import datetime as dt
import inspect
import types
import typing
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import models
from django.db.models import Model

from read_targets.agent import Argument, Unreadable
from read_targets.agent.declared import Kind

from ..objects import may_be_told

OF_PARAMETER: dict[str, type] = {
    Kind.STRING: str,
    Kind.ENUM: str,
    Kind.NUMBER: Decimal,
    Kind.INTEGER: int,
    Kind.BOOLEAN: bool,
    Kind.DATE: dt.date,
}
"""The type of a parameter's value, by its kind."""

_OF_FIELD: tuple[tuple[type[models.Field[Any, Any]], type], ...] = (
    (models.BooleanField, bool),
    (models.DateTimeField, dt.datetime),
    (models.DateField, dt.date),
    (models.DecimalField, Decimal),
    (models.FloatField, float),
    (models.IntegerField, int),
    (models.UUIDField, uuid.UUID),
    (models.CharField, str),
    (models.TextField, str),
)
"""The type of a field's value; the first that the field is one of."""

_ALSO_TAKES: dict[type, tuple[type, ...]] = {
    dt.date: (dt.datetime,),
    float: (int, Decimal),
    Decimal: (int,),
}
"""Types whose values do for another as well: every moment is a date, every whole number a number."""

PLAIN = (str, bool, int, float, Decimal, dt.date, dt.datetime, uuid.UUID)
"""The plain types that are told apart; an argument of another type takes what it is given."""


_READ_AS: dict[Any, str] = {plain: kind for kind, plain in OF_PARAMETER.items() if kind != Kind.ENUM}
"""The kind by which a constant is read for an argument of that type; for another type it stays a text."""


@dataclass(frozen=True)
class Brought:
    """What a binding brings: an object of `model`, a value of `plain`, or what nobody can say before the run.

    `values` are all that it may be, where they are known. A constant is a text, which is read as the type that is asked
    for. What `may_be_unset` is left out of the arguments when it is.
    """

    model: type[Model] | None = None
    plain: type | None = None
    values: tuple[str, ...] = ()
    is_constant: bool = False
    may_be_unset: bool = False

    @property
    def is_known(self) -> bool:
        """Whether it can be said what it is."""
        return self.model is not None or self.plain is not None

    def __str__(self) -> str:
        if self.model is not None:
            return self.model._meta.label_lower
        return self.plain.__name__ if self.plain is not None else "?"

    def is_object_of(self, model: type[Model]) -> bool:
        """Whether it is an object of `model`, as far as that can be said."""
        return not self.is_known or (self.model is not None and issubclass(self.model, model))

    def fits(self, annotation: Any) -> bool:
        """Whether an argument that is annotated so takes it, as far as that can be said."""
        if self.is_constant and _kinds_of(annotation):
            return _reads(self.values[0], annotation)
        return not self.is_known or any(self._is(one) for one in _alternatives(annotation))

    def _is(self, wanted: Any) -> bool:
        if isinstance(wanted, type) and issubclass(wanted, Model):
            return self.is_object_of(wanted)
        if wanted in PLAIN:
            return self.plain == wanted or self.plain in _ALSO_TAKES.get(wanted, ())
        return wanted is not type(None)


def read_constant(text: str, annotation: Any) -> Any:
    """Return a constant, which is stored as text, as the first plain type that an argument takes; raises Unreadable.

    It stays text for an argument that takes a text, or no plain type at all.
    """
    kinds = _kinds_of(annotation)
    if not kinds or Kind.STRING in kinds:
        return text
    for kind in kinds[:-1]:
        with suppress(Unreadable):
            return Argument("", kind).read(text)
    return Argument("", kinds[-1]).read(text)


def _kinds_of(annotation: Any) -> list[str]:
    """The kinds that a constant may be read as for an argument that is annotated so."""
    return [_READ_AS[one] for one in _alternatives(annotation) if one in _READ_AS]


def _reads(text: str, annotation: Any) -> bool:
    try:
        return read_constant(text, annotation) is not None
    except Unreadable:
        return False


def _alternatives(annotation: Any) -> Iterator[Any]:
    if annotation is inspect.Parameter.empty:
        yield Any
    elif isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        for one in typing.get_args(annotation):
            yield from _alternatives(one)
    elif typing.get_origin(annotation) is typing.Annotated:
        yield from _alternatives(typing.get_args(annotation)[0])
    else:
        yield annotation


def spelled(annotation: Any) -> str:
    """Return an annotation as an admin reads it: a model by its label."""
    names = []
    for one in _alternatives(annotation):
        if isinstance(one, type) and issubclass(one, Model):
            names.append(one._meta.label_lower)
        elif one is not type(None):
            names.append(getattr(one, "__name__", str(one)))
    return " | ".join(names)


def brought_by(model: type[Model], path: str) -> Brought | None:
    """Return what a path of fields brings, to-one relations joined by dots; None where there is no such field.

    An empty path is the object itself.
    """
    here = Brought(model)
    for name in path.split(".") if path else ():
        if here.model is None:
            return None
        found = _field(here.model, name)
        if found is None:
            return None
        here = found
    return here


def paths_of(model: type[Model], deep: int = 1) -> list[str]:
    """Return the paths that lead somewhere from an object of `model`, its own first, then those `deep` relations on."""
    own = [field for field in model._meta.get_fields() if _is_of_one(field)]
    names = [str(field.name) for field in own]
    if deep:
        for field in own:
            related = field.related_model if field.is_relation else None
            if isinstance(related, type):
                names.extend(f"{field.name}.{path}" for path in paths_of(related, deep - 1))
    return names


def _field(model: type[Model], name: str) -> Brought | None:
    found = next((field for field in model._meta.get_fields() if field.name == name and _is_of_one(field)), None)
    if found is None:
        return None
    if found.is_relation:
        related = found.related_model
        return Brought(related) if isinstance(related, type) else Brought()
    return Brought(plain=next((plain for kind, plain in _OF_FIELD if isinstance(found, kind)), None))


def _is_of_one(field: Any) -> bool:
    """Whether an object has one value of the field that may be told: a column of its own, or an object it refers to."""
    if not getattr(field, "concrete", False) or field.many_to_many:
        return False
    return bool(field.is_relation) or may_be_told(field)
