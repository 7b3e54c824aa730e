"""A card that asks is decided by a person's proven click, and by nothing else; the desk says what became of it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from read_targets.agent.contract import NextAction, Refused
from read_targets.agent.tokens import create_token
from read_targets.cards import deciding
from read_targets.cards.addresses import ForeignAddress
from read_targets.cards.deciding import decider_of, register_decider, unregister_decider
from read_targets.cards.models import Card
from read_targets.cards.notices import reason_of
from read_targets.models import Preference

from .conftest import FORM, OURS, click, dismiss, nonce_in, post, question, screen

pytestmark = pytest.mark.usefixtures("stories")

Verdict = Card.Verdict


@dataclass
class Decider:
    """Decides as the test says, and remembers what it was asked."""

    verdict: str = Verdict.ACCEPTED
    refused: Refused | None = None
    asked: list[tuple[str, bool, dict[str, Any]]] = field(default_factory=list)

    def __call__(self, request: HttpRequest, card: Card, approved: bool, fields: Mapping[str, Any]) -> None:
        assert request.user == card.user
        self.asked.append((str(card.pk), approved, dict(fields.items())))
        Card.objects.filter(pk=card.pk).update(verdict=self.verdict)
        if self.refused is not None:
            raise self.refused


@pytest.fixture
def decider(monkeypatch: pytest.MonkeyPatch) -> Decider:
    one = Decider()
    monkeypatch.setitem(deciding._deciders, Card.Kind.CONFIRMATION, one)
    return one


def decide(client: Client, card: Card, decision: str, headers: dict[str, str] = OURS, **fields: str) -> Any:
    if "nonce" not in fields:
        fields["nonce"] = nonce_in(client, card.pk)
    return post(client, f"/agent/cards/{card.pk}/decide", {"decision": decision, **fields}, headers)


def verdict_of(card: Card) -> str:
    return Card.objects.get(pk=card.pk).verdict


# Deciding


@pytest.mark.parametrize(("decision", "verdict"), [("approve", Verdict.ACCEPTED), ("decline", Verdict.CANCELLED)])
def test_a_yes_or_no_goes_to_the_app_whose_card_it_is(
    desk: Client, clerk: User, decider: Decider, decision: str, verdict: str
) -> None:
    card = question(clerk)
    decider.verdict = verdict
    response = decide(desk, card, decision, session="tab-1")
    answer = response.json()
    assert (response.status_code, answer["outcome"], answer["callId"]) == (200, "READY", str(card.call))
    assert answer["state"] == {"verdict": verdict}
    assert (answer["card"]["id"], answer["card"]["kind"]) == (str(card.pk), "confirmation")
    ((asked, approved, fields),) = decider.asked
    assert (asked, approved) == (str(card.pk), decision == "approve")
    assert fields["session"] == "tab-1"


def test_what_the_app_refuses_is_the_answer(desk: Client, clerk: User, decider: Decider) -> None:
    card = question(clerk)
    decider.verdict = Verdict.REFUSED
    facts = {"executed": False, "reasons": ["Es hat sich geändert."], "language": "de"}
    decider.refused = Refused("CONFLICT", "tests.changed", "It changed.", facts=facts)
    response = decide(desk, card, "approve")
    assert (response.status_code, response.json()["code"], response.json()["reasons"]) == (
        409, "tests.changed", ["Es hat sich geändert."],
    )  # fmt: skip
    page = decide(desk, card, "approve", FORM)
    assert (page.status_code, page["Location"]) == (303, "/desk/")
    assert "Es hat sich geändert." in desk.get("/desk/").content.decode()
    assert decide(desk, card, "approve").status_code == 409


def test_a_form_is_led_back_to_the_desk(desk: Client, clerk: User, decider: Decider) -> None:
    for decision, said in (("approve", "You agreed"), ("decline", "You declined")):
        response = decide(desk, question(clerk), decision, FORM)
        assert (response.status_code, response["Location"]) == (303, "/desk/")
        assert said in desk.get("/desk/").content.decode()


@pytest.mark.parametrize("decision", ["", "yes", "APPROVE", "accept"])
def test_what_is_no_decision_is_refused_with_those_there_are(
    desk: Client, clerk: User, decider: Decider, decision: str
) -> None:
    for card, decisions in (
        (question(clerk), ["dismiss", "approve", "decline"]),
        (asked_of(screen(clerk)), ["dismiss"]),
    ):
        answer = decide(desk, card, decision).json()
        assert answer["params"]["decision"]["values"] == decisions
        assert verdict_of(card) == Verdict.WAITING
    assert not decider.asked


def asked_of(facts: Any) -> Card:
    return Card.objects.get(pk=facts.id)


@pytest.mark.parametrize("decision", ["approve", "decline"])
def test_a_card_without_a_decider_is_put_away_and_no_more(desk: Client, clerk: User, decision: str) -> None:
    card = asked_of(screen(clerk))
    assert decide(desk, card, decision).status_code == 400
    assert verdict_of(card) == Verdict.WAITING


@pytest.mark.parametrize("decision", ["approve", "decline", "dismiss"])
def test_nothing_but_the_persons_own_click_decides(
    desk: Client, clerk: User, signed_in: Any, decider: Decider, decision: str
) -> None:
    token, secret = create_token(clerk, "Helper", may_act=True)
    card = question(clerk, token)
    nonce, others = nonce_in(desk, card.pk), nonce_in(desk, question(clerk).pk)
    bearer = {**OURS, "Authorization": f"Bearer {secret}"}
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = desk.cookies
    forged = [
        (desk, nonce, bearer),
        (Client(), nonce, bearer),
        (desk, "", OURS),
        (desk, others, OURS),
        (desk, nonce, {"Sec-Fetch-Site": "cross-site"}),
        (strict, nonce, OURS),
        (signed_in("analyst"), nonce, OURS),
        (signed_in("clerk"), nonce, OURS),  # another sign-in of the same person
    ]
    for client, given, headers in forged:
        response = decide(client, card, decision, headers, nonce=given)
        assert response.status_code == 403
    assert (
        post(Client(), f"/agent/cards/{card.pk}/decide", {"decision": decision, "nonce": nonce}, OURS).status_code
        == 401
    )
    stored = Card.objects.get(pk=card.pk)
    assert (stored.verdict, stored.dismissed_at) == (Verdict.WAITING, None)
    assert not decider.asked


def test_anothers_question_is_missing(desk: Client, person: Any, clerk: User, decider: Decider) -> None:
    from read_targets.cards.clicks import nonce_for

    card = question(person("analyst"))
    request = HttpRequest()
    request.user, request.session = clerk, desk.session
    nonce = nonce_for(request, card.pk)
    for decision in ("approve", "dismiss"):
        assert decide(desk, card, decision, nonce=nonce).json()["code"] == "read_targets.card_unavailable"
    assert not decider.asked


# Opening


def test_a_question_is_not_opened_and_keeps_its_verdict(desk: Client, clerk: User) -> None:
    card = question(clerk)
    response = click(desk, card.pk)
    answer = response.json()
    assert (response.status_code, answer["code"]) == (403, "read_targets.card_refused")
    assert "in the tab in which its page is open" in answer["message"]
    assert verdict_of(card) == Verdict.WAITING
    page = click(desk, card.pk, FORM)
    assert (page.status_code, page["Location"]) == (303, "/desk/")
    assert "This is a question, not a page." in desk.get("/desk/").content.decode()


# Making


def test_a_question_as_it_is_made_and_listed(desk: Client, clerk: User) -> None:
    token, _ = create_token(clerk, "Helper")
    card = question(clerk, token, title="<b>x</b>\u202e" + "y" * 300)
    assert (card.kind, card.icon, card.verdict, card.agent) == ("confirmation", "help", "waiting", "Helper")
    assert "\u202e" not in card.title
    assert len(card.title) <= 80
    (entry,) = desk.get("/agent/cards").json()["cards"]
    assert {name: entry[name] for name in ("id", "kind", "icon", "label", "url", "verdict")} == {
        "id": str(card.pk), "kind": "confirmation", "icon": "help", "label": "Archive conversation",
        "url": "/factory/projects/", "verdict": "waiting",
    }  # fmt: skip
    assert not {"workspace", "applied", "notApplied"} & set(entry)


def test_a_question_leads_nowhere_else(clerk: User) -> None:
    with pytest.raises(ForeignAddress):
        question(clerk, href="https://elsewhere.example/")
    assert not Card.objects.exists()


# On the desk

WAITS = "It waits for your answer in the tab in which its page is open."


def test_a_waiting_question_says_where_it_waits_and_only_goes_away(desk: Client, clerk: User) -> None:
    token, _ = create_token(clerk, "Helper")
    card = question(clerk, token)
    page = desk.get("/desk/").content.decode()
    assert WAITS in page
    assert "by Helper" in page
    assert "Archive conversation" in page
    assert f"/agent/cards/{card.pk}/open" not in page
    assert f"/agent/cards/{card.pk}/decide" in page
    assert '<path d="M9.7 9.8' in page, "the mark of a question"
    assert dismiss(desk, card.pk).status_code == 200
    assert verdict_of(card) == Verdict.WAITING
    assert f"card-{card.pk}" not in desk.get("/desk/").content.decode()
    assert WAITS in desk.get("/desk/?show=put-away").content.decode()


ENDS = [
    (Verdict.ACCEPTED, "", "Approved", ""),
    (Verdict.CANCELLED, "declined", "Declined", "you declined"),
    (Verdict.SUPERSEDED, "superseded", "Superseded", "it was asked for once more"),
    (Verdict.EXPIRED, "confirmation_expired", "Out of date", "nobody answered in time"),
    (Verdict.EXPIRED, "page_closed", "Out of date", "its page was closed before you answered"),
    (Verdict.REFUSED, "object_changed", "Not done", "has changed since"),
    (Verdict.REFUSED, "page_changed", "Not done", "has changed since"),
    (Verdict.REFUSED, "outcome_unknown", "Not done", "is not known"),
    (Verdict.REFUSED, "refused_by_rules", "Not done", "could not be done any more"),
]


@pytest.mark.parametrize("minutes", [-5, 5])
@pytest.mark.parametrize(("verdict", "code", "state", "reason"), ENDS)
def test_the_desk_says_what_became_of_a_question(
    desk: Client, clerk: User, verdict: str, code: str, state: str, reason: str, minutes: int
) -> None:
    card = question(clerk, expires_at=timezone.now() + timedelta(minutes=minutes))
    Card.objects.update(verdict=verdict, code=code)
    page = desk.get("/desk/").content.decode()
    assert f'<span class="state">{state}</span>' in page
    assert WAITS not in page
    assert f"/agent/cards/{card.pk}/open" not in page
    said = reason_of(Card.objects.get())
    assert reason in said
    assert bool(reason) == bool(said)
    assert said in page
    assert desk.get("/agent/cards").json()["cards"][0]["verdict"] == verdict


def test_a_question_that_nobody_answered_in_time_is_out_of_date(desk: Client, clerk: User) -> None:
    question(clerk, expires_at=timezone.now() - timedelta(seconds=1))
    page = desk.get("/desk/").content.decode()
    assert '<span class="state">Out of date</span>' in page
    assert "nobody answered in time" in page
    assert WAITS not in page


def test_names_with_markup_are_text(desk: Client, clerk: User) -> None:
    question(clerk, label={"en": "<script>x</script>"}, title="<img src=x>")
    page = desk.get("/desk/").content.decode()
    assert "<script>x</script>" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


def test_a_question_speaks_the_persons_language(desk: Client, clerk: User) -> None:
    Preference.objects.create(user=clerk, language="de")
    question(clerk)
    assert "Gespräch archivieren" in desk.get("/desk/").content.decode()


def test_the_desk_shows_anew_what_was_decided(desk: Client, clerk: User) -> None:
    question(clerk)
    page = desk.get("/desk/").content.decode()
    state = page.split('name="state" value="')[1].split('"')[0]
    assert desk.get("/desk/news", {"state": state}).status_code == 204
    Card.objects.update(verdict=Verdict.ACCEPTED)
    assert "Approved" in desk.get("/desk/news", {"state": state}).content.decode()


# The registry


def test_a_kind_has_one_decider() -> None:
    def first(request: HttpRequest, card: Card, approved: bool, fields: Mapping[str, Any]) -> None: ...

    def second(request: HttpRequest, card: Card, approved: bool, fields: Mapping[str, Any]) -> None: ...

    kind = f"tests-{uuid.uuid4()}"
    register_decider(kind, first)
    try:
        register_decider(kind, first)
        with pytest.raises(ImproperlyConfigured, match=r"already decided by tests\.cards\.test_deciding.*first"):
            register_decider(kind, second)
        assert decider_of(kind) is first
    finally:
        unregister_decider(kind)
    assert decider_of(kind) is None


def test_a_refusal_is_told_once(desk: Client, clerk: User, decider: Decider) -> None:
    decider.refused = Refused("REJECTED", "tests.no", "No.", next_action=NextAction(type="ASK_USER"))
    assert decide(desk, question(clerk), "approve", FORM).status_code == 303
    assert desk.get("/desk/").content.decode().count("No.") == 1
    assert "No." not in desk.get("/desk/").content.decode()
