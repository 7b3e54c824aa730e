"""What a list ought to answer, worked out by loops over objects in plain Python.

It knows Django's models and the tables of grants, and none of our code: a mistake there is not repeated here.
"""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db.models import DecimalField, Field, Model
from hypothesis import HealthCheck, settings


def steadily(max_examples: int) -> settings:
    """Return settings for a test that asks a database: the same examples each time, however long they take."""
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=max_examples, deadline=None, derandomize=True, suppress_health_check=checks)


WITHHELD = object()
"""Stands for a value that is there, but not for this person."""


class Rights:
    """What a person may do, read straight from the tables and remembered."""

    def __init__(self, user: Any) -> None:
        self.is_active = bool(user.is_authenticated and user.is_active)
        self.is_superuser = self.is_active and user.is_superuser
        self.everywhere: set[tuple[int, str]] = set()
        self.single: set[tuple[int, str, str]] = set()
        self._kinds: dict[type[Model], int] = {}
        if self.is_active:
            groups = list(user.groups.all())
            for holder in (user.user_permissions, *(group.permissions for group in groups)):
                self.everywhere |= {(one.content_type_id, one.codename) for one in holder.all()}
            self._collect("user_id", {user.pk})
            self._collect("group_id", {group.pk for group in groups})

    def _collect(self, holder: str, keys: set[Any]) -> None:
        for table in apps.get_models():
            columns = {one.attname for one in table._meta.concrete_fields}
            if not {holder, "permission_id"} <= columns or not columns & {"object_pk", "content_object_id"}:
                continue
            key = "object_pk" if "object_pk" in columns else "content_object_id"
            wanted = ("permission__content_type", "permission__codename", key)
            for kind, codename, named in table._base_manager.filter(**{f"{holder}__in": keys}).values_list(*wanted):
                self.single.add((kind, codename, str(named)))

    def kind_of(self, model: type[Model]) -> int:
        """Return the key of the model's content type."""
        if model not in self._kinds:
            options = model._meta
            self._kinds[model] = ContentType.objects.get(app_label=options.app_label, model=options.model_name).pk
        return self._kinds[model]

    def may(self, codename: str, obj: Model) -> bool:
        """Whether the person holds the right on the object."""
        kind = self.kind_of(type(obj))
        return self.is_superuser or (kind, codename) in self.everywhere or (kind, codename, str(obj.pk)) in self.single

    def may_view(self, obj: Model) -> bool:
        """Whether the person may view the object."""
        return self.may(f"view_{obj._meta.model_name}", obj)

    def remembered(self) -> Callable[[Model], bool]:
        """Return `may_view` for a test that asks it of the same objects over and over, and changes no grant."""
        known: dict[tuple[type[Model], Any], bool] = {}

        def may_view(obj: Model) -> bool:
            key = (type(obj), obj.pk)
            if key not in known:
                known[key] = self.may_view(obj)
            return known[key]

        return may_view

    def has_door(self, model: type[Model]) -> bool:
        """Whether the person may view at least one object of the model, or all that there might be."""
        codename, kind = f"view_{model._meta.model_name}", self.kind_of(model)
        if self.is_superuser or (kind, codename) in self.everywhere:
            return True
        return any(self.may_view(obj) for obj in model._base_manager.all())


@dataclass(frozen=True)
class Sum:
    """A column summed up exactly."""

    count: int
    sum: Fraction
    minimum: Any
    maximum: Any
    withheld: int

    def average(self, scale: int) -> Decimal | None:
        """The mean at `scale` digits and four more, half to even."""
        return half_even(self.sum / self.count, scale + 4) if self.count else None


def half_even(number: Fraction, digits: int) -> Decimal:
    """Return the number with so many digits behind its point; Python rounds a fraction half to even."""
    whole = round(number * 10**digits)
    return Decimal((int(whole < 0), tuple(int(one) for one in str(abs(whole))), -digits))


@dataclass
class Told:
    """A list's answer."""

    keys: list[Any]
    values: list[dict[str, Any]]
    sums: dict[str, Sum]
    groups: dict[Any, tuple[int, dict[str, Fraction]]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many rows there are."""
        return len(self.keys)


def viewed(objects: Iterable[Model], rights: Rights) -> list[Model]:
    """Return those that the person may view."""
    return [obj for obj in objects if rights.may_view(obj)]


def value_of(obj: Any, path: str, may_view: Callable[[Model], bool]) -> Any:
    """Walk a dotted path; WITHHELD at the first related object that the person may not view."""
    for position, name in enumerate(path.split(".")):
        if obj is None:
            return None
        if position and not may_view(obj):
            return WITHHELD
        obj = getattr(obj, name)
    return obj


def field_of(model: Any, path: str) -> Field[Any, Any]:
    """Return the model field at the end of a path."""
    *hops, last = path.split(".")
    for hop in hops:
        model = model._meta.get_field(hop).related_model
    found: Field[Any, Any] = model._meta.get_field(last)
    return found


def scale_of(model: Any, path: str) -> int:
    """Return the digits behind the point of a number."""
    found = field_of(model, path)
    return found.decimal_places if isinstance(found, DecimalField) else 0


def day_of(value: Any, zone: dt.tzinfo) -> dt.date:
    """Return the day on which a moment falls in the zone; a day itself."""
    return value.astimezone(zone).date() if isinstance(value, dt.datetime) else value


def fits(value: Any, operator: str, wanted: Any, zone: dt.tzinfo = dt.UTC) -> bool:
    """Whether `value operator wanted` holds. A null differs from every value and compares with none."""
    if value is WITHHELD:
        return False
    if operator == "isnull":
        return bool((value is None) == wanted)
    if operator == "ne":
        return not fits(value, "eq", wanted, zone)
    if value is None:
        return False
    if operator == "in":
        return any(fits(value, "eq", one, zone) for one in wanted)
    if isinstance(value, dt.date):
        value = day_of(value, zone)
        if operator in ("year", "month"):
            return bool(getattr(value, operator) == wanted)
        if operator == "period":
            return bool(f"{value.year:04}-{value.month:02}" == wanted)
    if operator in ("contains", "startswith"):
        return (
            _folded(wanted) in _folded(value) if operator == "contains" else _folded(value).startswith(_folded(wanted))
        )
    compared = {
        "eq": lambda: value == wanted,
        "gt": lambda: value > wanted,
        "gte": lambda: value >= wanted,
        "lt": lambda: value < wanted,
        "lte": lambda: value <= wanted,
    }
    return bool(compared[operator]())


def _folded(text: Any) -> str:
    return unicodedata.normalize("NFC", str(text)).lower()


def found(texts: Iterable[Any], words: str) -> bool:
    """Whether each word stands in at least one of the texts."""
    known = [_folded(text) for text in texts if text is not None and text is not WITHHELD]
    return all(any(_folded(word) in text for text in known) for word in words.split())


def tell(
    objects: Sequence[Any],
    may_view: Callable[[Model], bool],
    *,
    conditions: Iterable[tuple[str, str, Any]] = (),
    text: str = "",
    searched: Sequence[str] = (),
    order: Sequence[tuple[str, bool]] = (),
    shown: Sequence[str] = (),
    figures: Sequence[str] = (),
    group_by: str | None = None,
    zone: dt.tzinfo = dt.UTC,
) -> Told:
    """Return what a list of these permitted objects answers; each order term is a path and whether it descends."""

    def at(obj: Any, path: str) -> Any:
        return value_of(obj, path, may_view)

    kept = [
        obj
        for obj in objects
        if all(fits(at(obj, path), operator, wanted, zone) for path, operator, wanted in conditions)
        and (not text or found([at(obj, path) for path in searched], text))
    ]
    kept.sort(key=lambda obj: obj.pk, reverse=bool(order) and order[-1][1])
    for path, descends in reversed(order):
        known = [obj for obj in kept if at(obj, path) not in (None, WITHHELD)]
        unknown = [obj for obj in kept if at(obj, path) in (None, WITHHELD)]
        known.sort(key=lambda obj: at(obj, path), reverse=descends)
        kept = known + unknown
    told = Told(
        [obj.pk for obj in kept],
        [{path: at(obj, path) for path in shown} for obj in kept],
        {path: _sum([at(obj, path) for obj in kept]) for path in figures},
    )
    if group_by is not None:
        members: dict[Any, list[Any]] = {}
        for obj in kept:
            members.setdefault(_group_key(at(obj, group_by), zone), []).append(obj)
        told.groups = {
            key: (len(some), {path: _sum([at(obj, path) for obj in some]).sum for path in figures})
            for key, some in members.items()
        }
    return told


def _group_key(value: Any, zone: dt.tzinfo) -> Any:
    if isinstance(value, dt.date):
        day = day_of(value, zone)
        return f"{day.year:04}-{day.month:02}"
    return value


def _sum(values: Sequence[Any]) -> Sum:
    known = [value for value in values if value is not None and value is not WITHHELD]
    return Sum(
        len(known),
        sum((Fraction(value) for value in known), Fraction(0)),
        min(known, default=None),
        max(known, default=None),
        sum(value is WITHHELD for value in values),
    )
