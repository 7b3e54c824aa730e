"""The rows that single grants permit, in the SQL that answers soonest.

Which shape that is depends on the question, the database and how many grants there are, by factors of up to a thousand
(docs/performance.md has the figures):

* To add up many rows, or to find the first ones where grants are few, the granted keys come first: `id IN (…)`. Two
  sources of grants are a distinct union, so that a row granted twice counts once and PostgreSQL estimates its size right.
* To find the first rows where grants are many, the rows come first, in their order, and of each it is asked whether it
  is granted. PostgreSQL turns `EXISTS … OR EXISTS …` into a hash of all grants, and so is asked in a form that it
  cannot turn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Permission
from django.db import connections
from django.db.models import (
    Case,
    Exists,
    F,
    IntegerField,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    UUIDField,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Replace
from django.db.models.lookups import Exact
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

from ..lists.expressions import Written

SPARSE = 700
"""Grants, for each root of a first row that is wanted, up to which the granted keys come first.

Reading the granted rows costs as much as there are grants; walking the rows in order as much as the wanted rows times
the rows for each grant. For the first 20 of a million rows the two meet at some 3,000 grants (measured)."""


@dataclass(frozen=True)
class Arm:
    """The grants that a person holds in one way, in person or by groups, and how their table names its object."""

    grants: QuerySet[Any]
    is_generic: bool

    def keys(self, model: type[Model], right: int) -> QuerySet[Any]:
        """The keys of the granted objects, typed as the model's own key so that its index serves them."""
        if not self.is_generic:
            return self.grants.values_list("content_object_id", flat=True)
        key = key_field(model)
        text: Any = F("object_pk")
        if isinstance(key, UUIDField) and not connections[self.grants.db].features.has_native_uuid_field:
            text = Replace(text, Value("-"), Value(""))
        # PostgreSQL may cast before it filters, and the table holds the keys of other models: only CASE has an order.
        typed = Case(When(permission=right, then=Cast(text, key.__class__())))
        return self.grants.annotate(object_key=typed).values_list("object_key", flat=True)

    def of_row(self, model: type[Model]) -> QuerySet[Any]:
        """The grants on the row of the query around it."""
        if not self.is_generic:
            return self.grants.filter(content_object=OuterRef("pk"))
        written: Any = Cast(OuterRef("pk"), TextField())
        if isinstance(key_field(model), UUIDField) and not connections[self.grants.db].features.has_native_uuid_field:
            written = Written(OuterRef("pk"))
        return self.grants.filter(object_pk=written)


@dataclass(frozen=True)
class Granted:
    """The single grants of one right on objects of a model that a person and their groups hold."""

    model: type[Model]
    right: int
    arms: tuple[Arm, ...]

    def among(self, queryset: QuerySet[Any], first: int = 0) -> QuerySet[Any]:
        """Return the granted objects of `queryset`, to be read all, or (`first`) only so many in some order."""
        arms, is_sparse = self._weighed(first)
        if not arms:
            return queryset.none()
        if first and not is_sparse:
            return _each_asked(queryset, [arm.of_row(self.model) for arm in arms])
        return self.by_key(queryset, arms)

    def by_key(self, queryset: QuerySet[Any], arms: tuple[Arm, ...] = ()) -> QuerySet[Any]:
        """Return the granted objects of `queryset` by their keys, without a look at how many grants there are."""
        keys = [arm.keys(self.model, self.right).using(queryset.db) for arm in arms or self.arms]
        return queryset.filter(pk__in=keys[0].union(*keys[1:]) if keys[1:] else keys[0])

    def _weighed(self, first: int) -> tuple[tuple[Arm, ...], bool]:
        """Return the arms that hold anything, and whether they hold few for so many first rows; in one statement."""
        few = int(SPARSE * math.sqrt(first))
        counts = [_Many(arm.grants.order_by().values("pk")[: few + 1]) for arm in self.arms]
        found = Permission._base_manager.filter(pk=self.right).values_list(*counts).first() or ()
        held = tuple(arm for arm, many in zip(self.arms, found, strict=False) if many)
        return held, sum(found) <= few


def granted(user: Any, groups: list[Any], model: type[Model], right: int) -> Granted:
    """Return the grants of `right` that the person holds on objects of `model`, in person and by `groups` (keys)."""
    own = get_user_obj_perms_model(model)
    arms = [Arm(own._base_manager.filter(permission=right, user=user), is_generic(own))]
    if groups:
        theirs = get_group_obj_perms_model(model)
        arms.append(Arm(theirs._base_manager.filter(permission=right, group__in=groups), is_generic(theirs)))
    return Granted(model, right, tuple(arms))


def is_generic(grants: type[Model]) -> bool:
    """Whether a table of grants holds those of every model, with the keys of their objects as text."""
    return any(one.name == "object_pk" for one in grants._meta.get_fields())


def key_field(model: type[Model]) -> Any:
    """The field that holds the model's key, through as many parents as it has."""
    key: Any = model._meta.pk
    while key.is_relation:
        key = key.target_field
    return key


class _Many(Subquery):
    """How many rows a sub-select has."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS _many)"
    output_field = IntegerField()


def _each_asked(queryset: QuerySet[Any], grants: list[QuerySet[Any]]) -> QuerySet[Any]:
    if connections[queryset.db].vendor == "postgresql":
        found = [Subquery(one.values(there=Value(1))[:1], output_field=IntegerField()) for one in grants]
        return queryset.filter(Exact(Coalesce(*found, Value(0)), 1))
    is_granted = Q()
    for one in grants:
        is_granted |= Q(Exists(one))
    return queryset.filter(is_granted)
