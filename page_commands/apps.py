"""The Django app of page commands."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class PageCommandsConfig(AppConfig):
    """Finds the code that commands name, in the module `commands` of every installed app."""

    name = "page_commands"
    verbose_name = _("Page commands")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.models.signals import post_delete

        from read_targets.cards.deciding import register_decider
        from read_targets.cards.forgetting import register_forgetting
        from read_targets.cards.models import Card
        from read_targets.policies.grants import forget_grants

        from . import card_source, checks, tools  # noqa: F401  # importing registers them
        from .confirming import decide
        from .forgetting import forget_pages, forget_runs
        from .live import signals  # noqa: F401  # importing connects them
        from .models import AgentCommand

        register_decider(Card.Kind.CONFIRMATION, decide)
        register_forgetting("open pages", forget_pages)
        register_forgetting("runs of commands", forget_runs)
        post_delete.connect(forget_grants, sender=AgentCommand, dispatch_uid="page_commands.grants")
        autodiscover_modules("commands")
