"""The addresses of signing in. Included at the root of a site, since those that are well known stand there."""

from __future__ import annotations

from django.urls import re_path

from .views import ConsentView, RegisterView, ResourceView, RevokeView, ServerView, TokenView

app_name = "read_targets_oauth"

urlpatterns = [
    re_path(r"^\.well-known/oauth-authorization-server$", ServerView.as_view(), name="server"),
    re_path(r"^\.well-known/oauth-protected-resource(?P<path>(?:/.*)?)$", ResourceView.as_view(), name="resource"),
    re_path(r"^oauth/authorize/?$", ConsentView.as_view(), name="authorize"),
    re_path(r"^oauth/token/?$", TokenView.as_view(), name="token"),
    re_path(r"^oauth/revoke/?$", RevokeView.as_view(), name="revoke"),
    re_path(r"^oauth/register/?$", RegisterView.as_view(), name="register"),
]
