"""What a site is not started with: what others know, what leaves it open, and what would fail only when it is used.

Each is refused with what would fit. What the settings themselves cannot be read without, they refuse first.
"""

from __future__ import annotations

import ipaddress
import os
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection

LEAST_KEY = 50
"""Characters of a key; Django's own are as long."""

LEAST_LETTERS = 10
"""Different characters in it."""

LEAST_TOKEN = 20
"""Characters of the token with which metrics are answered."""

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
        people = pool.submit(_asked_apart).result()
    found = [*_of_the_key(), *_of_hosts(), *_of_folders(), *_of_metrics(), *people]
    if found:
        raise ImproperlyConfigured(" ".join(found))


def _of_hosts() -> list[str]:
    found = []
    hosts = settings.ALLOWED_HOSTS
    if "*" in hosts:
        found.append("ALLOWED_HOSTS holds *: name the hosts of the site, as site.example.")
    if settings.DEBUG and not all(_is_loopback(host) for host in hosts):
        found.append("DEBUG is on for hosts that others reach: turn it off, or allow localhost alone.")
    if not settings.DEBUG and not hosts:
        found.append("ALLOWED_HOSTS is empty, so nothing would be answered: name the hosts, as site.example.")
    scheme = ("https://", "http://") if settings.DEBUG else ("https://",)
    if wrong := [origin for origin in settings.CSRF_TRUSTED_ORIGINS if not origin.startswith(scheme)]:
        found.append(f"CSRF_TRUSTED_ORIGINS holds {', '.join(wrong)}: an origin begins with {' or '.join(scheme)}.")
    return found


def _is_loopback(host: str) -> bool:
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _of_folders() -> list[str]:
    storages: Any = settings.STORAGES
    folder = Path(storages["exports"]["OPTIONS"]["location"])
    # It is made by the first export; until then its parent must let it be.
    there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return []
    return [f"EXPORTS_DIR is {folder}, where nothing can be written: name a folder that this process may write to."]


def _of_metrics() -> list[str]:
    token, networks, folder = settings.METRICS_TOKEN, settings.METRICS_FROM, settings.METRICS_FOLDER
    if not token and not networks:
        return []
    found = []
    if token and len(token) < LEAST_TOKEN:
        found.append(f"METRICS_TOKEN is easily guessed: set {LEAST_TOKEN} random characters or more.")
    if wrong := [network for network in networks if not _is_network(network)]:
        found.append(f"METRICS_FROM holds {', '.join(wrong)}: name addresses or networks, as 127.0.0.1,10.0.0.0/8.")
    if find_spec("prometheus_client") is None:
        found.append("Metrics are on, and prometheus-client is not installed: install it, or set neither of the two.")
    if not folder or not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        found.append(
            f"PROMETHEUS_MULTIPROC_DIR is {folder!r}: name a folder of this service alone, emptied before each "
            "start; its processes count there together."
        )
    return found


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


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
