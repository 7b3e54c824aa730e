"""The person's pages; each answers with and without its slash, so that no POST is ever redirected."""

from __future__ import annotations

from django.urls import re_path

from .pages import AgentsView, CallsView, DeskView, NewsView, ReadAgainView, SettingsView, WorkspaceView
from .token_pages import RevokeView, TokensView

app_name = "read_targets_desk"

_NAME, _VERSION = r"(?P<name>[^/\0]+)", r"(?P<number>[0-9]{1,9})"

urlpatterns = [
    re_path(r"^$", DeskView.as_view(), name="desk"),
    re_path(r"^news/?$", NewsView.as_view(), name="news"),
    re_path(r"^agents/?$", AgentsView.as_view(), name="agents"),
    re_path(r"^settings/?$", SettingsView.as_view(), name="settings"),
    re_path(r"^tokens/?$", TokensView.as_view(), name="tokens"),
    re_path(r"^tokens/(?P<token_id>[0-9]{1,18})/revoke/?$", RevokeView.as_view(), name="revoke-token"),
    re_path(r"^calls/?$", CallsView.as_view(), name="calls"),
    re_path(rf"^workspaces/{_NAME}/{_VERSION}/read-again/?$", ReadAgainView.as_view(), name="read-again"),
    re_path(rf"^workspaces/{_NAME}/{_VERSION}/?$", WorkspaceView.as_view(), name="workspace"),
    re_path(rf"^workspaces/{_NAME}/?$", WorkspaceView.as_view(), name="workspace-newest"),
]
