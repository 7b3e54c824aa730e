"""The shop of these tests, stored and with its code registered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from page_commands.models import AgentCommand, Page

from .shop import registered, shop_command, shop_page


@pytest.fixture
def page(db: None) -> Iterator[Page]:
    """The shop's page."""
    with registered():
        yield shop_page()


@pytest.fixture
def command(page: Page) -> AgentCommand:
    """The shop's command, which has everything."""
    return shop_command(page)
