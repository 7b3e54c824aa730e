"""System checks of exports: silent where they are not set up at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.files.storage import FileSystemStorage, InvalidStorageError

from .files import forms, storage, task_library

WAITED_FOR = ("ImmediateBackend", "DummyBackend")
"""Backends of tasks that have no worker."""


@register()
def check_exports(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """E005 and W008: where lists are exported, there is a storage for that alone, the libraries, and a worker."""
    alias = getattr(settings, "READ_TARGETS", {}).get("EXPORT_STORAGE")
    return [*_of_storage(alias), *_of_libraries()] if alias else []


def _of_storage(alias: str) -> list[CheckMessage]:
    try:
        found = storage()
    except (InvalidStorageError, ImportError) as error:
        hint = f"Name an alias of STORAGES. What happened: {error}"
        return [Error(f"EXPORT_STORAGE names no storage: {alias!r}.", hint=hint, id="read_targets.E005")]
    if isinstance(found, FileSystemStorage) and _is_public(Path(found.location).resolve()):
        hint = "Give the storage a location of its own, which no web server serves."
        return [Error(f"The files of exports lie where {alias!r} serves them.", hint=hint, id="read_targets.E005")]
    return []


def _is_public(place: Path) -> bool:
    """Whether a folder is that of media or static files, or within it; without MEDIA_ROOT media lie where we run."""
    served = [Path(root).resolve() for root in (settings.MEDIA_ROOT, settings.STATIC_ROOT) if root]
    return place == Path.cwd() or any(place.is_relative_to(root) for root in served)


def _of_libraries() -> list[CheckMessage]:
    install = "Install what the extra names: pip install django-read-targets[export]"
    if not task_library():
        said = "EXPORT_STORAGE is set, but nothing here runs tasks, so no list is exported."
        return [Warning(said, hint=install, id="read_targets.W008")]
    found: list[CheckMessage] = []
    if "xlsx" not in forms():
        found.append(Warning("No list is exported as XLSX.", hint=install, id="read_targets.W008"))
    backend = str(getattr(settings, "TASKS", {}).get("default", {}).get("BACKEND", WAITED_FOR[0]))
    if backend.rpartition(".")[2] in WAITED_FOR:
        said = "TASKS names no backend with a worker, so nobody writes an export but the request that asks for it."
        hint = "Name one, as django_tasks_db.DatabaseBackend, and run its worker."
        found.append(Warning(said, hint=hint, id="read_targets.W008"))
    return found
