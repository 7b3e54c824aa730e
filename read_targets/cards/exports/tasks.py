"""What a worker runs; imported only where there is a library that runs tasks."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .running import run_export

library: Any = import_module("django.tasks" if find_spec("django.tasks") else "django_tasks")
"""Django's own from 6.0 on, and before that the one that it came from."""


@library.task
def write_export(export_id: str) -> None:
    """Write the file of an export that waits; of any other, nothing."""
    run_export(export_id)
