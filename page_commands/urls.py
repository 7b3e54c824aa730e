"""What an open page's tab speaks to; each address answers with and without its slash, so no POST is redirected."""

from __future__ import annotations

from django.urls import re_path

from .live.stream import stream
from .live.views import BeatView, CommandView, LeaveView, NewsView, OpenView

app_name = "page_commands"

_SESSION = r"^sessions/(?P<session_id>[0-9a-fA-F-]{1,36})"

urlpatterns = [
    re_path(r"^stream/?$", stream, name="stream"),
    re_path(r"^sessions/?$", OpenView.as_view(), name="sessions"),
    re_path(rf"{_SESSION}/?$", NewsView.as_view(), name="session"),
    re_path(rf"{_SESSION}/beat/?$", BeatView.as_view(), name="beat"),
    re_path(rf"{_SESSION}/leave/?$", LeaveView.as_view(), name="leave"),
    re_path(rf"{_SESSION}/commands/(?P<name>[^/\0]+)/?$", CommandView.as_view(), name="command"),
]
