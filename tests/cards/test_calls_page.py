"""What my agents did: a person's own calls in their words, and nobody else's."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from read_targets.agent.models import AgentDoors
from read_targets.cards.calls import CALLS_A_PAGE, OUTCOMES
from read_targets.models import Card, Preference, ReadTarget, ToolCall

TOOL = "queryLedgerCashTransactions"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def shown(browser: Client, path: str = "/desk/calls") -> str:
    """The page as text, its spaces made one."""
    response = browser.get(path)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def wrote(user: User, tool: str = TOOL, **fields: Any) -> ToolCall:
    """Write a call to the log."""
    return ToolCall.objects.create(user=user, **{"tool": tool, "outcome": "READY", "milliseconds": 1, **fields})


def places(browser: Client, path: str = "/desk/calls") -> tuple[list[str], str]:
    """The tools on the page in its order, and the address of the page behind it."""
    text = shown(browser, path)
    older = re.search(r'href="(\?before=[^"]+)"', text)
    return re.findall(r'<p title="([^"]+)">', text), f"/desk/calls{older[1]}" if older else ""


def test_the_person_sees_what_was_asked_in_their_name(desk: Client, clerk: User, agent: Any, person: Any) -> None:
    agent("clerk").call(TOOL, flow="EXPENSE", **{"from": "2026-10-01"})
    agent("clerk").call("queryNothing")
    agent("analyst").call("queryLedgerAccounts")
    wrote(clerk, "x", previewed_by=person("admin"))
    wrote(clerk, "y")
    text = shown(desk)
    assert "Cash transactions" in text
    assert "<span>Flow</span> <b><bdi>EXPENSE</bdi></b>" in text
    assert "<b><bdi>Oct. 1, 2026</bdi></b>" in text
    assert "test agent" in text
    assert "there is no such tool for you" in text
    assert "preview by admin" in text
    assert "yourself" in text
    assert "queryLedgerAccounts" not in text


def test_it_is_linked_from_the_desk(desk: Client) -> None:
    assert 'href="/desk/calls" class="aside">What my agents did</a>' in shown(desk, "/desk/")


def test_words_are_shown_where_they_are_kept(desk: Client, clerk: User, agent: Any) -> None:
    agent("clerk").call(TOOL, text="rent & more")
    assert "<span>words</span> <i>not kept</i>" in shown(desk)
    AgentDoors.objects.update_or_create(pk=1, defaults={"keeps_words": True})
    agent("clerk").call(TOOL, text="rent & more")
    assert "<span>words</span> <b><bdi>rent &amp; more</bdi></b>" in shown(desk)


@pytest.mark.parametrize(
    ("language", "title", "outcome", "moment"),
    [
        ("de", "Was meine Agenten getan haben", "Abgelehnt", "30. November 2026 21:00"),
        ("ko", "내 에이전트가 한 일", "거부됨", "2026년 11월 30일 9:00 오후"),
    ],
)
def test_it_speaks_the_persons_language_and_zone(
    desk: Client, clerk: User, language: str, title: str, outcome: str, moment: str
) -> None:
    Preference.objects.create(user=clerk, language=language, time_zone="Asia/Seoul")
    wrote(clerk, outcome="REJECTED", at=NOON, conditions=[{"name": "flow", "value": "INCOME"}])
    text = shown(desk)
    assert f"<h1>{title}</h1>" in text
    assert f">{outcome}</span>" in text
    assert moment in text
    label = ReadTarget.objects.get(key="ledger.cash-transactions").label[language]
    assert f'<p title="{TOOL}">{label}</p>' in text


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_has_words(desk: Client, clerk: User, outcome: str) -> None:
    wrote(clerk, outcome=outcome)
    assert f'<span class="outcome is-{outcome.lower()}">{OUTCOMES[outcome]}</span>' in shown(desk)


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        (
            [{"name": "command", "value": "factory.select_tenant"}],
            "<span>command</span> <b><bdi>Select tenant</bdi></b>",
        ),
        ([{"name": "command", "value": "factory.gone"}], "<b><bdi>factory.gone</bdi></b>"),
        ([{"name": "input", "type": "factory.tenant", "value": "17"}], "<b><bdi>tenant 17</bdi></b>"),
        ([{"name": "input", "type": "gone.model", "value": "17"}], "<b><bdi>gone.model 17</bdi></b>"),
        ([{"name": "account", "value": "xxx", "cut": True}], "<b><bdi>xxx…</bdi></b>"),
        ([{"more": 4}], "<span>and more</span> <b><bdi>4</bdi></b>"),
        ([{"name": "gone", "value": "<script>"}], "<span>gone</span> <b><bdi>&lt;script&gt;</bdi></b>"),
    ],
    ids=["command", "gone command", "object", "gone type", "cut", "more", "strange"],
)
def test_conditions_are_told_readably(desk: Client, clerk: User, conditions: list[Any], said: str) -> None:
    wrote(clerk, "runPageCommand", conditions=conditions)
    assert said in shown(desk)


@pytest.mark.parametrize("conditions", [{}, ["x"], [{}]], ids=["object", "text", "empty"])
def test_what_is_no_condition_breaks_nothing(desk: Client, clerk: User, conditions: Any) -> None:
    wrote(clerk, conditions=conditions)
    assert TOOL in shown(desk)


def test_a_button_is_called_as_its_command_is(desk: Client, clerk: User) -> None:
    entries = [{"name": "command", "value": "factory.select_tenant"}, {"name": "input", "type": "x.y", "value": "17"}]
    wrote(clerk, "click.select_tenant", conditions=entries)
    text = shown(desk)
    assert '<p title="click.select_tenant">Select tenant</p>' in text
    assert "<span>command</span>" not in text
    assert "<span>object</span> <b><bdi>x.y 17</bdi></b>" in text


def test_a_year_is_no_amount(desk: Client, clerk: User) -> None:
    entries = [{"name": "year", "value": 2026}, {"name": "minAmount", "value": "1000.50"}]
    wrote(clerk, conditions=entries)
    text = shown(desk)
    assert "<bdi>2026</bdi>" in text
    assert "<bdi>1,000.50</bdi>" in text


def test_pages_follow_each_other_without_a_gap_or_a_double(desk: Client, clerk: User) -> None:
    count = 2 * CALLS_A_PAGE + 3
    # Many of one moment: what comes first among them is settled by their ids.
    ToolCall.objects.bulk_create(
        ToolCall(user=clerk, tool=f"tool{n}", outcome="READY", milliseconds=1, at=NOON - timedelta(seconds=n // 20))
        for n in range(count)
    )
    first, behind = places(desk)
    wrote(clerk, "came meanwhile", at=NOON + timedelta(hours=1))
    second, behind = places(desk, behind)
    third, behind = places(desk, behind)
    assert (len(first), len(second), len(third), behind) == (CALLS_A_PAGE, CALLS_A_PAGE, 3, "")
    assert {*first, *second, *third} == {f"tool{n}" for n in range(count)}
    assert "came meanwhile" in places(desk)[0]


def test_a_page_costs_the_same_few_statements(desk: Client, clerk: User) -> None:
    wrote(clerk)
    shown(desk)
    with CaptureQueriesContext(connection) as few:
        shown(desk)
    for n in range(20):
        wrote(clerk, f"tool{n}")
    with CaptureQueriesContext(connection) as many:
        shown(desk)
    assert len(many) == len(few)


@pytest.mark.parametrize("place", ["x", "1-2", "-", "1-" + "g" * 32, "9" * 18 + "-" + "0" * 32, "1-" + "A" * 32])
def test_what_is_no_place_is_not_there(desk: Client, place: str) -> None:
    assert desk.get("/desk/calls", {"before": place}).status_code == 404


def test_the_place_of_somebody_elses_call_shows_ones_own(desk: Client, clerk: User, person: Any) -> None:
    other = wrote(person("analyst"), "theirs", at=NOON)
    wrote(clerk, "mine", at=NOON - timedelta(seconds=1))
    place = f"{int(NOON.timestamp()) * 1_000_000}-{other.pk.hex}"
    assert places(desk, f"/desk/calls?before={place}") == (["mine"], "")
    nobodys = f"{int(NOON.timestamp()) * 1_000_000}-{uuid.uuid4().hex}"
    assert places(desk, f"/desk/calls?before={nobodys}") == (["mine"], "")


def test_a_call_leads_to_its_card(desk: Client, clerk: User, agent: Any) -> None:
    agent("clerk").call("openLedgerCashTransactionsScreen", flow="INCOME")
    card = Card.objects.get()
    address = f"/desk/cards/{card.pk}"
    assert f'<a href="{address}">Its card</a>' in shown(desk)
    assert f'id="card-{card.pk}"' in shown(desk, address)
    card.delete()
    assert "Its card" not in shown(desk)
    assert desk.get(address).status_code == 404


@pytest.mark.parametrize("slash", ["", "/"])
def test_a_card_of_somebody_else_is_not_there(desk: Client, agent: Any, slash: str) -> None:
    agent("analyst").call("openLedgerCashTransactionsScreen", flow="INCOME")
    told = [desk.get(f"/desk/cards/{key}{slash}") for key in (Card.objects.get().pk, uuid.uuid4())]
    assert [one.status_code for one in told] == [404, 404]
    theirs, nobodys = (re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", one.content.decode()) for one in told)
    assert theirs == nobodys


def test_nobody_signed_in_is_led_to_sign_in(client: Client, db: None) -> None:
    for path in ("/desk/calls", f"/desk/cards/{uuid.uuid4()}"):
        assert client.get(path)["Location"].startswith("/accounts/login/")
