"""A screen of the application for one of its lists: conditions in the address, sorting, paging.

It asks the list as every other door does, so that a person sees here what an agent was told.
"""

import datetime as dt
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.text import capfirst
from django.views import View
from django.views.decorators.cache import cache_control

from read_targets.cards.parts import Cell
from read_targets.cards.values import shown_value
from read_targets.declaration.naming import label_of
from read_targets.declaration.routes import leads_somewhere
from read_targets.lists import ListPath, Row, get_list, plain
from read_targets.lists.leafing import Leaf, read_leaf
from read_targets.lists.paging import END
from read_targets.policies import access_of
from read_targets.preferences import as_person, zone_of

from .address import Address, conditions_taken

ROWS_A_PAGE = 25


@dataclass(frozen=True)
class Header:
    """The head of a column: what it is called, and the address that sorts by it."""

    label: str
    kind: str
    address: str = ""
    direction: str = ""


@method_decorator(cache_control(private=True, no_store=True), name="dispatch")
class ListScreen(LoginRequiredMixin, View):
    """The screen of the list `list_name`, for people who may view at least one of its rows."""

    http_method_names = ["get", "head", "options"]
    list_name = ""

    @property
    def takes(self) -> list[str]:
        """The query arguments by which the list can be narrowed down, for whoever declares that an agent may."""
        return conditions_taken(get_list(self.list_name))

    def get(self, request: HttpRequest) -> HttpResponse:
        """Answer the page; 403 without the list's door, 400 for an address that cannot be read."""
        definition = get_list(self.list_name)
        access = access_of(request.user)
        if not access.has_door(definition):
            raise PermissionDenied
        with as_person(request.user):
            address = Address(definition, request.GET, request.user.pk)
            start = f"{definition.model._meta.app_label}:start"
            context: dict[str, Any] = {
                "title": capfirst(definition.model._meta.verbose_name_plural),
                "start": reverse(start) if leads_somewhere(start) else "",
                "app": definition.model._meta.app_config.verbose_name,
                "address": address,
                "fields": [(field, request.GET.get(field.name, "")) for field in address.fields.values()],
                "query": request.GET,
            }
            if not address.problems:
                question = replace(address.question, zone=zone_of(request.user))
                leaf = read_leaf(definition, question, access, number=address.page, size=ROWS_A_PAGE)
                context |= _listed(address, leaf)
            return render(request, "demo/list.html", context, status=400 if address.problems else 200)


def _listed(address: Address, leaf: Leaf) -> dict[str, Any]:
    """What the template shows of a page."""
    paths = [address.definition.path(path) for path in address.definition.shown or ()]
    page = leaf.page
    return {
        "total": leaf.total,
        "counted_at": None if leaf.is_counted_now else dt.datetime.fromtimestamp(leaf.counted_at, dt.UTC),
        "headers": [_header(address, path) for path in paths],
        "rows": [[cell_of(row, path) for path in paths] for row in page.rows],
        "last_page": leaf.last,
        "first": address.turned() if page.is_before or not page.rows else "",
        "before": address.turned_to(leaf.back, before=leaf.carried(page.before)) if page.is_before else "",
        "after": address.turned_to(leaf.number + 1, after=leaf.carried(page.after)) if page.is_after else "",
        "last": address.turned_to(leaf.last, before=leaf.carried(END)) if page.is_after else "",
    }


def _header(address: Address, path: ListPath) -> Header:
    order = next((one for one in address.order if one.path == path.path), None)
    direction = "" if order is None else "descending" if order.descending else "ascending"
    turned = "-" if direction == "ascending" else ""
    is_sorted = path.path in (address.definition.sorted or ())
    return Header(
        label=capfirst(label_of(address.definition, path)),
        kind=path.kind,
        address=address.turned(sort=f"{turned}{path.path}") if is_sorted else "",
        direction=direction,
    )


def cell_of(row: Row, path: ListPath) -> Cell:
    """Return the value of a row at a path, as the person who reads it may see it."""
    if path.path in row.withheld:
        return Cell(path.kind, "", is_withheld=True)
    value = row.values[path.path]
    raw = plain(value, timezone.get_current_timezone())
    text = shown_value(raw, path.kind)
    if path.kind == "enum":
        text = str(dict(path.field.flatchoices).get(value, text))
    return Cell(path.kind, text, raw, is_null=value is None)
