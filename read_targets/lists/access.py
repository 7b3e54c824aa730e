"""What a list must be told about the person who reads it."""

from __future__ import annotations

from collections.abc import Hashable
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

    def shape(self, model: type[Model], first: int = 0) -> Hashable | None:
        """What the condition that `rows` adds, to a queryset of `model`, depends on: whose shapes are equal get the
        same condition with the same values, now and later, and likewise from `viewable`.

        None where that cannot be said; then each statement is built anew.
        """
