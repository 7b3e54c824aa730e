"""What the tests of the MCP door share: agents of the company's people, at real servers."""

from __future__ import annotations

import pytest

from tests.live.servers import Servers

from .client import Agent, token_of


@pytest.fixture(scope="session")
def clerk(two_servers: Servers) -> Agent:
    """An agent of the clerk's that may act."""
    return Agent(two_servers.first, token_of(two_servers, "clerk", "--may-act", "--name", "one"))


@pytest.fixture(scope="session")
def reader(two_servers: Servers) -> Agent:
    """Another agent of the clerk's, which may only read."""
    return Agent(two_servers.first, token_of(two_servers, "clerk", "--name", "two"))


@pytest.fixture(scope="session")
def analyst(two_servers: Servers) -> Agent:
    """An agent of the analyst's."""
    return Agent(two_servers.first, token_of(two_servers, "analyst", "--may-act"))


@pytest.fixture(scope="session")
def guest(two_servers: Servers) -> Agent:
    """An agent of the guest's, who may see nothing."""
    return Agent(two_servers.first, token_of(two_servers, "guest", "--may-act"))
