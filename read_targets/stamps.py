"""A stamp that changes whenever a grant on a single object is taken back, so that a replica can be told to be too old.

A replica that shows the stamp of the database itself has seen every grant go that was taken back before.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.apps import apps
from django.db import models, router, transaction
from django.db.models.signals import post_delete, post_save
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

ONLY = 1


class GrantsStamp(models.Model):
    """The only row of its table: what it holds says nothing, but that it is another one now."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY)
    stamp = models.UUIDField(default=uuid.uuid4)

    class Meta:
        app_label = "read_targets"

    def __str__(self) -> str:
        return str(self.stamp)


def watch_grants() -> None:
    """Set a new stamp whenever one of guardian's grants goes, or becomes another's.

    Only a site with a replica needs it: it costs a write.
    """
    for model in apps.get_models():
        if issubclass(model, (UserObjectPermissionBase, GroupObjectPermissionBase)):
            uid = f"read_targets.stamps.{model._meta.label}"
            post_delete.connect(grant_went, sender=model, dispatch_uid=uid)
            post_save.connect(grant_changed, sender=model, dispatch_uid=uid)


def grant_changed(created: bool = False, **kwargs: Any) -> None:
    """A grant that is no new one was somebody's before, on something."""
    if not created:
        grant_went()


def grant_went(**kwargs: Any) -> None:
    """Set a new stamp once the transaction is through in which a grant went; once, however many go."""
    using = router.db_for_write(GrantsStamp)
    # Not within the transaction: whoever takes grants back at the same time would wait for each other.
    waiting = transaction.get_connection(using).run_on_commit
    if not waiting or waiting[-1][1] is not set_stamp:
        transaction.on_commit(set_stamp, using=using)


def set_stamp() -> None:
    """Set a new stamp."""
    GrantsStamp.objects.using(router.db_for_write(GrantsStamp)).bulk_create(
        [GrantsStamp()], update_conflicts=True, unique_fields=["id"], update_fields=["stamp"]
    )
