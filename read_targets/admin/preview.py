"""A preview as a person: the tools as that person's agent sees them, and what the list answers to the two together.

Only rows that both the person and the admin who looks may view are read, nobody looks through a superuser's eyes who
is none, and each look is in the log (design, section 4).
"""

from __future__ import annotations

import json
import logging
import time
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from ..agent.codes import Code
from ..agent.log import log_call
from ..agent.refusals import stopped
from ..agent.schemas import described
from ..cards.stopping import why_stopped
from ..declaration.soundness import Problem, problems_of
from ..digest import MODEL_ROWS, Digest, Wish
from ..doors import door_of
from ..foreign import ListUnreadable
from ..goals import Judged, judged
from ..heavy import one_call
from ..lists import ListDefinition, Stopped, UnknownList, get_list, plain
from ..models import ReadTarget
from ..policies import QUERY, Actor, SharedAccess, access_of, open_doors, permits
from ..preferences import as_person, zone_of
from ..reading import read
from ..tools import tools_of_target

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Cell:
    """A value as a row says it; withheld where it is there, but not for the two who look."""

    value: Any
    is_withheld: bool = False


@dataclass(frozen=True)
class Preview:
    """What an admin sees through a person's eyes. With an `obstacle` nothing was read, and it says why."""

    person: Any
    zone: str
    tools: list[dict[str, Any]] = field(default_factory=list)
    digest: Digest | None = None
    goals: list[Judged] = field(default_factory=list)
    obstacle: str = ""
    problems: list[Problem] = field(default_factory=list)

    @property
    def told(self) -> list[tuple[str, str]]:
        """Each tool by its name, and as the JSON that the agent is sent."""
        return [(tool["name"], json.dumps(tool, indent=2, ensure_ascii=False)) for tool in self.tools]

    @property
    def rows(self) -> list[tuple[Any, list[Cell]]]:
        """The rows: each its key, and a cell for every column."""
        if self.digest is None:
            return []
        names = [column.name for column in self.digest.row_columns]
        return [(row.get("id"), [_shown(row, name) for name in names]) for row in self.digest.rows]

    @property
    def figures(self) -> list[dict[str, Any]]:
        """The figures of each column, written as an answer writes them; None where the column has none of that."""
        if self.digest is None:
            return []
        labels = {column.name: column for column in self.digest.columns}
        return [
            {
                "column": labels[name],
                "count": figure.count if figure.has_values else None,
                "sum": plain(figure.total) if figure.has_values else None,
                "average": plain(figure.on_basis),
                "basis": " / ".join(labels[name].parts.values()),
                "minimum": plain(figure.minimum),
                "maximum": plain(figure.maximum),
            }
            for name, figure in self.digest.figures.items()
        ]


def _shown(row: dict[str, Any], name: str) -> Cell:
    return Cell(row.get(name), name in row.get("withheld", ()))


@dataclass
class ScopedAccess(SharedAccess):
    """What two people may both view of one list, within the application's own scope for each of them.

    The list asks for the scope of the person; that of the admin, who may be of another tenant, is added here.
    """

    definition: ListDefinition | None = None

    def rows(self, queryset: QuerySet[Any], first: int = 0) -> QuerySet[Any]:
        """The rows that both may view, each within their own scope."""
        rows = super().rows(queryset, first)
        if self.definition is None or self.definition.queryset is None:
            return rows
        scope = self.definition.queryset(self.viewer.actor).order_by().values("pk")
        return rows.filter(pk__in=scope)


def preview(target: ReadTarget, person: Any, viewer: Any) -> Preview:
    """Look at the target as `person`, who must be somebody as whom `viewer` may look, and log it.

    Reads nothing where the person's own agent would not be answered. Raises for no list, however broken it is.
    """
    started = time.perf_counter()
    seen, outcome, code = _look(target, person, viewer)
    log_call(
        actor=Actor(person),
        tool=target.query_tool_name,
        outcome=outcome,
        code=code,
        rows=seen.digest.total if seen.digest else None,
        milliseconds=round((time.perf_counter() - started) * 1_000),
        previewed_by=viewer,
    )
    return seen


def _look(target: ReadTarget, person: Any, viewer: Any) -> tuple[Preview, str, str]:
    zone = zone_of(person)
    problems = [problem for problem in problems_of(target) if not problem.is_of_screen]
    obstacle = _("The declaration is wrong, so there is no tool.") if problems else _obstacle(target, person, viewer)
    if obstacle:
        return Preview(person, str(zone), obstacle=obstacle, problems=problems), "REJECTED", Code.UNKNOWN_TOOL
    try:
        with as_person(person):
            tools = [described(tool) for tool in tools_of_target(target)]
        definition = None if target.is_foreign else get_list(target.list_query)
        shared = ScopedAccess(access_of(person), access_of(viewer), definition)
        with one_call(viewer):
            digest = read(target, {}, shared, zone, Wish(limit=MODEL_ROWS))
    except Stopped as reason:
        refused = stopped(reason)
        why = why_stopped(refused.code) or _("The application's list could not be read.")
        return Preview(person, str(zone), obstacle=why), refused.outcome, refused.code
    except (ListUnreadable, UnknownList, DatabaseError):
        logger.exception("preview of %s: its list could not be read", target.key)
        unread = Preview(person, str(zone), obstacle=_("The application's list could not be read."))
        return unread, "DEPENDENCY", Code.QUERY_FAILED
    except Exception:  # the list is the application's own code; whatever it does, the admin must still see the page
        logger.exception("preview of %s failed", target.key)
        failed = Preview(person, str(zone), obstacle=_("The list failed; the server's log says how."))
        return failed, "INTERNAL", Code.INTERNAL
    goals = judged(target.goals.all(), digest.figures)
    return Preview(person, str(zone), tools, digest, goals), "READY" if digest.is_complete else "PARTIAL", ""


def _obstacle(target: ReadTarget, person: Any, viewer: Any) -> str:
    """Why the person's agent has no tool, or why the admin sees nothing of what it answers; empty where neither."""
    door = door_of(target)
    if not permits(person, QUERY, target):
        return _("This person may not query the target: grant it to them, or to one of their groups, below.")
    if door not in open_doors(person, [door]):
        return _("This person may not open the list itself: they lack the right %(door)s.") % {"door": door}
    if door not in open_doors(viewer, [door]):
        return _("You may not open the list yourself: you lack the right %(door)s.") % {"door": door}
    return ""
