"""The wheel carries both apps into another project: templates, static files, catalogues, migrations and all."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SETTINGS = """
SECRET_KEY = "bare"
ALLOWED_HOSTS = ["testserver"]
INSTALLED_APPS = [
    "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
    "django.contrib.messages", "django.contrib.staticfiles", "guardian", "rest_framework", "graphene_django",
    "django_htmx", "read_targets", "page_commands", "shop",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages",
    ]},
}]
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend", "guardian.backends.ObjectPermissionBackend",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "bare.sqlite3"}}
ROOT_URLCONF = "shop.urls"
STATIC_URL = "static/"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ANONYMOUS_USER_NAME = None
"""

MODELS = """
from django.db import models

class Order(models.Model):
    day = models.DateField()
    amount = models.DecimalField(max_digits=10, decimal_places=2)
"""

LISTS = """
from read_targets.lists import ListDefinition, register_list
from .models import Order

register_list(ListDefinition("orders", Order))
"""

URLS = """
from django.contrib import admin
from django.contrib.auth.views import LoginView
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("login/", LoginView.as_view(), name="login"),
    path("api/agents/", include("read_targets.agent.urls")),
    path("my/", include("read_targets.cards.urls")),
    path("open/", include("page_commands.urls")),
]
"""

USE = """
import datetime, decimal, sys, django
# As where the extras are not installed: whatever asks for them fails.
sys.modules |= dict.fromkeys(("oauth2_provider", "oauthlib", "mcp", "xlsxwriter"))
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
call_command("makemigrations", "shop", verbosity=0)
call_command("migrate", verbosity=0)
call_command("check", fail_level="WARNING")
import read_targets
assert "site-here" in read_targets.__file__, read_targets.__file__
from shop.models import Order
from read_targets.agent.tokens import create_token
from read_targets.declaration.proposal import create_target
Order.objects.create(day=datetime.date(2026, 1, 31), amount=decimal.Decimal("12.30"))
create_target("shop.orders", "orders")
boss = User.objects.create_superuser("boss", password="x")
secret = create_token(boss, "agent")[1]
answer = Client().post(
    "/api/agents/tools/queryShopOrders", {"groupBy": "day", "show": "workspace"}, "application/json",
    headers={"Authorization": "Bearer " + secret},
).json()
assert answer["summary"]["metrics"]["amount"]["sum"] == "12.30", answer
browser = Client()
browser.force_login(boss, backend="django.contrib.auth.backends.ModelBackend")
for address in (answer["card"]["url"], "/my/", "/my/settings", "/admin/read_targets/readtarget/add/"):
    response = browser.get(address)
    assert response.status_code == 200, (address, response.status_code)
assert "12.30" in browser.get(answer["card"]["url"]).content.decode()
from django.contrib.staticfiles.finders import find
from django.utils.translation import gettext, override
assert find("read_targets/desk.js") and find("read_targets/vendor/pico.min.css")
with override("de"):
    assert gettext("Read again") == "Neu lesen", gettext("Read again")
assert "read_targets.agent.oauth" not in sys.modules
print("served from", answer["card"]["url"])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_apps_and_nothing_of_the_site(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"read_targets", "page_commands"}
    assert "read_targets/templates/read_targets/desk.html" in names
    assert not [name for name in names if name.endswith(".pyc")]


def test_the_wheel_works_in_a_bare_project(wheel: Path, tmp_path: Path) -> None:
    here = tmp_path / "site-here"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(here), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    shop = tmp_path / "shop"
    shop.mkdir()
    for name, text in {"__init__": "", "settings": SETTINGS, "models": MODELS, "lists": LISTS, "urls": URLS}.items():
        (shop / f"{name}.py").write_text(text, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(here), str(tmp_path))),
        "DJANGO_SETTINGS_MODULE": "shop.settings",
    }
    used = subprocess.run(
        [sys.executable, "-c", USE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert used.returncode == 0, used.stderr[-3_000:]
    assert used.stdout.strip().endswith("served from /my/workspaces/shop-orders/1")
