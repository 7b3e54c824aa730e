"""A new git connection of a tenant: what must hold of it, whoever asks, in a form or by a command."""

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import URLValidator
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from guardian.shortcuts import assign_perm

from read_targets.policies import holds_everywhere, permits, permitted

from .models import GitConnection, Tenant

ADD = "factory.add_gitconnection"
VIEW_TENANT = "factory.view_tenant"
VIEW = "factory.view_gitconnection"

ADDRESS = URLValidator(
    schemes=("https", "ssh"), message=_("An address begins with https:// or ssh://, like https://git.example/shop.git.")
)


class ConnectionForm(forms.Form):
    """The form of a new connection: its address."""

    url = forms.CharField(
        label=_("Address of the repository"),
        max_length=200,
        validators=[ADDRESS],
        widget=forms.TextInput({"inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
    )


def may_connect(user: Any) -> bool:
    """Whether the person may add connections: a right on the model, since there is no object yet."""
    return holds_everywhere(user, ADD)


def connections_of(user: Any, tenant: Tenant) -> QuerySet[GitConnection]:
    """Return those connections of the tenant that the person may view, the newest first."""
    found: QuerySet[GitConnection] = permitted(user, VIEW, GitConnection.objects.filter(tenant=tenant))
    return found.order_by("-created_at", "-pk")


def host_of(url: str) -> str:
    """Return the host of an address in small letters, empty where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def connect(user: Any, tenant: Tenant, url: str) -> GitConnection:
    """Connect the tenant to the repository at `url`; the person may view what they made.

    Raises PermissionDenied where the person may not, and ValidationError, with the reason, where it does not fit.
    """
    if not may_connect(user) or not permits(user, VIEW_TENANT, tenant):
        raise PermissionDenied
    if tenant.archived:
        raise ValidationError(_("The tenant is archived."))
    ADDRESS(url)
    if connections_of(user, tenant).filter(url=url).exists():
        raise ValidationError(_("The tenant is connected to that address already."))
    made = GitConnection(tenant=tenant, url=url, created_at=timezone.now())
    made.full_clean()
    made.save()
    assign_perm(VIEW, user, made)
    return made
