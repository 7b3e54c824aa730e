"""What a person does with an export: begin one, end it, and see what became of it."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Case, QuerySet, Value, When
from django.utils import timezone

from ...conf import setting
from ...lists import writing
from ..models import WorkspaceVersion
from .files import forget_file
from .models import OPEN, Export, good_until

State, Reason = Export.State, Export.Reason


class NotStarted(Exception):
    """An export that was not begun."""


class AlreadyRunning(NotStarted):
    """Another one of the same list is on its way."""


class TooMany(NotStarted):
    """The person holds as many as they may."""


def start_export(user: Any, version: WorkspaceVersion, form: str) -> Export:
    """Begin an export of the list behind the person's own `version`, and return it; a worker writes it.

    Raises AlreadyRunning where one of the same list is on its way, TooMany where the person holds as many as they may.
    """
    lapse_exports()
    try:
        with writing():
            # Held until the end, so that two clicks at once are counted one after the other.
            get_user_model()._default_manager.select_for_update(no_key=True).get(pk=user.pk)
            held = kept_exports(user).filter(state__in=(*OPEN, State.DONE))
            if held.filter(state__in=OPEN, source=version.source).exists():
                raise AlreadyRunning
            if held.count() >= setting("MOST_EXPORTS"):
                raise TooMany
            export = Export.objects.create(user=user, version=version, source=version.source, form=form)
            transaction.on_commit(partial(_enqueue, str(export.pk)))
    except IntegrityError:
        raise AlreadyRunning from None
    return export


def _enqueue(export_id: str) -> None:
    from .tasks import write_export  # there may be no library for it

    write_export.enqueue(export_id)


def end_export(export: Export) -> None:
    """Cancel an export that is on its way; delete one that is over, with its file."""
    ended = Export.objects.filter(pk=export.pk, state__in=OPEN).update(
        state=State.CANCELLED, finished_at=timezone.now(), expires_at=good_until()
    )
    if not ended:
        export.delete()


def access_export(user: Any, export_id: Any) -> Export | None:
    """Return the person's export; None alike where there is none, where it is not theirs, and past its time."""
    lapse_exports()
    try:
        return kept_exports(user).filter(pk=export_id).first()
    except ValidationError:
        return None


def kept_exports(user: Any) -> QuerySet[Export]:
    """The person's exports that are not past their time, newest first."""
    kept = Export.objects.filter(user=user, expires_at__gt=timezone.now())
    return kept.select_related("version__workspace").defer(
        "row_keys", "relations", "version__content", "version__row_keys", "version__relations"
    )


def lapse_exports() -> int:
    """Say of exports whose worker is gone, or never came, that they failed; return how many these are.

    Their files go: a worker that was stopped may have left one behind that is whole, or not.
    """
    lapsed = Export.objects.filter(state__in=OPEN, lease_until__lte=timezone.now())
    found = list(lapsed.only("file"))
    if not found:
        return 0
    reason = Case(When(state=State.WAITING, then=Value(Reason.NO_WORKER)), default=Value(Reason.INTERRUPTED))
    keys = [export.pk for export in found]
    count = lapsed.filter(pk__in=keys).update(state=State.FAILED, reason=reason, finished_at=timezone.now())
    for export in Export.objects.filter(pk__in=keys, state=State.FAILED).only("file"):
        forget_file(Export, export)
    return count
