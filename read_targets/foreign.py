"""A list of another shape: any GraphQL list field, read page by page through a document that names it.

Seed 000's way and limits: pages of 200 rows, 1,000 rows at most; figures are of the rows read, and are said to be the
list's only where the list's own total was reached.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import reduce
from typing import Any

from django.db import router
from django.http import HttpRequest
from graphql import DocumentNode, FieldNode, GraphQLError, OperationDefinitionNode, execute_sync, parse

from .conf import graphql_middleware, graphql_schema
from .criteria import arguments_of, conditions_of, with_months
from .digest import WORKSPACE_ROWS, Digest, Wish, omissions_of, order_terms
from .documents import Unfit, document
from .foreign_figures import figures_of, no_figures
from .lists import Condition, Group, Order, Rest, Stopped, plain, snapshot
from .lists.access import Access
from .lists.answer import MOST_GROUPS, added, by_key, by_size, told
from .lists.conditions import days_of
from .models import Column, ReadTarget
from .policies import SharedAccess

logger = logging.getLogger(__name__)

PAGE = 200


class ListUnreadable(Exception):
    """The application's list answered with an error, or not in the shape that the target declares."""


@dataclass(frozen=True)
class Pages:
    """The rows that were read, and how many the list says there are (None: it does not say)."""

    items: list[Mapping[str, Any]]
    total: int | None

    @property
    def is_whole(self) -> bool:
        """Whether these are all the rows there are."""
        return self.total == len(self.items)


def read_foreign(target: ReadTarget, values: Mapping[str, Any], access: Access, zone: dt.tzinfo, wish: Wish) -> Digest:
    """Read the target's document as the person of `access`; raises ListUnreadable."""
    columns = tuple(target.columns.all())
    # Which database the list reads is its own affair; as a rule it is the one that targets are in.
    with snapshot(router.db_for_read(ReadTarget)):
        pages = _pages(target, values, access.actor.user, wish)
        if isinstance(access, SharedAccess):
            # Both may view what both lists hold; how many more there are is then nobody's to say.
            pages = _shared(pages, _pages(target, values, access.viewer.actor.user, wish))
    total = pages.total
    rows = [_row(columns, item) for item in pages.items]
    figures = reduce(added, (figures_of(columns, row) for row in rows), no_figures(columns))
    groups, rest = _groups(columns, rows, wish, zone)
    limit = WORKSPACE_ROWS if wish.keeps(len(rows)) else wish.limit
    omissions = []
    if total != len(rows):
        omissions.append(f"{len(rows)} of {'an unknown number of' if total is None else total} rows were read")
    omissions += omissions_of(columns, figures)
    return Digest(
        total=total,
        analysed=len(rows),
        columns=columns,
        figures=figures,
        rows=[_written(row) for row in rows[:limit]],
        groups=groups,
        rest=rest,
        omissions=omissions,
    )


def ids_of(target: ReadTarget, arguments: Mapping[str, Any], user: Any) -> set[str]:
    """Return the ids of the rows that the person reads with these arguments now; raises ListUnreadable."""
    values = {one.name: one.read(arguments[one.name]) for one in arguments_of(target) if one.name in arguments}
    # In the order in which it was read: of a longer list the first rows by another order are other rows.
    wish = Wish(order=_order_of(target, str(arguments.get("orderBy", ""))))
    return {str(item["id"]) for item in _pages(target, values, user, wish).items if item.get("id") is not None}


def _order_of(target: ReadTarget, order_by: str) -> tuple[Order, ...]:
    names = {column.name for column in target.columns.all() if column.has_values}
    return tuple(one for one in order_terms(order_by) if one.path in names)


def _pages(target: ReadTarget, values: Mapping[str, Any], user: Any, wish: Wish) -> Pages:
    fit = _document(target)
    operations = (one for one in fit.definitions if isinstance(one, OperationDefinitionNode))
    declared = {one.variable.name.value for operation in operations for one in operation.variable_definitions or ()}
    variables: dict[str, Any] = {
        "filters": list(_filters(target, values)),
        "sortings": _sortings(target, wish),
        "search": values.get("text", "").strip() or None,
    }
    items: dict[Any, Mapping[str, Any]] = {}
    total: int | None = None
    is_end, is_odd = False, False
    for page in range(1, WORKSPACE_ROWS // PAGE + 2):
        given = {**variables, "pagination": {"page": page, "limit": PAGE}}
        data = _run(target, fit, {name: value for name, value in given.items() if name in declared}, user)
        found = _at(data, target.rows_path)
        if not isinstance(found, list) or not all(isinstance(item, Mapping) for item in found):
            raise ListUnreadable(f"{target.key}: no list of rows at {target.rows_path}")
        told_total = _at(data, target.total_path) if target.total_path else None
        total = told_total if isinstance(told_total, int) and not isinstance(told_total, bool) else None
        # By id, so that a list whose pages overlap, or that takes no pages, counts no row twice.
        fresh = {_identity(item): item for item in found if _identity(item) not in items}
        items |= fresh
        is_end = not fresh or "pagination" not in declared or len(items) == total
        # A page of another size than asked for is the last, or no page at all, or the list has pages of its own size.
        # One that says no total is asked for the page after it: only where that has nothing new was it the last.
        if is_end or is_odd or (len(found) != PAGE and target.total_path) or len(items) >= WORKSPACE_ROWS:
            break
        is_odd = len(found) != PAGE
    read = list(items.values())[:WORKSPACE_ROWS]
    if total is None and is_end and len(items) < WORKSPACE_ROWS and not target.total_path:
        total = len(items)
    return Pages(read, total)


def _document(target: ReadTarget) -> DocumentNode:
    """The target's document; raises ListUnreadable where it does not fit the schema."""
    try:
        return document(graphql_schema().graphql_schema, target.document)
    except Unfit as unfit:
        raise _unreadable(target, unfit.errors) from None


def _unreadable(target: ReadTarget, errors: Iterable[GraphQLError]) -> ListUnreadable:
    for error in errors:
        logger.error("target %s: its list answered %s", target.key, error)
    return ListUnreadable(target.key)


def _identity(item: Mapping[str, Any]) -> Any:
    """What a row is told apart by: its id, or, where it has none, itself."""
    return str(item["id"]) if item.get("id") is not None else (id(item),)


def _shared(mine: Pages, theirs: Pages) -> Pages:
    """The rows that both lists hold."""
    known = {str(item["id"]) for item in theirs.items if item.get("id") is not None}
    both = [item for item in mine.items if item.get("id") is not None and str(item["id"]) in known]
    return Pages(both, len(both) if mine.is_whole and theirs.is_whole else None)


def _run(target: ReadTarget, fit: DocumentNode, variables: dict[str, Any], user: Any) -> Any:
    request = HttpRequest()
    request.method = "POST"
    request.user = user
    answer = execute_sync(
        graphql_schema().graphql_schema,
        fit,
        variable_values=variables,
        context_value=request,
        middleware=graphql_middleware(),
    )
    for error in answer.errors or ():
        if isinstance(error.original_error, Stopped):
            raise error.original_error
    if answer.errors:
        raise _unreadable(target, answer.errors)
    return answer.data


def _at(data: Any, path: str) -> Any:
    for part in path.split("."):
        if data is None:
            return None
        data = data.get(part) if isinstance(data, Mapping) else None
    return data


def _filters(target: ReadTarget, values: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The filters of the list, in seed 000's shape; a year or a month becomes the days that it stands for."""
    if "id" in values:
        yield {"name": "id", "operator": "eq", "value": values["id"].strip()}
    for condition in with_months(conditions_of(target, values)):
        if condition.operator in ("year", "period"):
            first, last = days_of(condition)
            yield _filter(Condition(condition.path, "gte", first))
            yield _filter(Condition(condition.path, "lte", last))
        else:
            yield _filter(condition)


def _filter(condition: Condition) -> dict[str, Any]:
    return {"name": condition.path, "operator": condition.operator, "value": plain(condition.value)}


def _sortings(target: ReadTarget, wish: Wish) -> list[dict[str, Any]] | None:
    paths = {column.name: column.list_path for column in target.columns.all() if column.has_values}
    wished = [{"name": paths[one.path], "desc": one.descending} for one in wish.order]
    own = [{"name": one.path, "desc": one.descending} for one in target.own_order]
    return wished or own or None


def _row(columns: tuple[Column, ...], item: Mapping[str, Any]) -> dict[str, Any]:
    """One row as the columns say: a number as an exact number, a missing or empty value as None (seed 000)."""
    row: dict[str, Any] = {"id": str(item["id"])} if item.get("id") is not None else {}
    for column in columns:
        if not column.has_values:
            continue
        raw = _at(item, column.list_path)
        if raw is None or raw == "":
            row[column.name] = None
        elif column.kind in ("number", "integer"):
            row[column.name] = _number(raw, whole=column.kind == "integer")
        else:
            row[column.name] = raw if isinstance(raw, bool) else str(raw)
    return row


def _number(raw: Any, *, whole: bool) -> Decimal | int | None:
    try:
        number = Decimal(str(raw))
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    return int(number) if whole and number == number.to_integral_value() else number


def _written(row: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in row.items()}


def _groups(
    columns: tuple[Column, ...], rows: list[dict[str, Any]], wish: Wish, zone: dt.tzinfo
) -> tuple[list[Group] | None, Rest | None]:
    if wish.group_by is None:
        return None, None
    column = next(one for one in columns if one.name == wish.group_by)
    dated = column.kind == "date"
    groups: dict[Any, Group] = {}
    for row in rows:
        value = row[column.name]
        key = _month_of(value, zone) if dated and value is not None else value
        held = groups.get(key, Group(key, False, 0, {}))
        groups[key] = Group(key, False, held.count + 1, added(held.figures, figures_of(columns, row)))
    totals = [one.name for one in columns if one.total]
    order = by_key if dated else by_size(totals[0] if totals else None)
    return told(groups.values(), MOST_GROUPS, order, latest=dated)


def _month_of(text: str, zone: dt.tzinfo) -> str:
    """The month of a day, or of a moment in the person's zone; one that does not say its zone is taken as it is."""
    try:
        moment = dt.datetime.fromisoformat(text)
        return (moment.astimezone(zone) if moment.tzinfo else moment).isoformat()[:7]
    except (ValueError, OverflowError):
        return text[:7]


def root_field_of(document: str) -> str:
    """Return the name of the root field that a document reads; raises ValueError where it reads none or several."""
    fields = [
        selection.name.value
        for operation in parse(document).definitions
        if isinstance(operation, OperationDefinitionNode)
        for selection in operation.selection_set.selections
        if isinstance(selection, FieldNode)
    ]
    if len(fields) != 1:
        raise ValueError("the document reads one list")
    return fields[0]
