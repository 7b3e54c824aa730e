"""What happens on open pages, to be looked at: which tabs are open, and what was run in them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..models import CommandRun, PageSession


class ReadOnlyAdmin(admin.ModelAdmin):
    """What is looked at and never written in the admin."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


@admin.register(PageSession)
class PageSessionAdmin(ReadOnlyAdmin):
    """The tabs in which pages are or were open. Of what they hold only the keys are shown."""

    list_display = ("page", "user", "state", "opened_at", "seen_at", "ended_at")
    list_filter = ("page", ("ended_at", admin.EmptyFieldListFilter))
    list_select_related = ("page", "user")
    fields = ("id", "page", "user", "path", "state", "held", "shown", "version", "opened_at", "seen_at", "ended_at")
    date_hierarchy = "opened_at"
    show_full_result_count = False

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        """The tab's id, the page and the person."""
        return ("id", "page__key", _user_name())

    @admin.display(description=gettext_lazy("state"))
    def state(self, session: PageSession) -> str:
        """Whether the page is open in its tab."""
        if session.is_open:
            return _("open")
        return _("left, may return") if session.may_return else _("over")

    @admin.display(description=gettext_lazy("channels"))
    def held(self, session: PageSession) -> str:
        """The keys of the objects on its channels."""
        return ", ".join(f"{name}: {key}" for name, key in session.channels.items()) or "–"

    @admin.display(description=gettext_lazy("views"))
    def shown(self, session: PageSession) -> str:
        """The views that commands showed."""
        return ", ".join(str(view.get("name", "")) for view in session.views) or "–"


@admin.register(CommandRun)
class CommandRunAdmin(ReadOnlyAdmin):
    """What was run, by whom, and how it ended. Of parameters only the names are shown."""

    list_display = ("asked_at", "command", "user", "agent", "by_click", "state", "code", "ended_at")
    list_filter = ("state", "by_click", "command__page")
    list_select_related = ("command__page", "user")
    fields = (
        *("call", "command", "session", "user", "agent", "by_click", "was_passed", "object_id", "parameter_names"),
        *("state", "code", "asked_at", "expires_at", "ended_at"),
    )
    date_hierarchy = "asked_at"
    show_full_result_count = False

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        """The call, the command, the agent and the person."""
        return ("call", "command__name", "agent", "code", _user_name())

    @admin.display(description=gettext_lazy("parameters"))
    def parameter_names(self, run: CommandRun) -> str:
        """The names of the parameters that were given."""
        return ", ".join(run.parameters) or "–"


def _user_name() -> str:
    return f"user__{get_user_model().USERNAME_FIELD}"
