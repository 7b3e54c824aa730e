"""The doors in the admin: toolsets, tokens, the log of calls, people's preferences, and the switch of every door."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.db.models import Field, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ..agent.models import AgentDoors, AgentToken, ToolCall, Toolset, ToolsetEntry
from ..agent.registry import tool_keys
from ..agent.tokens import revoke
from ..preferences import Preference
from . import choices


class ToolsetEntryForm(forms.ModelForm):
    """The tools of one key, chosen from those that are registered."""

    class Meta:
        model = ToolsetEntry
        fields = ("tool_key",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.fields:
            choices.offer(self, "tool_key", [("", "---------"), *tool_keys()])

    def clean_tool_key(self) -> str:
        """Refuse a key that no app registers, unless it is stored already."""
        key = str(self.cleaned_data["tool_key"])
        known = [name for name, _label in tool_keys()]
        if key not in known and key != self.initial.get("tool_key"):
            raise forms.ValidationError(_("There are no tools of the key %(key)s.") % {"key": key})
        return key


class ToolsetEntryInline(admin.TabularInline):
    """The tools of a toolset."""

    model = ToolsetEntry
    form = ToolsetEntryForm
    extra = 1
    verbose_name = gettext_lazy("tool")
    verbose_name_plural = gettext_lazy("tools")


@admin.register(Toolset)
class ToolsetAdmin(admin.ModelAdmin):
    """Named sets of tools; an agent asks for one, and a token is bound to some."""

    inlines = (ToolsetEntryInline,)
    list_display = ("key", "label_text", "entry_keys")
    search_fields = ("key", "guidance", "entries__tool_key")

    class Media:
        css = {"all": ("read_targets/admin/targets.css",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Toolset]:
        """The toolsets with their entries, which the list names."""
        return super().get_queryset(request).prefetch_related("entries")

    @admin.display(description=gettext_lazy("label"))
    def label_text(self, toolset: Toolset) -> str:
        """The label in the admin's language."""
        return str(toolset)

    @admin.display(description=gettext_lazy("tools"))
    def entry_keys(self, toolset: Toolset) -> str:
        """The keys of its tools."""
        return ", ".join(entry.tool_key for entry in toolset.entries.all())


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


@admin.register(AgentToken)
class AgentTokenAdmin(admin.ModelAdmin):
    """People's credentials for their agents: how each begins, never the secret, of which nothing is stored.

    The person made it and says what it reaches; an admin may close it, and say how often it may call.
    """

    list_display = ("name", "user", "hint", "is_good", "may_act", "expires_at", "last_used_at")
    list_filter = ("may_act", "all_toolsets")
    list_select_related = ("user",)
    readonly_fields = (
        *("user", "name", "hint", "is_good", "may_act", "all_toolsets", "toolsets"),
        *("created_at", "expires_at", "last_used_at", "revoked_at"),
    )
    fields = (*readonly_fields, "calls_a_minute")
    actions = ("revoke_tokens",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never: nobody but the person is told the secret."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: the log names it; it is revoked."""
        return False

    def save_model(self, request: HttpRequest, obj: AgentToken, form: Any, change: bool) -> None:
        """Write what the form holds and nothing else: the token may be used or revoked meanwhile."""
        obj.save(update_fields=["calls_a_minute"])

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        """The agent, the first letters of the token, and the person."""
        return ("name", "hint", _user_name())

    @admin.display(description=gettext_lazy("good"), boolean=True)
    def is_good(self, token: AgentToken) -> bool:
        """Whether the token opens anything now."""
        return token.is_valid

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Whoever may change tokens may close them."""
        return bool(request.user.has_perm("read_targets.change_agenttoken"))

    @admin.action(description=gettext_lazy("Revoke the selected tokens for good"), permissions=["revoke"])
    def revoke_tokens(self, request: HttpRequest, queryset: QuerySet[AgentToken]) -> None:
        """Close the tokens that are open."""
        still_open = list(queryset.filter(revoked_at=None))
        for token in still_open:
            revoke(token)
            self.log_change(request, token, _("Revoked."))
        said = ngettext("%(number)d token was revoked.", "%(number)d tokens were revoked.", len(still_open))
        messages.success(request, said % {"number": len(still_open)})


@admin.register(ToolCall)
class ToolCallAdmin(ReadOnlyAdmin):
    """The log of calls; it holds no values of rows."""

    list_display = ("at", "user", "agent", "tool", "outcome", "code", "rows", "milliseconds", "previewed_by")
    list_filter = ("outcome", ("previewed_by", admin.EmptyFieldListFilter))
    list_select_related = ("user", "previewed_by")
    date_hierarchy = "at"
    show_full_result_count = False

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        """The tool, what came of it, the agent, the person, and the call's id."""
        return ("tool", "outcome", "code", "agent", "id", _user_name())


@admin.register(AgentDoors)
class AgentDoorsAdmin(admin.ModelAdmin):
    """The one switch: its place in the index leads straight to it."""

    fieldsets = (
        (
            None,
            {
                "fields": ("is_open", "reason"),
                "description": gettext_lazy(
                    "This one switch closes every agent door at once: REST, MCP and whatever else agents come through. "
                    "No agent of anybody is answered until it is switched on again; people's own pages stay open."
                ),
            },
        ),
    )

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Lead to the switch, which is made when it is first used."""
        switch = AgentDoors.objects.first()
        name = f"{self.admin_site.name}:read_targets_agentdoors"
        where = reverse(f"{name}_change", args=[switch.pk]) if switch else reverse(f"{name}_add")
        return HttpResponseRedirect(where)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only where there is no switch yet."""
        return super().has_add_permission(request) and not AgentDoors.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: without the switch every door is open."""
        return False


@admin.register(Preference)
class PreferenceAdmin(admin.ModelAdmin):
    """People's time zone and language, and whether they stopped their agents."""

    list_display = ("user", "time_zone", "language", "agents_stopped")
    list_filter = ("agents_stopped", "language")
    list_select_related = ("user",)
    raw_id_fields = ("user",)

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        """Let the language be one of the site's."""
        if db_field.name == "language":
            languages = [("", _("the site's own")), *settings.LANGUAGES]
            return forms.ChoiceField(label=db_field.verbose_name, choices=languages, required=False)
        return super().formfield_for_dbfield(db_field, request, **kwargs)


def _user_name() -> str:
    return f"user__{get_user_model().USERNAME_FIELD}"
