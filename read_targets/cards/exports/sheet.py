"""What a file says besides its rows: the heads of its columns, and a note of what it is, in the person's language."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ...agent.labels import text_of
from ...lists.streaming import Stream
from ..models import WorkspaceVersion
from ..sources import Listing
from ..values import chips_of, exact_number
from .columns import Column, columns_of


@dataclass(frozen=True)
class Sheet:
    """A stream of rows with all that is said of it. Its texts are in the language that was active when it was made."""

    title: str
    heads: list[str]
    columns: list[Column]
    places: list[int]
    """Where the value of each column stands in a row."""
    flags: list[int | None]
    """Where a row says that the value is withheld; None where it never is."""
    withheld: str
    facts: list[tuple[str, str]]
    """What is known of it before a row is read: a name, and what it is."""
    stream: Stream

    def closing_facts(self, rows: int, withheld: int, cut: int = 0) -> list[tuple[str, str]]:
        """Return everything that is said of it, with how many rows were written and how many values are withheld."""
        said = [*self.facts, (_("Rows"), exact_number(rows))]
        if withheld:
            told = ngettext(
                "%(count)s value is of a record that this person may not view; it says “%(word)s” instead.",
                "%(count)s values are of records that this person may not view; they say “%(word)s” instead.",
                withheld,
            )
            said.append((_("Withheld"), told % {"count": exact_number(withheld), "word": self.withheld}))
        if cut:
            told = ngettext(
                "%(count)s text was longer than a cell can hold and was cut.",
                "%(count)s texts were longer than a cell can hold and were cut.",
                cut,
            )
            said.append((_("Cut"), told % {"count": exact_number(cut)}))
        return said


def sheet_of(listing: Listing, version: WorkspaceVersion, stream: Stream, person: str) -> Sheet:
    """Return what is written of a stream of `listing`, in the language and for the zone of the person."""
    zone = listing.question.zone
    places = {path.path: at for at, path in enumerate(stream.paths, 1)}
    paths = {path.path: path for path in stream.paths}
    title = text_of(listing.label, version.source)
    return Sheet(
        title=title,
        heads=[_head(one, paths[one.path].is_moment, zone) for one in listing.headings],
        columns=columns_of(listing.definition, [paths[one.path] for one in listing.headings], zone),
        places=[places[one.path] for one in listing.headings],
        flags=[stream.flags.get(one.path) for one in listing.headings],
        withheld=_("withheld"),
        facts=_facts(title, version, zone, person),
        stream=stream,
    )


def _head(heading: Any, is_moment: bool, zone: dt.tzinfo) -> str:
    words = text_of(heading.label, heading.name)
    beside = str(zone) if is_moment else heading.unit
    return f"{words} ({beside})" if beside else words


def _facts(title: str, version: WorkspaceVersion, zone: dt.tzinfo, person: str) -> list[tuple[str, str]]:
    chips = chips_of(version.content.get("conditions", []))
    asked = "; ".join(f"{chip.label}: {chip.value}" for chip in chips) or _("none: the whole list")
    now = timezone.localtime(timezone=zone)
    return [
        (_("List"), title),
        (_("Conditions"), asked),
        (_("Time zone"), str(zone)),
        (_("Read"), formats.date_format(now, "DATETIME_FORMAT")),
        (_("As"), person),
    ]
