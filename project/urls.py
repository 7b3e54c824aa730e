"""Every route of the site."""

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path, re_path

from read_targets.graphql import graphql_door

from .health import alive, ready
from .metrics import metrics
from .schema import schema
from .views import home

handler400 = "project.views.unreadable"
handler403 = "project.views.forbidden"
handler404 = "project.views.not_found"

urlpatterns = [
    path("", home, name="home"),
    path("healthz", alive, name="alive"),
    path("readyz", ready, name="ready"),
    path("metrics", metrics, name="metrics"),
    path("accounts/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/", admin.site.urls),
    path("agent/", include("read_targets.agent.urls")),
    path("desk/", include("read_targets.cards.urls")),
    path("pages/", include("page_commands.urls")),
    # At the root, since agents look for it at addresses that are well known.
    path("", include("read_targets.agent.oauth.urls")),
    # With and without its slash, since a POST cannot be redirected.
    re_path(r"^graphql/?$", graphql_door(schema), name="graphql"),
]

if apps.is_installed("project.demo"):
    urlpatterns.append(path("", include("project.demo.urls")))
