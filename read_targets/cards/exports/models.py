"""An export: a whole list as a file, on its way or there."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ...conf import setting
from ..models import WorkspaceVersion

LONGEST_WAIT = timedelta(hours=1)
"""How long an export waits for a worker before it is said that there is none."""


def good_until() -> Any:
    """The moment until which an export is kept that ends now."""
    return timezone.now() + timedelta(hours=setting("EXPORT_HOURS"))


def waits_until() -> Any:
    """The moment until which a new export waits for a worker."""
    return timezone.now() + LONGEST_WAIT


class Export(models.Model):
    """A file that is written, by a worker, of everything that a person may read of a list.

    `source` is the key of the tools that the version was read by, `run` the worker's turn at it, `lease_until` until
    when that is taken to be at work, `file` the name in the storage. `unrestricted`, `row_keys` and `relations` are
    what the rights to the file are checked by whenever it is opened, as with a workspace version.
    """

    class Form(models.TextChoices):
        """What kind of file it is; the ending of its name."""

        CSV = "csv", "CSV"
        XLSX = "xlsx", "XLSX"

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being written")
        DONE = "done", _("ready")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    class Reason(models.TextChoices):
        """Why there is no file; what a person reads of it is in `words`."""

        INACTIVE = "inactive", _("Your account is closed.")
        CLOSED = "closed", _("This list is closed to you.")
        GONE = "gone", _("The list is gone, or no longer takes these conditions. Ask your agent again.")
        UNREAD = "unread", _("The database did not answer. Try once more.")
        UNSTORED = "unstored", _("The file could not be stored. Try once more.")
        INTERRUPTED = "interrupted", _("Writing was interrupted. Try once more.")
        NO_WORKER = "no-worker", _("Nobody took it up: the site's worker does not run.")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="read_targets_exports", verbose_name=_("person")
    )
    version = models.ForeignKey(
        WorkspaceVersion, models.CASCADE, related_name="exports", verbose_name=_("workspace version")
    )
    source = models.CharField(_("read from"), max_length=100)
    form = models.CharField(_("format"), max_length=4, choices=Form.choices)
    state = models.CharField(_("state"), max_length=9, choices=State.choices, default=State.WAITING)
    reason = models.CharField(_("reason"), max_length=12, choices=Reason.choices, blank=True)
    run = models.UUIDField(null=True)
    lease_until = models.DateTimeField(default=waits_until)
    rows_total = models.PositiveBigIntegerField(_("rows"), null=True)
    rows_written = models.PositiveBigIntegerField(_("rows written"), default=0)
    file = models.CharField(_("file"), max_length=200, blank=True)
    size = models.PositiveBigIntegerField(_("bytes"), null=True)
    row_keys = models.BinaryField(null=True)
    unrestricted = models.BooleanField(default=False)
    relations = models.JSONField(default=dict)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    finished_at = models.DateTimeField(_("finished"), null=True)
    expires_at = models.DateTimeField(_("kept until"), default=good_until)

    class Meta:
        verbose_name = _("export")
        verbose_name_plural = _("exports")
        ordering = ("-created_at",)
        constraints = [
            models.UniqueConstraint(
                fields=["user", "source"], condition=Q(state__in=["waiting", "running"]), name="one_open_export_a_list"
            )
        ]

    def __str__(self) -> str:
        return f"{self.source}.{self.form}"

    def get_absolute_url(self) -> str:
        """The page that says how far it is."""
        return reverse("read_targets_desk:export", args=[self.pk])

    @property
    def is_open(self) -> bool:
        """Whether it waits or is being written."""
        return self.state in OPEN

    def in_this_run(self) -> models.QuerySet[Export]:
        """The export's row, as long as the run that it was read with is at work on it."""
        return Export.objects.filter(pk=self.pk, run=self.run, state=Export.State.RUNNING)

    @property
    def percent(self) -> int:
        """How much of it is written, from 0 to 100."""
        return min(100, 100 * self.rows_written // self.rows_total) if self.rows_total else 0


OPEN = (Export.State.WAITING, Export.State.RUNNING)
"""States that end by themselves."""
