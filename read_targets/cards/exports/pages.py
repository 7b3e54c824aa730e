"""The pages of exports: begin one, see how far it is, end it, open the file. A person's session alone opens them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.core.files.base import File
from django.core.handlers.asgi import ASGIRequest
from django.db import router
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from ...conf import setting
from ...heavy import one_call
from ...lists import Stopped, snapshot
from ..answers import closed_page, missing_page, see_other
from ..pages import PersonPage, kept_versions
from ..sources import NoListing, door_of, listing_of
from ..stopping import stopped_page
from .files import forms, storage
from .models import Export
from .rights import still_theirs
from .starting import AlreadyRunning, TooMany, access_export, end_export, kept_exports, start_export

CHUNK = 1 << 18
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class ExportPage(PersonPage):
    """A page of exports. With an `Authorization` header a session counts for nothing: no token opens one."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer whoever comes with a token as if nothing stood here."""
        if "Authorization" in request.headers:
            return missing_page(request)
        return super().dispatch(request, *args, **kwargs)


class ExportView(ExportPage):
    """`POST /desk/workspaces/{name}/{number}/export.{form}`: begin; `GET`: the newest file, or where to begin."""

    def post(self, request: HttpRequest, name: str, number: str, form: str) -> HttpResponse:
        """Begin an export of the whole list behind a version, and go to the page that says how far it is."""
        version = kept_versions(request.user, name).filter(number=number).first()
        if version is None or form not in forms():
            return missing_page(request)
        required = door_of(request.user, version.source)
        if required is not None:
            return closed_page(request, required)
        try:
            listing_of(request.user, version)
            return see_other(start_export(request.user, version, form).get_absolute_url())
        except NoListing:
            messages.error(request, str(Export.Reason.GONE.label))
        except AlreadyRunning:
            messages.error(request, _("An export of this list is on its way already. One is written at a time."))
        except TooMany:
            said = _("You hold %(most)s exports, which is as many as you may. Delete one first.")
            messages.error(request, said % {"most": setting("MOST_EXPORTS")})
        return see_other(version.get_absolute_url())

    def get(self, request: HttpRequest, name: str, number: str, form: str) -> HttpResponse:
        """Lead to the newest export in this form, or, where there is none, to the button that begins one."""
        version = kept_versions(request.user, name).filter(number=number).first()
        if version is None or form not in forms():
            return missing_page(request)
        export = kept_exports(request.user).filter(version=version, form=form).first()
        if export is not None:
            return see_other(export.get_absolute_url())
        messages.info(request, _("There is no such file yet. The button “Export” has it written."))
        return see_other(f"{version.get_absolute_url()}#whole")


class ProgressView(ExportPage):
    """`GET /desk/exports/{id}`: how far an export is; a page, or for the page that asks again and again its part."""

    def get(self, request: HttpRequest, export_id: str) -> HttpResponse:
        """Show it to the person whose it is."""
        export = access_export(request.user, export_id)
        if export is None:
            return missing_page(request)
        is_part = request.headers.get("HX-Request") == "true" and "HX-Boosted" not in request.headers
        template = "read_targets/_export.html" if is_part else "read_targets/export.html"
        return render(request, template, {"export": export, "name": file_name(export)})


class EndView(ExportPage):
    """`POST /desk/exports/{id}/end`: cancel one on its way, delete one that is over."""

    def post(self, request: HttpRequest, export_id: str) -> HttpResponse:
        """End it, and go back to its workspace."""
        export = access_export(request.user, export_id)
        if export is None:
            return missing_page(request)
        end_export(export)
        said = _("The export is cancelled.") if export.is_open else _("The export is deleted, and its file with it.")
        messages.success(request, said)
        return see_other(export.version.get_absolute_url())


class FileView(ExportPage):
    """`GET /desk/exports/{id}/file`: the file, where the person may still view all that stands in it."""

    def get(self, request: HttpRequest, export_id: str) -> HttpResponseBase:
        """Send the file."""
        export = access_export(request.user, export_id)
        if export is None or export.state != Export.State.DONE:
            return missing_page(request)
        required = door_of(request.user, export.source)
        if required is not None:
            return closed_page(request, required)
        try:
            is_theirs = _is_theirs(request, export)
        except Stopped as reason:
            return stopped_page(request, reason)
        if not is_theirs:
            # What stands in it is no longer theirs to view, so it must not lie about.
            export.delete()
            messages.error(request, _("The file is deleted: there are rows in it that you may no longer view."))
            return see_other(export.version.get_absolute_url())
        try:
            file = storage().open(export.file)
        except FileNotFoundError:
            return missing_page(request)
        return _sent(request, export, file)


def _is_theirs(request: HttpRequest, export: Export) -> bool:
    with one_call(request.user):
        try:
            listing = listing_of(request.user, export.version)
        except NoListing:
            return False
        with snapshot(router.db_for_read(listing.definition.model)):
            return still_theirs(listing, export)


def _sent(request: HttpRequest, export: Export, file: File[bytes]) -> StreamingHttpResponse:
    """The file in parts, read in the way of the server that asks: whole in memory it never is."""
    content: Any = _parts_later(file) if isinstance(request, ASGIRequest) else _parts(file)
    return StreamingHttpResponse(
        content,
        content_type=TYPES[export.form],
        headers={
            "Content-Length": str(file.size),
            "Content-Disposition": content_disposition_header(True, file_name(export)) or "attachment",
        },
    )


def _parts(file: File[bytes]) -> Iterator[bytes]:
    with file:
        while part := file.read(CHUNK):
            yield part


async def _parts_later(file: File[bytes]) -> AsyncIterator[bytes]:
    read = sync_to_async(file.read, thread_sensitive=False)
    try:
        while part := await read(CHUNK):
            yield part
    finally:
        await sync_to_async(file.close, thread_sensitive=False)()


def file_name(export: Export) -> str:
    """Return what the file is called where it is saved."""
    day = timezone.localtime(export.created_at).date().isoformat()
    return f"{export.version.workspace.name}-{export.version.number}-{day}.{export.form}"
