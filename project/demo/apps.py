"""The sample company as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DemoConfig(AppConfig):
    """What is of no single story: the command that builds the company, and the note of what it built."""

    name = "project.demo"
    label = "demo"
    verbose_name = _("Sample company")
