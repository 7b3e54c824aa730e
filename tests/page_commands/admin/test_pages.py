"""The page of a page: its channels and views, checked together, and what becomes of the commands that name them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from page_commands.models import AgentCommand, Page, PageSession

from .conftest import ADD_PAGE, PAGE, Form, content_of_page

SignedIn = Callable[[str], Client]


@pytest.fixture
def form(signed_in: SignedIn, command: AgentCommand) -> Form:
    """The page of the shop's page, in the admin's browser."""
    return Form(signed_in("admin"), PAGE.format(command.page_id), "page_form")


def test_saving_a_page_as_it_stands_changes_nothing(form: Form, page: Page) -> None:
    before = content_of_page(page)
    assert form.save().status_code == 302
    assert content_of_page(page) == before


WRONG: list[tuple[dict[str, str], str]] = [
    ({"key": "no key"}, "A key is &lt;app&gt;.&lt;page&gt;, in small letters."),
    ({"key": "factory.start"}, "already exists"),
    ({"channels-0-name": "Tenant"}, "A name is of small letters, digits and _, a letter first."),
    ({"channels-0-name": "project"}, "The name “project” is used twice."),
    ({"channels-0-type": "factory.tenat"}, "The site has no model “factory.tenat”."),
    ({"channels-0-type": ""}, "This field is required."),
    (
        {"channels-0-type": "factory.project"},
        "The view shows factory.tenant, and the channel “tenant” holds factory.pro",
    ),
    ({"channels-0-name": "client"}, "The page has no channel “tenant”. There are client, project."),
    ({"channels-0-DELETE": "on"}, "The page has no channel “tenant”. There are project."),
    ({"views-0-name": "held"}, "The name “held” is used twice."),
    ({"views-0-code": "shop.gone"}, "The application has no view “shop.gone”."),
    ({"views-0-channel": "shelf"}, "The page has no channel “shelf”."),
    ({"views-1-code": "shop.project_card"}, "The view shows factory.project, and the channel “tenant” holds"),
]


@pytest.mark.parametrize(("said", "reason"), WRONG)
def test_a_wrong_page_is_refused_with_what_would_fit(form: Form, page: Page, said: dict[str, str], reason: str) -> None:
    before = content_of_page(page)
    assert reason in form.refused(**said)
    assert content_of_page(page) == before


def test_a_new_page_is_stored_whole(signed_in: SignedIn, page: Page) -> None:
    form = Form(signed_in("admin"), ADD_PAGE, "page_form")
    form.fields |= {"key": "shop.back", "label_en": "Back"}
    form.add("channels", name="tenant", type="factory.tenant", position="10")
    # The channel is named by a view of the same form, before it is stored.
    form.add("views", name="held", code="shop.tenant_card", channel="tenant", position="10")
    assert form.save().status_code == 302
    made = Page.objects.get(key="shop.back")
    assert (made.channels.get().type, made.views.get().channel) == ("factory.tenant", "tenant")


def test_of_a_new_page_that_is_wrong_nothing_is_stored(signed_in: SignedIn, page: Page) -> None:
    form = Form(signed_in("admin"), ADD_PAGE, "page_form")
    form.fields |= {"key": "shop.back"}
    form.add("views", name="held", code="shop.tenant_card", channel="tenant", position="10")
    assert "The page has no channel “tenant”. There is none." in form.refused()
    assert not Page.objects.filter(key="shop.back").exists()


def test_two_channels_may_exchange_their_names(form: Form, page: Page) -> None:
    said = {"channels-0-name": "project", "channels-1-name": "tenant", "views-1-channel": "project"}
    assert form.save(**said).status_code == 302
    assert dict(page.channels.values_list("name", "type")) == {
        "project": "factory.tenant",
        "tenant": "factory.project",
    }


def test_commands_that_no_longer_work_are_named(form: Form, command: AgentCommand) -> None:
    response = form.client.post(form.address, {**form.fields, "views-0-DELETE": "on"}, follow=True)
    html = response.content.decode()
    assert "The command “Touch” is no longer offered: step 3: The page has no view “card”." in html
    assert not command.page.views.filter(name="card").exists()
    assert "is no longer offered" not in form.client.get(form.address).content.decode()
    assert "step 3: The page has no view “card”." in form.client.get(form.address).content.decode()


def test_save_as_new_copies_the_rows(form: Form, page: Page) -> None:
    before = content_of_page(page)
    assert form.save(key="shop.copy", _saveasnew="1").status_code == 302
    copied = content_of_page(Page.objects.get(key="shop.copy"))
    assert copied["page"].pop("key") == "shop.copy"
    assert {**copied, "page": {**copied["page"], "key": "shop.front"}} == before
    assert content_of_page(page) == before


def test_the_page_shows_its_template_tag_and_its_commands(form: Form, command: AgentCommand) -> None:
    html = form.client.get(form.address).content.decode()
    assert "{% live_page &quot;shop.front&quot; %}" in html
    assert f'<a href="/admin/page_commands/agentcommand/{command.pk}/change/">touch</a>' in html


def test_a_page_that_the_code_moved_away_under_says_so(form: Form, page: Page) -> None:
    page.views.filter(name="card").update(code="shop.gone")
    html = form.client.get(form.address).content.decode()
    assert "As it is stored, not all of this page works:" in html
    assert "view card: The application has no view “shop.gone”." in html
    assert "shop.gone (not there)" in html
    listed = form.client.get("/admin/page_commands/page/").content.decode()
    assert "view card: The application has no view “shop.gone”." in listed


def test_a_page_goes_with_its_commands_and_its_tabs(
    form: Form, command: AgentCommand, person: Callable[..., User]
) -> None:
    page = command.page
    PageSession.objects.create(page=page, user=person("clerk"), browser="b", tab="t", path="/factory/start/")
    address = form.address.replace("change", "delete")
    assert "requires deleting" not in form.client.get(address).content.decode()
    assert form.client.post(address, {"post": "yes"}).status_code == 302
    assert not Page.objects.filter(pk=page.pk).exists()
    assert not AgentCommand.objects.filter(pk=command.pk).exists()
    assert not PageSession.objects.exists()


def test_selected_pages_go_together(form: Form, command: AgentCommand, person: Callable[..., User]) -> None:
    PageSession.objects.create(page=command.page, user=person("clerk"), browser="b", tab="t", path="/")
    said = {"action": "delete_selected", "_selected_action": [str(command.page_id)], "post": "yes"}
    assert form.client.post("/admin/page_commands/page/", said).status_code == 302
    assert not Page.objects.filter(pk=command.page_id).exists()
    assert Page.objects.exists()


def test_whoever_may_not_delete_commands_does_not_delete_their_page(
    signed_in: SignedIn, command: AgentCommand, hire: Callable[..., User]
) -> None:
    hire("half", "view_page", "delete_page", is_staff=True)
    signed_in("half").post(PAGE.format(command.page_id).replace("change", "delete"), {"post": "yes"})
    assert Page.objects.filter(pk=command.page_id).exists()


def test_whoever_may_only_look_changes_nothing(
    signed_in: SignedIn, command: AgentCommand, hire: Callable[..., User]
) -> None:
    hire("half", "view_page", is_staff=True)
    client, address = signed_in("half"), PAGE.format(command.page_id)
    before = content_of_page(command.page)
    html = client.get(address).content.decode()
    assert "shop.tenant_card" in html
    assert 'id="commands"' not in html
    assert client.post(address, {"key": "shop.other"}).status_code == 403
    assert content_of_page(command.page) == before
