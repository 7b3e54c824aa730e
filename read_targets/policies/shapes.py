"""The rows that single grants permit, in the SQL that answers soonest.

Which shape that is depends on the question, the database and how many grants there are, by factors of up to a thousand
(docs/performance.md has the figures):

* To add up many rows, or to find the first ones where grants are few, the granted keys come first: `id IN (…)`. Two
  sources of grants are a distinct union: a row granted twice counts once, and PostgreSQL estimates its size right.
* To find the first rows where grants are many, the rows come first, in their order, and of each it is asked whether it
  is granted. PostgreSQL turns `EXISTS … OR EXISTS …` into a hash of all grants, and so is asked in a form that it
  cannot turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
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
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast, Coalesce, Replace
from django.db.models.lookups import Exact
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

from ..lists.statement import Statement
from ..lists.texts import Written

SPARSE = 700
"""Grants, for each root of a first row that is wanted, up to which the granted keys come first.

Reading the granted rows costs as much as there are grants; walking the rows in order as much as the wanted rows times
the rows for each grant. For the first 20 of a million rows the two meet at some 3,000 grants (measured)."""

FIRST_ROWS = 20
"""The first rows that most calls want: grants are counted far enough for these, whatever else is asked of them."""


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


class _Way(NamedTuple):
    """How granted rows are found: through which arms, and whether each row is asked, or by their keys."""

    own: bool
    by_groups: bool
    is_each_asked: bool


class Granted:
    """The single grants of one right that a person holds on objects of a model, in person and by their groups.

    Remembers how many there are, so make one for each call.
    """

    def __init__(self, user: Any, groups: list[Any], model: type[Model], right: int) -> None:
        self.user, self.groups, self.model, self.right = user, groups, model, right
        self._few, self._counts = -1, (0, 0)
        self._held: tuple[bool, bool] | None = None

    def __bool__(self) -> bool:
        """Whether there is any grant at all: the right's door."""
        return any(self._counted(FIRST_ROWS))

    def among(self, queryset: QuerySet[Any], first: int = 0) -> QuerySet[Any]:
        """Return the granted objects of `queryset`, to be read all, or (`first`) only so many in some order."""
        way = self._way(first)
        if not way.own and not way.by_groups:
            return queryset.none()
        if way.is_each_asked:
            return _each_asked(queryset, [arm.of_row(self.model) for arm in self._arms(way.own, way.by_groups)])
        return self._by_key(queryset, way.own, way.by_groups)

    def shape(self, first: int = 0) -> Hashable | None:
        """Return all that decides what `among` makes of a queryset, values included; None where nothing is granted."""
        way = self._way(first)
        return (way, self.user, tuple(self.groups), self.right) if way.own or way.by_groups else None

    def _way(self, first: int) -> _Way:
        own, by_groups = self._counted(first or FIRST_ROWS)
        if self._held is None:
            # Counting further must not find another arm: what was made of the first count stands in the same statement.
            self._held = own > 0, by_groups > 0
        return _Way(*self._held, is_each_asked=bool(first) and own + by_groups > _few(first))

    def by_key(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the granted objects of `queryset` by their keys, without a look at how many grants there are."""
        return self._by_key(queryset, True, bool(self.groups))

    def _by_key(self, queryset: QuerySet[Any], own: bool, by_groups: bool) -> QuerySet[Any]:
        statement = _keys(self.model, self.right, own, len(self.groups) if by_groups else 0)
        sql, parameters = statement.sql(queryset.db, user=self.user, **by_name(self.groups))
        return queryset.filter(pk__in=RawSQL(sql, parameters))  # noqa: S611  # what Django compiled, values apart

    def _arms(self, own: bool, by_groups: bool) -> list[Arm]:
        return arms_of(self.user if own else None, self.groups if by_groups else [], self.model, self.right)

    def _counted(self, first: int) -> tuple[int, int]:
        """Return how many grants each arm holds, counted no further than it takes to tell few from many."""
        if _few(first) > self._few and sum(self._counts) >= self._few:
            self._few = _few(first)
            statement = _counting(self.model, self.right, len(self.groups), self._few + 1)
            own, *by_groups = next(iter(statement.rows(user=self.user, **by_name(self.groups))), (0, 0))
            self._counts = own, sum(by_groups)
        return self._counts


def arms_of(user: Any, groups: list[Any], model: type[Model], right: int) -> list[Arm]:
    """Return the grants of `right` on objects of `model` to a person (None: nobody) and to `groups`, all by key."""
    arms = []
    if user is not None:
        own = get_user_obj_perms_model(model)
        arms.append(Arm(own._base_manager.filter(permission=right, user=user), is_generic(own)))
    if groups:
        theirs = get_group_obj_perms_model(model)
        arms.append(Arm(theirs._base_manager.filter(permission=right, group__in=groups), is_generic(theirs)))
    return arms


@lru_cache(maxsize=1_000)
def _counting(model: type[Model], right: int, groups: int, most: int) -> Statement:
    """The statement that counts the grants of each arm, up to `most`."""

    def build(user: Any, **groups: Any) -> QuerySet[Any, Any]:
        arms = arms_of(user, [*groups.values()], model, right)
        counts = [_Many(arm.grants.order_by().values("pk")[:most]) for arm in arms]
        return Permission._base_manager.order_by().filter(pk=right).values_list(*counts)

    return Statement(build, **_fields(True, groups))


@lru_cache(maxsize=1_000)
def _keys(model: type[Model], right: int, own: bool, groups: int) -> Statement:
    """The statement that gives the keys of granted objects, each once: by grants of their `own`, and by `groups`."""

    def build(user: Any = None, **groups: Any) -> QuerySet[Any, Any]:
        keys = [arm.keys(model, right) for arm in arms_of(user, [*groups.values()], model, right)]
        return keys[0].union(*keys[1:]) if keys[1:] else keys[0]

    return Statement(build, **_fields(own, groups))


@lru_cache(maxsize=1_000)
def keys_statement(objects: Callable[[], QuerySet[Any]], right: int | None, groups: int) -> Statement:
    """The statement that gives the keys of those of `objects` on which a person with so many groups is granted `right`.

    Without a right, of all of them.
    """

    def build(user: Any = None, **groups: Any) -> QuerySet[Any, Any]:
        found = objects().order_by()
        if right is not None:
            found = Granted(user, [*groups.values()], found.model, right).by_key(found)
        return found.values_list("pk")

    return Statement(build, **_fields(right is not None, groups))


def _fields(own: bool, groups: int) -> dict[str, Any]:
    """The fields whose values a statement takes: the person's key, and those of so many groups."""
    person = {"user": get_user_model()._meta.pk} if own else {}
    return person | {f"group{number}": Group._meta.pk for number in range(groups)}


def by_name(groups: list[Any]) -> dict[str, Any]:
    """The keys of a person's groups, under the names by which statements take them."""
    return {f"group{number}": key for number, key in enumerate(groups)}


def _few(first: int) -> int:
    return int(SPARSE * math.sqrt(first))


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
