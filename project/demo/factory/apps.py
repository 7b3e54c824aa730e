"""The sample company's factory as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FactoryConfig(AppConfig):
    """The factory."""

    name = "project.demo.factory"
    label = "factory"
    verbose_name = _("Factory")
