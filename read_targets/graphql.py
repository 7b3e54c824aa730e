"""A list as a GraphQL field: the application's own door to the same rows and figures.

`ListField("cashTransactions")` gives the seed's shape (`filters, pagination, sortings, search` -> `items, total`) and,
beyond it, `sums`, `groups(by)` and `rows` as one scalar. Everything that is asked of one field is one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import graphene
from django.http import HttpRequest, HttpResponse, JsonResponse
from graphene.types.generic import GenericScalar
from graphene_django.views import GraphQLView
from graphql import FieldNode, FragmentSpreadNode, GraphQLError, InlineFragmentNode, SelectionSetNode

from .lists import Argument, Condition, ListDefinition, ListPath, Order, Question, Unreadable, ask, get_list, plain
from .lists.conditions import OPERATORS, argument_kind
from .policies import access_of, is_someone
from .preferences import zone_of

PAGE = 200
MOST_ROWS = 1_000


class Filter(graphene.InputObjectType):
    """A condition: `{name: "amount", operator: "gte", value: "100.00"}`."""

    name = graphene.String(required=True)
    operator = graphene.String(required=True)
    value = GenericScalar()


class Pagination(graphene.InputObjectType):
    """A page, from 1, of up to 1,000 rows."""

    page = graphene.Int(default_value=1)
    limit = graphene.Int(default_value=PAGE)


class Sorting(graphene.InputObjectType):
    """A term of the order."""

    name = graphene.String(required=True)
    desc = graphene.Boolean(default_value=False)


class Exact(graphene.Scalar):
    """A value as exact JSON: a decimal, or an integer beyond 2**53, is a string with every digit."""

    @staticmethod
    def serialize(value: Any) -> Any:
        """Return the value as it is; it is exact JSON already."""
        return value


def ListField(name: str, **kwargs: Any) -> graphene.Field:  # noqa: N802  # reads as the type of field that it gives
    """Return the graphene field of the registered list `name`.

    A person without the list's door gets an error and no row. Filters, sortings and groups are taken on declared
    paths alone; what does not fit is refused with what would.
    """
    definition = get_list(name)
    return graphene.Field(
        _list_type(definition),
        filters=graphene.List(graphene.NonNull(Filter)),
        pagination=Pagination(),
        sortings=graphene.List(graphene.NonNull(Sorting)),
        search=graphene.String(),
        resolver=lambda root, info, **asked: _resolve(definition, info, **asked),
        **kwargs,
    )


def graphql_door(schema: Any) -> Any:
    """Return the view of the application's GraphQL: signed-in people only, no token, mutations only by POST."""
    return GraphQLDoor.as_view(schema=schema, graphiql=False)


class GraphQLDoor(GraphQLView):
    """GraphQL for people. A token opens tools, never the application itself."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refuse whoever is no signed-in, active person, before anything is parsed."""
        if request.META.get("HTTP_AUTHORIZATION") or not is_someone(request.user):
            return JsonResponse({"errors": [{"message": "Sign in; tokens are not taken here."}]}, status=401)
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        response["Cache-Control"] = "private, no-store"
        return response


def _resolve(definition: ListDefinition, info: Any, **asked: Any) -> dict[str, Any]:
    user = info.context.user
    access = access_of(user)
    if not access.has_door(definition):
        raise GraphQLError("You may not view this list.")
    wanted = {node.name.value: node for node in _fields(info.field_nodes[0].selection_set, info)}
    zone = zone_of(user)
    question = Question(
        conditions=tuple(_condition(definition, one) for one in asked.get("filters") or ()),
        text=(asked.get("search") or "").strip(),
        order=tuple(_order(definition, one) for one in asked.get("sortings") or ()),
        zone=zone,
        **_page(asked.get("pagination") or {}, rows=bool({"items", "rows"} & set(wanted))),
        **_figures(definition, wanted, info),
    )
    answer = ask(definition, question, access)
    rows = [_flat(row.id, row.values, zone) for row in answer.rows]
    return {
        "items": [_nested(row) for row in rows],
        "rows": rows,
        "total": answer.total,
        "sums": {path: plain(figure.total) for path, figure in answer.figures.items()},
        "groups": [
            {
                "key": plain(group.key),
                **({"withheld": True} if group.withheld else {}),
                "count": group.count,
                "sums": {path: plain(figure.total) for path, figure in group.figures.items()},
            }
            for group in answer.groups or ()
        ],
    }


def _fields(selection: SelectionSetNode | None, info: Any) -> Iterator[FieldNode]:
    """The fields selected, fragments opened."""
    for node in selection.selections if selection else ():
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, InlineFragmentNode):
            yield from _fields(node.selection_set, info)
        elif isinstance(node, FragmentSpreadNode):
            yield from _fields(info.fragments[node.name.value].selection_set, info)


def _figures(definition: ListDefinition, wanted: dict[str, FieldNode], info: Any) -> dict[str, Any]:
    numbers = tuple(path for path in definition.shown or () if definition.path(path).kind in ("number", "integer"))
    figures = numbers if {"sums", "groups"} & set(wanted) else ()
    group_by = None
    if "groups" in wanted:
        given = {one.name.value: one.value for one in wanted["groups"].arguments}
        by = given.get("by")
        named = getattr(by, "name", None)
        group_by = info.variable_values.get(named.value) if named is not None else getattr(by, "value", None)
        if group_by not in (definition.grouped or ()):
            raise GraphQLError(f"groups(by:) takes one of: {', '.join(definition.grouped or ())}.")
    return {"figures": figures, "group_by": group_by, "count": bool({"total", "sums", "groups"} & set(wanted))}


def _page(pagination: dict[str, Any], *, rows: bool) -> dict[str, int]:
    page, limit = pagination.get("page") or 1, pagination.get("limit") or PAGE
    if not 1 <= limit <= MOST_ROWS or not 1 <= page <= 10**9:
        raise GraphQLError(f"pagination takes a page from 1 and a limit from 1 to {MOST_ROWS}.")
    return {"offset": (page - 1) * limit, "limit": limit if rows else 0}


def _condition(definition: ListDefinition, one: Any) -> Condition:
    if one.name not in (definition.filtered or ()):
        raise GraphQLError(f"filters take one of: {', '.join(definition.filtered or ())}.")
    path = definition.path(one.name)
    fitting = [operator for operator, kinds in OPERATORS.items() if path.kind in kinds]
    if one.operator not in fitting:
        raise GraphQLError(f"{one.name} takes one of the operators: {', '.join(fitting)}.")
    if one.operator == "in":
        if not isinstance(one.value, list) or len(one.value) > MOST_ROWS:
            raise GraphQLError(f"the operator in takes a list of up to {MOST_ROWS} values.")
        return Condition(one.name, one.operator, [_value(path, "eq", raw) for raw in one.value])
    return Condition(one.name, one.operator, _value(path, one.operator, one.value))


def _value(path: ListPath, operator: str, raw: Any) -> Any:
    kind = argument_kind(path, operator)
    if kind == "enum" and operator in ("contains", "startswith"):
        kind = "string"
    try:
        value = Argument(path.path, kind, values=path.values).read(raw)
    except Unreadable as unreadable:
        raise GraphQLError(f"{path.path}: {unreadable.facts}") from None
    if value is None:
        raise GraphQLError(f"{path.path}: a filter needs a value; isnull asks for empty ones.")
    return value


def _order(definition: ListDefinition, one: Any) -> Order:
    if one.name not in (definition.sorted or ()):
        raise GraphQLError(f"sortings take one of: {', '.join(definition.sorted or ())}.")
    return Order(one.name, bool(one.desc))


def _flat(key: Any, values: dict[str, Any], zone: Any) -> dict[str, Any]:
    return {"id": str(key), **{path: plain(value, zone) for path, value in values.items()}}


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its dotted paths as objects within objects."""
    item: dict[str, Any] = {}
    for path, value in row.items():
        *hops, last = path.split(".")
        at = item
        for hop in hops:
            at = at.setdefault(hop, {})
        at[last] = value
    return item


@cache
def _list_type(definition: ListDefinition) -> type[graphene.ObjectType]:
    base = definition.name[0].upper() + definition.name[1:]
    tree: dict[str, Any] = {"id": None}
    for path in definition.shown or ():
        at = tree
        *hops, last = path.split(".")
        for hop in hops:
            at = at.setdefault(hop, {})
        at[last] = None
    return type(
        f"{base}List",
        (graphene.ObjectType,),
        {
            "items": graphene.List(graphene.NonNull(_item_type(f"{base}Item", tree))),
            "total": graphene.Int(),
            "sums": graphene.Field(Exact),
            "groups": graphene.Field(Exact, by=graphene.String(required=True)),
            "rows": graphene.Field(Exact),
        },
    )


def _item_type(name: str, tree: dict[str, Any]) -> type[graphene.ObjectType]:
    fields: dict[str, Any] = {}
    for key, below in tree.items():
        if key == "id":
            fields["id"] = graphene.ID()
        elif below is None:
            fields[key] = graphene.Field(Exact)
        else:
            fields[key] = graphene.Field(_item_type(f"{name}{key.capitalize()}", below))
    return type(name, (graphene.ObjectType,), fields)

