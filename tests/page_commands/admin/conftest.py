"""The shop of these tests, stored and with its code registered; its page and its command as a browser reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.http import HttpResponse
from django.test import Client

from page_commands.models import AgentCommand, Page
from tests.admin.pages import fields_of, new_row
from tests.page_commands.declaration.shop import registered, shop_command, shop_page

COMMAND = "/admin/page_commands/agentcommand/{}/change/"
ADD_COMMAND = "/admin/page_commands/agentcommand/add/"
PAGE = "/admin/page_commands/page/{}/change/"
ADD_PAGE = "/admin/page_commands/page/add/"


class Form:
    """A form of the admin in a browser."""

    def __init__(self, client: Client, address: str, form_id: str) -> None:
        self.client = client
        self.address = address
        self.fields: dict[str, Any] = fields_of(client.get(address), form_id)

    def add(self, prefix: str, /, **said: str) -> None:
        """Add a row."""
        self.fields = new_row(self.fields, prefix, **said)

    def save(self, **said: str) -> HttpResponse:
        """Press *Save*."""
        return self.client.post(self.address, {**self.fields, **said})  # type: ignore[return-value]

    def refused(self, **said: str) -> str:
        """Press *Save*, which must be refused, and return the page that says why."""
        response = self.save(**said)
        assert response.status_code == 200
        return response.content.decode()


@pytest.fixture
def page(db: None) -> Iterator[Page]:
    """The shop's page."""
    with registered():
        yield shop_page()


@pytest.fixture
def command(page: Page) -> AgentCommand:
    """The shop's command, which has everything."""
    return shop_command(page)


@pytest.fixture
def hire(db: None) -> Callable[..., User]:
    """Make somebody new, with these rights."""

    def hired(name: str, *codenames: str, **facts: Any) -> User:
        person = User.objects.create_user(name, **facts)
        person.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
        return person

    return hired


def content_of(command: AgentCommand) -> dict[str, Any]:
    """Everything that is declared of a command, as it is stored."""
    command = AgentCommand.objects.get(pk=command.pk)
    plain = {name: value for name, value in vars(command).items() if not name.startswith("_") and name != "id"}
    return {
        "command": plain,
        "parameters": list(command.parameters.values_list("position", "name", "kind", "label", "required", "values")),
        "rules": list(command.rules.values_list("position", "code", "reason")),
        "steps": [
            (one.position, one.kind, one.target, list(one.bindings.values_list("argument", "source", "value")))
            for one in command.steps.all()
        ],
    }


def content_of_page(page: Page) -> dict[str, Any]:
    """Everything that is declared of a page itself, as it is stored."""
    page = Page.objects.get(pk=page.pk)
    plain = {name: value for name, value in vars(page).items() if not name.startswith("_") and name != "id"}
    return {
        "page": plain,
        "channels": list(page.channels.values_list("position", "name", "type", "label", "may_present")),
        "views": list(page.views.values_list("position", "name", "code", "channel", "label")),
    }
