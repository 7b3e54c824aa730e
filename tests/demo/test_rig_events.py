"""The list of another shape: its own door and arguments, and a rig that is no oracle where its well is withheld."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from guardian.models import UserObjectPermission

from project.demo.drilling.models import RigEvent, Well

pytestmark = pytest.mark.django_db

SignedIn = Callable[[str], Client]

DOCUMENT = """
query ($filters: [ForeignFilter!], $pagination: ForeignPagination, $sortings: [ForeignSorting!], $search: String) {
  rigEvents(filters: $filters, pagination: $pagination, sortings: $sortings, search: $search) {
    page { events { id at rig { name } kind minutes } }
    count
  }
}
"""


def ask(client: Client, **variables: Any) -> dict[str, Any]:
    response = client.post("/graphql", {"query": DOCUMENT, "variables": variables}, "application/json")
    answer: dict[str, Any] = response.json()
    return answer


def read(client: Client, **variables: Any) -> dict[str, Any]:
    answer = ask(client, **variables)
    assert "errors" not in answer, answer
    found: dict[str, Any] = answer["data"]["rigEvents"]
    return found


def events(client: Client, **variables: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read(client, **variables)["page"]["events"]
    return found


def where(name: str, operator: str, value: Any) -> dict[str, Any]:
    return {"filters": [{"name": name, "operator": operator, "value": value}]}


@pytest.mark.parametrize("name", ["analyst", "guest"])
def test_its_door_is_its_own(signed_in: SignedIn, name: str) -> None:
    answer = ask(signed_in(name))
    assert [error["message"] for error in answer["errors"]] == ["These are not yours to view."]
    assert not answer["data"]


def test_pages_hold_every_event_once(signed_in: SignedIn) -> None:
    client = signed_in("admin")
    found = read(client)
    assert found["count"] == RigEvent.objects.count()
    pages = range(1, -(-found["count"] // 200) + 1)
    ids = [one["id"] for page in pages for one in events(client, pagination={"page": page, "limit": 200})]
    assert sorted(map(int, ids)) == list(RigEvent.objects.order_by("pk").values_list("pk", flat=True))


def test_it_filters_by_each_of_its_fields(signed_in: SignedIn) -> None:
    client, every = signed_in("admin"), list(RigEvent.objects.select_related("well"))
    cases: list[tuple[dict[str, Any], Callable[[RigEvent], bool]]] = [
        (where("id", "eq", "7"), lambda one: one.pk == 7),
        (where("kind", "eq", "KICK"), lambda one: one.kind == "KICK"),
        (where("minutes", "gte", 500.5), lambda one: one.minutes >= Decimal("500.5")),
        (where("rig.name", "contains", "celle"), lambda one: "Celle" in one.well.name),
        (where("at", "gte", "2026-01-01"), lambda one: one.at.isoformat() >= "2026-01-01"),
        (where("at", "lte", "2026-01-01"), lambda one: one.at.date().isoformat() <= "2026-01-01"),
        ({"search": "stuck"}, lambda one: one.kind == "STUCK"),
    ]
    for variables, fits in cases:
        assert read(client, **variables)["count"] == sum(map(fits, every)), variables


def test_it_sorts(signed_in: SignedIn) -> None:
    shown = events(signed_in("admin"), sortings=[{"name": "minutes", "desc": True}])
    minutes = [Decimal(one["minutes"]) for one in shown]
    assert minutes == sorted(RigEvent.objects.values_list("minutes", flat=True), reverse=True)[:200]


def test_a_withheld_well_names_no_rig(signed_in: SignedIn) -> None:
    client, clerk = signed_in("clerk"), User.objects.get(username="clerk")
    granted = UserObjectPermission.objects.filter(user=clerk, permission__codename="view_well")
    keys = [int(grant.object_pk) for grant in granted]
    names = set(Well.objects.filter(pk__in=keys).values_list("name", flat=True))
    assert 0 < len(names) < Well.objects.count()
    shown = {one["rig"]["name"] if one["rig"] else None for one in events(client)}
    assert shown == {*names, None}
    hidden = Well.objects.exclude(name__in=names).first()
    assert hidden
    assert hidden.rigevent_set.exists()
    assert read(client, **where("rig.name", "eq", hidden.name))["count"] == 0
    assert read(client, search=hidden.name)["count"] == 0
    ordered = [one["rig"] for one in events(client, sortings=[{"name": "rig.name", "desc": False}])]
    rigs = [rig["name"] for rig in ordered if rig]
    assert rigs == sorted(rigs)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (where("well__name", "eq", "x"), "There is no field 'well__name'"),
        (where("kind", "regex", ".*"), "There is no operator 'regex'"),
        (where("at", "gte", "banana"), "The value of 'at' cannot be read."),
        (where("minutes", "gte", "NaN?"), "The value of 'minutes' cannot be read."),
        (where("id", "eq", "x"), "The value of 'id' cannot be read."),
        ({"sortings": [{"name": "password"}]}, "There is no field 'password'"),
        ({"pagination": {"page": 0, "limit": 10}}, "Pages are counted from 1"),
        ({"pagination": {"page": 1, "limit": 1000}}, "Pages are counted from 1"),
    ],
)
def test_what_it_cannot_read_is_said(signed_in: SignedIn, variables: dict[str, Any], said: str) -> None:
    answer = ask(signed_in("admin"), **variables)
    assert said in answer["errors"][0]["message"]
    assert not answer["data"]
