"""Who may see what, without people or grants: a list asks for no more than this."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model, QuerySet


@dataclass
class Everything:
    """Somebody who may view all there is."""

    actor: Any = None

    def rows(self, queryset: QuerySet[Any], first: int = 0) -> QuerySet[Any]:
        """Return every row."""
        return queryset

    def viewable(self, model: type[Model]) -> QuerySet[Any] | None:
        """Return None: all of them."""
        return None

    def shape(self, model: type[Model], first: int = 0) -> str:
        """Return that it is always the same."""
        return "every"


@dataclass
class Only:
    """Somebody who may view the objects with these keys, and of models that are not named here all."""

    keys: dict[type[Model], list[Any]] = field(default_factory=dict)
    actor: Any = None

    def rows(self, queryset: QuerySet[Any], first: int = 0) -> QuerySet[Any]:
        """Return the rows with these keys."""
        model = queryset.model
        return queryset.filter(pk__in=self.keys[model]) if model in self.keys else queryset

    def viewable(self, model: type[Model]) -> QuerySet[Any] | None:
        """Return the objects with these keys."""
        return self.rows(model._base_manager.all()) if model in self.keys else None

    def shape(self, model: type[Model], first: int = 0) -> tuple[Any, ...]:
        """Return the keys."""
        return ("every",) if model not in self.keys else ("only", *self.keys[model])
