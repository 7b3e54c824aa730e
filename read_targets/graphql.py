"""A list as a GraphQL field: the application's own door to the same rows and figures.

`ListField("cashTransactions")` gives the seed's shape (`filters, pagination, sortings, search` -> `items, total`) and,
beyond it, `sums`, `groups(by)` and `rows` as one scalar. Everything that is asked of one field is one snapshot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import graphene
from django.db import router
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from graphene_django.settings import graphene_settings
from graphene_django.views import GraphQLView, HttpError
from graphql import (
    BooleanValueNode,
    ExecutionResult,
    FieldNode,
    FloatValueNode,
    GraphQLError,
    IntValueNode,
    ListValueNode,
    OperationType,
    StringValueNode,
    VariableNode,
    execute_sync,
    get_named_type,
    get_operation_ast,
)
from graphql.execution.collect_fields import collect_sub_fields
from graphql.execution.values import get_argument_values
from rest_framework.authentication import CSRFCheck

from .conf import setting
from .documents import Rules, Unfit, document
from .heavy import one_call
from .lists import (
    Answer,
    Argument,
    Condition,
    Figure,
    ListDefinition,
    ListPath,
    Order,
    Question,
    Row,
    Unreadable,
    ask,
    get_list,
    plain,
    snapshot,
)
from .lists.conditions import OPERATORS, PERIOD, argument_kind
from .lists.paging import Cursor, UnfittingCursor, can_page, cursor_text, read_cursor, scope_of
from .policies import access_of, is_someone
from .preferences import zone_of

PAGE = 200
MOST_ROWS = 1_000
MOST_FILTERS = 100


class FilterValue(graphene.Scalar):
    """A text, number, boolean or list of them; numbers keep every digit."""

    serialize = parse_value = staticmethod(lambda value: value)

    @staticmethod
    def parse_literal(node: Any, variables: Any = None) -> Any:
        """Return a value that stands in the document itself."""
        match node:
            case StringValueNode() | BooleanValueNode():
                return node.value
            case IntValueNode() | FloatValueNode():
                return Decimal(node.value)
            case ListValueNode():
                return [FilterValue.parse_literal(one, variables) for one in node.values]
            case VariableNode():
                return (variables or {}).get(node.name.value)
            case _:
                return None


class Filter(graphene.InputObjectType):
    """A condition: `{name: "amount", operator: "gte", value: "100.00"}`."""

    name = graphene.String(required=True)
    operator = graphene.String(required=True)
    value = FilterValue()


class Pagination(graphene.InputObjectType):
    """Up to 1,000 rows: a page, from 1, or those after the `endCursor` of an answer, or before its `startCursor`."""

    page = graphene.Int(default_value=1)
    limit = graphene.Int(default_value=PAGE)
    after = graphene.String()
    before = graphene.String()


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


def ListField(name: str, **kwargs: Any) -> graphene.Field:  # reads as the type of field that it gives
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
    return csrf_exempt(GraphQLDoor.as_view(schema=schema, graphiql=False))


class GraphQLDoor(GraphQLView):
    """GraphQL for people. A token opens tools, never the application itself.

    A document is refused, before anything is read, where it is deeper or wider than the settings let it be; what it
    reads is one call's, and is stopped like one.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refuse whoever is no signed-in, active person, before anything is parsed.

        CSRF is checked here, so that whoever is refused is told so as everywhere at this door.
        """
        if "HTTP_AUTHORIZATION" in request.META or not is_someone(request.user):
            return _refused("Sign in; tokens are not taken here.", 401)
        check = CSRFCheck(lambda request: HttpResponse())
        check.process_request(request)
        if check.process_view(request, self.dispatch, (), {}):
            return _refused("Send the CSRF token of your session as X-CSRFToken.", 403)
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        response["Cache-Control"] = "private, no-store"
        return response

    def parse_body(self, request: HttpRequest) -> Any:
        """Read the body as graphene's own view does; what is nested without end is no JSON either."""
        try:
            return super().parse_body(request)
        except RecursionError:
            raise HttpError(HttpResponseBadRequest("POST body sent invalid JSON.")) from None

    def execute_graphql_request(
        self,
        request: HttpRequest,
        data: Any,
        query: Any,
        variables: Any,
        operation_name: str | None,
        show_graphiql: bool = False,
    ) -> ExecutionResult:
        """Answer a document as graphene's own view does, read once for all who send it."""
        if not query or not isinstance(query, str):
            raise HttpError(HttpResponseBadRequest("Must provide query string."))
        rules = Rules(
            setting("GRAPHQL_MOST_DEPTH"),
            setting("GRAPHQL_MOST_FIELDS"),
            tuple(self.validation_rules) if self.validation_rules else None,
            graphene_settings.MAX_VALIDATION_ERRORS,
        )
        try:
            fit = document(self.schema.graphql_schema, query, rules)
        except Unfit as unfit:
            return ExecutionResult(errors=unfit.errors)
        operation = get_operation_ast(fit, operation_name)
        with one_call(request.user):
            if operation is None or operation.operation != OperationType.QUERY:
                # What may change something is graphene's to judge: by which method, in which transaction.
                answer: ExecutionResult = super().execute_graphql_request(
                    request, data, query, variables, operation_name, show_graphiql
                )
                return answer
            return self._read(request, fit, variables, operation_name)

    def _read(self, request: HttpRequest, fit: Any, variables: Any, operation_name: str | None) -> ExecutionResult:
        options = {"execution_context_class": self.execution_context_class} if self.execution_context_class else {}
        try:
            return execute_sync(
                self.schema.graphql_schema,
                fit,
                root_value=self.get_root_value(request),
                context_value=self.get_context(request),
                variable_values=variables,
                operation_name=operation_name,
                middleware=self.get_middleware(request),
                **options,
            )
        except Exception as raised:  # as graphene's own view answers whatever is wrong with a request
            return ExecutionResult(errors=[raised])  # type: ignore[list-item]  # the view formats any exception


def _refused(message: str, status: int) -> HttpResponse:
    return JsonResponse({"errors": [{"message": message}]}, status=status)


def _resolve(definition: ListDefinition, info: Any, **asked: Any) -> dict[str, Any]:
    user = info.context.user
    access = access_of(user)
    if not access.has_door(definition):
        raise GraphQLError("You may not view this list.")
    selected = _selected(info)
    wanted = {node.name.value for node in selected}
    groupings = _groupings(definition, info, selected)
    zone = zone_of(user)
    offset, limit = _page(asked.get("pagination") or {})
    cursors = bool({"startCursor", "endCursor"} & wanted)
    question = Question(
        conditions=_conditions(definition, asked.get("filters") or ()),
        text=_words(asked.get("search")),
        order=tuple(_order(definition, one) for one in asked.get("sortings") or ()),
        zone=zone,
        offset=offset,
        limit=limit if cursors or {"items", "rows"} & wanted else 0,
        figures=_numbers(definition) if {"sums", "groups"} & wanted else (),
        group_by=next(iter(groupings), None),
        count=bool({"total", "sums", "groups"} & wanted),
    )
    scope = scope_of(definition, question, user.pk)
    places = _cursors(asked.get("pagination") or {}, scope)
    question = replace(question, places=cursors, after=places.get("after"), before=places.get("before"))
    if cursors and not can_page(definition, question.order):
        raise GraphQLError("there are no cursors in an order of what the list does not show.")
    with snapshot(router.db_for_read(definition.model)):
        answer = ask(definition, question, access)
        others = {by: ask(definition, replace(question, group_by=by, limit=0), access) for by in groupings[1:]}
    return {
        "items": [_nested(_flat(row, zone)) for row in answer.rows],
        "rows": [_flat(row, zone) for row in answer.rows],
        "startCursor": _told(answer.rows[:1], scope),
        "endCursor": _told(answer.rows[-1:], scope),
        "total": answer.total,
        "sums": _sums(answer.figures),
        "groups": {by: _groups(others.get(by, answer)) for by in groupings},
    }


def _selected(info: Any) -> list[FieldNode]:
    """What is selected of the list, wherever in the document: fragments opened, directives followed."""
    of_list = get_named_type(info.return_type)
    found = collect_sub_fields(info.schema, info.fragments, info.variable_values, of_list, info.field_nodes)
    return [node for nodes in found.values() for node in nodes]


def _groupings(definition: ListDefinition, info: Any, selected: list[FieldNode]) -> tuple[str, ...]:
    """The paths to group by, once each."""
    field = get_named_type(info.return_type).fields["groups"]
    nodes = (node for node in selected if node.name.value == "groups")
    paths = dict.fromkeys(get_argument_values(field, node, info.variable_values)["by"] for node in nodes)
    if not set(paths) <= set(definition.grouped or ()):
        raise GraphQLError(f"groups(by:) takes one of: {', '.join(definition.grouped or ())}.")
    return tuple(paths)


def _numbers(definition: ListDefinition) -> tuple[str, ...]:
    return tuple(path for path in definition.shown or () if definition.path(path).kind in ("number", "integer"))


def _sums(figures: dict[str, Figure]) -> dict[str, Any]:
    return {path: plain(figure.total) for path, figure in figures.items()}


def _groups(answer: Answer) -> list[dict[str, Any]]:
    """The groups, and at their end, where there are more than are told, the rest: how many groups, added up."""
    told = [
        {
            "key": plain(group.key),
            **({"withheld": True} if group.withheld else {}),
            "count": group.count,
            "sums": _sums(group.figures),
        }
        for group in answer.groups or ()
    ]
    if answer.rest is None:
        return told
    return [*told, {"rest": answer.rest.group_count, "count": answer.rest.count, "sums": _sums(answer.rest.figures)}]


def _page(pagination: dict[str, Any]) -> tuple[int, int]:
    """The rows to pass over, and those to read."""
    page = 1 if pagination.get("page") is None else pagination["page"]
    limit = PAGE if pagination.get("limit") is None else pagination["limit"]
    if not 1 <= limit <= MOST_ROWS or not 1 <= page <= 10**9:
        raise GraphQLError(f"pagination takes a page from 1 and a limit from 1 to {MOST_ROWS}.")
    if (page > 1) + (pagination.get("after") is not None) + (pagination.get("before") is not None) > 1:
        raise GraphQLError("pagination takes a page, or after, or before.")
    return (page - 1) * limit, limit


def _cursors(pagination: dict[str, Any], scope: str) -> dict[str, Cursor]:
    """The place at which the rows begin, or end."""
    given = {name: pagination[name] for name in ("after", "before") if pagination.get(name) is not None}
    try:
        return {name: read_cursor(text, scope) for name, text in given.items()}
    except UnfittingCursor:
        raise GraphQLError(
            f"{', '.join(given)}: no cursor that you were given for this list with these filters, search and sortings."
        ) from None


def _told(rows: list[Row], scope: str) -> str | None:
    """The cursor of the only row, where there is one that fits in an address, as every cursor must."""
    return next((cursor_text(row.place, scope) or None for row in rows if row.place), None)


def _words(search: str | None) -> str:
    try:
        return Argument("search", "string", is_trimmed=True).read(search) or ""
    except Unreadable as unreadable:
        raise GraphQLError(f"search: {unreadable.facts}") from None


def _conditions(definition: ListDefinition, filters: Sequence[Any]) -> tuple[Condition, ...]:
    if len(filters) > MOST_FILTERS:
        raise GraphQLError(f"a list takes up to {MOST_FILTERS} filters.")
    return tuple(_condition(definition, one) for one in filters)


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
        pattern, form = (PERIOD.pattern, "YYYY-MM") if operator == "period" else ("", "")
        value = Argument(path.path, kind, values=path.values, pattern=pattern, form=form).read(raw)
    except Unreadable as unreadable:
        raise GraphQLError(f"{path.path}: {unreadable.facts}") from None
    if value is None:
        raise GraphQLError(f"{path.path}: a filter needs a value; isnull asks for empty ones.")
    return value


def _order(definition: ListDefinition, one: Any) -> Order:
    if one.name not in (definition.sorted or ()):
        raise GraphQLError(f"sortings take one of: {', '.join(definition.sorted or ())}.")
    return Order(one.name, bool(one.desc))


def _flat(row: Row, zone: Any) -> dict[str, Any]:
    withheld = {"withheld": sorted(row.withheld)} if row.withheld else {}
    return {"id": str(row.id), **{path: plain(value, zone) for path, value in row.values.items()}, **withheld}


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
            "startCursor": graphene.String(name="startCursor"),
            "endCursor": graphene.String(name="endCursor"),
            "total": graphene.Int(),
            "sums": graphene.Field(Exact),
            "groups": graphene.Field(
                Exact,
                by=graphene.String(required=True),
                resolver=lambda answer, info, by: answer["groups"][by],
            ),
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
