"""Agent commands in the admin: declared, tried as a person without running them, granted from the same page."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from read_targets.policies import permits
from read_targets.policies.eyes import access_person, may_look_as, people_for
from read_targets.policies.grants import grant, grants_on, holder_of, name_field, revoke

from ..commands import told
from ..declaration.soundness import problems_of
from ..models import AgentCommand, Page, declared_commands
from ..policies import GRANT, RUN, TRY
from .forms import LONGEST_KEY, CommandForm
from .inlines import ParameterInline, RuleInline, StepInline
from .runners import runners_of
from .trying import try_out
from .whole import Whole

MOST_SUGGESTED = 200
"""Names that an input suggests; others are typed."""


@admin.register(AgentCommand)
class AgentCommandAdmin(admin.ModelAdmin):
    """The commands that agents may run on an open page."""

    form = CommandForm
    inlines = (ParameterInline, RuleInline, StepInline)
    change_form_template = "page_commands/admin/command.html"
    add_form_template = "admin/change_form.html"
    list_display = ("name", "page", "state", "takes", "enabled")
    list_filter = ("page", "enabled", "confirmation")
    search_fields = ("name", "page__key", "description", "input_type")
    save_as = True

    class Media:
        css = {"all": ("read_targets/admin/targets.css", "page_commands/admin.css")}

    # The list

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentCommand]:
        """The commands with their rows, since the list says of each whether it works."""
        return declared_commands().order_by("page__key", "position", "pk")

    @admin.display(description=gettext_lazy("takes"))
    def takes(self, command: AgentCommand) -> str:
        """The type of its object, and who may give it."""
        if not command.input_type:
            return "–"
        if command.takes_from_agent:
            return _("%(type)s from an agent") % {"type": command.input_type}
        return command.input_type

    @admin.display(description=gettext_lazy("state"))
    def state(self, command: AgentCommand) -> str:
        """Whether the command is offered, else why not."""
        problems = problems_of(command, in_database=False)
        if problems:
            return str(problems[0])
        if not command.page.enabled:
            return _("its page is switched off")
        return _("works") if command.enabled else _("switched off")

    # The form

    def get_fieldsets(self, request: HttpRequest, obj: AgentCommand | None = None) -> Any:
        """What the command is, what it takes, and what is asked first; the last folded up where nothing is."""
        asks = obj is not None and obj.confirmation != AgentCommand.Confirmation.NEVER
        takes = _("An agent may pass an object only where its description is filled in. Its permission is asked too.")
        confirmation = {
            "fields": (
                *("confirmation", "confirmation_condition", "confirm_clicks"),
                *("confirmation_title", "confirmation_message", "confirmation_button"),
            ),
            "classes": [] if asks else ["collapse"],
        }
        return (
            (None, {"fields": ("page", "name", "label", "description", ("position", "enabled"))}),
            (
                _("The object that it takes"),
                {
                    "fields": ("input_type", "input_description", "input_channel", "input_permission"),
                    "description": takes,
                },
            ),
            (_("Confirmation"), confirmation),
        )

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """The form, which is valid only together with the rows of the same request."""
        form = type("CommandForm", (CommandForm,), {"whole": whole_of(request), "__module__": __name__})
        return super().get_form(request, obj, change, **{"form": form, **kwargs})

    def get_formset_kwargs(self, request: HttpRequest, obj: Any, inline: Any, prefix: str) -> dict[str, Any]:
        """Let the rows of one request be checked together with the form."""
        return {**super().get_formset_kwargs(request, obj, inline, prefix), "whole": whole_of(request)}

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Ask for the page first, since steps and channels are chosen from it; not where there is only one."""
        if request.method == "GET" and "page" not in request.GET and self.has_add_permission(request):
            pages = list(Page.objects.order_by("key")[:MOST_SUGGESTED])
            if len(pages) == 1:
                return HttpResponseRedirect(f"{request.path}?page={pages[0].pk}")
            return self._which_page(request, pages)
        return super().add_view(request, form_url, extra_context)

    def _which_page(self, request: HttpRequest, pages: list[Page]) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": _("Add agent command"),
            "opts": self.opts,
            "media": self.media,
            "pages": pages,
        }
        return TemplateResponse(request, "page_commands/admin/which_page.html", context)

    # Below the form

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add to a stored command's page what stands below its form."""
        stored = context.get("original")
        if stored is not None:
            # As it is stored, not as it was just filled in.
            context |= self._below(request, self._stored(str(stored.pk)))
        return super().render_change_form(request, context, *args, **kwargs)

    def _below(self, request: HttpRequest, command: AgentCommand) -> dict[str, Any]:
        page, runners = runners_of(command, request.GET.get("runners", 1))
        grants, grant_count = grants_on(command, RUN)
        may_grant = permits(request.user, GRANT, command)
        people = get_user_model()._default_manager.filter(is_active=True)
        return {
            "command": command,
            "problems": problems_of(command),
            "told": json.dumps(told(command), indent=2, ensure_ascii=False),
            "may_try": may_look_as(request.user, request.user, TRY),
            "try_people": _names(people_for(request.user, TRY)),
            "runners": runners,
            "runners_page": page,
            "grants": grants,
            "grant_count": grant_count,
            "may_grant": may_grant,
            "people": _names(people.order_by(name_field())) if may_grant else [],
            "groups": Group.objects.order_by("name").values_list("name", flat=True) if may_grant else [],
        }

    def get_urls(self) -> list[Any]:
        """The admin's addresses, and those that the sections below the form send to."""
        wrap = self.admin_site.admin_view
        return [
            path("<path:object_id>/try/", wrap(self.try_view), name="page_commands_agentcommand_try"),
            path("<path:object_id>/grants/", wrap(self.grants_view), name="page_commands_agentcommand_grants"),
            *super().get_urls(),
        ]

    def try_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Try the command as a person: 403, with nothing shown, for nobody as whom this admin may."""
        command = self._viewed(request, object_id)
        if request.method != "POST":
            return HttpResponseRedirect(f"{self._address(command)}#try")
        person = access_person(request.user, request.POST.get("person", "").strip(), TRY)
        key, parameters = request.POST.get("object", ""), request.POST.get("parameters", "")
        context = {
            **self.admin_site.each_context(request),
            "title": _("Try as a person"),
            "opts": self.opts,
            "original": command,
            "command": command,
            "media": self.media,
            "try_people": _names(people_for(request.user, TRY)),
            "asked": {"object": key, "parameters": parameters},
            "trial": try_out(command, person, request.user, key, parameters) if person is not None else None,
        }
        is_part = request.headers.get("HX-Request") == "true"
        template = "page_commands/admin/_trial.html" if is_part else "page_commands/admin/trial.html"
        return TemplateResponse(request, template, context, status=403 if person is None else 200)

    def grants_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Grant the command to a person or a group, or take the grant back, and log it."""
        command = self._viewed(request, object_id)
        back = HttpResponseRedirect(f"{self._address(command)}#runners")
        if request.method != "POST":
            return back
        if not permits(request.user, GRANT, command):
            raise PermissionDenied
        kind, name = request.POST.get("kind", ""), request.POST.get("name", "").strip()
        holder = holder_of(kind, name)
        if holder is None:
            said = _("There is nobody of the name “%(name)s”; nothing was changed.") % {"name": name}
            messages.error(request, said)
            return back
        if request.POST.get("action") == "revoke":
            revoke(RUN, holder, command)
            done = _("The grant of “%(name)s” was taken back.") % {"name": name}
        else:
            grant(RUN, holder, command)
            done = _("“%(name)s” may now run this command.") % {"name": name}
        self.log_change(request, command, done)
        messages.success(request, done)
        return back

    def _viewed(self, request: HttpRequest, object_id: str) -> AgentCommand:
        command = self._stored(unquote(object_id))
        if not self.has_view_or_change_permission(request, command):
            raise PermissionDenied
        return command

    def _stored(self, object_id: str) -> AgentCommand:
        is_key = object_id.isascii() and object_id.isdecimal() and len(object_id) < LONGEST_KEY
        command = declared_commands().filter(pk=object_id).first() if is_key else None
        if command is None:
            raise Http404
        return command

    def _address(self, command: AgentCommand) -> str:
        return reverse(f"{self.admin_site.name}:page_commands_agentcommand_change", args=[command.pk])


def whole_of(request: HttpRequest) -> Whole:
    """Return what holds the form and the rows of this request together."""
    whole: Whole = request.__dict__.setdefault("page_commands_whole", Whole())
    return whole


def _names(people: QuerySet[Any]) -> list[str]:
    return list(people.values_list(name_field(), flat=True)[:MOST_SUGGESTED])
