"""Starting the site: what is refused, what is answered while it starts, and what it says in its log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connections
from django.test import Client

from project import health, safety

ROOT = Path(__file__).parents[1]
GOOD_KEY = "q7Wm2ZfXc9Lr4TnB8vKp1HsJ6dYgA3eUoR5iNxQwMtVbCzEhFjGkDl0y"


def started(tmp_path: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a process with the settings of production and an empty database."""
    own = {"DJANGO_SETTINGS_MODULE": "project.settings", "DATABASE_URL": f"sqlite:///{tmp_path}/site.sqlite3"}
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**kept, **own, "SECRET_KEY": GOOD_KEY, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "key",
    ["short", "a" * 80, "the-demo's-own-key-which-everybody-knows-and-which-protects-nothing"],
    ids=["short", "of one letter", "the sample company's"],
)
def test_a_key_that_others_know_is_refused(settings: Any, key: str) -> None:
    settings.SECRET_KEY = key
    (told,) = safety._of_the_key()
    assert told.startswith("SECRET_KEY is known or easily guessed")


def test_the_servers_of_production_ask_before_they_start(tmp_path: Path) -> None:
    for module in ("project.wsgi", "project.asgi"):
        refused = started(tmp_path, f"import {module}", SECRET_KEY="short")
        assert refused.returncode != 0
        assert "SECRET_KEY is known or easily guessed" in refused.stderr


def test_a_site_that_is_not_migrated_lives_but_is_not_ready(tmp_path: Path) -> None:
    code = (
        "import project.wsgi; from django.test import Client; from django.core.management import call_command\n"
        "client = Client(headers={'host': 'site.example'})\n"
        "before = [client.get(path).status_code for path in ('/healthz', '/readyz')]\n"
        "call_command('migrate', verbosity=0)\n"
        "print(before, [client.get(path).status_code for path in ('/healthz', '/readyz')])"
    )
    done = started(tmp_path, code, ALLOWED_HOSTS="site.example", LOG_LEVEL="CRITICAL")
    assert done.stdout.strip() == "[200, 503] [200, 200]", done.stderr


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"ALLOWED_HOSTS": []}, "ALLOWED_HOSTS is empty"),
        ({"ALLOWED_HOSTS": ["*"]}, "ALLOWED_HOSTS holds *"),
        ({"ALLOWED_HOSTS": ["site.example"], "DEBUG": True}, "DEBUG is on for hosts that others reach"),
        ({"ALLOWED_HOSTS": ["localhost", "10.0.0.1"], "DEBUG": True}, "DEBUG is on for hosts that others reach"),
        ({"CSRF_TRUSTED_ORIGINS": ["site.example"]}, "CSRF_TRUSTED_ORIGINS holds site.example"),
        ({"CSRF_TRUSTED_ORIGINS": ["http://site.example"]}, "an origin begins with https://"),
        ({}, ""),
        ({"CSRF_TRUSTED_ORIGINS": ["https://site.example"]}, ""),
        ({"ALLOWED_HOSTS": ["localhost", "a.localhost", "127.0.0.1", "[::1]"], "DEBUG": True}, ""),
        ({"ALLOWED_HOSTS": [], "DEBUG": True, "CSRF_TRUSTED_ORIGINS": ["http://localhost:8000"]}, ""),
    ],
    ids=str,
)
def test_hosts_that_leave_it_open_or_answer_nobody_are_refused(settings: Any, given: dict[str, Any], told: str) -> None:
    for name, value in {"ALLOWED_HOSTS": ["site.example"], "DEBUG": False, "CSRF_TRUSTED_ORIGINS": [], **given}.items():
        setattr(settings, name, value)
    found = safety._of_hosts()
    assert len(found) == bool(told)
    assert told in "".join(found)


@pytest.mark.parametrize(("place", "fits"), [("made later/exports", True), ("", True), ("a file/exports", False)])
def test_a_folder_of_exports_that_cannot_be_written_is_refused(
    settings: Any, tmp_path: Path, place: str, fits: bool
) -> None:
    (tmp_path / "a file").touch()
    folder = str(tmp_path / place)
    settings.STORAGES = {**settings.STORAGES, "exports": {"OPTIONS": {"location": folder}}}
    found = safety._of_folders()
    assert found == ([] if fits else [found[0]])
    assert fits or found[0].startswith(f"EXPORTS_DIR is {folder}, where nothing can be written")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, []),
        ({"METRICS_TOKEN": "short"}, ["METRICS_TOKEN is easily guessed"]),
        ({"METRICS_FROM": ["10.0.0.0/8", "site.example"]}, ["METRICS_FROM holds site.example: name addresses"]),
        ({"METRICS_FROM": ["::1", "10.0.0.0/8"]}, []),
        ({"METRICS_FROM": ["::1"], "METRICS_FOLDER": ""}, ["PROMETHEUS_MULTIPROC_DIR is ''"]),
        ({"METRICS_FROM": ["::1"], "METRICS_FOLDER": "/nowhere"}, ["PROMETHEUS_MULTIPROC_DIR is '/nowhere'"]),
        ({"METRICS_FOLDER": "/nowhere"}, []),
    ],
    ids=str,
)
def test_metrics_that_would_fail_are_refused(settings: Any, tmp_path: Path, given: Any, told: list[str]) -> None:
    for name, value in {"METRICS_TOKEN": "", "METRICS_FROM": [], "METRICS_FOLDER": str(tmp_path), **given}.items():
        setattr(settings, name, value)
    found = safety._of_metrics()
    assert len(found) == len(told)
    assert all(one.startswith(said) for one, said in zip(found, told, strict=True))


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"LOG_FORMAT": "xml"}, "LOG_FORMAT is 'xml'; what fits is line, json."),
        ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL is 'LOUD'; what fits is INFO, DEBUG, WARNING, ERROR, CRITICAL."),
        ({"LOG_LEVEL": "CRITICAL"}, "ALLOWED_HOSTS is empty"),
    ],
    ids=["format", "level", "hosts"],
)
def test_an_environment_that_does_not_fit_ends_the_start(tmp_path: Path, environment: Any, told: str) -> None:
    refused = started(tmp_path, "import project.wsgi", **environment)
    assert refused.returncode != 0
    assert told in refused.stderr


@pytest.mark.django_db
class TestPeople:
    """Whoever may sign in with their name as password."""

    def test_the_people_of_the_sample_company_are_named(self) -> None:
        (told,) = safety._of_people()
        assert told.startswith("admin, analyst, clerk, guest may sign in with their name as password")

    def test_with_other_passwords_or_inactive_they_may_stay(self) -> None:
        User.objects.exclude(username="admin").update(is_active=False)
        admin = User.objects.get(username="admin")
        admin.set_password("another, that nobody knows")
        admin.save()
        assert safety._of_people() == []

    def test_where_the_database_does_not_answer_nobody_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def down(*args: Any, **kwargs: Any) -> Any:
            raise DatabaseError

        monkeypatch.setattr(User._default_manager.__class__, "filter", down)
        assert safety._of_people() == []

    def test_a_site_with_them_in_it_does_not_start(self, tmp_path: Path) -> None:
        code = (
            "import django; django.setup()\n"
            "from django.core.management import call_command; call_command('migrate', verbosity=0)\n"
            "from django.contrib.auth.models import User; User.objects.create_user('clerk', password='clerk')\n"
            "import project.asgi"
        )
        refused = started(tmp_path, code, LOG_LEVEL="CRITICAL")
        assert refused.returncode != 0
        assert "clerk may sign in with their name as password" in refused.stderr


@pytest.mark.django_db
def test_health_is_open_to_everybody_and_says_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, status in (("/healthz", "alive"), ("/readyz", "ready")):
        answer = client.get(path)
        assert (answer.status_code, answer.json()) == (200, {"status": status})
        assert "no-store" in answer["Cache-Control"]
        assert client.post(path).status_code == 405

    def down(*args: Any, **kwargs: Any) -> Any:
        raise DatabaseError("password of the database")

    monkeypatch.setattr(type(connections["default"]), "cursor", down)
    assert health._databases_answer() is False
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready"})


def test_a_call_is_one_line_of_the_log_with_its_id(tmp_path: Path) -> None:
    code = (
        "import django; django.setup()\n"
        "import logging\n"
        "logging.getLogger('read_targets.calls').info('call', extra={'call': 'c-1', 'tool': 't', 'outcome': 'READY'})\n"
        "logging.getLogger('django.request').error('no', extra={'status_code': 500, 'request': object()})"
    )
    lines = started(tmp_path, code, LOG_FORMAT="json").stderr.splitlines()
    call, error = (json.loads(line) for line in lines)
    assert (call["event"], call["call"], call["tool"], call["outcome"]) == ("call", "c-1", "t", "READY")
    assert {"timestamp", "level", "logger"} <= set(call)
    assert (error["status_code"], "request" in error) == (500, False)
    plain = started(tmp_path, code).stderr.splitlines()
    assert "event=call call=c-1 tool=t outcome=READY" in plain[0]
