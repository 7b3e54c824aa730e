"""The site's routes, and one whose address is whatever is bound to it: such an application must not lead astray."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import re_path

from project.urls import urlpatterns as routes


def anywhere(request: HttpRequest, where: str) -> HttpResponse:
    """Answer nothing."""
    return HttpResponse()


urlpatterns = [*routes, re_path(r"^(?P<where>.+)$", anywhere, name="anywhere")]
