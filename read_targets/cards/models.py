"""Cards, and the workspaces that a long result is put on."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ..agent.labels import LabelField, text_of
from ..conf import setting


def kept_until() -> Any:
    """The moment until which a new card or workspace version is kept."""
    return timezone.now() + timedelta(days=setting("KEEP_DAYS"))


class Workspace(models.Model):
    """A named place of a person for a long result; each reading under its name is a version of its own."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="workspaces", verbose_name=_("person")
    )
    name = models.SlugField(_("name"), max_length=80, allow_unicode=True)

    class Meta:
        verbose_name = _("workspace")
        verbose_name_plural = _("workspaces")
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="unique_workspace_name")]

    def __str__(self) -> str:
        return self.name


class WorkspaceVersion(models.Model):
    """One reading on a workspace, as it was read.

    `content` is what the page shows: title, columns, metrics, groups and rows, all as exact JSON. `row_keys` are the
    keys of every row behind the figures, packed, so that the page can tell whether the person may still see all of
    them; it is empty where the person held the list's right everywhere and `unrestricted` says so.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="versions", verbose_name=_("workspace"))
    number = models.PositiveIntegerField(_("version"))
    token = models.ForeignKey("read_targets.AgentToken", models.SET_NULL, null=True, blank=True, related_name="+")
    source = models.CharField(_("read from"), max_length=100, help_text=_("The key of the tools that read it."))
    tool = models.CharField(_("tool"), max_length=60)
    arguments = models.JSONField(_("arguments"), default=dict)
    content = models.JSONField(_("content"), default=dict)
    row_keys = models.BinaryField(null=True)
    unrestricted = models.BooleanField(default=False)
    relations = models.JSONField(default=dict)
    read_at = models.DateTimeField(_("read"), default=timezone.now)
    time_zone = models.CharField(_("time zone"), max_length=64)
    expires_at = models.DateTimeField(_("kept until"), default=kept_until)

    class Meta:
        verbose_name = _("workspace version")
        verbose_name_plural = _("workspace versions")
        ordering = ("workspace", "-number")
        constraints = [models.UniqueConstraint(fields=["workspace", "number"], name="unique_workspace_version")]

    def __str__(self) -> str:
        return f"{self.workspace} · {self.number}"

    def get_absolute_url(self) -> str:
        """The page of this version."""
        return reverse("read_targets_desk:workspace", args=[self.workspace.name, self.number])


class Card(models.Model):
    """Something a person may click: a workspace, a screen of the application, or a question that waits for their yes.

    A confirmation is no page to open: it is shown, and decided, in the tab in which its page is open.
    """

    class Kind(models.TextChoices):
        """What opens when the card is clicked."""

        WORKSPACE = "workspace", _("workspace")
        OPEN_PAGE = "open-page", _("screen")
        CONFIRMATION = "confirmation", _("confirmation")

    class Verdict(models.TextChoices):
        """What became of the card."""

        WAITING = "waiting", _("waiting")
        ACCEPTED = "accepted", _("opened")
        REFUSED = "refused", _("refused")
        CANCELLED = "cancelled", _("declined")
        EXPIRED = "expired", _("out of date")
        SUPERSEDED = "superseded", _("superseded")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="cards", verbose_name=_("person"))
    token = models.ForeignKey("read_targets.AgentToken", models.SET_NULL, null=True, blank=True, related_name="cards")
    agent = models.CharField(_("agent"), max_length=60, blank=True)
    call = models.UUIDField(_("call"), null=True)
    source = models.CharField(_("from the tools of"), max_length=100)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)
    icon = models.CharField(_("icon"), max_length=40)
    title = models.CharField(_("title"), max_length=200, blank=True)
    label = LabelField(_("label"))
    conditions = models.JSONField(default=list)
    version = models.ForeignKey(WorkspaceVersion, models.CASCADE, null=True, blank=True, related_name="cards")
    contents = models.JSONField(default=dict)
    href = models.CharField(_("address"), max_length=2_000, blank=True)
    applied = models.JSONField(default=list)
    not_applied = models.JSONField(default=list)
    verdict = models.CharField(_("verdict"), max_length=12, choices=Verdict.choices, default=Verdict.WAITING)
    code = models.CharField(_("code"), max_length=40, blank=True)
    required = models.JSONField(default=dict)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    expires_at = models.DateTimeField(_("kept until"), default=kept_until)
    dismissed_at = models.DateTimeField(_("dismissed"), null=True, blank=True)

    class Meta:
        verbose_name = _("card")
        verbose_name_plural = _("cards")
        ordering = ("-created_at",)
        indexes = [
            models.Index(fields=["user", "-created_at"], name="card_of_person"),
            models.Index(fields=["call"], name="card_of_call"),
        ]

    def __str__(self) -> str:
        return self.title or text_of(self.label, self.source)

    @property
    def is_stale(self) -> bool:
        """Whether the card is past the time for which it stands; a confirmation that was decided never is."""
        if self.is_confirmation and self.verdict != self.Verdict.WAITING:
            return False
        return self.expires_at <= timezone.now()

    @property
    def is_confirmation(self) -> bool:
        """Whether the card asks for a yes or no."""
        return self.kind == self.Kind.CONFIRMATION
