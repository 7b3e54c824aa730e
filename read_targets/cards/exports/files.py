"""Where exports lie: a storage of Django's that nobody reads but through this app."""

from __future__ import annotations

import logging
import secrets
from importlib.util import find_spec
from typing import Any

from django.core.files.storage import Storage, storages

from ...conf import setting
from .models import Export

logger = logging.getLogger(__name__)

MODULES = {"csv": (), "xlsx": ("xlsxwriter",)}
"""What must be installed to write a file, besides what runs it."""


def task_library() -> bool:
    """Whether there is something to run tasks by: Django's own (6.0 on), or `django-tasks`."""
    return find_spec("django.tasks") is not None or find_spec("django_tasks") is not None


def forms() -> list[str]:
    """Return the forms in which a list can be exported here; none where exports are not set up."""
    if not setting("EXPORT_STORAGE") or not task_library():
        return []
    return [form for form, modules in MODULES.items() if all(map(find_spec, modules))]


def storage() -> Storage:
    """Return the storage that the setting names; raises InvalidStorageError."""
    return storages[setting("EXPORT_STORAGE")]


def new_name(form: str) -> str:
    """Return a name that nobody guesses."""
    return f"{secrets.token_urlsafe(32)}.{form}"


def forget_file(sender: Any, instance: Export, **kwargs: Any) -> None:
    """Delete the file of an export that is deleted, whatever it went with."""
    if not instance.file or not setting("EXPORT_STORAGE"):
        return
    try:
        storage().delete(instance.file)
    except OSError:
        logger.exception("the file of the export %s stays in its storage", instance.pk)
