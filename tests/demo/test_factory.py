"""The factory's pages over HTTP: who may open them, what they show, and the form that makes a git connection."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from guardian.shortcuts import remove_perm

from project.demo.factory.models import Conversation, GitConnection, Project, Tenant
from read_targets.policies import permitted
from read_targets.preferences import Preference

pytestmark = pytest.mark.django_db

SignedIn = Callable[[str], Client]
Person = Callable[[str], User]

START = "/factory/start/"
TENANT = 3
"""A tenant that the clerk may view, and that is not archived."""

ARCHIVED = 9
HIDDEN = 2


def theirs(user: User, model: Any) -> Any:
    return permitted(user, f"factory.view_{model._meta.model_name}", model.objects.order_by("pk"))


def form_of(tenant: int) -> str:
    return reverse("factory:connect", args=[tenant])


@pytest.mark.parametrize(("name", "status"), [("admin", 200), ("clerk", 200), ("analyst", 403), ("guest", 403)])
def test_the_start_page_opens_for_those_who_may_view_some_of_it(signed_in: SignedIn, name: str, status: int) -> None:
    assert signed_in(name).get(START).status_code == status


def test_a_stranger_is_asked_to_sign_in() -> None:
    for path in (START, "/factory/projects/1/", form_of(TENANT)):
        assert Client().get(path).headers["Location"] == f"/accounts/login/?next={path}"


def test_the_start_page_counts_what_the_person_may_view(signed_in: SignedIn, person: Person) -> None:
    clerk = person("clerk")
    text = signed_in("clerk").get(START).content.decode()
    totals = re.findall(r">All (\d+)</a>", text)
    assert totals == [str(theirs(clerk, model).count()) for model in (Conversation, Tenant, Project)]


def test_the_start_page_leaves_out_the_lists_that_are_closed(signed_in: SignedIn, person: Person) -> None:
    for conversation in theirs(person("clerk"), Conversation):
        remove_perm("factory.view_conversation", person("clerk"), conversation)
    text = signed_in("clerk").get(START).content.decode()
    assert 'id="list-tenants"' in text
    assert 'id="list-conversations"' not in text


def test_a_title_with_markup_is_shown_as_text(signed_in: SignedIn, person: Person) -> None:
    newest = theirs(person("clerk"), Conversation).order_by("-started_at").first()
    Conversation.objects.filter(pk=newest.pk).update(title="<img src=x onerror=alert(1)>")
    text = signed_in("clerk").get(START).content.decode()
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "<img src=x" not in text


def test_home_and_the_screens_lead_to_the_start_page(signed_in: SignedIn) -> None:
    clerk, analyst = signed_in("clerk"), signed_in("analyst")
    for path in ("/", "/factory/tenants/", "/factory/conversations/"):
        assert f'href="{START}"' in clerk.get(path).content.decode()
    assert START not in analyst.get("/").content.decode()
    assert START not in analyst.get("/ledger/accounts/").content.decode()


def test_a_preview_opens_for_whoever_may_view_the_project(signed_in: SignedIn, person: Person) -> None:
    clerk = signed_in("clerk")
    shown = set(theirs(person("clerk"), Project).values_list("pk", flat=True))
    assert 0 < len(shown) < Project.objects.count()
    for project in Project.objects.all()[:12]:
        response = clerk.get(f"/factory/projects/{project.pk}/")
        assert response.status_code == (200 if project.pk in shown else 404)
        assert (project.name in response.content.decode()) == (project.pk in shown)
    assert clerk.get("/factory/projects/9999/").status_code == 404


def test_a_preview_withholds_the_tenant_and_the_conversations_of_others(signed_in: SignedIn, person: Person) -> None:
    tenants = theirs(person("clerk"), Tenant)
    projects = theirs(person("clerk"), Project)
    hidden = projects.exclude(tenant__in=tenants).select_related("tenant").first()
    text = signed_in("clerk").get(f"/factory/projects/{hidden.pk}/").content.decode()
    assert hidden.tenant.name not in text
    assert "withheld" in text
    Conversation.objects.filter(project=hidden).update(title="Not for the clerk")
    mine = theirs(person("clerk"), Conversation).first()
    Conversation.objects.filter(pk=mine.pk).update(title="For the clerk", project=hidden)
    text = signed_in("clerk").get(f"/factory/projects/{hidden.pk}/").content.decode()
    assert "For the clerk" in text
    assert text.count("Not for the clerk") == theirs(person("clerk"), Conversation).filter(project=hidden).count() - 1


# The form of a git connection


def test_the_form_makes_a_connection_that_its_maker_may_view(signed_in: SignedIn, person: Person) -> None:
    before = GitConnection.objects.count()
    client = signed_in("clerk")
    response = client.post(form_of(TENANT), {"url": " https://git.example/brandnew.git "}, follow=True)
    assert response.redirect_chain == [(START, 302)]
    assert "is connected to https://git.example/brandnew.git." in response.content.decode()
    made = GitConnection.objects.get(tenant=TENANT, url="https://git.example/brandnew.git")
    assert GitConnection.objects.count() == before + 1
    assert made in theirs(person("clerk"), GitConnection)
    assert made not in theirs(person("analyst"), GitConnection)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "This field is required."),
        ("git.example/x", "An address begins with https:// or ssh://"),
        ("javascript:alert(1)", "An address begins with"),
        ("ftp://git.example/x", "An address begins with"),
        ("https://git.example/a b", "An address begins with"),
        ("https://[", "An address begins with"),
        ("https://git.example/" + "x" * 200, "at most 200 characters"),
    ],
)
def test_an_address_that_does_not_fit_is_said_at_the_field(signed_in: SignedIn, url: str, said: str) -> None:
    before = GitConnection.objects.count()
    response = signed_in("clerk").post(form_of(TENANT), {"url": url})
    assert response.status_code == 400
    assert re.search(rf'class="wrong"[^>]*>[^<]*{re.escape(said)}', response.content.decode())
    assert GitConnection.objects.count() == before


def test_what_was_typed_stays_and_is_text(signed_in: SignedIn) -> None:
    text = signed_in("clerk").post(form_of(TENANT), {"url": '"><script>alert(1)</script>'}).content.decode()
    assert "&quot;&gt;&lt;script&gt;" in text
    assert "<script>alert" not in text


def test_the_same_address_twice_is_refused(signed_in: SignedIn) -> None:
    client = signed_in("clerk")
    assert client.post(form_of(TENANT), {"url": "https://git.example/once.git"}).status_code == 302
    response = client.post(form_of(TENANT), {"url": "https://git.example/once.git"})
    assert response.status_code == 400
    assert "connected to that address already" in response.content.decode()


def test_an_archived_tenant_gets_none(signed_in: SignedIn) -> None:
    before = GitConnection.objects.count()
    response = signed_in("clerk").post(form_of(ARCHIVED), {"url": "https://git.example/late.git"})
    assert response.status_code == 400
    assert "is archived" in response.content.decode()
    assert GitConnection.objects.count() == before


def test_a_tenant_that_is_not_theirs_is_not_there(signed_in: SignedIn) -> None:
    before = GitConnection.objects.count()
    for tenant in (HIDDEN, 9999):
        for answer in (signed_in("clerk").get, signed_in("clerk").post):
            assert answer(form_of(tenant), {"url": "https://git.example/x.git"}).status_code == 404
    assert GitConnection.objects.count() == before


def test_without_the_right_to_add_it_is_forbidden(signed_in: SignedIn, person: Person) -> None:
    person("clerk").user_permissions.clear()
    before = GitConnection.objects.count()
    response = signed_in("clerk").post(form_of(TENANT), {"url": "https://git.example/x.git"})
    assert response.status_code == 403
    assert GitConnection.objects.count() == before


def test_a_form_from_elsewhere_is_refused(person: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("clerk"), backend="django.contrib.auth.backends.ModelBackend")
    before = GitConnection.objects.count()
    assert client.post(form_of(TENANT), {"url": "https://git.example/x.git"}).status_code == 403
    assert GitConnection.objects.count() == before


def test_they_speak_the_persons_language(signed_in: SignedIn, person: Person) -> None:
    Preference.objects.create(user=person("clerk"), language="de")
    text = signed_in("clerk").get(START).content.decode()
    assert '<html lang="de"' in text
    assert "Mandanten" in text
