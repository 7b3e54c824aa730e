"""Read targets in the admin: declared by a short form, looked at as a person, granted from the same page."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

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

from ..declaration.soundness import problems_of
from ..doors import declared
from ..models import ReadTarget
from ..policies import GRANT, PREVIEW, QUERY, permits
from ..policies.eyes import access_person, people_for
from ..policies.grants import grant, grants_on, holder_of, name_field, revoke
from .choices import OTHER_SHAPE
from .forms import AddListForm, ReadTargetForm
from .inlines import ColumnInline, CriterionInline, GoalInline, ScreenParameterInline
from .preview import preview
from .readers import readers_of
from .row_formsets import Page

MOST_SUGGESTED = 200
"""Names that an input suggests; others are typed."""


@admin.register(ReadTarget)
class ReadTargetAdmin(admin.ModelAdmin):
    """The lists that agents may read."""

    form = ReadTargetForm
    inlines = (ColumnInline, GoalInline, CriterionInline, ScreenParameterInline)
    change_list_template = "read_targets/admin/targets.html"
    change_form_template = "read_targets/admin/target.html"
    add_form_template = "admin/change_form.html"
    list_display = ("key", "label_text", "list_query", "state", "enabled")
    list_filter = ("enabled",)
    search_fields = ("key", "list_query", "model_name", "description", "tags")
    readonly_fields = ("tools",)
    save_as = True
    short_fieldsets = (
        (
            None,
            {
                "fields": ("list_query", "key"),
                "description": gettext_lazy(
                    "Columns, conditions, search, order and screen are proposed from the list; you change them on the "
                    "next page. Nobody can query the list until you grant it."
                ),
            },
        ),
    )
    whole_fieldsets = (
        (None, {"fields": ("key", "list_query", "enabled", "tools", "label")}),
        (gettext_lazy("For the model"), {"fields": ("model_name", "description", "short_description", "tags")}),
        (gettext_lazy("How it is read"), {"fields": ("search_hint", "order")}),
        (gettext_lazy("The screen of the application"), {"fields": ("screen", "screen_label")}),
    )

    class Media:
        css = {"all": ("read_targets/admin/targets.css",)}

    # The list

    def get_queryset(self, request: HttpRequest) -> QuerySet[ReadTarget]:
        """The targets with their rows, since the list says of each whether it works."""
        return declared().order_by("key")

    @admin.display(description=gettext_lazy("label"))
    def label_text(self, target: ReadTarget) -> str:
        """The label in the admin's language."""
        return str(target)

    @admin.display(description=gettext_lazy("state"))
    def state(self, target: ReadTarget) -> str:
        """Whether agents are offered the target's tools, else why not."""
        problems = problems_of(target, in_database=False)
        if problems:
            return str(problems[0])
        return _("works") if target.enabled else _("switched off")

    @admin.display(description=gettext_lazy("tools"))
    def tools(self, target: ReadTarget) -> str:
        """The names of the target's tools."""
        if not target.key:
            return _("named after the key")
        names = [target.query_tool_name, *([target.screen_tool_name] if target.screen else [])]
        return ", ".join(names)

    # The form

    def get_fieldsets(self, request: HttpRequest, obj: ReadTarget | None = None) -> Any:
        """The short form for a new list, else the whole one."""
        if self._is_short(request, obj):
            return self.short_fieldsets
        is_open = obj.is_foreign if obj is not None else request.GET.get("shape") == "other"
        foreign = {
            "fields": ("document", "rows_path", "total_path", "door_permission"),
            "classes": [] if is_open else ["collapse"],
            "description": _(
                "A list that is not registered is read page by page through one GraphQL query with the variables "
                "$filters, $pagination, $sortings and $search, 1,000 rows at most."
            ),
        }
        return (*self.whole_fieldsets, (_("A list of another shape"), foreign))

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """The short form for a new list, else the whole one."""
        if self._is_short(request, obj):
            kwargs["form"] = AddListForm
        return super().get_form(request, obj, change, **kwargs)

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        """None in the short form, which proposes the rows."""
        return () if self._is_short(request, obj) else self.inlines

    def get_formset_kwargs(self, request: HttpRequest, obj: Any, inline: Any, prefix: str) -> dict[str, Any]:
        """Let the formsets of one request be checked together."""
        page = request.__dict__.setdefault("read_target_page", Page())
        return {**super().get_formset_kwargs(request, obj, inline, prefix), "page": page}

    def _is_short(self, request: HttpRequest, obj: Any) -> bool:
        return obj is None and "_saveasnew" not in request.POST and request.GET.get("shape") != "other"

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Propose a registered list; ask for the whole of a list of another shape."""
        if request.POST.get("list_query") == OTHER_SHAPE and self._is_short(request, None):
            query = urlencode({"shape": "other", "key": request.POST.get("key", "")})
            return HttpResponseRedirect(f"{request.path}?{query}")
        context = {"title": _("Add list"), **(extra_context or {})}
        return super().add_view(request, form_url, context)

    def save_model(self, request: HttpRequest, obj: ReadTarget, form: Any, change: bool) -> None:
        """Store the target, and with the short form what was proposed for it."""
        super().save_model(request, obj, form, change)
        proposal = getattr(form, "proposal", None)
        if proposal is not None:
            proposal.save(obj)

    def response_add(self, request: HttpRequest, obj: ReadTarget, post_url_continue: str | None = None) -> HttpResponse:
        """Land on the page of the new target, to look its proposal through."""
        if not self._is_short(request, None):
            return super().response_add(request, obj, post_url_continue)
        messages.success(request, _("“%(name)s” was added. Look through what is proposed.") % {"name": obj})
        return HttpResponseRedirect(self._address(obj))

    # Below the form

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add to a stored target's page what stands below its form."""
        stored = context.get("original")
        if stored is not None:
            # As it is stored, not as it was just filled in.
            context |= self._below(request, self._stored(str(stored.pk)))
        return super().render_change_form(request, context, *args, **kwargs)

    def _below(self, request: HttpRequest, target: ReadTarget) -> dict[str, Any]:
        page, readers = readers_of(target, request.GET.get("readers", 1))
        grants, grant_count = grants_on(target, QUERY)
        may_grant = permits(request.user, GRANT, target)
        people = get_user_model()._default_manager.filter(is_active=True)
        return {
            "target": target,
            "problems": problems_of(target),
            "may_preview": request.user.has_perm(PREVIEW),
            "preview_people": _names(people_for(request.user, PREVIEW)),
            "readers": readers,
            "readers_page": page,
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
            path("<path:object_id>/preview/", wrap(self.preview_view), name="read_targets_readtarget_preview"),
            path("<path:object_id>/grants/", wrap(self.grants_view), name="read_targets_readtarget_grants"),
            *super().get_urls(),
        ]

    def preview_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Look at the target as a person: 403, with nothing shown, for nobody as whom this admin may look."""
        target = self._viewed(request, object_id)
        if request.method != "POST":
            return HttpResponseRedirect(f"{self._address(target)}#preview")
        person = access_person(request.user, request.POST.get("person", "").strip(), PREVIEW)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Preview as a person"),
            "opts": self.opts,
            "original": target,
            "target": target,
            "media": self.media,
            "preview_people": _names(people_for(request.user, PREVIEW)),
            "preview": preview(target, person, request.user) if person is not None else None,
        }
        is_part = request.headers.get("HX-Request") == "true"
        template = "read_targets/admin/_preview.html" if is_part else "read_targets/admin/preview.html"
        return TemplateResponse(request, template, context, status=403 if person is None else 200)

    def grants_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Grant the target to a person or a group, or take the grant back, and log it."""
        target = self._viewed(request, object_id)
        back = HttpResponseRedirect(f"{self._address(target)}#readers")
        if request.method != "POST":
            return back
        if not permits(request.user, GRANT, target):
            raise PermissionDenied
        kind, name = request.POST.get("kind", ""), request.POST.get("name", "").strip()
        holder = holder_of(kind, name)
        said = {"name": name, "target": target}
        if holder is None:
            messages.error(request, _("There is nobody of the name “%(name)s”; nothing was changed.") % said)
            return back
        if request.POST.get("action") == "revoke":
            revoke(QUERY, holder, target)
            done = _("The grant of “%(name)s” was taken back.") % said
        else:
            grant(QUERY, holder, target)
            done = _("“%(name)s” may now query this list.") % said
        self.log_change(request, target, done)
        messages.success(request, done)
        return back

    def _viewed(self, request: HttpRequest, object_id: str) -> ReadTarget:
        target = self._stored(unquote(object_id))
        if not self.has_view_or_change_permission(request, target):
            raise PermissionDenied
        return target

    def _stored(self, object_id: str) -> ReadTarget:
        target = declared().filter(pk=object_id).first() if object_id.isascii() and object_id.isdecimal() else None
        if target is None:
            raise Http404
        return target

    def _address(self, target: ReadTarget) -> str:
        return reverse(f"{self.admin_site.name}:read_targets_readtarget_change", args=[target.pk])


def _names(people: QuerySet[Any]) -> list[str]:
    return list(people.values_list(name_field(), flat=True)[:MOST_SUGGESTED])
