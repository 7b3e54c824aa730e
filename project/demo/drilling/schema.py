"""A list that was there before there were lists: its own arguments, its own rows, no sums and no groups.

An agent reads it page by page through its GraphQL document, and is told when that was not all of it.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

import graphene
from django.db.models import Case, CharField, F, Q, QuerySet, When
from graphene.types.generic import GenericScalar
from graphql import GraphQLError

from read_targets.policies import access_of, open_doors, view_permission

from .models import RigEvent, Well

FIELDS = {"id": "pk", "at": "at", "kind": "kind", "minutes": "minutes", "rig.name": "rig_name"}
OPERATORS = {"eq": "exact", "gte": "gte", "lte": "lte", "contains": "icontains"}
READERS: dict[str, Callable[[str], Any]] = {"pk": int, "minutes": Decimal}

MOST_ROWS = 200
"""Rows that one page may have."""


class ForeignFilter(graphene.InputObjectType):
    """One condition on id, at, kind, minutes or rig.name; the operator is eq, gte, lte or contains."""

    name = graphene.String(required=True)
    operator = graphene.String(required=True)
    value = GenericScalar(required=True)


class ForeignPagination(graphene.InputObjectType):
    """Which page, counted from 1, of how many rows."""

    page = graphene.Int(required=True)
    limit = graphene.Int(required=True)


class ForeignSorting(graphene.InputObjectType):
    """One term of the order."""

    name = graphene.String(required=True)
    desc = graphene.Boolean(default_value=False)


class Rig(graphene.ObjectType):
    """The rig that reported, named after its well."""

    name = graphene.String(required=True)


class RigEventRow(graphene.ObjectType):
    """One event; its rig is null for people who may not view the well."""

    id = graphene.ID(required=True)
    at = graphene.DateTime(required=True)
    rig = graphene.Field(Rig)
    kind = graphene.String(required=True)
    minutes = graphene.Decimal(required=True)

    @staticmethod
    def resolve_rig(event: Any, _info: graphene.ResolveInfo) -> Rig | None:
        """Return the rig, None where it is withheld."""
        return None if event.rig_name is None else Rig(name=event.rig_name)


class RigEventPage(graphene.ObjectType):
    """The events of one page."""

    events = graphene.List(graphene.NonNull(RigEventRow), required=True)


class RigEvents(graphene.ObjectType):
    """A page of events, and how many there are in all."""

    page = graphene.Field(RigEventPage, required=True)
    count = graphene.Int(required=True)


class RigEventsQuery(graphene.ObjectType):
    """The field of rig events."""

    rig_events = graphene.Field(
        RigEvents,
        required=True,
        filters=graphene.List(graphene.NonNull(ForeignFilter)),
        pagination=ForeignPagination(),
        sortings=graphene.List(graphene.NonNull(ForeignSorting)),
        search=graphene.String(),
    )

    @staticmethod
    def resolve_rig_events(
        _root: None,
        info: graphene.ResolveInfo,
        filters: list[ForeignFilter] | None = None,
        pagination: ForeignPagination | None = None,
        sortings: list[ForeignSorting] | None = None,
        search: str | None = None,
    ) -> RigEvents:
        """Return a page of the events that the person may view; raises GraphQLError for whatever cannot be read."""
        events = _viewable(info.context.user).filter(*(_condition(one) for one in filters or ()))
        if search:
            events = events.filter(Q(kind__icontains=search) | Q(rig_name__icontains=search))
        order = [("-" if one.desc else "") + _field(one.name) for one in sortings or ()]
        found = events.order_by(*(order or ["-at"]), "pk")
        return RigEvents(page=RigEventPage(events=list(found[_slice(pagination)])), count=events.count())


def _viewable(user: Any) -> QuerySet[RigEvent]:
    """The events that the person may view, with `rig_name` empty where they may not view the well."""
    permission = view_permission(RigEvent)
    if permission not in open_doors(user, [permission]):
        raise GraphQLError("These are not yours to view.")
    access = access_of(user)
    wells = access.viewable(Well)
    name: Any = F("well__name")
    if wells is not None:
        name = Case(When(well__in=wells, then=name), output_field=CharField())
    return access.rows(RigEvent.objects.annotate(rig_name=name))


def _slice(pagination: ForeignPagination | None) -> slice:
    page, limit = (pagination.page, pagination.limit) if pagination else (1, MOST_ROWS)
    if page < 1 or not 1 <= limit <= MOST_ROWS:
        raise GraphQLError(f"Pages are counted from 1, and have 1 to {MOST_ROWS} rows.")
    return slice((page - 1) * limit, page * limit)


def _field(name: str) -> str:
    if name not in FIELDS:
        raise GraphQLError(f"There is no field {name!r}; there are {', '.join(FIELDS)}.")
    return FIELDS[name]


def _condition(one: ForeignFilter) -> Q:
    if one.operator not in OPERATORS:
        raise GraphQLError(f"There is no operator {one.operator!r}; there are {', '.join(OPERATORS)}.")
    field = _field(one.name)
    try:
        if field == "at":
            return _moment(one.operator, str(one.value))
        return Q(**{f"{field}__{OPERATORS[one.operator]}": READERS.get(field, str)(str(one.value))})
    except (ValueError, InvalidOperation):
        raise GraphQLError(f"The value of {one.name!r} cannot be read.") from None


def _moment(operator: str, value: str) -> Q:
    """A bound in time; a day is the whole day in UTC, so that *until* a day takes that day in."""
    first = datetime.fromisoformat(value)
    first = first if first.tzinfo else first.replace(tzinfo=UTC)
    is_day = len(value) == len("YYYY-MM-DD")
    until = Q(at__lt=first + timedelta(days=1)) if is_day else Q(at__lte=first)
    return {"gte": Q(at__gte=first), "lte": until}.get(operator, Q(at__gte=first) & until)
