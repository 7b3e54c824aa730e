"""The Django app of page commands."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PageCommandsConfig(AppConfig):
    """Commands of an open page."""

    name = "page_commands"
    verbose_name = _("Page commands")
    default_auto_field = "django.db.models.BigAutoField"
