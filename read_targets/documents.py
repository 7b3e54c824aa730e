"""GraphQL documents, read once: parsed and held against the schema, they are kept for the next that sends the same.

Only documents without an error are kept, and only so many of so long; who sends others is answered all the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    SelectionSetNode,
    parse,
    validate,
)

MOST_KEPT = 256
"""Documents that a process keeps."""

LONGEST_KEPT = 20_000
"""Characters of a document that is kept."""

TOKENS_A_FIELD, CHARACTERS_A_FIELD = 10, 200
"""What a document may have for each field that it may: arguments, filters and fragments are written with it."""


class Rules(NamedTuple):
    """What a document must keep: how deep its fields stand within each other, how many they are (None: any), and the
    rules of GraphQL that it is held to (None: all), of which so many breaches are told."""

    depth: int | None = None
    fields: int | None = None
    validation: tuple[Any, ...] | None = None
    most_errors: int | None = None


class Unfit(Exception):
    """A document that is refused; `errors` say why."""

    def __init__(self, *errors: GraphQLError) -> None:
        super().__init__(*errors)
        self.errors = list(errors)


def document(schema: GraphQLSchema, text: str, rules: Rules = Rules()) -> DocumentNode:  # noqa: B008  # it is immutable
    """Return the document, which fits the schema and keeps the rules; raises Unfit.

    It is measured before it is held against the schema, which takes the longer the more there is of it.
    """
    return (_kept if len(text) <= LONGEST_KEPT else _read)(schema, text, rules)


def _read(schema: GraphQLSchema, text: str, rules: Rules) -> DocumentNode:
    if rules.fields is not None and len(text) > CHARACTERS_A_FIELD * rules.fields:
        raise Unfit(GraphQLError(f"A document has at most {CHARACTERS_A_FIELD * rules.fields} characters."))
    try:
        parsed = parse(text, max_tokens=None if rules.fields is None else TOKENS_A_FIELD * rules.fields)
    except GraphQLError as error:
        raise Unfit(error) from None
    except RecursionError:
        raise Unfit(GraphQLError("The document is nested too deeply.")) from None
    Measure(parsed, rules).take()
    errors = validate(schema, parsed, rules.validation, rules.most_errors)
    if errors:
        raise Unfit(*errors)
    return parsed


_kept = lru_cache(MOST_KEPT)(_read)


class Measure:
    """How deep and wide a document is. A fragment counts wherever it is spread, and is looked at once."""

    def __init__(self, parsed: DocumentNode, rules: Rules) -> None:
        self.operations = [one for one in parsed.definitions if isinstance(one, OperationDefinitionNode)]
        self.fragments = {one.name.value: one for one in parsed.definitions if isinstance(one, FragmentDefinitionNode)}
        self.rules = rules
        self._known: dict[str, tuple[int, int]] = {}
        self._open: set[str] = set()

    def take(self) -> None:
        """Raises Unfit where it is too deep or too wide."""
        for operation in self.operations:
            self._selected(operation.selection_set, 0)

    def _selected(self, selected: SelectionSetNode, above: int) -> tuple[int, int]:
        """Return how deep what is selected goes and how many fields it is; raises Unfit once that is too much."""
        depth, fields = 0, 0
        for one in selected.selections:
            if isinstance(one, FragmentSpreadNode):
                deep, many = self._spread(one.name.value)
            elif isinstance(one, FieldNode):
                deep, many = self._selected(one.selection_set, above + 1) if one.selection_set else (0, 0)
                deep, many = deep + 1, many + 1
            else:
                deep, many = self._selected(one.selection_set, above)  # type: ignore[attr-defined]  # a fragment inline
            depth, fields = max(depth, deep), fields + many
            if self.rules.depth is not None and above + depth > self.rules.depth:
                raise Unfit(GraphQLError(f"Fields stand at most {self.rules.depth} deep within each other."))
            if self.rules.fields is not None and fields > self.rules.fields:
                raise Unfit(GraphQLError(f"A document takes at most {self.rules.fields} fields."))
        return depth, fields

    def _spread(self, name: str) -> tuple[int, int]:
        if name in self._open:
            raise Unfit(GraphQLError("A fragment spreads itself."))
        if name not in self.fragments:
            return 0, 0  # the schema's own rules say so
        if name not in self._known:
            self._open.add(name)
            self._known[name] = self._selected(self.fragments[name].selection_set, 0)
            self._open.discard(name)
        return self._known[name]
