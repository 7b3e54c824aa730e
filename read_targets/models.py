"""What an admin declares: the lists that an agent may read, their columns, conditions and screen."""

from __future__ import annotations

import re
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.signals import post_delete
from django.utils.translation import gettext_lazy as _

from .agent.declared import DeclaredArgument, Kind
from .agent.labels import LabelField, text_of
from .agent.models import (
    AgentDoors,
    AgentToken,
    Allowance,
    CallRules,
    HeavyRead,
    KeptAnswer,
    ToolCall,
    ToolLimit,
    Toolset,
    ToolsetEntry,
    mark_declared,
)
from .cards.exports.models import Export
from .cards.models import Card, Workspace, WorkspaceVersion
from .lists.order import Order, order_of
from .preferences import Preference
from .stamps import GrantsStamp

__all__ = [
    "AgentDoors",
    "AgentToken",
    "Allowance",
    "CallRules",
    "Card",
    "Column",
    "Criterion",
    "CriterionFilter",
    "Export",
    "Goal",
    "GrantsStamp",
    "HeavyRead",
    "KeptAnswer",
    "Kind",
    "Preference",
    "ReadTarget",
    "ScreenParameter",
    "ToolCall",
    "ToolLimit",
    "Toolset",
    "ToolsetEntry",
    "Workspace",
    "WorkspaceVersion",
]

LONGEST_TOOL_NAME = 48
"""Characters of a tool's name; some hosts take 60 for server and tool together (design, section 9)."""

RESERVED = ("id", "text", "groupBy", "orderBy", "rows", "show", "title", "name")
"""Arguments that every query tool takes, so no condition can be named like one."""


class Operator(models.TextChoices):
    """How a condition's value is compared with a field."""

    EQ = "eq", _("is")
    NE = "ne", _("is not")
    GT = "gt", _("is more than")
    GTE = "gte", _("is at least")
    LT = "lt", _("is less than")
    LTE = "lte", _("is at most")
    CONTAINS = "contains", _("contains")
    STARTSWITH = "startswith", _("begins with")
    ISNULL = "isnull", _("is empty")
    YEAR = "year", _("is in the year")
    MONTH = "month", _("is in the month (1-12)")
    PERIOD = "period", _("is in the month (YYYY-MM)")


class Basis(models.TextChoices):
    """What the average of a column counts equally."""

    ROWS = "rows", _("every value alike")
    WEIGHTS = "weights", _("by a weight")
    RATIO = "ratio", _("one sum over another")


class DeclaredQuerySet(models.QuerySet):
    """Rows of a declaration; a change in bulk, which sends no signals, marks what is declared as changed too."""

    def update(self, **kwargs: Any) -> int:
        """Update, and mark what is declared as changed."""
        return _marked(super().update(**kwargs))

    def bulk_create(self, *args: Any, **kwargs: Any) -> Any:
        """Create, and mark what is declared as changed."""
        return _marked(super().bulk_create(*args, **kwargs))

    def bulk_update(self, *args: Any, **kwargs: Any) -> int:
        """Update, and mark what is declared as changed."""
        return _marked(super().bulk_update(*args, **kwargs))


def _marked(done: Any) -> Any:
    """Mark after the change: another process that reads in between must read again."""
    mark_declared()
    return done


class Declared(models.Model):
    """What admins declare: each change of it is marked, so that no process works by what it was before."""

    objects = DeclaredQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, and mark what is declared as changed."""
        super().save(*args, **kwargs)
        mark_declared()


class ReadTarget(Declared):
    """A list of the application that an agent may read, as the person it acts for."""

    key = models.CharField(
        _("key"),
        max_length=60,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9-]+\.[a-z0-9-]+\Z", _("A key is <app>.<record>, in small letters."))],
        help_text=_("<app>.<record>, like ledger.cash-transactions; the tools are named after it."),
    )
    label = LabelField(_("label"))
    model_name = models.CharField(
        _("name for the model"), max_length=100, blank=True, help_text=_("English: what the records are called.")
    )
    description = models.TextField(
        _("description"), blank=True, max_length=600, help_text=_("English, for the model: what the records are.")
    )
    short_description = models.CharField(_("short description"), max_length=120, blank=True)
    tags = models.CharField(_("tags"), max_length=200, blank=True, help_text=_("Words, separated by commas."))
    enabled = models.BooleanField(_("enabled"), default=True)

    list_query = models.CharField(_("list query"), max_length=100, help_text=_("The list, by its GraphQL root field."))
    search_hint = models.CharField(
        _("search finds"),
        max_length=200,
        blank=True,
        help_text=_("What free words are looked for in; empty: no search."),
    )
    order = models.CharField(
        _("order"), max_length=200, blank=True, help_text=_("Fields, separated by spaces, - before one for descending.")
    )

    document = models.TextField(
        _("GraphQL document"), blank=True, help_text=_("Only for a list of another shape: the query that reads it.")
    )
    rows_path = models.CharField(_("path of the rows"), max_length=200, blank=True)
    total_path = models.CharField(_("path of the total"), max_length=200, blank=True)
    door_permission = models.CharField(
        _("permission that opens the list"), max_length=200, blank=True, help_text=_("app.codename")
    )

    screen = models.CharField(
        _("screen"), max_length=200, blank=True, help_text=_("The URL name of the application's own list screen.")
    )
    screen_label = LabelField(_("label of the screen"))

    class Meta:
        verbose_name = _("read target")
        verbose_name_plural = _("read targets")
        ordering = ("key",)
        permissions = [
            ("query_readtarget", "Can query through a read target"),
            ("grant_readtarget", "Can grant who queries a read target"),
            ("preview_as_person", "Can preview a read target as a person"),
        ]

    def __str__(self) -> str:
        return text_of(self.label, self.key)

    @property
    def query_tool_name(self) -> str:
        """The name of the tool that reads the list: `queryLedgerCashTransactions`."""
        return f"query{pascal(self.key)}"

    @property
    def screen_tool_name(self) -> str:
        """The name of the tool that offers the list's screen: `openLedgerCashTransactionsScreen`."""
        return f"open{pascal(self.key)}Screen"

    @property
    def is_foreign(self) -> bool:
        """Whether this is a list of another shape, read through a GraphQL document of its own."""
        return bool(self.document)

    @property
    def own_order(self) -> tuple[Order, ...]:
        """The order in which the target tells its rows, none for the list's own."""
        return order_of(self.order.split())

    @property
    def tag_list(self) -> list[str]:
        """The tags, one by one."""
        return [tag.strip() for tag in self.tags.split(",") if tag.strip()]

    def clean(self) -> None:
        """Refuse a key whose tools would have too long a name, or the name of another target's tools."""
        longest = max(self.query_tool_name, self.screen_tool_name, key=len)
        if len(longest) > LONGEST_TOOL_NAME:
            raise ValidationError(
                {
                    "key": _("Its tool would be %(name)s: over %(most)d characters. Choose a shorter key.")
                    % {"name": longest, "most": LONGEST_TOOL_NAME}
                }
            )
        others = ReadTarget.objects.exclude(pk=self.pk).values_list("key", flat=True)
        for key in others:
            if pascal(key) == pascal(self.key) and key != self.key:
                raise ValidationError({"key": _("Its tools would have the names of those of %(key)s.") % {"key": key}})


def pascal(key: str) -> str:
    """Return a key as tool names spell it: `ledger.cash-transactions` is `LedgerCashTransactions`."""
    return "".join(part[0].upper() + part[1:] for part in re.split(r"[^a-zA-Z0-9]+", key) if part)


class TargetPart(Declared):
    """What belongs to a read target, in an order."""

    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        abstract = True


class Column(TargetPart):
    """A column that the target shows, may group and order by and, where `total` is set, sums.

    Its average stands on a `basis`: each value counts alike, or as often as the column `weight` says, or it is the sum
    of the column `numerator` over that of `denominator`. Of a ratio an empty path says that it has no values of its
    own. Weights and parts are columns as well, so that whoever reads the figure sees what it is made of.
    """

    target = models.ForeignKey(ReadTarget, models.CASCADE, related_name="columns", verbose_name=_("read target"))
    name = models.CharField(_("name"), max_length=40, validators=[RegexValidator(r"^[A-Za-z][A-Za-z0-9_]*\Z")])
    path = models.CharField(_("path"), max_length=200, blank=True, help_text=_("Dotted; empty: the name."))
    kind = models.CharField(_("type"), max_length=10, choices=Kind.choices)
    label = LabelField(_("label"))
    unit = models.CharField(_("unit"), max_length=30, blank=True)
    total = models.BooleanField(_("total"), default=False, help_text=_("Sum this column over the whole list."))
    basis = models.CharField(_("average"), max_length=10, choices=Basis.choices, default=Basis.ROWS)
    weight = models.CharField(_("weight"), max_length=40, blank=True, help_text=_("A column; of a weighted average."))
    numerator = models.CharField(_("numerator"), max_length=40, blank=True, help_text=_("A column; of a ratio."))
    denominator = models.CharField(_("denominator"), max_length=40, blank=True, help_text=_("A column; of a ratio."))

    class Meta:
        verbose_name = _("column")
        verbose_name_plural = _("columns")
        ordering = ("position", "pk")
        constraints = [models.UniqueConstraint(fields=["target", "name"], name="unique_column_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def has_values(self) -> bool:
        """Whether rows have a value of it; else it is a figure alone."""
        return bool(self.path) or self.basis != Basis.RATIO

    @property
    def list_path(self) -> str:
        """Where the value is in a row; empty where rows have none."""
        return (self.path or self.name) if self.has_values else ""

    @property
    def has_figure(self) -> bool:
        """Whether it is summed up over the whole list."""
        return self.total or self.basis != Basis.ROWS

    @property
    def parts(self) -> dict[str, str]:
        """The columns that its average is made of, by the field that names each; none on the basis of rows."""
        fields = {"weights": ("weight",), "ratio": ("numerator", "denominator")}.get(self.basis, ())
        return {field: getattr(self, field) for field in fields}


class Goal(TargetPart):
    """What the average of a column, on the column's basis, should come to."""

    class Direction(models.TextChoices):
        """Which side of the goal is good."""

        HIGHER = "higher_is_better", _("higher is better")
        LOWER = "lower_is_better", _("lower is better")

    target = models.ForeignKey(ReadTarget, models.CASCADE, related_name="goals", verbose_name=_("read target"))
    column = models.CharField(_("column"), max_length=40, help_text=_("The column whose average it is about."))
    # As many digits as every database keeps exactly.
    value = models.DecimalField(_("goal"), max_digits=15, decimal_places=5)
    direction = models.CharField(_("direction"), max_length=20, choices=Direction.choices)
    source = models.CharField(
        _("source"), max_length=60, blank=True, help_text=_("Whose goal it is: personal, company, well.")
    )
    label = LabelField(_("label"))

    class Meta:
        verbose_name = _("goal")
        verbose_name_plural = _("goals")
        ordering = ("position", "pk")
        constraints = [models.UniqueConstraint(fields=["target", "column", "source"], name="unique_goal")]

    def __str__(self) -> str:
        return f"{self.column} {self.get_direction_display()}: {self.value}"


class Criterion(DeclaredArgument, TargetPart):  # noqa: DJ008  # named as arguments are
    """A condition that the agent may set."""

    target = models.ForeignKey(ReadTarget, models.CASCADE, related_name="criteria", verbose_name=_("read target"))

    class Meta:
        verbose_name = _("condition")
        verbose_name_plural = _("conditions")
        ordering = ("position", "pk")
        constraints = [models.UniqueConstraint(fields=["target", "name"], name="unique_criterion_name")]


class CriterionFilter(Declared):
    """A filter of the list that a condition becomes; a condition with several becomes all of them."""

    criterion = models.ForeignKey(Criterion, models.CASCADE, related_name="filters", verbose_name=_("condition"))
    field = models.CharField(_("field"), max_length=200)
    operator = models.CharField(_("operator"), max_length=12, choices=Operator.choices)

    class Meta:
        verbose_name = _("filter")
        verbose_name_plural = _("filters")
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.field} {self.operator}"


class ScreenParameter(TargetPart):
    """A condition that the application's own screen takes, as an argument of its address."""

    target = models.ForeignKey(
        ReadTarget, models.CASCADE, related_name="screen_parameters", verbose_name=_("read target")
    )
    criterion = models.CharField(_("condition"), max_length=40, help_text=_("A condition's name, or text."))
    argument = models.CharField(_("argument"), max_length=40, help_text=_("Its name in the screen's address."))
    needs = models.CharField(_("only with"), max_length=40, blank=True, help_text=_("Another condition of the screen."))

    class Meta:
        verbose_name = _("screen parameter")
        verbose_name_plural = _("screen parameters")
        ordering = ("position", "pk")
        constraints = [models.UniqueConstraint(fields=["target", "criterion"], name="unique_screen_criterion")]

    def __str__(self) -> str:
        return f"{self.criterion} → {self.argument}"


def mark_deletion(sender: Any, **kwargs: Any) -> None:
    """Mark what is declared as changed where a part of it is deleted, by whatever it went with."""
    mark_declared()


# One by one: with a receiver for every model, Django deletes the host's own records one at a time as well.
for _declared in (ReadTarget, Column, Goal, Criterion, CriterionFilter, ScreenParameter, ToolLimit):
    post_delete.connect(mark_deletion, sender=_declared, dispatch_uid="read_targets.mark_deletion")
