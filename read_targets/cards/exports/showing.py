"""What a workspace page says of the whole list behind it: where to read it, and its exports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..models import WorkspaceVersion
from ..sources import NoListing, listing_of
from .files import forms
from .models import Export
from .starting import kept_exports, lapse_exports


@dataclass(frozen=True)
class Whole:
    """The whole list behind a version: whether it can be read, the forms it is exported in, and what was."""

    is_there: bool
    forms: list[str]
    exports: list[Export]


def whole_of(user: Any, version: WorkspaceVersion) -> Whole:
    """Return what the person may do with the whole list behind their version."""
    lapse_exports()
    try:
        listing_of(user, version)
    except NoListing:
        return Whole(False, [], [])
    return Whole(True, forms(), list(kept_exports(user).filter(version=version)))
