"""What happens on open pages: a session for each tab, what the tab must show, and what was run there."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

MISSED = timedelta(seconds=90)
"""A session ends when nothing was heard of its tab for so long (design, section 8)."""

RETURN_WITHIN = timedelta(seconds=30)
"""A page that was left may come back for so long, as it does on a reload, and its session goes on."""


class PageSession(models.Model):
    """One open tab: its person, its page, and what the page holds and shows. Its id is a name and gives no right.

    `channels` holds the object of each filled channel by its key, `views` what is shown in order: objects of `name` and
    `object` (a key, or null). `version` changes with those two alone. `last_seq` is the number of the newest effect,
    `fetched_seq` that of the newest which the tab has fetched, `shown_seq` that of the newest which it said it showed.
    `visit` counts how often the tab has opened the page in this session: each reload is one more.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    page = models.ForeignKey("page_commands.Page", models.CASCADE, related_name="sessions", verbose_name=_("page"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="page_sessions", verbose_name=_("person")
    )
    browser = models.CharField(max_length=64, help_text="Digest of the sign-in under which the page was opened.")
    tab = models.CharField(max_length=64)
    path = models.CharField(_("address"), max_length=2_000)
    title = models.CharField(_("title"), max_length=200, blank=True)
    channels = models.JSONField(default=dict)
    views = models.JSONField(default=list)
    version = models.PositiveBigIntegerField(default=1)
    last_seq = models.PositiveBigIntegerField(default=0)
    fetched_seq = models.PositiveBigIntegerField(default=0)
    shown_seq = models.PositiveBigIntegerField(default=0)
    visit = models.PositiveIntegerField(default=1)
    opened_at = models.DateTimeField(_("opened"), default=timezone.now)
    seen_at = models.DateTimeField(_("last heard of"), default=timezone.now)
    left_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    busy_call = models.UUIDField(null=True, blank=True)
    busy_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("open page")
        verbose_name_plural = _("open pages")
        ordering = ("-opened_at",)
        constraints = [
            models.UniqueConstraint(
                fields=["browser", "tab"], condition=models.Q(ended_at=None), name="one_open_session_of_a_tab"
            )
        ]
        indexes = [models.Index(fields=["user", "ended_at"], name="page_session_of_person")]

    def __str__(self) -> str:
        return f"{self.page} · {self.user}"

    @property
    def is_open(self) -> bool:
        """Whether the page is open in its tab now, as far as the tab told."""
        return self.ended_at is None and self.left_at is None and self.seen_at > timezone.now() - MISSED

    @property
    def is_busy(self) -> bool:
        """Whether a run holds the page. A lease that is over is nobody's: whoever held it is gone."""
        return self.busy_until is not None and self.busy_until > timezone.now()

    @property
    def may_return(self) -> bool:
        """Whether the page is open, or was left so lately that it may be reloading."""
        if self.ended_at is not None or self.seen_at <= timezone.now() - MISSED:
            return False
        return self.left_at is None or self.left_at > timezone.now() - RETURN_WITHIN


class Effect(models.Model):
    """Something that a tab must show, numbered within its session without gaps, in the order of the commits."""

    class Kind(models.TextChoices):
        """What the tab does with it."""

        STATE = "state"  # channels or views changed: show them anew; payload: {"show": name of a view that was shown}
        NAVIGATE = "navigate"  # go to an address of this site; payload: {"href": …}
        CARD = "card"  # a confirmation has come or gone: show the waiting ones anew; payload: {}
        ENDED = "ended"  # the session is over; payload: {}

    session = models.ForeignKey(PageSession, models.CASCADE, related_name="effects")
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    payload = models.JSONField(default=dict)
    call = models.UUIDField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("effect")
        verbose_name_plural = _("effects")
        ordering = ("session", "seq")
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="unique_effect_number")]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"


def confirm_within() -> Any:
    """The moment until which a person may answer a confirmation that is asked now."""
    return timezone.now() + CONFIRM_WITHIN


CONFIRM_WITHIN = timedelta(minutes=5)


class CommandRun(models.Model):
    """One run of a command, from its asking to its end; a confirmation is a run that waits for its person.

    Exactly one of those who decide claims a waiting run, by changing `state`. A run that has been `approved` for longer
    than `lease_until` was cut off. One that goes outside of the database is then never run again: nobody knows what it
    did. Any other did nothing. The versions are digests of what the person is asked about (`pinning`).
    """

    class State(models.TextChoices):
        """Where the run stands."""

        WAITING = "waiting", _("waiting")
        APPROVED = "approved", _("running")
        DECLINED = "declined", _("declined")
        EXPIRED = "expired", _("expired")
        SUPERSEDED = "superseded", _("superseded")
        EXECUTED = "executed", _("executed")
        FAILED = "failed", _("not executed")

    call = models.UUIDField(_("call"), primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(
        PageSession, models.SET_NULL, null=True, related_name="runs", verbose_name=_("open page")
    )
    command = models.ForeignKey(
        "page_commands.AgentCommand", models.SET_NULL, null=True, related_name="runs", verbose_name=_("command")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="command_runs", verbose_name=_("person")
    )
    token = models.ForeignKey("read_targets.AgentToken", models.SET_NULL, null=True, blank=True, related_name="+")
    agent = models.CharField(_("agent"), max_length=60, blank=True)
    by_click = models.BooleanField(_("by a click"), default=False)
    was_passed = models.BooleanField(_("object was passed"), default=False)
    object_id = models.CharField(_("object"), max_length=200, blank=True)
    parameters = models.JSONField(_("parameters"), default=dict)
    state = models.CharField(_("state"), max_length=12, choices=State.choices)
    code = models.CharField(_("code"), max_length=80, blank=True)
    page_version = models.PositiveBigIntegerField(default=0)
    command_version = models.CharField(max_length=64, blank=True)
    object_version = models.CharField(max_length=64, blank=True)
    goes_outside = models.BooleanField(_("acts outside of the database"), default=False)
    card = models.OneToOneField("read_targets.Card", models.SET_NULL, null=True, blank=True, related_name="command_run")
    lease_until = models.DateTimeField(null=True, blank=True)
    last_seq = models.PositiveBigIntegerField(default=0)
    asked_at = models.DateTimeField(_("asked"), default=timezone.now)
    expires_at = models.DateTimeField(_("expires"), default=confirm_within)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        verbose_name = _("run of a command")
        verbose_name_plural = _("runs of commands")
        ordering = ("-asked_at",)
        indexes = [models.Index(fields=["session", "state"], name="run_of_session")]

    def __str__(self) -> str:
        return f"{self.command}: {self.state}"
