"""What a list must be told about the person who reads it."""

from __future__ import annotations

from typing import Any, Protocol

from django.db.models import Model, QuerySet


class Access(Protocol):
    """Who may see which rows, as the list engine needs it; `policies` gives the real one."""

    @property
    def actor(self) -> Any:
        """The person reading, handed on to the application's own `queryset(actor)`."""

    def rows(self, queryset: QuerySet[Any], first: int = 0) -> QuerySet[Any]:
        """The rows of `queryset` the person may view, to be read all, or only the `first` so many in an order."""

    def viewable(self, model: type[Model]) -> QuerySet[Any] | None:
        """The objects of `model` the person may view, or None where that is all of them."""
