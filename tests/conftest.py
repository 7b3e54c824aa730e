"""What every test may ask for: the demo company, its people, and clients that speak as them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from .live.servers import two_servers as two_servers  # for every folder, so that the processes are started once

ROWS = 600
"""Transactions of the demo company in tests: enough for several pages and every kind of row."""


def pytest_configure() -> None:
    """Hash the demo's passwords fast: what they guard here is gone with the test."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests with real transactions last, and those in a browser behind them.

    The former leave an empty database behind, without the demo company; the latter an event loop in their thread.
    """
    items.sort(key=_leaves_behind)


def _leaves_behind(item: pytest.Item) -> int:
    fixtures = getattr(item, "fixturenames", ())
    marker = item.get_closest_marker("django_db")
    if {"live_server", "browser"} & set(fixtures):
        return 2
    is_marked = marker is not None and bool(marker.kwargs.get("transaction"))
    return int(is_marked or "transactional_db" in fixtures)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Build the demo company once; a test's own changes are rolled back."""
    from project.demo.company import build

    with django_db_blocker.unblock():
        build(ROWS)


@pytest.fixture(autouse=True)
def _fresh_caches() -> None:
    """Content types are remembered by the process, and a flushed database gives them other keys."""
    ContentType.objects.clear_cache()


@pytest.fixture
def company(transactional_db: None) -> None:
    """The demo company, for tests that need real transactions and leave an empty database behind."""
    from project.demo.company import build

    build(ROWS)


@pytest.fixture
def person(db: None) -> Callable[[str], User]:
    """Return one of the demo's people by name."""
    return lambda name: User.objects.get(username=name)


@pytest.fixture
def signed_in(db: None) -> Callable[[str], Client]:
    """Return a browser in which one of the demo's people is signed in."""

    def client_of(name: str) -> Client:
        client = Client()
        client.force_login(User.objects.get(username=name), backend="django.contrib.auth.backends.ModelBackend")
        return client

    return client_of


class Agent:
    """An agent with a person's token: it lists tools and calls them over HTTP."""

    def __init__(self, secret: str) -> None:
        self.client = Client()
        self.headers = {"Authorization": f"Bearer {secret}"}

    def tools(self, query: str = "") -> Any:
        """Return the response of the list of tools."""
        return self.client.get(f"/agent/tools{query}", headers=self.headers)

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and return the response."""
        return self.post(tool, arguments)

    def post(self, tool: str, body: Any, query: str = "") -> Any:
        """Send any body to a tool and return the response."""
        return self.client.post(f"/agent/tools/{tool}{query}", body, "application/json", headers=self.headers)

    def answer(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its envelope."""
        envelope: dict[str, Any] = self.call(tool, **arguments).json()
        return envelope


@pytest.fixture
def agent(db: None) -> Callable[..., Agent]:
    """Return an agent of one of the demo's people."""
    from read_targets.agent.tokens import create_token

    def agent_of(name: str, **options: Any) -> Agent:
        _, secret = create_token(User.objects.get(username=name), "test agent", **options)
        return Agent(secret)

    return agent_of
