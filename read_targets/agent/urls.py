"""The REST door's addresses; each answers with and without its slash, so that no POST is ever redirected."""

from __future__ import annotations

from django.urls import re_path

from ..cards.api import CardDecideView, CardListView, CardOpenView
from .openapi import SchemaView
from .views import CallView, MissingView, ToolCallView, ToolListView

app_name = "read_targets_agent"

_CARD = r"^cards/(?P<card_id>[0-9a-fA-F-]{36})"

urlpatterns = [
    re_path(r"^tools/?$", ToolListView.as_view(), name="tools"),
    re_path(r"^tools/(?P<name>[^/]+)/?$", ToolCallView.as_view(), name="call"),
    re_path(r"^calls/(?P<call_id>[0-9a-fA-F-]{36})/?$", CallView.as_view(), name="kept-call"),
    re_path(r"^cards/?$", CardListView.as_view(), name="cards"),
    re_path(rf"{_CARD}/open/?$", CardOpenView.as_view(), name="open-card"),
    re_path(rf"{_CARD}/decide/?$", CardDecideView.as_view(), name="decide-card"),
    re_path(r"^schema/?$", SchemaView.as_view(), name="schema"),
    re_path(r"", MissingView.as_view()),
]
