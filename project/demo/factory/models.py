"""Tenants, their projects, git connections and conversations."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class Tenant(models.Model):
    """A customer of the factory."""

    class Status(models.TextChoices):
        """What the customer pays for."""

        TRIAL = "TRIAL", _("Trial")
        ACTIVE = "ACTIVE", _("Active")
        SUSPENDED = "SUSPENDED", _("Suspended")

    name = models.CharField(_("name"), max_length=80, unique=True)
    archived = models.BooleanField(_("archived"), default=False)
    status = models.CharField(_("status"), max_length=10, choices=Status)

    class Meta:
        verbose_name = _("tenant")
        verbose_name_plural = _("tenants")

    def __str__(self) -> str:
        return self.name


class Project(models.Model):
    """Something that is built for a tenant."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, verbose_name=_("tenant"))
    name = models.CharField(_("name"), max_length=80)
    started = models.DateField(_("started"))
    budget = models.DecimalField(_("budget"), max_digits=12, decimal_places=2, null=True, blank=True)

    class Meta:
        verbose_name = _("project")
        verbose_name_plural = _("projects")

    def __str__(self) -> str:
        return self.name


class GitConnection(models.Model):
    """A repository that the factory may read for a tenant."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, verbose_name=_("tenant"))
    url = models.CharField(_("address"), max_length=200)
    created_at = models.DateTimeField(_("created at"))

    class Meta:
        verbose_name = _("git connection")
        verbose_name_plural = _("git connections")

    def __str__(self) -> str:
        return self.url


class Conversation(models.Model):
    """A talk between a person and a coding agent; about a project, or about none."""

    class State(models.TextChoices):
        """Where the talk stands."""

        OPEN = "OPEN", _("Open")
        HANDED_OVER = "HANDED_OVER", _("Handed over")
        CLOSED = "CLOSED", _("Closed")

    id = models.UUIDField(_("id"), primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, blank=True, verbose_name=_("project"))
    title = models.CharField(_("title"), max_length=120)
    state = models.CharField(_("state"), max_length=12, choices=State)
    started_at = models.DateTimeField(_("started at"))
    messages = models.PositiveIntegerField(_("messages"))

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")

    def __str__(self) -> str:
        return self.title
