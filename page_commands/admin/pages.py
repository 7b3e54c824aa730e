"""Pages in the admin: their channels and views, and whether what is declared on them works."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..declaration.soundness import problems_of, problems_of_page
from ..models import Page, PageSession, declared_commands
from .commands import whole_of
from .forms import PageForm
from .inlines import ChannelInline, ViewInline


@admin.register(Page)
class PageAdmin(admin.ModelAdmin):
    """The pages of the application that agents may act on."""

    form = PageForm
    inlines = (ChannelInline, ViewInline)
    change_form_template = "page_commands/admin/page.html"
    list_display = ("key", "label_text", "command_count", "state", "enabled")
    list_filter = ("enabled",)
    search_fields = ("key", "description")
    fields = ("key", "template_tag", "enabled", "label", "description")
    readonly_fields = ("template_tag",)
    save_as = True

    class Media:
        css = {"all": ("read_targets/admin/targets.css", "page_commands/admin.css")}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Page]:
        """The pages with their rows, since the list says of each whether it works."""
        pages = Page.objects.prefetch_related("channels", "views")
        return pages.annotate(number_of_commands=Count("commands")).order_by("key")

    @admin.display(description=gettext_lazy("label"))
    def label_text(self, page: Page) -> str:
        """The label in the admin's language."""
        return str(page)

    @admin.display(description=gettext_lazy("commands"))
    def command_count(self, page: Any) -> int:
        """How many commands it has."""
        return int(page.number_of_commands)

    @admin.display(description=gettext_lazy("state"))
    def state(self, page: Page) -> str:
        """Whether all of the page works, else what does not."""
        problems = problems_of_page(page)
        if problems:
            return str(problems[0])
        return _("works") if page.enabled else _("switched off")

    @admin.display(description=gettext_lazy("template tag"))
    def template_tag(self, page: Page) -> str:
        """What makes a template the page: to be copied."""
        if not page.key:
            return _("named after the key")
        return format_html("<code>{}</code>", f'{{% load page_commands %}}{{% live_page "{page.key}" %}}')

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """The form, which is valid only together with the rows of the same request."""
        whole = whole_of(request)
        whole.page = obj
        form = type("PageForm", (PageForm,), {"whole": whole, "__module__": __name__})
        return super().get_form(request, obj, change, **{"form": form, **kwargs})

    def get_formset_kwargs(self, request: HttpRequest, obj: Any, inline: Any, prefix: str) -> dict[str, Any]:
        """Let the rows of one request be checked together with the form."""
        return {**super().get_formset_kwargs(request, obj, inline, prefix), "whole": whole_of(request)}

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Store the rows, and say which commands no longer work with them."""
        super().save_related(request, form, formsets, change)
        for command in declared_commands().filter(page=form.instance, enabled=True):
            problems = problems_of(command)
            if problems:
                said = {"command": command, "problem": problems[0]}
                messages.warning(request, _("The command “%(command)s” is no longer offered: %(problem)s") % said)

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add to a stored page what is wrong with it, and its commands."""
        stored = context.get("original")
        if stored is not None:
            page = Page.objects.prefetch_related("channels", "views").get(pk=stored.pk)
            commands = declared_commands().filter(page=page)
            context |= {
                "problems": problems_of_page(page),
                "commands": [(command, problems_of(command, in_database=False)) for command in commands],
                "may_add_command": request.user.has_perm("page_commands.add_agentcommand"),
                "may_view_commands": request.user.has_perm("page_commands.view_agentcommand")
                or request.user.has_perm("page_commands.change_agentcommand"),
            }
        return super().render_change_form(request, context, *args, **kwargs)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Let open tabs of a page go with it: that nobody may delete one by itself is no reason to keep the page."""
        to_delete, counts, missing, protected = super().get_deleted_objects(objs, request)
        return to_delete, counts, missing - {PageSession._meta.verbose_name}, protected
