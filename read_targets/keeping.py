"""What is kept of a reading on a workspace, and which of it a person may still see when they open it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Model

from .agent.contract import CardFacts
from .agent.registry import Call
from .cards.making import make_workspace
from .cards.models import WorkspaceVersion
from .cards.sources import Listing, Required, Review
from .digest import WORKSPACE_ROWS, Digest, Wish
from .doors import door_of
from .envelope import bounds_of, goals_of, summary_of
from .foreign import ListUnreadable, ids_of
from .listing import listing_of_target
from .lists import ListDefinition, UnknownList, get_list, plain
from .lists.answer import MOST_GROUPS
from .lists.keys import among, unpack
from .lists.selection import permitted as permitted_rows
from .lists.selection import reads_everything
from .models import ReadTarget
from .policies import QUERY, RowAccess, access_of, open_doors, permitted


def keep_workspace(
    target: ReadTarget,
    call: Call,
    values: Mapping[str, Any],
    arguments: Mapping[str, Any],
    zone: dt.tzinfo,
    wish: Wish,
    digest: Digest,
) -> CardFacts:
    """Put a reading on the caller's workspace as it was read, and return its card."""
    stamp = digest.stamp
    title = str(arguments.get("title", "")).strip()
    return make_workspace(
        call,
        source=target.key,
        tool=target.query_tool_name,
        name=str(arguments.get("name") or target.key.replace(".", "-")),
        title=title,
        label=target.label,
        content=content_of(target, call, values, zone, wish, digest, title),
        arguments={name: plain(value) for name, value in arguments.items() if name not in ("title", "name", "show")},
        time_zone=str(zone),
        row_keys=stamp.row_keys if stamp else None,
        unrestricted=stamp is not None and stamp.row_keys is None,
        relations=stamp.relations if stamp else {},
    )


def content_of(
    target: ReadTarget,
    call: Call,
    values: Mapping[str, Any],
    zone: dt.tzinfo,
    wish: Wish,
    digest: Digest,
    title: str,
) -> dict[str, Any]:
    """Return what the workspace page shows, as exact JSON."""
    summary = summary_of(digest, wish, MOST_GROUPS).to_json()
    bounds = bounds_of(target, values, zone)
    return {
        "title": title,
        "label": target.label,
        "columns": [
            {
                "name": column.name,
                "path": column.list_path,
                "label": column.label,
                "kind": column.kind,
                "unit": column.unit,
                "total": column.total,
                "basis": column.basis,
                "parts": list(column.parts.values()),
                "hasValues": column.has_values,
            }
            for column in digest.columns
        ],
        "total": digest.total,
        "analysed": digest.analysed,
        "isComplete": digest.is_complete,
        "metrics": summary["metrics"],
        "groupBy": wish.group_by,
        "groups": summary.get("groups", []),
        "rest": summary.get("rest"),
        "goals": _goals(target, digest),
        "rows": digest.rows[:WORKSPACE_ROWS],
        "conditions": conditions_said(target, values),
        "timeRange": {"start": bounds[0], "end": bounds[1]} if bounds else None,
        "timeZone": str(zone),
        "person": call.actor.user.get_username(),
        "omissions": digest.omissions,
        "orderBy": ",".join(map(str, wish.order)),
    }


def _goals(target: ReadTarget, digest: Digest) -> list[dict[str, Any]]:
    """The goals as answered, each with its label in every language, as a page says them."""
    labels = [goal.label for goal in target.goals.all() if goal.column in digest.figures]
    said = [one.to_json() for one in goals_of(target, digest)]
    return [{**one, "label": label} for one, label in zip(said, labels, strict=True)]


def conditions_said(target: ReadTarget, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the conditions as a page says them: name, label in each language, kind and value."""
    criteria = {criterion.name: criterion for criterion in target.criteria.all()}
    return [
        {
            "name": name,
            "label": criteria[name].label if name in criteria else {},
            "kind": criteria[name].kind if name in criteria else "string",
            "value": plain(value),
        }
        for name, value in values.items()
    ]


class TargetSource:
    """The rights to cards and workspaces that came of a read target, asked again whenever one is opened."""

    def has(self, key: str) -> bool:
        """Whether `key` is a target's; one that is gone is still nobody else's."""
        return "." in key and ":" not in key

    def closed(self, user: Any, keys: Collection[str]) -> dict[str, Required]:
        """Those of `keys` that are closed to the person, with the right they lack; none where it is off or gone."""
        targets = {target.key: target for target in ReadTarget.objects.filter(key__in=keys)}
        doors = {key: door_of(target) for key, target in targets.items()}
        asked = ReadTarget.objects.filter(key__in=keys)
        held = set(permitted(user, QUERY, asked).values_list("key", flat=True)) if keys else set()
        opened = open_doors(user, filter(None, doors.values()))
        closed: dict[str, Required] = {}
        for key in keys:
            target, door = targets.get(key), doors.get(key)
            if target is None or not target.enabled or not door:
                closed[key] = Required("", key if target is None else str(target))
            elif key not in held:
                closed[key] = Required(QUERY, str(target))
            elif door not in opened:
                closed[key] = Required(door, str(target))
        return closed

    def review(self, user: Any, version: WorkspaceVersion) -> Review:
        """Which stored rows, figures and columns the person may still see."""
        target = ReadTarget.objects.filter(key=version.source).prefetch_related("columns", "criteria__filters").first()
        shown = [row["id"] for row in version.content.get("rows", []) if "id" in row]
        if target is None:
            return Review(frozenset(), False, frozenset())
        if target.is_foreign:
            return _foreign_review(target, user, version)
        try:
            definition = get_list(target.list_query)
        except UnknownList:
            return Review(frozenset(), False, frozenset())
        access = access_of(user)
        rows = permitted_rows(definition, access)
        still = frozenset(str(key) for key in among(rows, shown).values_list("pk", flat=True))
        lost = _lost(definition, access, version)
        closed = _closed(target, definition, version, lost)
        if lost & _asked_across(target, definition, version):
            # They were found by values that the person may no longer view, and would tell them.
            return Review(frozenset(), False, closed)
        return Review(still, not closed & _figured(version) and _all_still(definition, access, version), closed)

    def listing(self, user: Any, version: WorkspaceVersion) -> Listing:
        """The target's whole list, with the conditions and in the order of the version; raises NoListing."""
        return listing_of_target(user, version)


def _figured(version: WorkspaceVersion) -> set[str]:
    """The stored columns of which the figures tell: what is summed up, what it is weighed by or made of, the groups."""
    metrics = version.content.get("metrics", {})
    parts = (one.get("parts", ()) for one in version.content.get("columns", []) if one["name"] in metrics)
    return {*metrics, *(name for names in parts for name in names), version.content.get("groupBy")}


def _all_still(definition: ListDefinition, access: RowAccess, version: WorkspaceVersion) -> bool:
    if version.row_keys is None:
        return version.unrestricted and reads_everything(definition, access)
    keys = unpack(bytes(version.row_keys))
    return among(permitted_rows(definition, access), keys).count() == len(keys)


def _lost(definition: ListDefinition, access: RowAccess, version: WorkspaceVersion) -> set[str]:
    """The relations of whose objects the person may no longer view all that they could when it was read."""
    models = {hop: model for path in definition.paths.values() for hop, model in path.hops}
    return {name for name, keys in version.relations.items() if not _still_related(access, models.get(name), keys)}


def _asked_across(target: ReadTarget, definition: ListDefinition, version: WorkspaceVersion) -> set[str]:
    """The relations across which the version's conditions and words selected its rows."""
    conditions = [one for one in target.criteria.all() if one.name in version.arguments]
    asked = [one.field for condition in conditions for one in condition.filters.all()]
    words = definition.searched if "text" in version.arguments else ()
    paths = [definition.paths[path] for path in (*asked, *words) if path in definition.paths]
    return {hop for path in paths for hop, _model in path.hops}


def _closed(
    target: ReadTarget, definition: ListDefinition, version: WorkspaceVersion, lost: Collection[str]
) -> frozenset[str]:
    """The stored columns whose values the person may no longer see: of lost relations, or no longer declared."""
    declared = {column.name: column.list_path for column in target.columns.all()}
    closed = set()
    for column in version.content.get("columns", []):
        path = column.get("path", column["name"])
        prefix = path.replace(".", "__")
        # A ratio without values of its own has no path: what its figures tell of are the columns of its parts.
        told = declared.get(column["name"]) == path and (not path or path in (definition.shown or ()))
        if not told or any(prefix.startswith(f"{relation}__") for relation in lost):
            closed.add(column["name"])
    return frozenset(closed)


def _still_related(access: RowAccess, model: type[Model] | None, keys: list[Any] | None) -> bool:
    """Whether the person may still view all the related objects that they could when it was read."""
    if model is None:
        return False
    viewable = access.viewable(model)
    return viewable is None or (keys is not None and among(viewable, keys).count() == len(keys))


def _foreign_review(target: ReadTarget, user: Any, version: WorkspaceVersion) -> Review:
    """A list of another shape tells no keys to ask about, so what it gave is read again as the person."""
    try:
        still = ids_of(target, version.arguments, user)
    except ListUnreadable:
        return Review(frozenset(), False, frozenset())
    stored = {row["id"] for row in version.content.get("rows", []) if "id" in row}
    whole = len(stored) == len(version.content.get("rows", [])) == version.content.get("analysed")
    return Review(frozenset(stored & still), whole and stored <= still, frozenset())
