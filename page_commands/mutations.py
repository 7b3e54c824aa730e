"""Mutations of the application's GraphQL schema, run as the person: a step names the field and stores nothing else."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from graphql import (
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)

from read_targets.conf import graphql_middleware, graphql_schema
from read_targets.policies import Actor

from .context import CommandRefused

logger = logging.getLogger(__name__)


class UnknownMutation(LookupError):
    """The schema has no mutation field of that name."""


class MutationFailed(Exception):
    """A mutation broke; what happened is in the log."""


def mutation_names() -> list[str]:
    """Return the names of the schema's mutation fields, as GraphQL spells them."""
    mutation = _mutations()
    return sorted(mutation.fields) if mutation else []


def mutation_field(name: str) -> GraphQLField:
    """Return the schema's field of that mutation; raises UnknownMutation."""
    mutation = _mutations()
    if mutation is None or name not in mutation.fields:
        raise UnknownMutation(name)
    return mutation.fields[name]


def required_arguments(field: GraphQLField) -> list[str]:
    """Return the names of the arguments without which the field cannot be called."""
    return [name for name, argument in field.args.items() if is_required_argument(argument)]


def run_mutation(actor: Actor, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run the mutation as the person and return the plain values of what it answers.

    An error that the application raised as a GraphQLError is its refusal: raises CommandRefused with its words. Any
    other raises MutationFailed.
    """
    field = mutation_field(name)
    request = HttpRequest()
    request.method = "POST"
    request.user = actor.user
    document = _document(name, field, arguments)
    answer = graphql_schema().execute(
        document, variable_values=dict(arguments), context_value=request, middleware=graphql_middleware()
    )
    for error in answer.errors or ():
        raised = error.original_error
        if raised is None or isinstance(raised, GraphQLError):
            raise CommandRefused(error.message)
        logger.error("mutation %s broke", name, exc_info=raised)
        raise MutationFailed(name)
    found = (answer.data or {}).get(name)
    return dict(found) if isinstance(found, Mapping) else {"result": found}


def _document(name: str, field: GraphQLField, arguments: Mapping[str, Any]) -> str:
    """The document that calls the field with variables, and asks for the plain values of its answer."""
    given = [argument for argument in field.args if argument in arguments]
    declared = ", ".join(f"${argument}: {field.args[argument].type}" for argument in given)
    passed = ", ".join(f"{argument}: ${argument}" for argument in given)
    answered = get_named_type(field.type)
    selection = ""
    if isinstance(answered, GraphQLObjectType):
        plain = [
            one
            for one, its in answered.fields.items()
            if is_leaf_type(get_named_type(its.type)) and not any(map(is_required_argument, its.args.values()))
        ]
        selection = f" {{ {' '.join(plain or ['__typename'])} }}"
    elif not is_leaf_type(answered):
        selection = " { __typename }"
    head = f"mutation ({declared})" if declared else "mutation"
    return f"{head} {{ {name}{f'({passed})' if passed else ''}{selection} }}"


def _mutations() -> GraphQLObjectType | None:
    """The schema's mutations; None where it has none, or the site has no schema that can be imported."""
    try:
        schema = graphql_schema()
    except ImportError:
        # A system check says so by the setting's name; here it is one schema less.
        return None
    return None if schema is None else schema.graphql_schema.mutation_type
