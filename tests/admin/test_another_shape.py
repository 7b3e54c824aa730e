"""A list of another shape: declared by its GraphQL document, or refused with what would fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from guardian.shortcuts import assign_perm

from project.demo.drilling.models import RigEvent
from read_targets.declaration.soundness import problems_of
from read_targets.models import ReadTarget

from .pages import ADD, CHANGE, fields_of, new_row, text_of_page

SignedIn = Callable[[str], Client]

WHOLE = f"{ADD}?shape=other&key=drilling.rig-events"

HEAD = (
    "query ($filters: [ForeignFilter!], $pagination: ForeignPagination, $sortings: [ForeignSorting!], $search: String)"
)
ARGUMENTS = "filters: $filters, pagination: $pagination, sortings: $sortings, search: $search"
ROWS = "page { events { id at rig { name } kind minutes } }"
DOCUMENT = f"{HEAD} {{ rigEvents({ARGUMENTS}) {{ {ROWS} count }} }}"

TARGET = {
    "key": "drilling.rig-events",
    "list_query": "",
    "enabled": "on",
    "document": DOCUMENT,
    "rows_path": "rigEvents.page.events",
    "total_path": "rigEvents.count",
    "door_permission": "drilling.view_rigevent",
    "search_hint": "kind, rig",
    "order": "-at",
}


def whole(client: Client, **said: str) -> HttpResponse:
    """Declare the rig events by the whole form, saying some things otherwise."""
    fields: dict[str, Any] = {**fields_of(client.get(WHOLE)), **TARGET, **said}
    for position, (name, path, kind) in enumerate(
        [("at", "", "date"), ("rig", "rig.name", "string"), ("kind", "", "string"), ("minutes", "", "number")]
    ):
        row = {"name": name, "path": path, "kind": kind, "position": str(position)}
        fields = new_row(fields, "columns", **row, **({"total": "on"} if name == "minutes" else {}))
    condition = {"name": "from", "kind": "date", "position": "0", "field_1": "at", "operator_1": "gte"}
    fields = new_row(fields, "criteria", **condition)
    return client.post(WHOLE, fields)  # type: ignore[return-value]


def test_it_is_declared_and_can_be_edited(signed_in: SignedIn) -> None:
    client = signed_in("admin")
    assert whole(client).status_code == 302
    target = ReadTarget.objects.get(key="drilling.rig-events")
    assert (target.list_query, target.is_foreign) == ("rigEvents", True)
    assert problems_of(target) == []
    page = client.get(CHANGE.format(target.pk))
    for path in ("at", "rig.name", "kind", "minutes"):
        assert f'<option value="{path}"' in text_of_page(page)
    response = client.post(CHANGE.format(target.pk), fields_of(page))
    assert response.status_code == 302
    assert problems_of(ReadTarget.objects.get(pk=target.pk)) == []


def test_it_is_queried_and_previewed(
    signed_in: SignedIn, agent: Callable[..., Any], person: Callable[[str], Any]
) -> None:
    client = signed_in("admin")
    whole(client)
    target = ReadTarget.objects.get(key="drilling.rig-events")
    assign_perm("read_targets.query_readtarget", person("clerk"), target)
    answer = agent("clerk").answer("queryDrillingRigEvents")
    assert answer["outcome"] in ("READY", "PARTIAL")
    response = client.post(CHANGE.format(target.pk).replace("change", "preview"), {"person": "clerk"})
    html = text_of_page(response)
    assert "queryDrillingRigEvents" in html
    newest = RigEvent.objects.order_by("-at", "pk")[0]
    assert f'<th scope="row">{newest.pk}</th>' in html


WRONG: list[tuple[dict[str, str], str]] = [
    ({"document": "query {"}, "It is no GraphQL: Syntax Error"),
    ({"document": DOCUMENT.replace("kind", "colour")}, "The schema refuses it: Cannot query field"),
    ({"document": "mutation { me }"}, "It is a mutation; only a query reads."),
    ({"document": f"{DOCUMENT} query Other {{ me }}"}, "It holds 2 operations; it must hold one query."),
    ({"document": f"{DOCUMENT[:-1]} me }}"}, "It reads rigEvents, me. A target reads one list."),
    (
        {"document": DOCUMENT.replace("$search: String", "$words: String").replace("$search", "$words")},
        "Nobody fills in $words. It can be given $filters, $pagination, $sortings, $search.",
    ),
    (
        {"document": DOCUMENT.replace("$search: String", "$search: String!")},
        "It demands $search, which is not always given.",
    ),
    (
        {
            "document": DOCUMENT.replace("$filters: [ForeignFilter!], ", "").replace("filters: $filters, ", ""),
        },
        "It does not declare $filters, through which it is asked.",
    ),
    (
        {"document": DOCUMENT.replace(", $search: String", "").replace(", search: $search", "")},
        "The list searches nothing.",
    ),
    ({"document": DOCUMENT.replace("{ id at", "{ at")}, "The rows say no id."),
    ({"rows_path": "rigEvents.items"}, "selects nothing at “rigEvents.items”. Lists are at rigEvents.page.events."),
    ({"rows_path": "rigEvents.page"}, "At “rigEvents.page” there is no list."),
    ({"rows_path": ""}, "selects nothing at “”."),
    ({"total_path": "rigEvents.total"}, "selects nothing at “rigEvents.total”."),
    ({"total_path": "rigEvents.page"}, "At “rigEvents.page” there is no whole number."),
    ({"door_permission": ""}, "A list of another shape names the permission that opens it."),
    ({"door_permission": "drilling.view_nothing"}, "There is no permission “drilling.view_nothing”."),
    ({"door_permission": "drilling"}, "There is no permission “drilling”."),
]


@pytest.mark.parametrize(("said", "reason"), WRONG)
def test_what_cannot_be_read_is_refused_with_what_would_fit(
    signed_in: SignedIn, said: dict[str, str], reason: str
) -> None:
    response = whole(signed_in("admin"), **said)
    assert response.status_code == 200
    assert reason in text_of_page(response)
    assert not ReadTarget.objects.filter(key="drilling.rig-events").exists()


@pytest.mark.parametrize(
    ("name", "field", "value", "reason"),
    [
        ("rig", "path", "rig.owner", "The list does not show “rig.owner”. It shows id, at, rig.name, kind, minutes."),
        ("at", "kind", "boolean", "“at” is not of the type boolean. Choose the type date."),
        ("minutes", "kind", "date", "“minutes” is not of the type date. Choose the type number."),
    ],
)
def test_columns_are_what_the_document_selects(
    signed_in: SignedIn, name: str, field: str, value: str, reason: str
) -> None:
    client = signed_in("admin")
    whole(client)
    target = ReadTarget.objects.get(key="drilling.rig-events")
    fields = fields_of(client.get(CHANGE.format(target.pk)))
    number = list(target.columns.values_list("name", flat=True)).index(name)
    response = client.post(CHANGE.format(target.pk), {**fields, f"columns-{number}-{field}": value})
    assert reason in text_of_page(response)
    assert target.columns.get(name="rig").path == "rig.name"


def test_fragments_are_looked_through(signed_in: SignedIn) -> None:
    fragment = f"{HEAD} {{ rigEvents({ARGUMENTS}) {{ ...Events count }} }} fragment Events on RigEvents {{ {ROWS} }}"
    assert whole(signed_in("admin"), document=fragment).status_code == 302


def test_other_names_in_the_answer_are_the_paths(signed_in: SignedIn) -> None:
    document = DOCUMENT.replace("{ rigEvents(", "{ all: rigEvents(")
    response = whole(signed_in("admin"), document=document, rows_path="all.page.events", total_path="all.count")
    assert response.status_code == 302
    assert ReadTarget.objects.get(key="drilling.rig-events").list_query == "rigEvents"
