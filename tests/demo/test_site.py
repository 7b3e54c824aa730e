"""The site around the apps: safe as it stands, and signing in works for people and for nobody else."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client

pytestmark = pytest.mark.django_db

SignedIn = Callable[[str], Client]

PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "project.settings",
    "SECRET_KEY": "Vx7-a-key-made-for-this-test-alone-with-letters-enough-in-it-0123456789",
    "DATABASE_URL": "sqlite://:memory:",
    "ALLOWED_HOSTS": "lists.example",
}


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        env={"PATH": os.environ["PATH"], **environment},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )


def test_production_settings_pass_the_check_for_deployment() -> None:
    run = manage("check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("name", ["SECRET_KEY", "DATABASE_URL"])
def test_production_does_not_start_without_what_it_needs(name: str) -> None:
    run = manage("check", **{key: value for key, value in PRODUCTION.items() if key != name})
    assert run.returncode != 0
    assert name in run.stderr


def test_a_person_signs_in_and_out() -> None:
    client = Client()
    assert client.get("/").headers["Location"] == "/accounts/login/?next=/"
    page = client.get("/accounts/login/?next=/ledger/accounts/")
    assert 'autocomplete="current-password"' in page.content.decode()
    answer = client.post("/accounts/login/", {"username": "clerk", "password": "clerk", "next": "/ledger/accounts/"})
    assert answer.headers["Location"] == "/ledger/accounts/"
    assert client.get("/ledger/accounts/").status_code == 200
    assert client.post("/accounts/logout/").headers["Location"] == "/accounts/login/"
    assert client.get("/ledger/accounts/").status_code == 302


def test_a_wrong_password_signs_nobody_in() -> None:
    client = Client()
    page = client.post("/accounts/login/", {"username": "clerk", "password": "clark"})
    assert page.status_code == 200
    assert 'role="alert"' in page.content.decode()
    assert client.get("/").status_code == 302


def test_signing_in_leads_to_no_other_site() -> None:
    answer = Client().post(
        "/accounts/login/", {"username": "clerk", "password": "clerk", "next": "https://evil.example/"}
    )
    assert answer.headers["Location"] == "/"


@pytest.mark.parametrize("path", ["/", "/ledger/cash-transactions/", "/accounts/login/", "/nowhere/", "/admin/"])
def test_every_page_forbids_inline_code_and_frames(signed_in: SignedIn, path: str) -> None:
    response = signed_in("admin").get(path)
    policy = dict(part.strip().partition(" ")[::2] for part in response.headers["Content-Security-Policy"].split(";"))
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == policy["object-src"] == "'none'"
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert response.headers["X-Frame-Options"] == "DENY"


def test_what_is_not_there_is_said_in_our_own_words(signed_in: SignedIn) -> None:
    response = signed_in("clerk").get("/nowhere/")
    assert response.status_code == 404
    assert "Nothing stands at this address" in response.content.decode()


@pytest.mark.parametrize("path", ["/accounts/login/", "/graphql", "/agent/cards/x/open", "/oauth/token"])
@pytest.mark.parametrize("host", ["testserver", "elsewhere.example"])
def test_a_form_that_cannot_be_read_is_nobody_elses_fault(path: str, host: str) -> None:
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.cookies["csrftoken"] = "a" * 32
    response = browser.post(path, b"x", "multipart/form-data", headers={"host": host})
    assert response.status_code in (400, 401)


def test_graphql_answers_with_and_without_its_slash(signed_in: SignedIn) -> None:
    for path in ("/graphql", "/graphql/"):
        response = signed_in("clerk").post(path, {"query": "{ me }"}, "application/json")
        assert response.json() == {"data": {"me": "clerk"}}
