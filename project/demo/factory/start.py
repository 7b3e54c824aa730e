"""The pages of the factory beside its lists: its start page, the preview of a project, the form of a connection."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views import View

from project.demo.screens import Header, cell_of
from read_targets.cards.parts import Cell
from read_targets.declaration.naming import kebab, label_of
from read_targets.lists import ListDefinition, Question, ask, get_list, writing
from read_targets.policies import access_of, permits, permitted
from read_targets.preferences import as_person, zone_of

from .connecting import VIEW_TENANT, ConnectionForm, connect, may_connect
from .models import Conversation, Project, Tenant

VIEW_PROJECT = "factory.view_project"
VIEW_CONVERSATION = "factory.view_conversation"
SHOWN = 8

COLUMNS = {
    "conversations": ("title", "project.name", "state"),
    "tenants": ("name", "status", "archived"),
    "projects": ("name", "tenant.name", "started"),
}
"""The lists of the start page, and what it shows of each."""

COMMANDS = {"conversations": "show_conversation", "tenants": "select_tenant"}
"""The commands of the page that have a button in each row of a list."""


@dataclass(frozen=True)
class ListRow:
    """A record of a short list: its key, its values, and the address of its own page, if it has one."""

    id: str
    cells: list[Cell]
    address: str


@dataclass(frozen=True)
class ShortList:
    """The first records of a list, in its own order; `total` is how many the person may view."""

    name: str
    title: str
    address: str
    total: int | None
    command: str
    headings: list[Header]
    rows: list[ListRow]


class StartPage(LoginRequiredMixin, View):
    """Where a person of the factory begins: what they may view, and a page on which agents may do things."""

    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Answer the page; 403 for a person to whom none of its lists is open."""
        with as_person(request.user):
            lists = [_short_list(request.user, name) for name in COLUMNS if _is_open(request.user, name)]
            if not lists:
                raise PermissionDenied
            return render(request, "demo/factory/start.html", {"lists": lists})


class ProjectPreview(LoginRequiredMixin, View):
    """One project, and its conversations."""

    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the page; 404 alike for a project that is not there and one that the person may not view."""
        project = permitted(request.user, VIEW_PROJECT, Project.objects.select_related("tenant").filter(pk=pk)).first()
        if project is None:
            raise Http404
        # By its key, which the list of conversations has no condition for.
        talks = permitted(request.user, VIEW_CONVERSATION, Conversation.objects.filter(project=project))
        shown = {
            "project": project,
            "tenant": project.tenant if permits(request.user, VIEW_TENANT, project.tenant) else None,
            "conversations": talks.order_by("-started_at", "pk")[:SHOWN],
        }
        with as_person(request.user):
            return render(request, "demo/factory/project.html", shown)


class Connect(LoginRequiredMixin, View):
    """The form of a tenant's new git connection, on a page of its own and as the fragment that a command shows."""

    http_method_names = ["get", "head", "options", "post"]

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer the empty form."""
        tenant = _tenant(request, pk)
        with as_person(request.user):
            return _form_page(request, tenant, ConnectionForm())

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Make the connection and go to the start page; or answer the form with what is wrong in it, and 400."""
        tenant = _tenant(request, pk)
        with as_person(request.user):
            form = ConnectionForm(request.POST)
            if form.is_valid():
                try:
                    with writing():
                        made = connect(request.user, tenant, form.cleaned_data["url"])
                except ValidationError as wrong:
                    form.add_error("url", wrong.messages)
                else:
                    said = _("%(tenant)s is connected to %(url)s.") % {"tenant": tenant.name, "url": made.url}
                    messages.success(request, said)
                    return redirect("factory:start")
            return _form_page(request, tenant, form, status=400)


def _tenant(request: HttpRequest, pk: int) -> Tenant:
    """The tenant; 404 where the person may not view it, 403 where they may not connect it."""
    tenant: Tenant | None = permitted(request.user, VIEW_TENANT, Tenant.objects.filter(pk=pk)).first()
    if tenant is None:
        raise Http404
    if not may_connect(request.user):
        raise PermissionDenied
    return tenant


def _form_page(request: HttpRequest, tenant: Tenant, form: ConnectionForm, status: int = 200) -> HttpResponse:
    shown = {"tenant": tenant, "form": form, "may_connect": True}
    return render(request, "demo/factory/connect.html", shown, status=status)


def _is_open(user: Any, name: str) -> bool:
    return access_of(user).has_door(get_list(name))


def _short_list(user: Any, name: str) -> ShortList:
    """The first rows of a list as the person may view them, asked as its screen asks it."""
    definition = get_list(name)
    paths = [definition.path(path) for path in COLUMNS[name]]
    question = Question(shown=COLUMNS[name], limit=SHOWN, zone=zone_of(user))
    answer = ask(definition, question, access_of(user))
    return ShortList(
        name=name,
        command=COMMANDS.get(name, ""),
        title=capfirst(str(definition.model._meta.verbose_name_plural)),
        address=reverse(f"factory:{kebab(name)}"),
        total=answer.total,
        headings=[Header(capfirst(label_of(definition, path)), path.kind) for path in paths],
        rows=[
            ListRow(str(row.id), [cell_of(row, path) for path in paths], _address(definition, row.id))
            for row in answer.rows
        ],
    )


def _address(definition: ListDefinition, key: Any) -> str:
    """The page of one record; only projects have one."""
    return reverse("factory:project-preview", args=[key]) if definition.model is Project else ""
