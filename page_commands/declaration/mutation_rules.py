"""The rules for a step that runs a mutation of the GraphQL schema: its arguments, held against their GraphQL types."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Hashable
from decimal import Decimal
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    get_named_type,
    is_input_object_type,
    is_leaf_type,
    is_specified_scalar_type,
)

from ..mutations import UnknownMutation, mutation_field, required_arguments
from .kinds import Brought

_SAMPLES: dict[type, Any] = {
    str: "text",
    bool: True,
    int: 1,
    float: 1.5,
    Decimal: "1.5",
    dt.date: "2026-01-31",
    dt.datetime: "2026-01-31T12:00:00+00:00",
    uuid.UUID: "12345678-1234-4234-9234-123456789abc",
}
"""A value of each plain type, as a mutation is given it."""


def found_mutation(name: str) -> GraphQLField | None:
    """Return the mutation field of that name, None where the schema has none."""
    try:
        return mutation_field(name)
    except UnknownMutation:
        return None


def signature_of(name: str) -> Hashable:
    """Return what differs as soon as the mutation takes or answers something else."""
    field = found_mutation(name)
    if field is None:
        return None
    return (tuple((argument, str(its.type)) for argument, its in field.args.items()), parts_of(field))


def parts_of(field: GraphQLField) -> tuple[str, ...]:
    """Return the names of the plain values that the mutation answers, of which later steps take parts."""
    answered = get_named_type(field.type)
    if not isinstance(answered, GraphQLObjectType):
        return ("result",)
    leaves = {name: its for name, its in answered.fields.items() if is_leaf_type(get_named_type(its.type))}
    return tuple(name for name, its in leaves.items() if not required_arguments(its))


def can_bind(graphql_type: Any) -> bool:
    """Whether a step can bind an argument of that type: one value, not an object of several."""
    return not is_input_object_type(get_named_type(graphql_type))


def takes(graphql_type: Any, brought: Brought) -> bool:
    """Whether an argument of that type takes what a binding brings, as far as that can be said before the run.

    An object is given as its key, in words. What a scalar of the application's own takes is its own affair.
    """
    named: Any = get_named_type(graphql_type)
    if isinstance(named, GraphQLEnumType):
        samples = list(brought.values)
        if not samples and brought.is_known and brought.plain is not str:
            return False
    elif not brought.is_known or not is_specified_scalar_type(named):
        return True
    else:
        samples = list(brought.values) or ["1" if brought.model is not None else _SAMPLES.get(brought.plain, "text")]  # type: ignore[arg-type]
    return all(_is_taken(named, sample) for sample in samples)


def _is_taken(named: Any, value: Any) -> bool:
    try:
        named.parse_value(value)
    except (GraphQLError, ValueError, TypeError):
        return False
    return True
