"""The sample company's drilling as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DrillingConfig(AppConfig):
    """The drilling."""

    name = "project.demo.drilling"
    label = "drilling"
    verbose_name = _("Drilling")
