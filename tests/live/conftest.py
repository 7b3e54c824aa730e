"""What the tests of open pages share: the clerk, who may run the commands of the factory's start page, in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from page_commands.models import Page
from project.demo.factory.models import Conversation, Tenant
from read_targets.policies import permitted

from .tabs import Tab, open_tab


@pytest.fixture
def clerk(person: Callable[[str], User]) -> User:
    return person("clerk")


@pytest.fixture
def browser_of_clerk(signed_in: Callable[[str], Client]) -> Client:
    return signed_in("clerk")


@pytest.fixture
def tab(browser_of_clerk: Client) -> Tab:
    """The clerk's tab on the start page of the factory."""
    return open_tab(browser_of_clerk)


@pytest.fixture
def start(db: None) -> Page:
    """The start page of the factory, as it is declared."""
    return Page.objects.get(key="factory.start")


@pytest.fixture
def tenant(clerk: User) -> Tenant:
    """A tenant that the clerk may view, and that is not archived."""
    found = permitted(clerk, "factory.view_tenant", Tenant.objects.filter(archived=False)).order_by("pk").first()
    assert found is not None
    return found


@pytest.fixture
def conversation(clerk: User) -> Conversation:
    """A conversation that the clerk may change, and that is not closed."""
    some = Conversation.objects.exclude(state=Conversation.State.CLOSED)
    found = permitted(clerk, "factory.change_conversation", some).order_by("pk").first()
    assert found is not None
    return found
