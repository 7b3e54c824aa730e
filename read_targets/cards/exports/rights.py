"""The rights to a file: what stands in it does not outlive the right to it (design, section 4)."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from ...lists.access import Access
from ...lists.engine import keys_of
from ...lists.keys import among, unpack
from ...lists.selection import permitted, reads_everything
from ..sources import Listing
from .models import Export


def relations_of(listing: Listing) -> dict[str, list[Any] | None]:
    """Return the keys of the related objects whose values are in the file; None where the person may view all."""
    relations: dict[str, list[Any] | None] = {}
    for relation, model in _hops(listing).items():
        if listing.access.viewable(model) is None:
            relations[relation] = None
        else:
            keys = keys_of(listing.definition, listing.question, listing.access, relation)
            relations[relation] = [key if isinstance(key, int) else str(key) for key in keys]
    return relations


def still_theirs(listing: Listing, export: Export) -> bool:
    """Whether the person may view everything in the file now, as far as it is still there."""
    definition, access = listing.definition, listing.access
    if export.unrestricted:
        if not reads_everything(definition, access):
            return False
    else:
        keys = unpack(bytes(export.row_keys or b"")) if export.row_keys else []
        every = definition.model._base_manager.all()
        if among(permitted(definition, access), keys).count() != among(every, keys).count():
            return False
    hops = _hops(listing)
    return all(name in hops and _viewable(access, hops[name], keys) for name, keys in export.relations.items())


def _hops(listing: Listing) -> dict[str, type[Model]]:
    return {hop: model for path in listing.everything for hop, model in listing.definition.path(path).hops}


def _viewable(access: Access, model: type[Model], keys: list[Any] | None) -> bool:
    viewable = access.viewable(model)
    if viewable is None:
        return True
    return keys is not None and among(viewable, keys).count() == among(model._base_manager.all(), keys).count()
