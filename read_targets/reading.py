"""Reading a target as a person: the list's figures, groups and rows under the names that the target gives them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import router

from .criteria import conditions_of
from .digest import WORKSPACE_ROWS, Digest, Stamp, Wish
from .foreign import read_foreign
from .lists import Answer, Figure, Group, ListDefinition, Order, Question, Row, ask, get_list, plain, snapshot
from .lists.access import Access
from .lists.engine import keys_of
from .lists.keys import pack
from .models import Column, ReadTarget


def read(
    target: ReadTarget, values: Mapping[str, Any], access: Access, zone: dt.tzinfo, wish: Wish | None = None
) -> Digest:
    """Read `target` with the conditions of `values`, as the person of `access`, days being days of `zone`.

    Raises UnknownList where the target's list is gone and ListUnreadable where a list of another shape cannot be read.
    """
    wish = wish or Wish()
    if target.is_foreign:
        return read_foreign(target, values, access, zone, wish)
    definition = get_list(target.list_query)
    columns = tuple(target.columns.all())
    question = _question(target, definition, columns, values, zone, wish)
    using = router.db_for_read(definition.model)
    with snapshot(using):
        answer = ask(definition, question, access)
        stamp = _stamp(definition, columns, question, access) if wish.keeps(answer.total or 0) else None
    return _digest(columns, answer, zone, wish, stamp)


def _question(
    target: ReadTarget,
    definition: ListDefinition,
    columns: tuple[Column, ...],
    values: Mapping[str, Any],
    zone: dt.tzinfo,
    wish: Wish,
) -> Question:
    paths = {column.name: column.list_path for column in columns}
    own = (Order(term.removeprefix("-"), term.startswith("-")) for term in target.order.split())
    wished = (Order(paths[one.path], one.descending) for one in wish.order)
    return Question(
        conditions=conditions_of(target, values),
        text=values.get("text", "").strip(),
        key=values["id"].strip() if "id" in values else None,
        order=tuple(wished) or tuple(own),
        shown=tuple(dict.fromkeys(paths.values())),
        limit=lambda rows: WORKSPACE_ROWS if wish.keeps(rows) else wish.limit,
        figures=tuple(dict.fromkeys(column.list_path for column in columns if column.total)),
        group_by=paths[wish.group_by] if wish.group_by else None,
        zone=zone,
    )


def _digest(
    columns: tuple[Column, ...],
    answer: Answer,
    zone: dt.tzinfo,
    wish: Wish,
    stamp: Stamp | None,
) -> Digest:
    totals = {column.name: column.list_path for column in columns if column.total}

    def named(figures: dict[str, Figure]) -> dict[str, Figure]:
        return {name: figures[path] for name, path in totals.items() if path in figures}

    groups = answer.groups
    if groups is not None:
        groups = [replace(group, figures=named(group.figures)) for group in groups]
    rest = replace(answer.rest, figures=named(answer.rest.figures)) if answer.rest else None
    return Digest(
        total=answer.total,
        analysed=answer.total or 0,
        columns=columns,
        figures=named(answer.figures),
        rows=[row_of(columns, row, zone) for row in answer.rows],
        groups=groups,
        rest=rest,
        omissions=_omissions(columns, named(answer.figures), groups, answer.rows, wish),
        stamp=stamp,
    )


def row_of(columns: tuple[Column, ...], row: Row, zone: dt.tzinfo) -> dict[str, Any]:
    """Return a row as exact JSON: its id, each column, and the names of those whose value is withheld."""
    shown = {"id": str(row.id)}
    shown |= {column.name: plain(row.values[column.list_path], zone) for column in columns}
    withheld = [column.name for column in columns if column.list_path in row.withheld]
    return {**shown, "withheld": withheld} if withheld else shown


def _omissions(
    columns: tuple[Column, ...],
    figures: dict[str, Figure],
    groups: list[Group] | None,
    rows: list[Row],
    wish: Wish,
) -> list[str]:
    """Name what this person may not see: in the figures, in the groups, and in the rows that are shown."""
    said = [f"{name}: {one.withheld} values withheld, in no figure" for name, one in figures.items() if one.withheld]
    hidden = sum(group.count for group in groups or () if group.withheld)
    if hidden:
        said.append(f"{wish.group_by}: withheld in {hidden} rows, which are a group of their own")
    for column in columns:
        closed = sum(column.list_path in row.withheld for row in rows)
        if closed and not (hidden and column.name == wish.group_by):
            said.append(f"{column.name}: withheld in {closed} of the rows read")
    return said


def _stamp(definition: ListDefinition, columns: tuple[Column, ...], question: Question, access: Access) -> Stamp:
    everywhere = access.viewable(definition.model) is None and definition.queryset is None
    relations: dict[str, list[Any] | None] = {}
    # What a condition or words found across a relation tells of it as much as a column does.
    asked = {*(one.path for one in question.conditions), *(definition.searched if question.text else ())}
    for path in {*(column.list_path for column in columns), *asked}:
        for relation, model in definition.path(path).hops:
            if access.viewable(model) is None:
                relations[relation] = None
            elif relation not in relations:
                relations[relation] = keys_of(definition, question, access, relation)
    return Stamp(None if everywhere else pack(keys_of(definition, question, access)), relations)
