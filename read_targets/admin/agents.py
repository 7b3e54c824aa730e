"""The doors in the admin: toolsets, tokens, people's preferences, the switch of every door, and the limits."""

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

from ..agent.models import AgentDoors, AgentToken, CallRules, ToolLimit, Toolset, ToolsetEntry
from ..agent.registry import spoken, tool_keys
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


@admin.register(AgentToken)
class AgentTokenAdmin(admin.ModelAdmin):
    """People's credentials for their agents: how each begins, never the secret, of which nothing is stored.

    The person made it and says what it reaches; an admin may close it, and say how often it may call.
    """

    list_display = ("name", "user", "hint", "signs_in", "is_good", "may_act", "expires_at", "last_used_at")
    list_filter = (("client", admin.EmptyFieldListFilter), "may_act", "all_toolsets")
    list_select_related = ("user",)
    readonly_fields = (
        *("user", "name", "hint", "client", "is_good", "may_act", "all_toolsets", "toolsets"),
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
        """The agent, the first letters of the token, the client, and the person."""
        return ("name", "hint", "client", _user_name())

    @admin.display(description=gettext_lazy("signed in by itself"), boolean=True)
    def signs_in(self, token: AgentToken) -> bool:
        """Whether the agent signs in by itself, so that the token has no secret that anybody was told."""
        return token.client != ""

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


class ToolLimitForm(forms.ModelForm):
    """A limit of one tool, chosen from those that there are."""

    class Meta:
        model = ToolLimit
        fields = ("tool", "calls_a_minute")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.fields:
            choices.offer(self, "tool", [("", "---------"), *choices.plain(_callable_tools())])

    def clean_tool(self) -> str:
        """Refuse a name that no tool has, unless it is stored already."""
        name = str(self.cleaned_data["tool"])
        if name not in _callable_tools() and name != self.initial.get("tool"):
            raise forms.ValidationError(_("There is no tool of the name %(name)s.") % {"name": name})
        return name


class ToolLimitInline(admin.TabularInline):
    """How often a minute one person may call a tool."""

    model = ToolLimit
    form = ToolLimitForm
    extra = 0


class SingleRowAdmin(admin.ModelAdmin):
    """What stands in one row for all: its place in the index leads straight to it."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Lead to the row, which is made when it is first used."""
        row = self.model._default_manager.first()
        name = f"{self.admin_site.name}:read_targets_{self.opts.model_name}"
        where = reverse(f"{name}_change", args=[row.pk]) if row else reverse(f"{name}_add")
        return HttpResponseRedirect(where)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only where there is no row yet."""
        return super().has_add_permission(request) and not self.model._default_manager.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: without the row every door is open, and what else it says is forgotten."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Write what the form holds and nothing else of the row, which another page writes too."""
        if change:
            obj.save(update_fields=[*form.changed_data, "declared", "changed_at"])
        else:
            obj.save()


@admin.register(AgentDoors)
class AgentDoorsAdmin(SingleRowAdmin):
    """The one switch."""

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


@admin.register(CallRules)
class CallRulesAdmin(SingleRowAdmin):
    """How long the log keeps what, and how often a token, a person or a tool may be called."""

    inlines = (ToolLimitInline,)
    fieldsets = (
        (gettext_lazy("The log of calls"), {"fields": ("keeps_words", "keep_calls_days")}),
        (
            gettext_lazy("Limits"),
            {
                "fields": ("calls_a_minute_of_token", "calls_a_minute_of_person"),
                "description": gettext_lazy(
                    "One token has a limit of its own on its page, and one person among the preferences."
                ),
            },
        ),
    )

    class Media:
        css = {"all": ("read_targets/admin/targets.css",)}


@admin.register(Preference)
class PreferenceAdmin(admin.ModelAdmin):
    """People's time zone and language, whether they stopped their agents, and how often they may call."""

    list_display = ("user", "time_zone", "language", "agents_stopped", "calls_a_minute")
    list_filter = ("agents_stopped", "language")
    list_select_related = ("user",)
    raw_id_fields = ("user",)

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        """Let the language be one of the site's."""
        if db_field.name == "language":
            languages = [("", _("the site's own")), *settings.LANGUAGES]
            return forms.ChoiceField(label=db_field.verbose_name, choices=languages, required=False)
        return super().formfield_for_dbfield(db_field, request, **kwargs)


def _callable_tools() -> list[str]:
    """The tools that agents call, by name; a click on a button is none."""
    return sorted(name for name in spoken() if "." not in name)


def _user_name() -> str:
    return f"user__{get_user_model().USERNAME_FIELD}"
