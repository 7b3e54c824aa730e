"""`GET /desk/workspaces/{name}/{number}/rows`: all rows of the list behind a version, read now, as the person."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from ..agent.labels import text_of
from ..heavy import one_call
from ..lists import Row, Stopped, plain
from ..lists.leafing import Leaf, read_leaf
from ..lists.paging import END, Cursor, UnfittingCursor, cursor_text, read_cursor, scope_of
from .answers import closed_page, missing_page
from .pages import PersonPage, kept_versions
from .parts import Cell, cell_of
from .sources import Heading, Listing, NoListing, door_of, listing_of
from .stopping import stopped_page
from .tables import ROWS_A_PAGE
from .values import chips_of

MOST_PAGES = 1_000_000


class WholeView(PersonPage):
    """The whole list, page by page, each page a snapshot of its own; its doors are those of the version's page."""

    def get(self, request: HttpRequest, name: str, number: str) -> HttpResponse:
        """Show the page that the address asks for, or say that it fits no more."""
        try:
            with one_call(request.user):
                return self._shown(request, name, number)
        except Stopped as reason:
            return stopped_page(request, reason)

    def _shown(self, request: HttpRequest, name: str, number: str) -> HttpResponse:
        version = kept_versions(request.user, name).filter(number=number).first()
        if version is None:
            return missing_page(request)
        required = door_of(request.user, version.source)
        if required is not None:
            return closed_page(request, required)
        try:
            listing = listing_of(request.user, version)
        except NoListing:
            return missing_page(request)
        context: dict[str, Any] = {
            "version": version,
            "label": text_of(listing.label, version.source),
            "chips": chips_of(version.content.get("conditions", [])),
            "zone": str(listing.question.zone),
            "headings": [(text_of(one.label, one.name), one) for one in listing.headings],
        }
        scope = scope_of(listing.definition, listing.question, request.user.pk)
        page = request.GET.get("page") or "1"
        try:
            if not (page.isascii() and page.isdigit() and 1 <= int(page[:9]) <= MOST_PAGES):
                raise UnfittingCursor(page)
            place = {side: read_cursor(request.GET[side], scope) for side in ("after", "before") if side in request.GET}
            if len(place) > 1:
                raise UnfittingCursor(page)
        except UnfittingCursor:
            said = _("This address fits no page of the list, or not for you. Begin with the first page.")
            return render(request, "read_targets/whole.html", {**context, "problem": said}, status=400)
        question = replace(listing.question, after=place.get("after"), before=place.get("before"))
        leaf = read_leaf(listing.definition, question, listing.access, number=int(page), size=ROWS_A_PAGE)
        return render(request, "read_targets/whole.html", {**context, **_listed(listing, leaf, scope)})


def _listed(listing: Listing, leaf: Leaf, scope: str) -> dict[str, Any]:
    """What the template shows of a page."""
    page = leaf.page

    def address(number: int, **cursor: Cursor | None) -> str:
        told = {side: cursor_text(carried, scope) for side, one in cursor.items() if (carried := leaf.carried(one))}
        return f"?{urlencode({'page': number, **{side: text for side, text in told.items() if text}})}"

    return {
        "total": leaf.total,
        "counted_at": None if leaf.is_counted_now else dt.datetime.fromtimestamp(leaf.counted_at, dt.UTC),
        "number": leaf.number,
        "last_page": leaf.last,
        "rows": [[_cell(row, one, listing.question.zone) for one in listing.headings] for row in page.rows],
        "first": "?" if page.is_before or not page.rows else "",
        "before": address(leaf.back, before=page.before) if page.is_before else "",
        "after": address(leaf.number + 1, after=page.after) if page.is_after else "",
        "last": address(leaf.last, before=END) if page.is_after else "",
    }


def _cell(row: Row, heading: Heading, zone: dt.tzinfo) -> Cell:
    if heading.path in row.withheld:
        return Cell(heading.kind, "", is_withheld=True)
    return cell_of(heading.kind, plain(row.values[heading.path], zone))
