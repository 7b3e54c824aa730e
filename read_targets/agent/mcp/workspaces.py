"""A person's workspaces as resources: those that the token made, under the rights that hold now."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, unquote

import orjson
from django.db.models import QuerySet
from django.utils import timezone
from mcp import types

from ...cards.models import WorkspaceVersion
from ...cards.sources import Review, closed_doors, door_of, review_of
from ...heavy import one_call
from ...lists import snapshot
from ..dispatch import check_doors
from ..labels import text_of
from ..texts import WITHHELD
from .visits import Visit

NOT_FOUND_OLDER = -32002
"""What the protocol of 2025-11-25 says of a resource that is missing; the newer one has no code of its own for it."""

MOST_LISTED = 100
"""Workspaces that are listed, the newest; an older one is still read by its address."""

JSON = "application/json"

TEMPLATE = types.ResourceTemplate(
    uri_template="workspace://desk/{name}/{version}",
    name="workspace",
    title="Workspace",
    description="A long result that a tool put on a workspace: its figures, groups and rows, as they were read.",
    mime_type=JSON,
)

# The name as `address_of` writes it; no name has a NUL, which PostgreSQL cannot even be asked about.
_ADDRESS = re.compile(r"workspace://desk/((?:[A-Za-z0-9_.~-]|%(?!00)[0-9A-Fa-f]{2}){1,1000})/([1-9][0-9]{0,8})")


def listed(visit: Visit) -> list[types.Resource]:
    """Return the newest workspaces that the caller may read; raises Refused."""
    check_doors(visit.actor)
    heavy = ("row_keys", "relations", "content", "arguments")
    versions = list(_versions(visit).defer(*heavy).order_by("-read_at", "-pk")[:MOST_LISTED])
    closed = closed_doors(visit.actor.user, (version.source for version in versions))
    return [
        types.Resource(
            uri=address_of(version),
            name=f"{version.workspace.name} {version.number}",
            title=f"{version.workspace.name} · {version.number}",
            description=f"Read by {version.tool} at {version.read_at:%Y-%m-%d %H:%M %Z}.",
            mime_type=JSON,
        )
        for version in versions
        if version.source not in closed
    ]


def read(visit: Visit, uri: str) -> types.ReadResourceResult | None:
    """Return a workspace as the caller may see it now, None where there is none for them; raises Refused."""
    check_doors(visit.actor)
    found = _ADDRESS.fullmatch(uri)
    if found is None:
        return None
    with one_call(visit.actor.user), snapshot():
        version = _versions(visit).filter(workspace__name=unquote(found[1]), number=int(found[2])).first()
        if version is None or door_of(visit.actor.user, version.source) is not None:
            return None
        review = review_of(visit.actor.user, version)
    text = orjson.dumps(told(version, review, visit.site), default=str).decode()
    contents = types.TextResourceContents(uri=uri, mime_type=JSON, text=text)
    return types.ReadResourceResult(contents=[contents])


def told(version: WorkspaceVersion, review: Review, site: str) -> dict[str, Any]:
    """Return what was stored less what the person may no longer view, which is counted."""
    content = dict(version.content)
    stored = content.get("rows", [])
    rows = [row for row in stored if str(row.get("id")) in review.permitted]
    if review.closed_columns:
        # The order in which they were read may be that of a column that is closed now.
        rows = sorted((_less(row, review.closed_columns) for row in rows), key=lambda row: str(row.get("id")))
    facts = {
        "name": version.workspace.name,
        "version": version.number,
        "title": content.get("title", ""),
        "url": f"{site}{version.get_absolute_url()}",
        "source": version.source,
        "readAt": version.read_at,
        "timeZone": version.time_zone,
        "conditions": {one["name"]: one["value"] for one in content.get("conditions", [])},
        "timeRange": content.get("timeRange"),
        "columns": [
            {
                "name": one["name"],
                "label": text_of(one.get("label"), one["name"]),
                "kind": one["kind"],
                "unit": one.get("unit", ""),
                "hasValues": one.get("hasValues", True),
            }
            for one in content.get("columns", [])
        ],
        "rows": rows,
        "rowsStored": len(stored),
        "rowsWithheld": len(stored) - len(rows),
        "figuresWithheld": not review.figures_open,
    }
    if review.figures_open:
        facts |= {
            "requestedRows": content.get("total"),
            "analysedRows": content.get("analysed", content.get("total")),
            "isComplete": content.get("isComplete"),
            "omissions": content.get("omissions", []),
            "metrics": content.get("metrics", {}),
            "groupBy": content.get("groupBy"),
            "groups": content.get("groups", []),
            "rest": content.get("rest"),
            "goals": content.get("goals", []),
        }
    return facts


def address_of(version: WorkspaceVersion) -> str:
    """Return the address of a workspace as a resource."""
    return f"workspace://desk/{quote(version.workspace.name, safe='')}/{version.number}"


def _less(row: dict[str, Any], closed: frozenset[str]) -> dict[str, Any]:
    kept = {name: value for name, value in row.items() if name not in closed}
    withheld = sorted({*row.get(WITHHELD, ()), *(closed & row.keys())})
    return {**kept, WITHHELD: withheld} if withheld else kept


def _versions(visit: Visit) -> QuerySet[WorkspaceVersion]:
    """The versions that the caller made and that are still kept; a token reads none of another's."""
    actor = visit.actor
    versions = WorkspaceVersion.objects.filter(
        workspace__user=actor.user, token=actor.token, expires_at__gt=timezone.now()
    )
    return versions.select_related("workspace")
