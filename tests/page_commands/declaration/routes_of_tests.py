"""Routes of every kind, for the tests of what a command may open."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import include, path, re_path
from django.views import View
from django.views.generic import TemplateView


def some(request: HttpRequest, **arguments: str) -> HttpResponse:
    """Answer nothing."""
    return HttpResponse()


class PostOnly(View):
    """Takes what is sent to it."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer nothing."""
        return HttpResponse()


inner = ([path("thing/<int:pk>/", some, name="thing")], "inner")

urlpatterns = [
    path("plain/", some, name="plain"),
    path("page/", TemplateView.as_view(template_name="x.html"), name="generic"),
    path("post/", PostOnly.as_view(), name="post"),
    path("nameless/", some),
    path("two/<slug:slug>/<int:pk>/", some, name="two"),
    path("two/<slug:slug>/", some, name="two"),
    path("fixed/<int:pk>/", some, {"pk": 1}, name="fixed"),
    re_path(r"^old/(?P<year>[0-9]{4})/$", some, name="old"),
    path("<int:site>/", include(inner, namespace="here")),
    path("admin/", admin.site.urls),
    path("agent/", include("read_targets.agent.urls")),
    path("accounts/", include("django.contrib.auth.urls")),
]
