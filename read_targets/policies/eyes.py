"""Looking through another person's eyes, as an admin does to see what a declaration gives them (design, section 4)."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from . import is_someone
from .grants import name_field, person_of


def may_look_as(viewer: Any, person: Any, permission: str) -> bool:
    """Whether `viewer`, by the right `permission`, may look as `person`: never as a superuser unless one is."""
    if not (is_someone(viewer) and is_someone(person)) or not viewer.has_perm(permission):
        return False
    return bool(viewer.is_superuser or not person.is_superuser)


def people_for(viewer: Any, permission: str) -> QuerySet[Any]:
    """Return the people as whom `viewer` may look, by name: those of whom `may_look_as` says so."""
    people = get_user_model()._default_manager.order_by(name_field())
    if not may_look_as(viewer, viewer, permission):
        return people.none()
    active = people.filter(is_active=True)
    return active if viewer.is_superuser else active.filter(is_superuser=False)


def access_person(viewer: Any, name: str, permission: str) -> Any:
    """Return the person of that user name, None alike where there is none and where `viewer` may not look as them."""
    person = person_of(name)
    return person if person is not None and may_look_as(viewer, person, permission) else None
