"""What a site is not started with: a key that others know, or people whose password is their name."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection

LEAST_KEY = 50
"""Characters of a key; Django's own are as long."""

LEAST_LETTERS = 10
"""Different characters in it."""

SAMPLE_PEOPLE = ("admin", "analyst", "clerk", "guest")
"""The people of the sample company, each with their name as password."""


def refuse_unsafe() -> None:
    """Raises ImproperlyConfigured where the site must not be started as it is set up.

    The sample company may be: it answers nobody but this machine.
    """
    if apps.is_installed("project.demo"):
        return
    # A thread of its own: uvicorn imports the application within its event loop, where Django asks no database.
    with ThreadPoolExecutor(1) as pool:
        found = [*_of_the_key(), *pool.submit(_asked_apart).result()]
    if found:
        raise ImproperlyConfigured(" ".join(found))


def _of_the_key() -> list[str]:
    key = settings.SECRET_KEY
    if len(key) >= LEAST_KEY and len(set(key)) >= LEAST_LETTERS and "everybody-knows" not in key:
        return []
    return [
        f"SECRET_KEY is known or easily guessed: set {LEAST_KEY} random characters, as "
        "python -c 'import secrets; print(secrets.token_urlsafe(64))' prints them."
    ]


def _asked_apart() -> list[str]:
    try:
        return _of_people()
    finally:
        connection.close()


def _of_people() -> list[str]:
    """Name whoever of the sample company is there with their old password; silent where nobody can be asked yet."""
    people = get_user_model()._default_manager
    try:
        known = people.filter(**{f"{get_user_model().USERNAME_FIELD}__in": SAMPLE_PEOPLE}, is_active=True)
        names = [one.get_username() for one in known if one.check_password(one.get_username())]
    except DatabaseError:
        return []
    if not names:
        return []
    return [f"{', '.join(names)} may sign in with their name as password: give them others, or make them inactive."]
