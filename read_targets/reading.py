"""Reading a target as a person: the list's figures, groups and rows under the names that the target gives them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from django.db import router

from .conf import setting
from .criteria import conditions_of
from .digest import WORKSPACE_ROWS, Digest, Stamp, Wish, omissions_of
from .foreign import read_foreign
from .lists import (
    Answer,
    Group,
    ListDefinition,
    Measure,
    Order,
    Question,
    Row,
    ask,
    get_list,
    plain,
    snapshot,
)
from .lists.access import Access
from .lists.engine import keys_of
from .lists.keys import pack
from .lists.question import Basis
from .lists.selection import reads_everything
from .models import Column, ReadTarget
from .replicas import from_replica


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
    question = _question(target, columns, values, zone, wish)

    if setting("REPLICA"):
        # What the person holds everywhere is asked here, of the database itself, also for what the paths lead to.
        for model in {definition.model, *(model for path in definition.paths.values() for _, model in path.hops)}:
            access.viewable(model)

    def taken() -> tuple[Answer, Stamp | None]:
        with snapshot(router.db_for_read(definition.model)):
            answer = ask(definition, question, access)
            keeps = wish.keeps(answer.total or 0)
            return answer, _stamp(definition, columns, question, access, answer) if keeps else None

    (answer, stamp), behind_ms = from_replica(definition.model, taken)
    return _digest(columns, answer, zone, wish, stamp, behind_ms)


def question_of(
    target: ReadTarget, columns: Iterable[Column], values: Mapping[str, Any], zone: dt.tzinfo, wished: Iterable[Order]
) -> Question:
    """Return the question of the list that the conditions of `values` stand for, of any number of rows.

    The rows have the values of `columns`, and come in the order `wished`, of paths, or the target's own.
    """
    return Question(
        conditions=conditions_of(target, values),
        text=values.get("text", "").strip(),
        key=values["id"].strip() if "id" in values else None,
        order=tuple(wished) or target.own_order,
        shown=tuple(dict.fromkeys(column.list_path for column in columns if column.has_values)),
        zone=zone,
    )


def _question(
    target: ReadTarget, columns: tuple[Column, ...], values: Mapping[str, Any], zone: dt.tzinfo, wish: Wish
) -> Question:
    paths = {column.name: column.list_path for column in columns if column.has_values}
    wished = (replace(one, path=paths[one.path]) for one in wish.order)
    return replace(
        question_of(target, columns, values, zone, wished),
        limit=lambda rows: WORKSPACE_ROWS if wish.keeps(rows) else wish.limit,
        figures=measures_of(columns),
        group_by=paths[wish.group_by] if wish.group_by else None,
    )


def measures_of(columns: tuple[Column, ...]) -> tuple[Measure, ...]:
    """Return the figures of a target's columns, each called as its column is and on that column's basis."""
    paths = {column.name: column.list_path for column in columns}
    return tuple(
        Measure(
            column.list_path,
            cast(Basis, column.basis),
            **{field: paths[name] for field, name in column.parts.items()},
            name=column.name,
            ranks=column.total,
        )
        for column in columns
        if column.has_figure
    )


def _digest(
    columns: tuple[Column, ...],
    answer: Answer,
    zone: dt.tzinfo,
    wish: Wish,
    stamp: Stamp | None,
    behind_ms: int | None,
) -> Digest:
    return Digest(
        total=answer.total,
        analysed=answer.total or 0,
        columns=columns,
        figures=answer.figures,
        rows=[row_of(columns, row, zone) for row in answer.rows],
        groups=answer.groups,
        rest=answer.rest,
        omissions=[*omissions_of(columns, answer.figures), *_withheld(columns, answer.groups, answer.rows, wish)],
        stamp=stamp,
        behind_ms=behind_ms,
    )


def row_of(columns: tuple[Column, ...], row: Row, zone: dt.tzinfo) -> dict[str, Any]:
    """Return a row as exact JSON: its id, each column, and the names of those whose value is withheld."""
    shown = {"id": str(row.id)}
    shown |= {column.name: plain(row.values[column.list_path], zone) for column in columns if column.has_values}
    withheld = [column.name for column in columns if column.list_path in row.withheld]
    return {**shown, "withheld": withheld} if withheld else shown


def _withheld(columns: tuple[Column, ...], groups: list[Group] | None, rows: list[Row], wish: Wish) -> Iterator[str]:
    """Name what this person may not see in the groups, and in the rows that are shown."""
    hidden = sum(group.count for group in groups or () if group.withheld)
    if hidden:
        yield f"{wish.group_by}: withheld in {hidden} rows, which are a group of their own"
    for column in columns:
        closed = sum(column.list_path in row.withheld for row in rows)
        if closed and not (hidden and column.name == wish.group_by):
            yield f"{column.name}: withheld in {closed} of the rows read"


def _stamp(
    definition: ListDefinition, columns: tuple[Column, ...], question: Question, access: Access, answer: Answer
) -> Stamp:
    relations: dict[str, list[Any] | None] = {}
    # What a condition or words found across a relation tells of it as much as a column does.
    asked = {*(one.path for one in question.conditions), *(definition.searched if question.text else ())}
    # So do the weights and parts of figures, which are columns as well.
    for path in {*(column.list_path for column in columns if column.has_values), *asked}:
        for relation, model in definition.path(path).hops:
            if access.viewable(model) is None:
                relations[relation] = None
            elif relation not in relations:
                relations[relation] = keys_of(definition, question, access, relation)
    if reads_everything(definition, access):
        return Stamp(None, relations)
    # Where every row was read, their keys came with them.
    is_whole = len(answer.rows) == answer.total
    keys = sorted(row.id for row in answer.rows) if is_whole else keys_of(definition, question, access)
    return Stamp(pack(keys), relations)
