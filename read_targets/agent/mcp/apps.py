"""The workspace as an MCP App: one page that a host may show beside an answer.

It is the same page for everybody and holds no data: a host hands it the answer of a tool, and lets it read the
workspace as the caller's resource. It asks for no connection to anywhere, so hosts give it none. What a host shows
otherwise is the text of the answer.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

import orjson
from django.utils.translation import gettext as _
from mcp import types

from ..registry import Tool

EXTENSION = "io.modelcontextprotocol/ui"
URI = "ui://read-targets/workspace"
MIME_TYPE = "text/html;profile=mcp-app"

LINK = "read-targets/link"
"""Where the answer of a tool says in its `_meta` the whole address of its card, for the page's own button."""

SETTINGS: dict[str, dict[str, Any]] = {EXTENSION: {"mimeTypes": [MIME_TYPE]}}
"""What the server says of the extensions that it has."""


def app_of(tool: Tool) -> dict[str, Any] | None:
    """Return the `_meta` of a tool whose answer the page shows: one that may put it on a workspace. None for others."""
    return {"ui": {"resourceUri": URI}} if "show" in tool.by_name else None


def read() -> types.ReadResourceResult:
    """Return the page, its words in the active language."""
    # What ends a script within a script: the words are ours, but a translation is only a text.
    words = orjson.dumps(_words()).decode().replace("<", "\\u003c")
    text = _template().replace("{{ words }}", words)
    contents = types.TextResourceContents(
        uri=URI, mime_type=MIME_TYPE, text=text, _meta={"ui": {"prefersBorder": True}}
    )
    return types.ReadResourceResult(contents=[contents])


@lru_cache(maxsize=1)
def _template() -> str:
    return (files(__package__) / "app.html").read_text(encoding="utf-8")


def _words() -> dict[str, str]:
    return {
        "rows": _("Rows"),
        "groups": _("Groups"),
        "sum": _("sum"),
        "average": _("average"),
        "goal": _("goal"),
        "met": _("met"),
        "notMet": _("not met"),
        "others": _("others"),
        "withheld": _("withheld"),
        "open": _("Open on your desk"),
        "before": _("Previous"),
        "after": _("Next"),
        "rowsWithheld": _("Rows that you may no longer view"),
        "figuresWithheld": _("The figures are withheld: they are of rows or values that you may no longer view."),
        "firstRows": _("The first rows of all"),
    }
