"""Exports that are past their time are forgotten with the rest, and their files with them."""

from __future__ import annotations

from django.db.models.signals import post_delete
from django.utils import timezone

from ..forgetting import register_forgetting
from .files import forget_file
from .models import OPEN, Export
from .starting import lapse_exports


def forget_exports() -> int:
    """Delete the exports that are past their time, with their files; return how many went."""
    lapse_exports()
    past = Export.objects.filter(expires_at__lte=timezone.now()).exclude(state__in=OPEN)
    return past.delete()[1].get(Export._meta.label, 0)


register_forgetting("exports", forget_exports)
post_delete.connect(forget_file, sender=Export, dispatch_uid="read_targets.export_files")
