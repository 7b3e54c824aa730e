"""A page of the factory with one command that has everything, and the code that it names."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse

from page_commands import CommandContext, command_handler, command_rule, confirm_when, page_view
from page_commands.code import Sort, unregister
from page_commands.models import AgentCommand, Page
from project.demo.factory.models import Project, Tenant

NAMES: dict[Sort, tuple[str, ...]] = {
    "rule": ("shop.tenant_is_fine", "shop.anything", "shop.of_project"),
    "condition": ("shop.is_big", "shop.project_is_big"),
    "view": ("shop.tenant_card", "shop.banner", "shop.project_card"),
    "handler": ("shop.touch", "shop.typed", "shop.whatever", "shop.of_project", "shop.unreadable"),
}


@contextmanager
def registered() -> Iterator[None]:
    """Register the shop's code, and take it back."""
    _register()
    try:
        yield
    finally:
        for sort, names in NAMES.items():
            for name in names:
                unregister(sort, name)


def _register() -> None:
    @command_rule("shop.tenant_is_fine", accepts=Tenant)
    def tenant_is_fine(context: CommandContext) -> bool:
        """The tenant is fine"""
        return isinstance(context.object, Tenant) and not context.object.archived

    @command_rule("shop.anything")
    def anything(context: CommandContext) -> bool:
        return True

    @command_rule("shop.of_project", accepts=Project)
    def of_project(context: CommandContext) -> bool:
        return isinstance(context.object, Project) and context.object.name != "Closed"

    @confirm_when("shop.is_big")
    def is_big(context: CommandContext) -> bool:
        return bool(context.parameters.get("count", 0) > 10)

    @confirm_when("shop.project_is_big", accepts=Project)
    def project_is_big(context: CommandContext) -> bool:
        return True

    @page_view("shop.tenant_card", accepts=Tenant)
    def tenant_card(request: HttpRequest, tenant: Tenant) -> HttpResponse:
        return HttpResponse(tenant.name)

    @page_view("shop.project_card", accepts=Project)
    def project_card(request: HttpRequest, project: Project) -> HttpResponse:
        return HttpResponse(project.name)

    @page_view("shop.banner")
    def banner(request: HttpRequest, nothing: None) -> HttpResponse:
        return HttpResponse("!")

    @command_handler("shop.touch", accepts=Tenant)
    def touch(context: CommandContext, tenant: Tenant, note: str = "", count: int | None = None) -> dict[str, Any]:
        """Touch a tenant"""
        raise AssertionError("a declaration runs nothing")

    @command_handler("shop.typed")
    def typed(context: CommandContext, text: str, number: Decimal, whole: int, yes: bool, day: dt.date) -> None: ...

    @command_handler("shop.whatever")
    def whatever(context: CommandContext, **values: Any) -> None: ...

    @command_handler("shop.of_project", accepts=Project)
    def project_handler(context: CommandContext, project: Project) -> None: ...

    @command_handler("shop.unreadable")
    def unreadable(context: CommandContext, thing: NotThere) -> None: ...  # type: ignore[name-defined]  # noqa: F821


def shop_page() -> Page:
    """Store the page: two channels, and a view of each kind."""
    page = Page.objects.create(key="shop.front", label={"en": "Shop"}, description="A page of tests.")
    page.channels.create(position=1, name="tenant", type="factory.tenant", may_present=True)
    page.channels.create(position=2, name="project", type="factory.project")
    page.views.create(position=1, name="card", code="shop.tenant_card")
    page.views.create(position=2, name="held", code="shop.tenant_card", channel="tenant")
    page.views.create(position=3, name="banner", code="shop.banner")
    return page


def shop_command(page: Page) -> AgentCommand:
    """Store a command that has everything, and nothing wrong."""
    command = page.commands.create(
        position=1,
        name="touch",
        label={"en": "Touch", "de": "Anfassen"},
        description="Touch a tenant.",
        input_type="factory.tenant",
        input_description="The tenant, by its id.",
        input_channel="tenant",
        input_permission="factory.view_tenant",
        confirmation="CONDITIONAL",
        confirmation_condition="shop.is_big",
        confirmation_title={"en": "Touch {object}?", "de": "{object} anfassen?"},
        confirmation_message={"en": "Its state is {object.status}; {count} times."},
        confirmation_button={"en": "Touch"},
    )
    command.parameters.create(position=1, name="note", kind="string")
    command.parameters.create(position=2, name="count", kind="integer", required=True, minimum=1, maximum=20)
    command.parameters.create(position=3, name="level", kind="enum", values="LOW\nHIGH", required=True)
    command.rules.create(position=1, code="shop.tenant_is_fine", reason={"en": "{object} is archived.", "de": "Nein."})
    touch = command.steps.create(position=1, kind="handler", target="shop.touch")
    touch.bindings.create(argument="tenant", source="input")
    touch.bindings.create(argument="note", source="parameter", value="note")
    touch.bindings.create(argument="count", source="constant", value="3")
    write = command.steps.create(position=2, kind="write_channel", target="tenant")
    write.bindings.create(argument="object", source="input")
    show = command.steps.create(position=3, kind="show_view", target="card")
    show.bindings.create(argument="object", source="channel", value="tenant")
    rename = command.steps.create(position=4, kind="mutation", target="renameProject")
    rename.bindings.create(argument="id", source="channel", value="project")
    rename.bindings.create(argument="name", source="input", value="name")
    leave = command.steps.create(position=5, kind="open_page", target="factory:project-preview")
    leave.bindings.create(argument="pk", source="step", value="1.project")
    leave.bindings.create(argument="tab", source="constant", value="news")
    return command
