"""Writing an export: as the person, within one snapshot, to a file that is stored only when it is whole."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.files import File
from django.db import DatabaseError, router
from django.utils import timezone

from ...lists import ask, snapshot
from ...lists.keys import Packer
from ...lists.selection import reads_everything
from ...lists.streaming import stream
from ...policies import is_someone
from ...preferences import as_person
from ..sources import Listing, NoListing, door_of, listing_of
from .csv_file import write_csv
from .files import forget_file, new_name, storage
from .heart import LEASE, Ended, Heart, beating
from .models import Export, good_until
from .rights import relations_of
from .sheet import Sheet, sheet_of

logger = logging.getLogger(__name__)

State, Reason = Export.State, Export.Reason
Write = Callable[[Sheet, Path, Callable[[Sequence[tuple[Any, ...]]], None]], int]


class Failed(Exception):
    """The export cannot be written, and why."""

    def __init__(self, reason: Export.Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def run_export(export_id: Any) -> None:
    """Write the file of an export that waits. Rights are those of the person now, not of when they asked for it.

    Whatever happens, the export says how it ended; one whose worker is killed says so when its lease is over.
    """
    export = _claimed(export_id)
    if export is None:
        return
    try:
        with as_person(export.user), beating(export) as heart, TemporaryDirectory(prefix="export-") as folder:
            path = Path(folder) / f"list.{export.form}"
            kept = write_list(export, heart, path)
            heart.beat()
            _store(export, path, kept)
    except Ended:
        logger.info("the export %s was ended before it was written", export.pk)
    except Failed as failed:
        _finish(export, state=State.FAILED, reason=failed.reason)
    except DatabaseError:
        logger.exception("the list of the export %s was not read", export.pk)
        _finish(export, state=State.FAILED, reason=Reason.UNREAD)
    except BaseException:  # a worker that is told to stop, or a fault of ours: both are for the worker to report
        _finish(export, state=State.FAILED, reason=Reason.INTERRUPTED)
        raise


def _claimed(export_id: Any) -> Export | None:
    """The export, as this run's own; None where it does not wait any more."""
    run = uuid.uuid4()
    waiting = Export.objects.filter(pk=export_id, state=State.WAITING, lease_until__gt=timezone.now())
    if not waiting.update(state=State.RUNNING, run=run, lease_until=timezone.now() + LEASE):
        return None
    return Export.objects.select_related("user", "version__workspace").get(pk=export_id)


def write_list(export: Export, heart: Heart, path: Path) -> dict[str, Any]:
    """Write the list to `path`; return what is kept of it beside the file."""
    listing = _listing(export)
    with snapshot(router.db_for_read(listing.definition.model)):
        heart.total = ask(listing.definition, listing.question, listing.access).total
        everything = reads_everything(listing.definition, listing.access)
        packer = Packer()

        def wrote(batch: Sequence[tuple[Any, ...]]) -> None:
            if not everything:
                packer.add([row[0] for row in batch])
            heart.wrote(len(batch))

        rows = stream(listing.definition, listing.question, listing.access)
        sheet = sheet_of(listing, export.version, rows, export.user.get_username())
        written = _writer(export)(sheet, path, wrote)
        relations = relations_of(listing)
    return {
        "rows_total": heart.total,
        "rows_written": written,
        "unrestricted": everything,
        "row_keys": None if everything else packer.packed(),
        "relations": relations,
    }


def _listing(export: Export) -> Listing:
    """The list as its person may read it now; raises Failed where they may not."""
    if not is_someone(export.user):
        raise Failed(Reason.INACTIVE)
    if door_of(export.user, export.source) is not None:
        raise Failed(Reason.CLOSED)
    try:
        return listing_of(export.user, export.version)
    except NoListing:
        raise Failed(Reason.GONE) from None


def _writer(export: Export) -> Write:
    if export.form == Export.Form.CSV:
        return write_csv
    from .xlsx_file import write_xlsx  # its library may not be installed

    return write_xlsx


def _store(export: Export, path: Path, kept: dict[str, Any]) -> None:
    """Put the file in the storage, and only then say that it is there."""
    export.file = new_name(export.form)
    # Where we are killed in between, whoever finds the export knows what to delete.
    if not export.in_this_run().update(file=export.file):
        raise Ended
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            stored = storage().save(export.file, File(file))
    except OSError:
        logger.exception("the file of the export %s was not stored", export.pk)
        raise Failed(Reason.UNSTORED) from None
    now = timezone.now()
    done = {"state": State.DONE, "finished_at": now, "expires_at": good_until(), "size": size, "file": stored}
    if not export.in_this_run().update(**kept, **done):
        # Its person ended it meanwhile.
        forget_file(Export, export)


def _finish(export: Export, **told: Any) -> None:
    export.in_this_run().update(**told, finished_at=timezone.now(), expires_at=good_until())
    forget_file(Export, export)
