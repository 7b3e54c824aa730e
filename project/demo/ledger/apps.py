"""The sample company's ledger as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LedgerConfig(AppConfig):
    """The ledger."""

    name = "project.demo.ledger"
    label = "ledger"
    verbose_name = _("Ledger")
