"""A host installs it by the lines of the guide, and the checks say where it did not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from django.urls import include, path

from read_targets.agent.authentication import register_sign_in
from read_targets.agent.oauth import checks
from tests.test_wheel import LISTS, MODELS, SETTINGS, URLS

ROOT = Path(__file__).parents[2]

TABLES = "MIGRATION_MODULES = {one.split('.')[-1]: None for one in INSTALLED_APPS}"
"""The tables as the models are now, in a fraction of the time; that migrations lead there is tested elsewhere."""

USE = """
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
call_command("migrate", run_syncdb=True, verbosity=0)
call_command("check", fail_level="WARNING")
User.objects.create_superuser("boss", password="x")
from tests.oauth.conftest import Stranger
browser = Client()
browser.force_login(User.objects.get(), backend="django.contrib.auth.backends.ModelBackend")
stranger = Stranger().registered().signed_in(browser)
answer = stranger.get("/api/agents/tools")
assert answer.status_code == 200, answer.content
print("signed in")
"""


def test_the_lines_of_the_guide_are_enough(tmp_path: Path) -> None:
    guide = (ROOT / "docs/developer.md").read_text(encoding="utf-8")
    lines = guide.partition("## Agents that sign in by themselves")[2].split("```python\n")[1].split("```")[0]
    told, urls = lines.split("# urls.py, at the root\n")
    apps = re.sub(r"\.\.\., ", "", re.search(r"INSTALLED_APPS = (\[.*\])", told)[1].replace(", ...]", "]"))
    provider = told[told.index("OAUTH2_PROVIDER") :]
    settings = SETTINGS.replace("bare.sqlite3", ":memory:").replace(
        '"read_targets", "page_commands", "shop"', f'"page_commands", "shop", *{apps}'
    )
    shop = tmp_path / "shop"
    shop.mkdir()
    texts = {
        "__init__": "",
        # From the sources, where the templates stand apart; the wheel has them in the apps.
        "settings": f"{settings}\n{provider}\nTEMPLATES[0]['DIRS'] = [{str(ROOT / 'templates')!r}]\n{TABLES}",
        "models": MODELS,
        "lists": LISTS,
        "urls": f"{URLS}\nurlpatterns += [{urls}]",
    }
    for name, text in texts.items():
        (shop / f"{name}.py").write_text(text, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT))),
        "DJANGO_SETTINGS_MODULE": "shop.settings",
    }
    command = [sys.executable, "-c", USE]
    used = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert used.stdout.strip().endswith("signed in"), used.stderr[-3_000:]


def found() -> list[str]:
    """The errors and warnings of signing in."""
    every = (checks.check_toolkit, checks.check_addresses, checks.check_hosts, checks.check_toolkit_views)
    return [f"{one.id} {one.msg}" for check in every for one in check(None)]


def test_the_site_is_set_up_as_it_should_be() -> None:
    assert found() == []


def test_no_toolkit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "TOOLKIT", "not_there")
    assert [one[:17] for one in found()] == ["read_targets.E010"]


@pytest.mark.parametrize("name", [*checks.NEEDED])
def test_an_unsafe_setting_is_found(settings: Any, name: str) -> None:
    unsafe = 60 if name == "REFRESH_TOKEN_GRACE_PERIOD_SECONDS" else not checks.NEEDED[name]
    settings.OAUTH2_PROVIDER = settings.OAUTH2_PROVIDER | {name: unsafe}
    assert found() == [f"read_targets.E011 OAUTH2_PROVIDER[{name!r}] is {unsafe!r}, which is not safe."]


@pytest.mark.parametrize("seconds", [0, 24 * 60 * 60 + 1])
def test_access_without_an_end_is_found(settings: Any, seconds: int) -> None:
    settings.OAUTH2_PROVIDER = settings.OAUTH2_PROVIDER | {"ACCESS_TOKEN_EXPIRE_SECONDS": seconds}
    assert [one[:17] for one in found()] == ["read_targets.E011"]


def test_nothing_set_at_all_is_found(settings: Any) -> None:
    settings.OAUTH2_PROVIDER = {}
    assert len(found()) > 5


def test_missing_addresses_are_found() -> None:
    with override_settings(ROOT_URLCONF=urlconf()):
        assert [one[:17] for one in found()] == ["read_targets.E012"]


def test_addresses_that_are_not_at_the_root_are_found() -> None:
    with override_settings(ROOT_URLCONF=urlconf(path("sub/", include("read_targets.agent.oauth.urls")))):
        assert [one[:17] for one in found()] == ["read_targets.E012"]


def test_a_site_that_answers_to_any_name_is_found(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert [one[:17] for one in found()] == ["read_targets.E013"]


def test_the_toolkits_own_page_is_found() -> None:
    ours = path("", include("read_targets.agent.oauth.urls"))
    with override_settings(ROOT_URLCONF=urlconf(ours, path("o/", include("oauth2_provider.urls")))):
        assert [one[:17] for one in found()] == ["read_targets.W010"]


def urlconf(*patterns: Any) -> Any:
    """A root URLconf of these alone."""
    module: Any = ModuleType("urls")
    module.urlpatterns = list(patterns)
    return module


def test_agents_sign_in_in_one_way() -> None:
    class Another:
        prefix = "x"

    with pytest.raises(ImproperlyConfigured, match="OAuthSignIn"):
        register_sign_in(Another())
