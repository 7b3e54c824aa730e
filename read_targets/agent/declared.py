"""What an admin declares of an argument: a condition of a list, a parameter of a command."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from .labels import LabelField


class Kind(models.TextChoices):
    """The kinds of values that arguments and columns have."""

    STRING = "string", _("text")
    NUMBER = "number", _("number")
    INTEGER = "integer", _("whole number")
    BOOLEAN = "boolean", _("yes or no")
    DATE = "date", _("date")
    ENUM = "enum", _("one of some values")


class DeclaredArgument(models.Model):
    """A named value that an agent may give: its kind, what it means, and what fits."""

    name = models.CharField(_("name"), max_length=40, validators=[RegexValidator(r"^[A-Za-z][A-Za-z0-9_]*\Z")])
    kind = models.CharField(_("type"), max_length=10, choices=Kind.choices)
    label = LabelField(_("label"))
    description = models.CharField(_("description"), max_length=200, blank=True, help_text=_("English, for the model."))
    values = models.TextField(_("values"), blank=True, help_text=_("One a line, for one of some values."))
    minimum = models.DecimalField(_("minimum"), max_digits=20, decimal_places=4, null=True, blank=True)
    maximum = models.DecimalField(_("maximum"), max_digits=20, decimal_places=4, null=True, blank=True)
    pattern = models.CharField(
        _("pattern"), max_length=100, blank=True, help_text=_("A regular expression for a text.")
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    @property
    def value_list(self) -> list[str]:
        """The values of an enum, one by one."""
        return [line.strip() for line in self.values.splitlines() if line.strip()]
