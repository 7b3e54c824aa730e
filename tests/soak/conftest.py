"""Only `make soak` collects what stands here: it takes minutes, or servers of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.servers import Server, Servers

collect_ignore_glob = [] if "SOAK" in os.environ else ["test_*.py"]


@pytest.fixture
def unlimited(two_servers: Servers, tmp_path: Path) -> Iterator[Server]:
    """A server on the database of the two, which counts no calls."""
    environment = {**two_servers.environment, "DJANGO_SETTINGS_MODULE": "tests.soak.settings"}
    server = Server(environment, tmp_path / "unlimited.log")
    server.start()
    try:
        yield server
    finally:
        server.stop()
