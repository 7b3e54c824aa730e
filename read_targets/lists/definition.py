"""A list as the application declares it: a model, a name, and the paths it lets be used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.db import models

from .compiled import Known
from .order import Order, order_of

NEVER_BY_DEFAULT = frozenset({"password"})
"""Fields that a list shows only where its declaration spells them out."""

_GRAPHQL_NAME = re.compile(r"(?!__)[_A-Za-z][_0-9A-Za-z]*")

_KINDS: tuple[tuple[type[models.Field[Any, Any]], str], ...] = (
    (models.BooleanField, "boolean"),
    (models.DecimalField, "number"),
    (models.FloatField, "number"),
    (models.IntegerField, "integer"),
    (models.DateField, "date"),  # and DateTimeField, its subclass
    (models.CharField, "string"),
    (models.TextField, "string"),
    (models.UUIDField, "string"),
    (models.GenericIPAddressField, "string"),
)


def is_text(field: models.Field[Any, Any]) -> bool:
    """Whether a column itself holds text, not an identifier or address that is written as one."""
    return isinstance(field, (models.CharField, models.TextField))


@dataclass(frozen=True)
class ListPath:
    """A dotted path from the list's model to a value: `amount`, or `account.name` across to-one relations."""

    path: str
    kind: str
    field: models.Field[Any, Any]
    hops: tuple[tuple[str, type[models.Model]], ...]
    nullable: bool

    @property
    def lookup(self) -> str:
        """The path as Django's ORM spells it."""
        return self.path.replace(".", "__")

    @property
    def is_moment(self) -> bool:
        """Whether the value is a point in time rather than a day."""
        return isinstance(self.field, models.DateTimeField)

    @property
    def is_text(self) -> bool:
        """Whether the column itself holds text."""
        return is_text(self.field)

    @property
    def scale(self) -> int | None:
        """Digits behind the point: a decimal's own, 0 for an integer, None where the column is inexact."""
        if isinstance(self.field, models.DecimalField):
            return self.field.decimal_places
        return 0 if self.kind == "integer" else None

    @property
    def values(self) -> tuple[str, ...]:
        """The values of an enum, as they are stored."""
        return tuple(str(value) for value, _ in self.field.flatchoices) if self.kind == "enum" else ()

    @property
    def label(self) -> str:
        """The application's own name for the value."""
        hop = f"{self.hops[-1][1]._meta.verbose_name} " if self.hops else ""
        return f"{hop}{self.field.verbose_name}"


@dataclass(frozen=True)
class ListDefinition:
    """A list of the application, and the only source of its rows for every door.

    `name` is the list's GraphQL root field. `shown` are the paths that may be shown, as a tuple or one spaced string;
    without it, every plain field of the model. `filtered`, `sorted` and `grouped` default to `shown`; `searched` are
    the text paths that free words are looked for in. `order` is the list's own order, `-` for descending; the
    primary key always ends it. `queryset(actor)` gives the application's own scope, such as a tenant's rows.

    Raises ImproperlyConfigured for a path that the model does not have, or that crosses a to-many relation.
    """

    name: str
    model: type[models.Model]
    shown: str | Iterable[str] | None = None
    filtered: str | Iterable[str] | None = None
    sorted: str | Iterable[str] | None = None
    grouped: str | Iterable[str] | None = None
    searched: str | Iterable[str] = ()
    order: str | Iterable[str] = ()
    queryset: Callable[[Any], models.QuerySet[Any]] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        shown = _paths(self.shown) if self.shown is not None else self._plain_fields()
        for name in ("filtered", "sorted", "grouped"):
            given = getattr(self, name)
            object.__setattr__(self, name, shown if given is None else _paths(given))
        object.__setattr__(self, "shown", shown)
        object.__setattr__(self, "searched", _paths(self.searched))
        object.__setattr__(self, "order", _paths(self.order))
        if not _GRAPHQL_NAME.fullmatch(self.name):
            raise ImproperlyConfigured(f"The list name {self.name!r} is not a GraphQL field name.")
        for path in self.every_path:
            self._resolve(path)
        for path in self.searched:
            if self.path(path).kind not in ("string", "enum"):
                raise ImproperlyConfigured(f"The list {self.name!r} searches {path!r}, which is no text.")

    @property
    def every_path(self) -> tuple[str, ...]:
        """Every path that the list uses in any way, once each, in the order of declaration."""
        ordered = [one.path for one in self.own_order]
        parts = (self.shown, self.filtered, self.sorted, self.grouped, self.searched, ordered)
        return tuple(dict.fromkeys(path for part in parts for path in part or ()))

    @cached_property
    def own_order(self) -> tuple[Order, ...]:
        """The list's own order, which its key ends."""
        return order_of(self.order)

    @cached_property
    def known(self) -> Known[Any]:
        """The statements that were compiled for questions to the list."""
        return Known()

    @cached_property
    def view_permission(self) -> str:
        """The application's own right to view a row: the list's door."""
        return f"{self.model._meta.app_label}.view_{self.model._meta.model_name}"

    @cached_property
    def paths(self) -> dict[str, ListPath]:
        """Every path of the list, resolved against its model."""
        return {path: self._resolve(path) for path in self.every_path}

    def path(self, path: str) -> ListPath:
        """Return one path of the list; raises KeyError for a path that is not declared."""
        return self.paths[path]

    def _plain_fields(self) -> tuple[str, ...]:
        return tuple(
            one.name
            for one in self.model._meta.concrete_fields
            if not one.primary_key
            and not one.is_relation
            and one.name not in NEVER_BY_DEFAULT
            and _kind_of(one) is not None
        )

    def _resolve(self, path: str) -> ListPath:
        model, hops, nullable = self.model, [], False
        *relations, last = path.split(".")
        for position, relation in enumerate(relations, 1):
            one = self._field(model, relation, path)
            if not (one.many_to_one or one.one_to_one) or not one.concrete:
                raise ImproperlyConfigured(
                    f"The list {self.name!r}: {path!r} crosses {relation!r}, which is no to-one relation."
                )
            model = one.related_model
            nullable = nullable or one.null
            hops.append(("__".join(relations[:position]), model))
        one = self._field(model, last, path)
        kind = _kind_of(one)
        if kind is None:
            raise ImproperlyConfigured(f"The list {self.name!r}: {path!r} is a {type(one).__name__}, of no known kind.")
        return ListPath(path, kind, one, tuple(hops), nullable or one.null)

    def _field(self, model: type[models.Model], name: str, path: str) -> Any:
        try:
            return model._meta.get_field(name)
        except FieldDoesNotExist:
            raise ImproperlyConfigured(
                f"The list {self.name!r}: {path!r} names {name!r}, which {model._meta.label} does not have."
            ) from None


def _paths(given: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(given.split() if isinstance(given, str) else given)


def _kind_of(one: Any) -> str | None:
    if one.is_relation or not one.concrete:
        return None
    if is_text(one) and one.flatchoices:
        return "enum"
    if isinstance(one, models.FileField):
        return None
    return next((kind for base, kind in _KINDS if isinstance(one, base)), None)
