"""What an admin declares: pages, what they hold and show, and the commands that an agent may run on them."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from read_targets.agent.declared import DeclaredArgument
from read_targets.agent.labels import LabelField, text_of

from .live.models import CommandRun, Effect, PageSession

__all__ = [
    "AgentCommand",
    "Channel",
    "CommandParameter",
    "CommandRule",
    "CommandRun",
    "CommandStep",
    "Effect",
    "Page",
    "PageSession",
    "PageView",
    "StepBinding",
]

_NAME = RegexValidator(r"^[a-z][a-z0-9_]*\Z", _("A name is of small letters, digits and _, a letter first."))
_ARGUMENT = RegexValidator(r"^[A-Za-z][A-Za-z0-9_]*\Z", _("A name is of letters, digits and _, a letter first."))


class Page(models.Model):
    """A page of the application that an agent may act on; the template tag `live_page` names it by its key."""

    key = models.CharField(
        _("key"),
        max_length=60,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9-]+\.[a-z0-9-]+\Z", _("A key is <app>.<page>, in small letters."))],
        help_text=_('As the template names it: {% live_page "factory.start" %}'),
    )
    label = LabelField(_("label"))
    description = models.TextField(
        _("description"), blank=True, max_length=600, help_text=_("English, for the model: what the page is for.")
    )
    enabled = models.BooleanField(_("enabled"), default=True)

    class Meta:
        verbose_name = _("page")
        verbose_name_plural = _("pages")
        ordering = ("key",)

    def __str__(self) -> str:
        return text_of(self.label, self.key)


class PagePart(models.Model):
    """What belongs to a page, in an order."""

    position = models.PositiveIntegerField(_("position"), default=0)
    name = models.CharField(_("name"), max_length=40, validators=[_NAME])
    label = LabelField(_("label"))

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return text_of(self.label, self.name)


class Channel(PagePart):
    """A named slot of a page for one object. Only *write channel* and, where it may, *present* change what it holds."""

    page = models.ForeignKey(Page, models.CASCADE, related_name="channels", verbose_name=_("page"))
    type = models.CharField(_("type"), max_length=100, help_text=_("The model of its object: app.model"))
    may_present = models.BooleanField(
        _("agent may present"), default=False, help_text=_("An agent may put an object here by the tool present.")
    )

    class Meta:
        verbose_name = _("channel")
        verbose_name_plural = _("channels")
        ordering = ("position", "pk")
        constraints = [models.UniqueConstraint(fields=["page", "name"], name="unique_channel_name")]


class PageView(PagePart):
    """A fragment of a page, rendered by registered code for one object; it is shown when a command shows it.

    With a channel it shows that channel's object whenever there is one, and is rendered again when the channel changes.
    """

    page = models.ForeignKey(Page, models.CASCADE, related_name="views", verbose_name=_("page"))
    code = models.CharField(_("rendered by"), max_length=100, help_text=_("The registered view that renders it."))
    channel = models.CharField(
        _("channel"), max_length=40, blank=True, help_text=_("Empty: a command binds its object.")
    )

    class Meta:
        verbose_name = _("view")
        verbose_name_plural = _("views")
        ordering = ("position", "pk")
        constraints = [models.UniqueConstraint(fields=["page", "name"], name="unique_view_name")]


class AgentCommand(PagePart):
    """A command of a page: a button for the person, and what an agent may run in the person's name.

    It takes an object from an agent only where `input_description` is set (seed 002); without an object it takes that
    of its input channel, where it has one. Where it takes an object, `input_permission` must be held on it.
    """

    class Confirmation(models.TextChoices):
        """When a person must agree before an agent's call runs (seed 001)."""

        NEVER = "NEVER", _("never")
        REQUIRED = "REQUIRED", _("always")
        CONDITIONAL = "CONDITIONAL", _("when a condition holds")

    page = models.ForeignKey(Page, models.CASCADE, related_name="commands", verbose_name=_("page"))
    description = models.TextField(
        _("description"), max_length=600, help_text=_("English, for the model: what the command does.")
    )
    enabled = models.BooleanField(_("enabled"), default=True)

    input_type = models.CharField(
        _("type of its object"), max_length=100, blank=True, help_text=_("app.model; empty: it takes no object.")
    )
    input_description = models.CharField(
        _("the object, for the model"),
        max_length=300,
        blank=True,
        help_text=_("English: what object the command is for. Empty: it takes no object from an agent."),
    )
    input_channel = models.CharField(
        _("input channel"), max_length=40, blank=True, help_text=_("Whose object it takes when none is passed.")
    )
    input_permission = models.CharField(
        _("permission on the object"), max_length=200, blank=True, help_text=_("app.codename, held on the object.")
    )

    confirmation = models.CharField(
        _("confirmation"), max_length=12, choices=Confirmation.choices, default=Confirmation.NEVER
    )
    confirmation_condition = models.CharField(
        _("condition of the confirmation"), max_length=100, blank=True, help_text=_("The registered condition.")
    )
    confirmation_title = LabelField(_("title of the confirmation"))
    confirmation_message = LabelField(
        _("message of the confirmation"), help_text=_("May name {object}, its fields as {object.name}, and parameters.")
    )
    confirmation_button = LabelField(_("button of the confirmation"))
    confirm_clicks = models.BooleanField(
        _("confirm clicks too"), default=False, help_text=_("A person's own click on its button asks once more.")
    )

    class Meta:
        verbose_name = _("agent command")
        verbose_name_plural = _("agent commands")
        ordering = ("page", "position", "pk")
        constraints = [models.UniqueConstraint(fields=["page", "name"], name="unique_command_name")]
        permissions = [
            ("run_agentcommand", "Can run an agent command"),
            ("grant_agentcommand", "Can grant who runs an agent command"),
            ("try_as_person", "Can try an agent command as a person"),
        ]

    @property
    def key(self) -> str:
        """The command by its page: `factory.start:archive_conversation`."""
        return f"{self.page.key}:{self.name}"

    @property
    def full_name(self) -> str:
        """The name as agents are told it, by the page's application: `factory.archive_conversation`."""
        return f"{self.page.key.partition('.')[0]}.{self.name}"

    @property
    def takes_from_agent(self) -> bool:
        """Whether an agent may pass it an object: deny by default (seed 002)."""
        return bool(self.input_type and self.input_description)

    def clean(self) -> None:
        """Refuse a condition without its policy, and the other way round."""
        if bool(self.confirmation_condition) != (self.confirmation == self.Confirmation.CONDITIONAL):
            message = _("A condition goes with the confirmation “when a condition holds”, and only with it.")
            raise ValidationError({"confirmation_condition": message})


class CommandParameter(DeclaredArgument):
    """A typed value that a command takes by name."""

    command = models.ForeignKey(AgentCommand, models.CASCADE, related_name="parameters", verbose_name=_("command"))
    position = models.PositiveIntegerField(_("position"), default=0)
    required = models.BooleanField(_("required"), default=False)

    class Meta:
        verbose_name = _("parameter")
        verbose_name_plural = _("parameters")
        ordering = ("position", "pk")
        constraints = [models.UniqueConstraint(fields=["command", "name"], name="unique_parameter_name")]


class CommandRule(models.Model):
    """A condition on the object or the person that must hold; the reason is what the person reads when it does not."""

    command = models.ForeignKey(AgentCommand, models.CASCADE, related_name="rules", verbose_name=_("command"))
    position = models.PositiveIntegerField(_("position"), default=0)
    code = models.CharField(_("rule"), max_length=100, help_text=_("The registered rule."))
    reason = LabelField(_("reason"), help_text=_("Said when the rule refuses. May name {object} and its fields."))

    class Meta:
        verbose_name = _("rule")
        verbose_name_plural = _("rules")
        ordering = ("position", "pk")

    def __str__(self) -> str:
        return self.code


class CommandStep(models.Model):
    """One step of a command. `target` names what it acts on, by the kind: see `Kind`."""

    class Kind(models.TextChoices):
        """What a step does; the comment of each is what its `target` names, and what it binds."""

        WRITE_CHANNEL = "write_channel", _("write channel")  # a channel of the page; binds `object`
        SHOW_VIEW = "show_view", _("show view")  # a view of the page; binds `object`, if the view takes one
        # a URL name; binds the arguments of the URL, others go to the query
        OPEN_PAGE = "open_page", pgettext_lazy("step", "open page")
        HANDLER = "handler", _("call handler")  # a registered handler; binds its arguments
        MUTATION = "mutation", _("run mutation")  # a mutation field of the GraphQL schema; binds its arguments

    command = models.ForeignKey(AgentCommand, models.CASCADE, related_name="steps", verbose_name=_("command"))
    position = models.PositiveIntegerField(_("position"), default=0)
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices)
    target = models.CharField(_("acts on"), max_length=200)

    class Meta:
        verbose_name = _("step")
        verbose_name_plural = _("steps")
        ordering = ("position", "pk")

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.target}"


class StepBinding(models.Model):
    """Where a step takes one of its arguments from."""

    class Source(models.TextChoices):
        """Where the value comes from; the comment of each is what `value` holds."""

        INPUT = "input", _("the object")  # empty, or a field of the object: name
        PARAMETER = "parameter", _("a parameter")  # the parameter's name
        CHANNEL = "channel", _("a channel")  # the channel's name
        STEP = "step", _("an earlier step")  # its position in order, counted from 1, or 1.name for a part of its result
        CONSTANT = "constant", _("a fixed value")  # the value itself

    step = models.ForeignKey(CommandStep, models.CASCADE, related_name="bindings", verbose_name=_("step"))
    argument = models.CharField(_("argument"), max_length=60, validators=[_ARGUMENT])
    source = models.CharField(_("comes from"), max_length=10, choices=Source.choices)
    value = models.CharField(_("which"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("binding")
        verbose_name_plural = _("bindings")
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["step", "argument"], name="unique_bound_argument")]

    def __str__(self) -> str:
        return f"{self.argument} ← {self.source} {self.value}".rstrip()


def declared_command(pk: Any) -> AgentCommand:
    """Return a command with all that is declared of it, in a fixed number of statements."""
    return declared_commands().get(pk=pk)


def declared_commands() -> models.QuerySet[AgentCommand]:
    """Return the commands with all that is declared of them, in a fixed number of statements."""
    commands = AgentCommand.objects.select_related("page")
    return commands.prefetch_related("parameters", "rules", "steps__bindings", "page__channels", "page__views")
