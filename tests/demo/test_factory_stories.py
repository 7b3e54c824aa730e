"""Seed 002's three stories over HTTP: a person has the start page open in two tabs, and their agent acts in one."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from guardian.shortcuts import remove_perm

from project.demo.factory.models import Conversation, GitConnection, Project, Tenant
from read_targets.policies import permitted
from read_targets.preferences import Preference

pytestmark = pytest.mark.django_db

START = "/factory/start/"
TENANT, ARCHIVED, HIDDEN = "3", "9", "2"


class Tab:
    """A tab of the person's browser, as its script speaks to the server."""

    def __init__(self, client: Client, path: str = START) -> None:
        self.client = client
        html = client.get(path).content.decode()
        found = re.search(r'data-ticket="([^"]+)"', html)
        assert found, html
        asked = {"ticket": found[1], "tab": f"tab-{uuid.uuid4()}", "title": "Factory"}
        self.told = client.post("/pages/sessions", asked, "application/json").json()
        self.id = self.told["id"]

    def news(self, after: int = 0) -> dict[str, Any]:
        """What the tab is told when it asks what is new."""
        answer: dict[str, Any] = self.client.get(f"/pages/sessions/{self.id}?after={after}&parts=1").json()
        return answer

    def views(self) -> dict[str, str]:
        """The HTML of each view that the tab shows."""
        return {view["name"]: view["html"] for view in self.news()["parts"]["views"]}

    def click(self, name: str, **parameters: str) -> Any:
        """Click the button of a command, on the page as it is drawn now."""
        version = self.news()["version"]
        fields = {"nonce": self.told["nonce"], "version": version, "parameters": parameters}
        address = f"/pages/sessions/{self.id}/commands/{name}"
        return self.client.post(address, fields, "application/json", headers={"Sec-Fetch-Site": "same-origin"})

    def decide(self, decision: str) -> Any:
        """Answer the one confirmation that waits."""
        html = self.news()["parts"]["cards"]
        card = re.search(r'data-card="([^"]+)"', html)
        nonce = re.search(r'name="nonce" value="([^"]+)"', html)
        assert card, html
        assert nonce, html
        fields = {"decision": decision, "nonce": nonce[1], "session": self.id}
        address = f"/agent/cards/{card[1]}/decide"
        return self.client.post(address, fields, "application/json", headers={"Sec-Fetch-Site": "same-origin"})


@pytest.fixture(autouse=True)
def _no_receipts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no receipt: these tabs have no script that would send one."""
    monkeypatch.setattr("page_commands.running.RECEIPT_SECONDS", 0.0)


@pytest.fixture
def clerk(person: Callable[[str], User]) -> User:
    return person("clerk")


@pytest.fixture
def tabs(clerk: User, signed_in: Callable[[str], Client]) -> tuple[Tab, Tab]:
    client = signed_in("clerk")
    return Tab(client), Tab(client)


@pytest.fixture
def run(clerk: User, tabs: tuple[Tab, Tab], agent: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """Run a command in the first tab, as the agent."""
    caller = agent("clerk", may_act=True)

    def run_in_first(command: str, object_id: Any = None, page: str = "", **parameters: Any) -> dict[str, Any]:
        given = {"input": None if object_id is None else str(object_id), "parameters": parameters or None}
        answer: dict[str, Any] = caller.answer("runPageCommand", command=command, page=page or tabs[0].id, **given)
        return answer

    return run_in_first


def theirs(clerk: User, model: Any, action: str = "view") -> Any:
    return permitted(clerk, f"factory.{action}_{model._meta.model_name}", model.objects.order_by("pk"))


def test_story_1_the_form_for_a_tenant_opens_in_the_tab_that_was_named(
    tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    answer = run("open_connection_form", TENANT)
    assert (answer["outcome"], answer["command"]) == ("READY", "factory.open_connection_form")
    assert answer["input"] == {"type": "factory.tenant", "id": TENANT}
    assert answer["changed"]["views"][-1]["object"]["id"] == TENANT
    html = tabs[0].views()["connection_form"]
    assert Tenant.objects.get(pk=TENANT).name in html
    assert f'action="/factory/tenants/{TENANT}/connect/"' in html
    # Seen by this run only, and in this tab only.
    assert answer["resultingState"]["channels"] == {"tenant": None, "conversation": None, "project": None}
    assert tabs[1].views() == {}
    assert tabs[1].news()["effects"] == []


def test_the_form_that_was_opened_makes_the_connection(
    tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    run("open_connection_form", TENANT)
    address = re.search(r'action="([^"]+)"', tabs[0].views()["connection_form"])
    assert address
    assert tabs[0].client.post(address[1], {"url": "https://git.example/story.git"}).status_code == 302
    assert GitConnection.objects.filter(tenant=TENANT, url="https://git.example/story.git").exists()


def test_story_2_the_chat_of_a_conversation_is_shown(
    clerk: User, tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    conversation = theirs(clerk, Conversation).filter(state="HANDED_OVER").first()
    Conversation.objects.filter(pk=conversation.pk).update(title="<b>Speed</b> up the <search>")
    answer = run("show_conversation", conversation.pk)
    assert answer["changed"]["channels"]["conversation"]["id"] == str(conversation.pk)
    html = tabs[0].views()["conversation_chat"]
    assert "&lt;b&gt;Speed&lt;/b&gt; up the &lt;search&gt;" in html
    assert "<search>" not in html
    assert tabs[1].views() == {}


def test_story_3_the_project_opens_at_an_address_of_this_site(
    clerk: User, tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    project = theirs(clerk, Project).first()
    assert run("open_project", project.pk)["outcome"] == "READY"
    effects = tabs[0].news()["effects"]
    assert [(one["kind"], one["payload"]) for one in effects] == [
        ("navigate", {"href": f"/factory/projects/{project.pk}/"})
    ]
    assert project.name in tabs[0].client.get(effects[0]["payload"]["href"]).content.decode()


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        ("en", 'The tenant "Söhne 2" is archived.'),
        ("ko", '테넌트 "Söhne 2"은(는) 보관되었습니다.'),
        ("de", 'Der Mandant "Söhne 2" ist archiviert.'),
    ],
)
def test_an_archived_tenant_is_refused_with_its_reason(
    clerk: User, run: Callable[..., dict[str, Any]], language: str, reason: str
) -> None:
    Tenant.objects.filter(name="Söhne 2").update(name="Söhne")
    Tenant.objects.filter(pk=ARCHIVED).update(name="Söhne 2")
    Preference.objects.create(user=clerk, language=language)
    answer = run("open_connection_form", ARCHIVED)
    assert (answer["outcome"], answer["code"]) == ("REJECTED", "page_commands.refused_by_rules")
    assert answer["input"] == {"type": "factory.tenant", "id": ARCHIVED}
    # Each language has quotation marks of its own.
    assert [re.sub("[“”„]", '"', one) for one in answer["reasons"]] == [reason]
    assert answer["language"] == language


def test_a_tenant_that_is_not_theirs_reads_as_one_that_is_not_there(
    tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    hidden, missing = run("open_connection_form", HIDDEN), run("open_connection_form", "9999")
    assert hidden["code"] == missing["code"] == "page_commands.object_unreadable"
    assert hidden["error"] == missing["error"]
    assert tabs[0].news()["effects"] == []


def test_a_conversation_is_archived_only_after_the_person_agreed(
    clerk: User, tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    conversation = theirs(clerk, Conversation).filter(state="OPEN").first()
    answer = run("archive_conversation", conversation.pk)
    assert (answer["outcome"], answer["code"]) == ("NOT_READY", "page_commands.waiting_for_person")
    html = tabs[0].news()["parts"]["cards"]
    assert "Archive this conversation?" in html
    assert f", {conversation.messages} messages, is closed." in html
    conversation.refresh_from_db()
    assert conversation.state == "OPEN"
    assert tabs[0].decide("approve").status_code == 200
    conversation.refresh_from_db()
    assert conversation.state == "CLOSED"
    assert "Closed" in tabs[0].views()["conversation_chat"]
    assert run("archive_conversation", conversation.pk)["code"] == "page_commands.refused_by_rules"


def test_two_values_through_two_commands(
    clerk: User, tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    url = "https://git.example/two.git"
    GitConnection.objects.filter(tenant=TENANT).delete()
    assert run("create_connection", url=url)["code"] == "page_commands.input_missing"
    assert run("create_connection", TENANT, url=url)["code"] == "page_commands.takes_no_object"
    assert run("select_tenant", TENANT)["outcome"] == "READY"
    assert "tenant_facts" in tabs[0].views()
    waiting = run("create_connection", url=url)
    assert waiting["outcome"] == "NOT_READY", "the first address at a host is asked about"
    assert tabs[0].decide("approve").status_code == 200
    assert GitConnection.objects.filter(tenant=TENANT, url=url).count() == 1
    assert url in tabs[0].views()["tenant_facts"]
    again = run("create_connection", url="https://git.example/three.git")
    assert again["outcome"] == "READY", "the host is known by now"
    unfit = run("create_connection", url="nonsense")
    assert (unfit["code"], list(unfit["params"])) == ("page_commands.parameters_unreadable", ["url"])
    assert run("create_connection", url=url)["reasons"] == ["The tenant is connected to that address already."]


def test_who_may_not_add_connections_is_told_so_by_the_agent_and_by_the_button(
    clerk: User, tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    run("select_tenant", TENANT)
    clerk.user_permissions.clear()
    url = "https://git.example/x.git"
    answer, click = run("create_connection", url=url), tabs[0].click("create_connection", url=url)
    assert answer["reasons"] == click.json()["reasons"] == ["You may not add git connections."]
    assert click.status_code == 403
    assert not GitConnection.objects.filter(url=url).exists()


def test_a_project_is_renamed_through_the_applications_graphql(
    clerk: User, tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    project = theirs(clerk, Project, "change").first()
    answer = run("rename_project", project.pk, name="Lager & <b>mehr</b>")
    assert answer["outcome"] == "READY", answer
    assert answer["changed"]["object"] == {"name": "Lager & <b>mehr</b>"}
    assert "Lager &amp; &lt;b&gt;mehr&lt;/b&gt;" in tabs[0].views()["project_facts"]
    again = run("rename_project", project.pk, name="Second")
    assert again["outcome"] == "READY"
    assert "Second" in tabs[0].views()["project_facts"]
    refused = run("rename_project", project.pk, name="x" * 81)
    assert refused["code"] == "page_commands.refused_by_rules"
    assert "at most 80 characters" in refused["reasons"][0]
    remove_perm("factory.change_project", clerk, project)
    assert run("rename_project", project.pk, name="Third")["code"] == "page_commands.input_not_permitted"
    project.refresh_from_db()
    assert project.name == "Second"


def test_a_preview_offers_its_own_command_and_shows_the_new_name(
    clerk: User, tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    project = theirs(clerk, Project, "change").first()
    preview = Tab(tabs[0].client, f"/factory/projects/{project.pk}/")
    answer = run("rename_project", project.pk, page=preview.id, name="Seen anew")
    assert answer["outcome"] == "READY", answer
    assert preview.news()["effects"][-1]["payload"] == {"href": f"/factory/projects/{project.pk}/"}
    assert "<h1>Seen anew</h1>" in preview.client.get(f"/factory/projects/{project.pk}/").content.decode()


def test_views_withhold_what_the_person_may_not_view(
    clerk: User, tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    hidden = Project.objects.exclude(pk__in=theirs(clerk, Project)).first()
    assert hidden
    Project.objects.filter(pk=hidden.pk).update(name="Hidden project", tenant=TENANT)
    conversation = theirs(clerk, Conversation).first()
    Conversation.objects.filter(pk=conversation.pk).update(project=hidden)
    run("show_conversation", conversation.pk)
    chat = tabs[0].views()["conversation_chat"]
    assert "withheld" in chat
    assert "Hidden project" not in chat
    GitConnection.objects.create(tenant_id=TENANT, url="https://git.example/hidden.git", created_at="2026-11-01T00:00Z")
    run("select_tenant", TENANT)
    facts = tabs[0].views()["tenant_facts"]
    assert "hidden.git" not in facts
    shown = theirs(clerk, Project).filter(tenant=TENANT).count()
    assert re.search(rf"Projects that you may view</dt>\s*<dd>{shown}</dd>", facts)


def test_whether_a_host_is_known_tells_nothing_of_connections_that_are_not_theirs(
    clerk: User, run: Callable[..., dict[str, Any]]
) -> None:
    GitConnection.objects.filter(tenant=TENANT).delete()
    GitConnection.objects.create(tenant_id=TENANT, url="https://git.example/hidden.git", created_at="2026-11-01T00:00Z")
    run("select_tenant", TENANT)
    assert run("create_connection", url="https://git.example/mine.git")["outcome"] == "NOT_READY"


def test_without_the_right_to_add_there_is_no_form(
    clerk: User, tabs: tuple[Tab, Tab], run: Callable[..., dict[str, Any]]
) -> None:
    clerk.user_permissions.clear()
    run("open_connection_form", TENANT)
    html = tabs[0].views()["connection_form"]
    assert "You may not add git connections." in html
    assert "<form" not in html


def test_the_lists_of_the_start_page_are_fetched_anew_by_themselves(tabs: tuple[Tab, Tab]) -> None:
    html = tabs[0].client.get(START).content.decode()
    assert f'hx-get="{START}" hx-trigger="livepage:effect from:body delay:300ms" hx-select="#lists"' in html
    assert html.count('id="lists"') == 1


def test_an_agent_of_somebody_without_commands_has_no_tools_of_pages(agent: Callable[..., Any]) -> None:
    names = {tool["name"] for tool in agent("clerk").tools().json()["tools"]}
    assert {"openPages", "pageCommands", "runPageCommand", "present"} <= names
    assert "openPages" not in {tool["name"] for tool in agent("analyst").tools().json()["tools"]}
