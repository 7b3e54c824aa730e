"""The person's pages; each answers with and without its slash, so that no POST is ever redirected."""

from __future__ import annotations

from django.urls import re_path

from .call_pages import CallsView, CardView
from .exports.pages import EndView, ExportView, FileView, ProgressView
from .pages import AgentsView, DeskView, NewsView, ReadAgainView, SettingsView, WorkspaceView
from .token_pages import RevokeView, TokensView
from .whole import WholeView

app_name = "read_targets_desk"

_NAME, _VERSION = r"(?P<name>[^/\0]+)", r"(?P<number>[0-9]{1,9})"
_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_EXPORT = rf"exports/(?P<export_id>{_ID})"

urlpatterns = [
    re_path(r"^$", DeskView.as_view(), name="desk"),
    re_path(r"^news/?$", NewsView.as_view(), name="news"),
    re_path(r"^agents/?$", AgentsView.as_view(), name="agents"),
    re_path(r"^settings/?$", SettingsView.as_view(), name="settings"),
    re_path(r"^tokens/?$", TokensView.as_view(), name="tokens"),
    re_path(r"^tokens/(?P<token_id>[0-9]{1,18})/revoke/?$", RevokeView.as_view(), name="revoke-token"),
    re_path(r"^calls/?$", CallsView.as_view(), name="calls"),
    re_path(rf"^cards/(?P<card_id>{_ID})/?$", CardView.as_view(), name="card"),
    re_path(rf"^workspaces/{_NAME}/{_VERSION}/read-again/?$", ReadAgainView.as_view(), name="read-again"),
    re_path(rf"^workspaces/{_NAME}/{_VERSION}/rows/?$", WholeView.as_view(), name="whole"),
    re_path(rf"^workspaces/{_NAME}/{_VERSION}/export\.(?P<form>csv|xlsx)/?$", ExportView.as_view(), name="export-list"),
    re_path(rf"^{_EXPORT}/?$", ProgressView.as_view(), name="export"),
    re_path(rf"^{_EXPORT}/end/?$", EndView.as_view(), name="export-end"),
    re_path(rf"^{_EXPORT}/file/?$", FileView.as_view(), name="export-file"),
    re_path(rf"^workspaces/{_NAME}/{_VERSION}/?$", WorkspaceView.as_view(), name="workspace"),
    re_path(rf"^workspaces/{_NAME}/?$", WorkspaceView.as_view(), name="workspace-newest"),
]
