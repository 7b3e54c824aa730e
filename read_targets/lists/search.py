"""Free words being looked for in a list.

A word is looked for in the row's own texts and in those of related objects. The latter are found first, among the
objects that the person may view, and the rows by their keys: so no value that is withheld is ever compared, and the
database may use its indexes for either part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import connections
from django.db.models import Model, Q, QuerySet

from .access import Access
from .conditions import NOTHING
from .definition import ListDefinition
from .search_index import index_of, text_of
from .texts import Holds, fold

MOST_LOOKED_UP = 8
"""Words whose related objects are found ahead, a statement each; of further ones the database finds them meanwhile."""

MOST_KEYS = 1_000
"""Related objects that a statement names by their keys."""

FEW = 1_000
"""Rows that a word is taken to have before anybody has counted."""

SCARCE = 4_000_000
"""Rows found, squared, for each row to be shown, from which on they are soonest met by walking in the list's order.

Walking costs by how far apart the rows lie, an index by how many there are; measured at a million rows, the two cost
the same from 3,000 rows found for 20 shown, and much larger lists are to gain as well.
"""


@dataclass
class Search:
    """The words of one question; `using` is the database that it is asked of."""

    definition: ListDefinition
    text: str
    access: Access
    using: str
    _known: dict[tuple[str, str], Any] = field(default_factory=dict)

    @property
    def few(self) -> int:
        """As how many rows those found are taken when rights are asked for: as all (0), unless an index finds them.

        Row by row costs less than all grants of a person, even for words that a tenth of the rows have.
        """
        names = [path for path in self.definition.searched if "." not in path]
        if connections[self.using].vendor != "postgresql" or not names:
            return 0
        is_found = any(len(fold(word) or "") > 1 for word in self.text.split())
        return FEW if is_found and index_of(self.definition.model, names) else 0

    def found(self, first: int = 0, total: int | None = None) -> Q:
        """Every word stands in at least one of the searched texts; a word is data, never a pattern.

        The rows are to be read all, or only the `first` so many in some order of the `total` that there are.
        """
        is_walked = bool(first and total and total * total > SCARCE * first)
        found = Q()
        for position, word in enumerate(dict.fromkeys(self.text.split())):
            related = self._across(word, position < MOST_LOOKED_UP)
            found &= related | self._own(word, by_index=not is_walked, is_alone=not (related or first))
        return found

    def _own(self, word: str, by_index: bool, is_alone: bool) -> Q:
        """The word stands in a text of the row; `is_alone` where that is all there is, and every row is read.

        Otherwise PostgreSQL may well read row by row, and then looks through texts faster than it takes them to pairs.
        """
        return own_texts(self.definition.model, self.definition.searched, word, by_index, is_alone)

    def _across(self, word: str, is_looked_up: bool) -> Q:
        """The word stands in a text of a related object; nothing (a false Q) where no object has it."""
        found = Q()
        for relation, beyond in by_relation(self.definition.searched).items():
            objects = self._related(self.definition.model, relation, beyond, word)
            if not is_looked_up:
                found |= Q(**{f"{relation}__in": objects})
                continue
            if (relation, word) not in self._known:
                keys = list(objects[: MOST_KEYS + 1])
                self._known[relation, word] = keys if len(keys) <= MOST_KEYS else objects
            if self._known[relation, word]:
                found |= Q(**{f"{relation}__in": self._known[relation, word]})
        return found

    def _related(self, model: type[Model], relation: str, paths: list[str], word: str) -> QuerySet[Any]:
        """The keys of the objects across `relation` that the person may view and that have the word."""
        one: Any = model._meta.get_field(relation)
        objects = self.access.viewable(one.related_model)
        if objects is None:
            objects = one.related_model._base_manager.all()
        found = own_texts(one.related_model, paths, word)
        for further, beyond in by_relation(paths).items():
            found |= Q(**{f"{further}__in": self._related(one.related_model, further, beyond, word)})
        return objects.using(self.using).filter(found).order_by().values_list(one.target_field.name, flat=True)


def own_texts(model: type[Model], paths: Iterable[str], word: str, by_index: bool = True, is_alone: bool = False) -> Q:
    """The word stands in one of the model's own texts; in none where none is searched."""
    names = [path for path in paths if "." not in path]
    if not names:
        return NOTHING
    index = index_of(model, names) if by_index and len(fold(word) or "") > 1 else None
    texts = [text_of(model._meta.get_field(name)) for name in names]
    if index is None:
        return Q(Holds(word, texts))
    return Q(Holds(word, texts, index.texts(model), is_whole=is_alone and set(index.fields) == set(names)))


def by_relation(paths: Iterable[str]) -> dict[str, list[str]]:
    """The paths that cross a relation, without it, by its name."""
    found: dict[str, list[str]] = {}
    for relation, _, beyond in (path.partition(".") for path in paths):
        if beyond:
            found.setdefault(relation, []).append(beyond)
    return found
