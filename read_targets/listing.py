"""The whole list behind a workspace version: its conditions and its order, asked again as the person, now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .cards.models import WorkspaceVersion
from .cards.sources import Heading, Listing, NoListing
from .criteria import NOT_CONDITIONS, arguments_of
from .declaration.soundness import is_sound
from .digest import order_terms
from .doors import declared
from .lists import Order, Unreadable, get_list
from .models import ReadTarget
from .policies import access_of
from .preferences import zone_of
from .reading import question_of


def listing_of_target(user: Any, version: WorkspaceVersion) -> Listing:
    """Return the list that `version` was read from; raises NoListing.

    With all the conditions of the version, or not at all: without one that the target no longer takes it would be
    another, longer list.
    """
    target = declared().filter(key=version.source, enabled=True).first()
    if target is None or target.is_foreign or not is_sound(target):
        raise NoListing(version.source)
    definition = get_list(target.list_query)
    columns = [column for column in target.columns.all() if column.has_values]
    values = _values(target, version.arguments)
    wished = _order(
        {column.name: column.list_path for column in columns if column.list_path in (definition.sorted or ())},
        str(version.arguments.get("orderBy", "")),
    )
    question = question_of(target, columns, values, zone_of(user), wished)
    headings = tuple(
        Heading(column.name, column.list_path, column.label, column.kind, column.unit) for column in columns
    )
    return Listing(definition, question, access_of(user), headings, target.label)


def _values(target: ReadTarget, given: Mapping[str, Any]) -> dict[str, Any]:
    """The conditions of a version, read as an agent gives them; raises NoListing where one is not taken any more."""
    arguments = {argument.name: argument for argument in arguments_of(target)}
    values = {}
    for name in given.keys() - NOT_CONDITIONS:
        try:
            values[name] = arguments[name].read(given[name])
        except (KeyError, Unreadable):
            raise NoListing(target.key) from None
    return {name: value for name, value in values.items() if value is not None}


def _order(paths: Mapping[str, str], order_by: str) -> tuple[Order, ...]:
    """The order of a version; raises NoListing where a column of it is gone."""
    try:
        return tuple(replace(one, path=paths[one.path]) for one in order_terms(order_by))
    except KeyError:
        raise NoListing(order_by) from None
