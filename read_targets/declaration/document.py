"""The GraphQL document that reads a list of another shape, held against the schema: what it selects, and its faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLList,
    GraphQLSchema,
    NonNullTypeNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    get_named_type,
    get_nullable_type,
    is_composite_type,
    parse,
    validate,
)

from ..conf import graphql_schema

VARIABLES = ("filters", "pagination", "sortings", "search")
"""The variables that a document may declare: those a list is read with (seed 000)."""

DEEPEST = 6
"""Levels of objects in which columns are looked for; a document is finite, but its fragments need not be."""

SCALARS: dict[str, tuple[str, ...]] = {
    "Boolean": ("boolean",),
    "Int": ("integer", "number"),
    "BigInt": ("integer", "number"),
    "Float": ("number",),
    "Decimal": ("number",),
    "Date": ("date",),
    "DateTime": ("date",),
    "ID": ("string", "enum"),
    "UUID": ("string", "enum"),
    "String": ("string", "enum", "date", "number"),
}
"""The kinds that a column over each scalar may have; over another scalar, any."""

INTEGERS = ("Int", "BigInt")


class NoSchema(LookupError):
    """The site names no GraphQL schema, so no list of another shape can be read."""


@dataclass(frozen=True)
class Selected:
    """What a path of the answer leads to: its type in the schema, and what is selected of it."""

    type: Any
    inside: tuple[SelectionSetNode, ...] = ()

    @property
    def is_list(self) -> bool:
        """Whether there are several of it."""
        return isinstance(get_nullable_type(self.type), GraphQLList)

    @property
    def row(self) -> Selected:
        """One entry of this list."""
        return Selected(get_nullable_type(self.type).of_type, self.inside)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that a column over this value may have, empty where that is any."""
        named = get_named_type(self.type)
        return ("enum", "string") if hasattr(named, "values") else SCALARS.get(named.name, ())

    @property
    def is_integer(self) -> bool:
        """Whether this is a whole number."""
        return not self.is_list and get_named_type(self.type).name in INTEGERS


@dataclass(frozen=True)
class Document:
    """A document as it stands in the schema. `faults` say what keeps it from being run, in the active language."""

    schema: GraphQLSchema
    operation: OperationDefinitionNode | None = None
    fragments: dict[str, FragmentDefinitionNode] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    @property
    def variables(self) -> dict[str, bool]:
        """The variables that are declared, and whether each must be given."""
        defined = self.operation.variable_definitions if self.operation else ()
        return {
            one.variable.name.value: isinstance(one.type, NonNullTypeNode) and one.default_value is None
            for one in defined
        }

    @property
    def roots(self) -> tuple[str, ...]:
        """The names of the root fields that are read."""
        if self.operation is None or self.faults:
            return ()
        return tuple(node.name.value for node, _parent in self._fields(self.schema.query_type, self._top.inside))

    def at(self, path: str) -> Selected | None:
        """Return what the path of the answer leads to, or None where the document does not select it."""
        return None if self.operation is None or self.faults else self._walked(self._top, path)

    def at_row(self, rows_path: str, path: str) -> Selected | None:
        """Return what `path` leads to in a row, or None."""
        rows = self.at(rows_path)
        return self._walked(rows.row, path) if rows is not None and rows.is_list else None

    def columns(self, rows_path: str) -> tuple[str, ...]:
        """Return the paths of every single value that is selected of a row."""
        rows = self.at(rows_path)
        return tuple(self._leaves(rows.row, "", DEEPEST)) if rows is not None and rows.is_list else ()

    def lists(self) -> tuple[str, ...]:
        """Return the paths of every list of objects that is selected."""
        return tuple(self._lists(self._top, "", DEEPEST)) if self.operation and not self.faults else ()

    @property
    def _top(self) -> Selected:
        if self.operation is None:
            raise ValueError("the document has no operation")
        return Selected(self.schema.query_type, (self.operation.selection_set,))

    def _walked(self, start: Selected, path: str) -> Selected | None:
        here = start
        for part in path.split("."):
            following = None if here.is_list else self._children(here).get(part)
            if following is None:
                return None
            here = following
        return here

    def _leaves(self, of: Selected, prefix: str, deep: int) -> Iterator[str]:
        for name, one in self._children(of).items():
            if one.is_list:
                continue
            if not one.inside:
                yield f"{prefix}{name}"
            elif deep:
                yield from self._leaves(one, f"{prefix}{name}.", deep - 1)

    def _lists(self, of: Selected, prefix: str, deep: int) -> Iterator[str]:
        for name, one in self._children(of).items():
            if one.is_list and one.inside:
                yield f"{prefix}{name}"
            elif one.inside and deep:
                yield from self._lists(one, f"{prefix}{name}.", deep - 1)

    def _children(self, of: Selected) -> dict[str, Selected]:
        """The fields selected of an object, by the name each has in the answer."""
        found: dict[str, Selected] = {}
        for node, parent in self._fields(get_named_type(of.type), of.inside):
            known = getattr(parent, "fields", {}).get(node.name.value)
            if known is None:
                continue
            name = node.alias.value if node.alias else node.name.value
            before = found[name].inside if name in found else ()
            found[name] = Selected(known.type, (*before, node.selection_set) if node.selection_set else ())
        return found

    def _fields(self, parent: Any, inside: tuple[SelectionSetNode, ...]) -> Iterator[tuple[FieldNode, Any]]:
        for selection in (one for selections in inside for one in selections.selections):
            if isinstance(selection, FieldNode):
                yield selection, parent
                continue
            # The rest are fragments, in place or spread by their name; validation has refused those in a circle.
            fragment: Any = selection
            if not hasattr(fragment, "selection_set"):
                fragment = self.fragments[fragment.name.value]
            named = fragment.type_condition.name.value if fragment.type_condition else None
            kind = self.schema.get_type(named) if named else parent
            if is_composite_type(kind):
                yield from self._fields(kind, (fragment.selection_set,))


def document_of(text: str) -> Document:
    """Return the document held against the site's schema; raises NoSchema where the site names none."""
    schema = site_schema()
    if schema is None:
        raise NoSchema
    return _read(text, schema)


def site_schema() -> GraphQLSchema | None:
    """Return the schema that documents are held against, None where the site names none that can be imported."""
    try:
        schema = graphql_schema()
    except ImportError:
        # A system check says so by the setting's name; here it is one schema less.
        return None
    return getattr(schema, "graphql_schema", schema)


@lru_cache(maxsize=256)
def _parsed(text: str, schema: GraphQLSchema) -> tuple[DocumentNode | None, tuple[str, ...]]:
    try:
        tree = parse(text)
    except GraphQLError as error:
        return None, (error.message,)
    return tree, tuple(error.message for error in validate(schema, tree, max_errors=3))


def _read(text: str, schema: GraphQLSchema) -> Document:
    tree, refused = _parsed(text, schema)
    if tree is None:
        return Document(schema, faults=tuple(_("It is no GraphQL: %(said)s") % {"said": said} for said in refused))
    operations = [one for one in tree.definitions if isinstance(one, OperationDefinitionNode)]
    fragments = {one.name.value: one for one in tree.definitions if isinstance(one, FragmentDefinitionNode)}
    faults = [_("The schema refuses it: %(said)s") % {"said": said} for said in refused]
    if len(operations) != 1:
        faults.append(_("It holds %(number)d operations; it must hold one query.") % {"number": len(operations)})
    elif operations[0].operation is not OperationType.QUERY:
        faults.append(_("It is a %(kind)s; only a query reads.") % {"kind": operations[0].operation.value})
    return Document(schema, operations[0] if operations else None, fragments, tuple(faults))
