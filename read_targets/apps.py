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

        from . import checks, tools  # noqa: F401  # importing registers them
        from .lists.expressions import add_fold
        from .models import ReadTarget
        from .policies import forget_rights
        from .policies.grants import forget_grants

        connection_created.connect(add_fold, dispatch_uid="read_targets.fold")
        post_migrate.connect(forget_rights, dispatch_uid="read_targets.rights")
        for changed in (post_save, post_delete):
            changed.connect(forget_rights, sender=Permission, dispatch_uid="read_targets.rights")
        post_delete.connect(forget_grants, sender=ReadTarget, dispatch_uid="read_targets.grants")
        autodiscover_modules("lists")
