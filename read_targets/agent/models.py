"""What the doors remember: tokens, toolsets, the log of calls, and the switch that closes every door."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ..lists.statement import Statement
from .labels import LabelField, text_of

if TYPE_CHECKING:
    from ..policies import Actor


A_MINUTE = [MinValueValidator(1), MaxValueValidator(1_000_000)]
"""What a limit of calls a minute may be."""


class Toolset(models.Model):
    """A named set of tools with guidance for using them; an agent asks for one (seed 000 calls it a mode)."""

    key = models.SlugField(_("key"), unique=True)
    label = LabelField(_("label"))
    guidance = models.TextField(
        _("guidance"), blank=True, max_length=2_000, help_text=_("English, for the model: when to use which tool.")
    )

    class Meta:
        verbose_name = _("toolset")
        verbose_name_plural = _("toolsets")
        ordering = ("key",)

    def __str__(self) -> str:
        return text_of(self.label, self.key)


class ToolsetEntry(models.Model):
    """The tools that a toolset holds, named by the key under which they are registered."""

    toolset = models.ForeignKey(Toolset, models.CASCADE, related_name="entries", verbose_name=_("toolset"))
    tool_key = models.CharField(_("tools of"), max_length=100)

    class Meta:
        verbose_name = _("tools of a toolset")
        verbose_name_plural = _("tools of a toolset")
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["toolset", "tool_key"], name="unique_toolset_entry")]

    def __str__(self) -> str:
        return self.tool_key


class AgentToken(models.Model):
    """A person's credential for one agent. It adds no right to the person's own, it can only take away.

    An agent that signs in by itself (the extra `oauth`) is the `client` of that id: its token has no secret of its own,
    and what it signs in with stands for this row. A person has one such row for a client that is not revoked.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="agent_tokens", verbose_name=_("person")
    )
    name = models.CharField(_("agent"), max_length=60)
    digest = models.CharField(max_length=128, unique=True, editable=False)
    hint = models.CharField(_("begins with"), max_length=16, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True, editable=False)
    may_act = models.BooleanField(_("may act"), default=False, help_text=_("May run commands, not only read."))
    all_toolsets = models.BooleanField(
        _("all toolsets"), default=False, help_text=_("Reaches every tool that the person may use.")
    )
    toolsets = models.ManyToManyField(Toolset, blank=True, related_name="tokens", verbose_name=_("toolsets"))
    calls_a_minute = models.PositiveIntegerField(
        _("calls a minute"),
        null=True,
        blank=True,
        validators=A_MINUTE,
        help_text=_("How often it may call; empty: as often as the site's settings let every token."),
    )
    client = models.CharField(
        _("signs in as"),
        max_length=255,
        blank=True,
        default="",
        editable=False,
        help_text=_("The id of a client that signs in by itself; empty: the token was made by hand."),
    )

    class Meta:
        verbose_name = _("agent token")
        verbose_name_plural = _("agent tokens")
        ordering = ("-created_at",)
        constraints = [
            models.UniqueConstraint(
                fields=["user", "client"],
                condition=models.Q(revoked_at=None) & ~models.Q(client=""),
                name="unique_signed_in_client",
            )
        ]

    def __str__(self) -> str:
        return self.name if self.client else f"{self.name} ({self.hint}…)"

    @property
    def is_valid(self) -> bool:
        """Whether the token opens anything now."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())


class ToolCall(models.Model):
    """One call of a tool: who, through which agent, what was asked, what came of it and how long it took.

    `conditions` are those that were set, as `log.asked` writes them. It holds no value of a row.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(_("at"), default=timezone.now)
    # The index of the person and the moment serves it as well.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="tool_calls",
        db_index=False,
        verbose_name=_("person"),
    )
    token = models.ForeignKey(AgentToken, models.SET_NULL, null=True, blank=True, verbose_name=_("agent token"))
    agent = models.CharField(_("agent"), max_length=60, blank=True)
    previewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("previewed by"),
    )
    tool = models.CharField(_("tool"), max_length=100)
    conditions = models.JSONField(_("conditions"), default=list, blank=True)
    outcome = models.CharField(_("outcome"), max_length=20)
    code = models.CharField(_("code"), max_length=80, blank=True)
    rows = models.PositiveBigIntegerField(_("rows"), null=True, blank=True)
    milliseconds = models.PositiveIntegerField(_("milliseconds"))

    class Meta:
        verbose_name = _("tool call")
        verbose_name_plural = _("tool calls")
        ordering = ("-at", "-id")
        indexes = [
            models.Index(fields=["-at", "-id"], name="tool_call_newest"),
            models.Index(fields=["user", "-at"], name="tool_call_of_person"),
            models.Index(fields=["tool", "-at"], name="tool_call_of_tool"),
            models.Index(fields=["agent", "-at"], name="tool_call_of_agent"),
            models.Index(fields=["code", "-at"], name="tool_call_of_code"),
            models.Index(fields=["outcome", "-at"], name="tool_call_of_outcome"),
        ]

    def __str__(self) -> str:
        return f"{self.tool}: {self.outcome}"


KEEP_ANSWERS = timedelta(days=30)
"""How long the answer of a call that acts can be asked for again."""


def answer_kept_until() -> Any:
    """The moment until which the answer of a call that begins now is kept."""
    return timezone.now() + KEEP_ANSWERS


class KeptAnswer(models.Model):
    """The answer of a call that acts, kept so that it can be asked for again.

    By its id while a person decides; by its key when the call is sent twice: `slot` stands for one key of one person,
    token and tool, and `digest` for the arguments that it came with. `answer` is the answer's JSON, empty while there
    is none; until `lease_until` whoever runs the call is still at it. A call without an answer that nobody is at any
    more was cut off.
    """

    call = models.UUIDField(_("call"), primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="kept_answers", verbose_name=_("person")
    )
    token = models.ForeignKey(AgentToken, models.SET_NULL, null=True, blank=True, related_name="+")
    tool = models.CharField(_("tool"), max_length=100)
    slot = models.CharField(max_length=64, unique=True, null=True, editable=False)  # noqa: DJ001  # many have no key
    digest = models.CharField(max_length=64, editable=False)
    answer = models.TextField(_("answer"), blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    expires_at = models.DateTimeField(_("kept until"), default=answer_kept_until)

    class Meta:
        verbose_name = _("kept answer")
        verbose_name_plural = _("kept answers")
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.tool}: {self.call}"

    @property
    def is_held(self) -> bool:
        """Whether somebody is answering the call now."""
        return self.lease_until is not None and self.lease_until > timezone.now()


class Allowance(models.Model):
    """How much of a limit is used up, in one row for each caller that is limited.

    `full_at` is the moment, in microseconds since 1970, at which nothing of the limit will be used any more: each call
    moves it on. A row whose moment is past says the same as no row.
    """

    key = models.CharField(max_length=100, primary_key=True)
    full_at = models.BigIntegerField()

    class Meta:
        verbose_name = _("allowance")
        verbose_name_plural = _("allowances")

    def __str__(self) -> str:
        return self.key


class HeavyRead(models.Model):
    """A place that a long reading of a person holds, in one row for each place of theirs.

    Whoever reads gives it back, and where that process is gone it is free again at `expires_at`, in microseconds since
    1970. A row whose moment is past says the same as no row.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="heavy_reads", verbose_name=_("person")
    )
    place = models.PositiveSmallIntegerField()
    holder = models.CharField(max_length=32)
    expires_at = models.BigIntegerField()

    class Meta:
        verbose_name = _("long reading")
        verbose_name_plural = _("long readings")
        constraints = [models.UniqueConstraint(fields=["user", "place"], name="unique_heavy_read")]

    def __str__(self) -> str:
        return f"{self.user} {self.place}"


KEEP_CALLS_DAYS = 180
"""Days that the log keeps a call, unless an admin says otherwise."""


class AgentDoors(models.Model):
    """The one switch of every agent door, in a single row that every call reads, and what else holds for all calls.

    `declared` changes with every change of what admins declare, so that a process knows when what it remembers of the
    declarations is out of date.
    """

    is_open = models.BooleanField(
        _("open"), default=True, help_text=_("While this is off, no agent is answered, over any door.")
    )
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    keeps_words = models.BooleanField(
        _("keep the words searched for"),
        default=False,
        help_text=_("Off, the log says that words were searched for, and not which."),
    )
    keep_calls_days = models.PositiveSmallIntegerField(
        _("days that calls are kept"),
        default=KEEP_CALLS_DAYS,
        validators=[MinValueValidator(1), MaxValueValidator(3_650)],
        help_text=_("Older calls are deleted by manage.py forget_expired."),
    )
    calls_a_minute_of_token = models.PositiveIntegerField(
        _("calls a minute of a token"),
        null=True,
        blank=True,
        validators=A_MINUTE,
        help_text=_("Empty: as the site's settings say. A token may have a limit of its own."),
    )
    calls_a_minute_of_person = models.PositiveIntegerField(
        _("calls a minute of a person"),
        null=True,
        blank=True,
        validators=A_MINUTE,
        help_text=_("By all their tokens and themselves. Empty: as the site's settings say."),
    )
    changed_at = models.DateTimeField(_("changed"), auto_now=True)
    declared = models.UUIDField(default=uuid.uuid4, editable=False)

    class Meta:
        verbose_name = _("agent doors")
        verbose_name_plural = _("agent doors")

    def __str__(self) -> str:
        return str(_("open") if self.is_open else _("closed"))

    def save(self, **kwargs: Any) -> None:
        """Keep the switch a single row: whatever is saved takes the place of what was there.

        The mark is made anew: the one that was loaded may be older than what others declared since.
        """
        self.pk = 1
        self.declared = uuid.uuid4()
        super().save(**{**kwargs, "force_insert": False})


class CallRules(AgentDoors):
    """What holds for every call beside the switch: how long the log keeps what, and how often anybody may call.

    The same row, with rights and a page of its own: whoever must close the doors meets nothing else there.
    """

    class Meta:
        proxy = True
        verbose_name = _("log and limits")
        verbose_name_plural = _("log and limits")

    def __str__(self) -> str:
        return str(_("log and limits"))


class ToolLimit(models.Model):
    """How often a minute one person may call one tool, by all their tokens and themselves together."""

    # The single row, on whose page limits are set.
    doors = models.ForeignKey(AgentDoors, models.CASCADE, default=1, related_name="tool_limits", editable=False)
    tool = models.CharField(_("tool"), max_length=100, unique=True)
    calls_a_minute = models.PositiveIntegerField(
        _("calls a minute"), validators=A_MINUTE, help_text=_("Of one person, by all their tokens and themselves.")
    )

    class Meta:
        verbose_name = _("limit of a tool")
        verbose_name_plural = _("limits of tools")
        ordering = ("tool",)

    def __str__(self) -> str:
        return self.tool

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, and let every process know."""
        super().save(*args, **kwargs)
        mark_declared()


@dataclass(frozen=True)
class Doors:
    """What holds for every call now.

    Whether agents are answered at all; the mark of what is declared (None: nothing can be remembered); whether the log
    keeps the words searched for; how often a minute a token and a person may call, None where the settings say it.
    """

    are_open: bool
    declared: uuid.UUID | None
    keep_words: bool = False
    of_token: int | None = None
    of_person: int | None = None


_READ = ("is_open", "declared", "keeps_words", "calls_a_minute_of_token", "calls_a_minute_of_person")
_DOORS = Statement(lambda: AgentDoors._base_manager.order_by("pk").values_list(*_READ)[:1])


def doors_of(actor: Actor) -> Doors:
    """Return what holds for every call, read once in a call; without a row doors are open."""
    if "doors" not in actor.memo:
        rows = _DOORS.rows()
        actor.memo["doors"] = Doors(*rows[0]) if rows else Doors(True, None)
    doors: Doors = actor.memo["doors"]
    return doors


def mark_declared() -> None:
    """Say that what is declared has changed."""
    mark = uuid.uuid4()
    if not AgentDoors.objects.update(declared=mark):
        AgentDoors.objects.get_or_create(pk=1, defaults={"declared": mark})
