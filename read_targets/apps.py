"""The Django app of read targets."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_delete, post_migrate, post_save
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class ReadTargetsConfig(AppConfig):
    """Finds the lists of every installed app and registers what agents may call."""

    name = "read_targets"
    verbose_name = _("Read targets")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.contrib.auth.models import Permission

        from . import checks, list_checks, tools  # noqa: F401  # importing registers them
        from .cards.exports import checks as _checks  # noqa: F401  # as above
        from .cards.exports import forgetting  # noqa: F401  # as above
        from .conf import setting
        from .lists import readable_models
        from .lists.texts import add_functions
        from .models import ReadTarget
        from .policies import forget_rights
        from .policies.grants import forget_grants_of
        from .stamps import watch_grants

        connection_created.connect(add_functions, dispatch_uid="read_targets.functions")
        post_migrate.connect(forget_rights, dispatch_uid="read_targets.rights")
        for changed in (post_save, post_delete):
            changed.connect(forget_rights, sender=Permission, dispatch_uid="read_targets.rights")
        autodiscover_modules("lists")
        forget_grants_of({ReadTarget, *readable_models()})
        if setting("REPLICA") is not None:
            watch_grants()
