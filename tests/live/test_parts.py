"""What the tab shows: buttons for the commands that a click can run, waiting confirmations, and views."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import Client
from guardian.shortcuts import assign_perm, remove_perm

from page_commands import page_view
from page_commands.code import unregister
from page_commands.models import AgentCommand, CommandRun, Page
from project.demo.factory.models import Conversation, Tenant
from read_targets.agent.tokens import create_token
from read_targets.preferences import Preference

from .tabs import OURS, START, Tab, open_tab

EVIL = "<img src=x onerror=alert(1)>"
ESCAPED = "&lt;img src=x onerror=alert(1)&gt;"


def parts(tab: Tab) -> dict[str, Any]:
    return tab.news(tab.session.last_seq, "&parts=1").json()["parts"]


def view(tab: Tab, name: str) -> dict[str, Any]:
    [found] = [one for one in parts(tab)["views"] if one["name"] == name]
    return found


def item(tab: Tab, command: str) -> str:
    """The HTML of one command, empty where it has no button."""
    start = rf'<li class="live-command" id="live-command-{command}" data-command="{command}" data-object="[^"]*">'
    found = re.search(rf"{start}.*?</li>", parts(tab)["commands"], re.S)
    return found[0] if found else ""


# Commands


def test_a_command_that_needs_an_object_from_the_agent_has_no_button(tab: Tab) -> None:
    assert item(tab, "select_tenant") == ""
    AgentCommand.objects.filter(page__key="factory.start", name="select_tenant").update(input_channel="tenant")
    assert item(tab, "select_tenant")


def test_a_command_whose_channel_is_empty_is_disabled_and_says_why(tab: Tab, conversation: Conversation) -> None:
    before = item(tab, "archive_conversation")
    assert re.search(r'<button type="button" disabled aria-describedby="live-hint-archive_conversation">', before)
    assert "Nothing is chosen as “Conversation” yet." in before
    assert "<form" not in before
    tab.click("show_conversation", object=str(conversation.pk))
    after = item(tab, "archive_conversation")
    assert "disabled" not in after
    assert 'data-object=""' in before
    assert f'data-object="{conversation.pk}"' in after
    assert str(conversation).replace("<", "&lt;").replace(">", "&gt;") in after


def test_an_object_that_may_not_be_read_any_more_is_none(tab: Tab, tenant: Tenant, clerk: User) -> None:
    tab.click("select_tenant", object=str(tenant.pk))
    assert tenant.name in item(tab, "create_connection")
    remove_perm("factory.view_tenant", clerk, tenant)
    assert "disabled" in item(tab, "create_connection")
    assert tenant.name not in str(parts(tab))


def test_only_commands_that_the_person_may_run_have_a_button(tab: Tab, clerk: User) -> None:
    command = AgentCommand.objects.get(page__key="factory.start", name="archive_conversation")
    remove_perm("page_commands.run_agentcommand", clerk, command)
    assert item(tab, "archive_conversation") == ""
    assign_perm("page_commands.run_agentcommand", clerk, command)
    assert item(tab, "archive_conversation")
    AgentCommand.objects.filter(pk=command.pk).update(enabled=False)
    assert item(tab, "archive_conversation") == ""


def test_each_parameter_has_an_input_of_its_kind(tab: Tab, tenant: Tenant) -> None:
    command = AgentCommand.objects.get(page__key="factory.start", name="create_connection")
    for kind, more in (
        ("enum", {"values": "one\ntwo", "required": True}),
        ("boolean", {}),
        ("date", {}),
        ("integer", {"minimum": 0, "maximum": 10}),
        ("number", {"minimum": "0.5"}),
    ):
        command.parameters.create(name=f"of_{kind}", kind=kind, position=9, label={"en": f"The {kind}"}, **more)
    tab.click("select_tenant", object=str(tenant.pk))
    html = item(tab, "create_connection")
    assert re.search(r"<details>\s*<summary", html)
    assert re.search(r'<input type="text" id="live-create_connection-url" name="url" required>', html)
    assert re.search(r'<select id="live-create_connection-of_enum" name="of_enum" required>', html)
    assert re.findall(r'<option value="(.*?)">', html) == ["", "one", "two"]
    assert re.search(r'<input type="checkbox" id="live-create_connection-of_boolean"', html)
    assert re.search(r'<input type="date" id="live-create_connection-of_date" name="of_date">', html)
    assert re.search(r'<input type="number" step="1" [^>]*name="of_integer" min="0" max="10">', html)
    assert re.search(r'<input type="number" step="any" [^>]*name="of_number" min="0.5">', html)
    for name in re.findall(r'name="(\w+)"', html):
        assert re.search(rf'<label for="live-create_connection-{name}">', html), f"{name} has no label"


def test_limits_are_written_as_html_does_in_every_language(tab: Tab, tenant: Tenant, clerk: User) -> None:
    Preference.objects.create(user=clerk, language="de")
    command = AgentCommand.objects.get(page__key="factory.start", name="create_connection")
    command.parameters.create(name="share", kind="number", minimum="0.5", maximum="12345")
    tab.click("select_tenant", object=str(tenant.pk))
    assert 'min="0.5" max="12345"' in item(tab, "create_connection")


def test_everything_is_said_in_the_persons_language(tab: Tab, clerk: User) -> None:
    Preference.objects.create(user=clerk, language="ko")
    assert "대화 보관" in item(tab, "archive_conversation")


# Confirmations


@pytest.fixture
def asked(tab: Tab, conversation: Conversation, clerk: User, agent: Any) -> str:
    """A confirmation that an agent asked for; its card's id."""
    caller = agent("clerk", may_act=True)
    told = caller.answer("runPageCommand", command="archive_conversation", input=str(conversation.pk))
    assert told["outcome"] == "NOT_READY"
    return str(told["card"]["id"])


def test_a_waiting_confirmation_says_what_will_run_and_who_asks(
    tab: Tab, asked: str, conversation: Conversation
) -> None:
    html = parts(tab)["cards"]
    assert html.count("<li") == 1
    assert "Archive this conversation?" in html
    assert re.search(r"<dt>Command</dt><dd>Archive conversation</dd>", html)
    assert f"<bdi>“{str(conversation).replace('<', '&lt;').replace('>', '&gt;')}”</bdi>" in html
    assert "An agent that calls itself <bdi>“test agent”</bdi> asks for it." in html
    assert re.search(r'To be answered until <time datetime="[^"]+">', html)
    assert f'data-card="{asked}"' in html
    assert re.findall(r'name="decision" value="(\w+)" id="live-\w+-[^"]+"[^>]*>([^<]+)<', html) == [
        ("approve", "Archive"),
        ("decline", "Decline"),
    ]


@pytest.mark.parametrize(("decision", "state"), [("approve", "executed"), ("decline", "declined")])
def test_its_buttons_decide_it(tab: Tab, asked: str, decision: str, state: str) -> None:
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]+)">', parts(tab)["cards"]))
    assert fields["session"] == tab.id
    body = {"decision": decision, **fields}
    answer = tab.client.post(f"/agent/cards/{asked}/decide", body, "application/json", headers=OURS)
    assert answer.status_code == 200, answer.content
    assert CommandRun.objects.get().state == state
    assert "<li" not in parts(tab)["cards"]


def test_it_is_shown_in_its_own_tab_alone(tab: Tab, asked: str, browser_of_clerk: Client) -> None:
    assert "<li" not in open_tab(browser_of_clerk).told["parts"]["cards"]


def test_it_is_still_there_after_a_reload(tab: Tab, asked: str, browser_of_clerk: Client) -> None:
    tab.leave()
    assert asked in open_tab(browser_of_clerk, tab=tab.tab).told["parts"]["cards"]


def test_nobody_is_asked_about_what_is_not_theirs_any_more(
    tab: Tab, asked: str, conversation: Conversation, clerk: User
) -> None:
    remove_perm("factory.view_conversation", clerk, conversation)
    assert "<li" not in parts(tab)["cards"]


# Views


@pytest.fixture
def fragment(start: Page) -> Iterator[Any]:
    """A view of the test's own on the start page; the function that renders it can be exchanged."""
    held: dict[str, Any] = {"render": lambda request, obj: HttpResponse("<p>here</p>")}
    page_view("tests.fragment", accepts=Tenant)(lambda request, obj: held["render"](request, obj))
    start.views.create(name="fragment", code="tests.fragment", channel="tenant", label={"en": "Fragment"})
    yield held
    unregister("view", "tests.fragment")


def test_a_view_is_rendered_for_the_object_of_its_channel(tab: Tab, tenant: Tenant, fragment: Any) -> None:
    fragment["render"] = lambda request, obj: HttpResponse(f"<p>{obj.pk} of {request.user}</p>")
    assert parts(tab)["views"] == []
    tab.click("select_tenant", object=str(tenant.pk))
    shown = view(tab, "fragment")
    assert (shown["label"], shown["html"]) == ("Fragment", f"<p>{tenant.pk} of clerk</p>")


def test_a_view_meets_a_get_of_the_page_itself(browser_of_clerk: Client, tenant: Tenant, fragment: Any) -> None:
    met: list[Any] = []

    def render(request: HttpRequest, obj: Any) -> HttpResponse:
        met.append((request.method, request.get_full_path(), dict(request.GET.items()), dict(request.POST.items())))
        return HttpResponse("")

    fragment["render"] = render
    tab = open_tab(browser_of_clerk, f"{START}?of=2026")
    tab.click("select_tenant", object=str(tenant.pk))
    open_tab(browser_of_clerk, f"{START}?of=2026", tab=tab.tab)
    parts(tab)
    assert met == [("GET", f"{START}?of=2026", {"of": "2026"}, {})] * 2


@pytest.mark.parametrize("raised", [Http404(), PermissionDenied()])
def test_a_view_that_says_it_is_not_there_is_not(tab: Tab, tenant: Tenant, fragment: Any, raised: Exception) -> None:
    def render(request: HttpRequest, obj: Any) -> HttpResponse:
        raise raised

    fragment["render"] = render
    tab.click("select_tenant", object=str(tenant.pk))
    shown = view(tab, "fragment")
    assert "“Fragment” is not there for you" in shown["html"]
    assert shown["is_shown"]


@pytest.mark.parametrize("broken", ["raises", "redirects", "answers text", "is gone"])
def test_a_view_that_breaks_leaves_the_rest_of_the_page(
    tab: Tab, tenant: Tenant, fragment: Any, start: Page, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    answers = {"redirects": HttpResponse(status=302), "answers text": "<p>text</p>"}

    def render(request: HttpRequest, obj: Any) -> Any:
        if broken == "raises":
            raise RuntimeError("secret of the inside")
        return answers[broken]

    fragment["render"] = render
    if broken == "is gone":
        start.views.filter(name="fragment").update(code="tests.nothing")
    tab.click("select_tenant", object=str(tenant.pk))
    shown, other = view(tab, "fragment"), view(tab, "tenant_facts")
    assert "“Fragment” could not be shown." in shown["html"]
    assert "secret" not in shown["html"]
    assert "fragment" in caplog.text
    assert tenant.name in other["html"]
    assert (shown["is_shown"], other["is_shown"]) == (False, True)


def test_an_object_that_is_no_longer_readable_is_said_to_be_missing(tab: Tab, tenant: Tenant, clerk: User) -> None:
    tab.click("select_tenant", object=str(tenant.pk))
    assert tenant.name in view(tab, "tenant_facts")["html"]
    remove_perm("factory.view_tenant", clerk, tenant)
    assert "“Tenant” is not there for you, or not any more." in view(tab, "tenant_facts")["html"]


def test_the_stamp_changes_with_what_is_shown_and_with_nothing_else(
    tab: Tab, tenant: Tenant, clerk: User, fragment: Any
) -> None:
    said = ["one"]
    fragment["render"] = lambda request, obj: HttpResponse(
        f'<p>{said[0]}</p><input type="hidden" name="csrfmiddlewaretoken" value="{get_token(request)}">'
    )
    tab.click("select_tenant", object=str(tenant.pk))
    first, second = view(tab, "fragment"), view(tab, "fragment")
    assert first["html"] != second["html"], "Django masks its token anew each time"
    assert first["stamp"] == second["stamp"]
    said[0] = "two"
    assert view(tab, "fragment")["stamp"] != first["stamp"]
    said[0] = "one"
    assert view(tab, "fragment")["stamp"] == first["stamp"]
    other = Tenant.objects.exclude(pk=tenant.pk).filter(archived=False).first()
    assign_perm("factory.view_tenant", clerk, other)
    tab.click("select_tenant", object=str(other.pk))
    assert view(tab, "fragment")["stamp"] != first["stamp"]


# Words of strangers


def test_names_with_markup_come_out_as_text(
    tab: Tab, tenant: Tenant, conversation: Conversation, start: Page, agent: Any
) -> None:
    Tenant.objects.filter(pk=tenant.pk).update(name=EVIL)
    Conversation.objects.filter(pk=conversation.pk).update(title=EVIL)
    start.channels.filter(name="project").update(label={"en": EVIL})
    start.views.filter(name="tenant_facts").update(label={"en": EVIL})
    AgentCommand.objects.filter(page=start, name="create_connection").update(label={"en": EVIL})
    tab.click("select_tenant", object=str(tenant.pk))
    tab.click("show_conversation", object=str(conversation.pk))
    _, secret = create_token(User.objects.get(username="clerk"), EVIL, may_act=True)
    tab.client.post(
        "/agent/tools/runPageCommand",
        {"command": "archive_conversation", "page": tab.id},
        "application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    shown = parts(tab)
    html = [shown["commands"], shown["cards"], *(one["html"] for one in shown["views"])]
    assert shown["cards"].count(ESCAPED) >= 3, "the title's object, the object and the agent"
    assert shown["commands"].count(ESCAPED) >= 3, "the command, its object, and an empty channel"
    assert all(ESCAPED in part for part in html)
    assert not any("<img" in part for part in html)
