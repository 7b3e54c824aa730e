"""The index by which PostgreSQL finds words of two letters or more among a million rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import F, Index, Model
from django.db.models.expressions import Combinable

from .definition import is_text
from .texts import Folded, Lines, Pairs, Written


class SearchIndex(Index):
    """An index for a model's `Meta.indexes`, over the columns that its list searches, in any order.

    Words are found by the pairs of letters that they are made of, in whichever of the columns: two letters are a whole
    word in Korean, and trigrams would know none of it. On a database other than PostgreSQL it is no index at all, so
    that migrations are the same everywhere.
    """

    suffix = "srch"

    def __init__(self, *, fields: Iterable[str], name: str | None = None, db_tablespace: str | None = None) -> None:
        super().__init__(fields=list(fields), name=name, db_tablespace=db_tablespace)

    def texts(self, model: type[Model]) -> list[Combinable]:
        """What is indexed of each column, in their order."""
        return [text_of(model._meta.get_field(name)) for name in self.fields]

    def create_sql(self, model: type[Model], schema_editor: Any, using: str = "", **kwargs: Any) -> Any:
        """Return the statement that makes the index, which is empty on other databases."""
        if schema_editor.connection.vendor != "postgresql":
            return ""
        pairs = Pairs(Folded(Lines(*self.texts(model))))
        made = Index(pairs, name=self.name, db_tablespace=self.db_tablespace)
        return made.create_sql(model, schema_editor, using=" USING gin", **kwargs)

    def remove_sql(self, model: type[Model], schema_editor: Any, **kwargs: Any) -> Any:
        """Return the statement that drops the index, which is empty on other databases."""
        if schema_editor.connection.vendor != "postgresql":
            return ""
        return super().remove_sql(model, schema_editor, **kwargs)

    def deconstruct(self) -> Any:
        """Name the class where hosts import it from, so that their migrations do not know our modules."""
        _, arguments, options = super().deconstruct()
        return "read_targets.lists.SearchIndex", arguments, options


def text_of(field: Any) -> Combinable:
    """The value of a column of the query's own model, as text."""
    return F(field.name) if is_text(field) else Written(F(field.name))


def index_of(model: type[Model], names: Iterable[str]) -> SearchIndex | None:
    """Return the least index of the model over all the columns named, None where there is none."""
    asked = set(names)
    fitting = [one for one in model._meta.indexes if isinstance(one, SearchIndex) and asked <= set(one.fields)]
    return min(fitting, key=lambda one: len(one.fields), default=None)
