"""What a target may say of its list: the list's own paths and kinds, or those that its GraphQL document selects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

from ..lists import OPERATORS, ListDefinition, UnknownList, get_list
from ..lists.conditions import KINDS_TAKEN, argument_kind
from ..models import Operator, ReadTarget
from .document import Document, NoSchema, document_of

FITTING: dict[str, tuple[str, ...]] = {
    "string": ("string", "enum"),
    "enum": ("enum", "string"),
    "number": ("number", "integer"),
    "integer": ("integer",),
    "boolean": ("boolean",),
    "date": ("date",),
}
"""The kinds of conditions whose value an operator's argument of each kind can take."""


class Shape(Protocol):
    """A list as a declaration sees it."""

    @property
    def says_paths(self) -> bool:
        """Whether it says what it filters and sorts; else anything goes."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The paths that may be shown."""

    @property
    def filtered(self) -> tuple[str, ...]:
        """The paths that may be filtered, () where it does not say."""

    @property
    def sorted(self) -> tuple[str, ...]:
        """The paths that may be sorted, () where it does not say."""

    @property
    def is_searched(self) -> bool:
        """Whether it looks for free words."""

    def column_kinds(self, path: str) -> tuple[str, ...] | None:
        """The kinds that a column over `path` may have, () for any; None where there is no such path."""

    def is_exact(self, path: str) -> bool:
        """Whether a number of the path keeps every digit, so that it can be weighed and divided."""

    def operators(self, path: str) -> tuple[str, ...]:
        """The operators that go with a filtered path."""

    def condition_kinds(self, path: str, operator: str) -> tuple[str, ...]:
        """The kinds that a condition with this filter may have, the most fitting first; () for any."""

    def values(self, path: str) -> tuple[str, ...]:
        """The values of an enum, () where the list does not say."""


@dataclass(frozen=True)
class ListShape:
    """A list that the application has registered."""

    definition: ListDefinition
    says_paths: ClassVar[bool] = True

    @property
    def shown(self) -> tuple[str, ...]:
        """The paths that may be shown."""
        return _tuple(self.definition.shown)

    @property
    def filtered(self) -> tuple[str, ...]:
        """The paths that may be filtered."""
        return _tuple(self.definition.filtered)

    @property
    def sorted(self) -> tuple[str, ...]:
        """The paths that may be sorted."""
        return _tuple(self.definition.sorted)

    @property
    def is_searched(self) -> bool:
        """Whether free words are looked for anywhere."""
        return bool(self.definition.searched)

    def column_kinds(self, path: str) -> tuple[str, ...] | None:
        """The path's own kind."""
        return (self.definition.path(path).kind,) if path in self.shown else None

    def is_exact(self, path: str) -> bool:
        """All numbers but floats."""
        return path not in self.shown or self.definition.path(path).scale is not None

    def operators(self, path: str) -> tuple[str, ...]:
        """The operators of the path's kind that an admin can choose."""
        kind = self.definition.path(path).kind
        return tuple(operator for operator in Operator.values if kind in OPERATORS.get(operator, ()))

    def condition_kinds(self, path: str, operator: str) -> tuple[str, ...]:
        """What fits the operator's argument on this path."""
        kind = argument_kind(self.definition.path(path), operator)
        # A whole number compared takes any number; as a year or a month, none but whole ones.
        return ("integer", "number") if kind == "integer" and operator not in KINDS_TAKEN else FITTING[kind]

    def values(self, path: str) -> tuple[str, ...]:
        """The values of the path, as they are stored."""
        return self.definition.path(path).values


@dataclass(frozen=True)
class DocumentShape:
    """A list of another shape. What it filters and sorts, its document does not say."""

    document: Document
    rows_path: str
    says_paths: ClassVar[bool] = False
    filtered: ClassVar[tuple[str, ...]] = ()
    sorted: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The values that are selected of a row."""
        return self.document.columns(self.rows_path)

    @property
    def is_searched(self) -> bool:
        """Whether the document takes words."""
        return "search" in self.document.variables

    def column_kinds(self, path: str) -> tuple[str, ...] | None:
        """The kinds that fit the value's type in the schema."""
        if path not in self.shown:
            return None
        selected = self.document.at_row(self.rows_path, path)
        return selected.kinds if selected else None

    def is_exact(self, path: str) -> bool:
        """Every number: it is taken as it is written."""
        return True

    def operators(self, path: str) -> tuple[str, ...]:
        """Every operator."""
        return tuple(Operator.values)

    def condition_kinds(self, path: str, operator: str) -> tuple[str, ...]:
        """What fits an operator that has an argument of its own; else any."""
        fixed = KINDS_TAKEN.get(operator)
        return FITTING[fixed] if fixed else ()

    def values(self, path: str) -> tuple[str, ...]:
        """None that are known."""
        return ()


def shape_of(target: ReadTarget) -> Shape | None:
    """Return what the target's list is like, or None where its list, or the site's schema, is not there."""
    try:
        if target.is_foreign:
            return DocumentShape(document_of(target.document), target.rows_path)
        return ListShape(get_list(target.list_query))
    except (UnknownList, NoSchema):
        return None


def _tuple(paths: object) -> tuple[str, ...]:
    """A definition's paths, which are a tuple once it is made."""
    return paths if isinstance(paths, tuple) else ()
