"""A click is proven: the person's session, CSRF, a page of this origin, and the nonce of that page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from read_targets.agent.tokens import create_token
from read_targets.cards.models import Card

from .conftest import FORM, OURS, Stories, card_of, click, dismiss, nonce_in, post, screen, workspace

pytestmark = pytest.mark.usefixtures("stories")

CODE = "read_targets.click_not_proven"


def refused(response: Any, card: Any, code: str = CODE, status: int = 403) -> None:
    assert response.status_code == status
    answer = response.json()
    assert (answer["success"], answer["code"]) == (False, code)
    assert answer["nextAction"]["type"] == "ASK_USER"
    stored = card_of(card)
    assert (stored.verdict, stored.dismissed_at) == (Card.Verdict.WAITING, None)


def test_a_click_on_the_desk_opens(desk: Client, clerk: User) -> None:
    card = screen(clerk)
    assert click(desk, card.id).status_code == 200
    assert card_of(card).verdict == Card.Verdict.ACCEPTED


def test_a_token_opens_and_decides_nothing(desk: Client, clerk: User) -> None:
    card = screen(clerk)
    nonce = nonce_in(desk, card.id)
    _, secret = create_token(clerk, "Helper", may_act=True)
    for client in (Client(), desk):
        for verb in ("open", "decide"):
            headers = {**OURS, "Authorization": f"Bearer {secret}"}
            body = {"nonce": nonce, "decision": "dismiss"}
            refused(post(client, f"/agent/cards/{card.id}/{verb}", body, headers), card)


def test_nobody_opens_nothing(clerk: User) -> None:
    card = screen(clerk)
    response = post(Client(), f"/agent/cards/{card.id}/open", {"nonce": "x"}, OURS)
    refused(response, card, "read_targets.no_credential", 401)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", ""])
def test_another_sites_request_opens_nothing(desk: Client, clerk: User, site: str) -> None:
    card = screen(clerk)
    headers = {"Sec-Fetch-Site": site, "Origin": "http://testserver", "Referer": "http://testserver/desk/"}
    refused(click(desk, card.id, headers), card)
    refused(dismiss(desk, card.id, headers), card)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Origin": "https://testserver.evil.example"},
        {"Origin": "http://[bad"},
        {"Origin": "null", "Referer": "http://testserver/desk/"},
        {"Referer": "https://evil.example/?http://testserver/"},
        {"Referer": "http://testserver@evil.example/"},
    ],
)
def test_without_word_of_the_browser_the_origin_must_be_ours(
    desk: Client, clerk: User, headers: dict[str, str]
) -> None:
    card = screen(clerk)
    refused(click(desk, card.id, headers), card)


@pytest.mark.parametrize("headers", [{"Origin": "http://testserver"}, {"Referer": "http://testserver/desk/"}])
def test_an_older_browser_is_believed_by_its_origin(desk: Client, clerk: User, headers: dict[str, str]) -> None:
    assert click(desk, screen(clerk).id, headers).status_code == 200


def test_a_nonce_is_of_one_card_one_person_and_one_session(
    desk: Client, clerk: User, signed_in: Any, person: Any
) -> None:
    card, other = screen(clerk), screen(clerk)
    nonces = [
        nonce_in(desk, other.id),
        nonce_in(signed_in("clerk"), card.id),
        nonce_in(signed_in("analyst"), screen(person("analyst")).id),
        "",
        "nonsense",
        nonce_in(desk, card.id) + "x",
        nonce_in(desk, card.id).upper(),
    ]
    for nonce in nonces:
        refused(click(desk, card.id, nonce=nonce), card)
        refused(dismiss(desk, card.id, nonce=nonce), card)


def test_a_nonce_is_good_for_a_day(desk: Client, clerk: User, monkeypatch: Any) -> None:
    card = screen(clerk)
    nonce = nonce_in(desk, card.id)
    later = timezone.now() + timedelta(days=1, seconds=2)
    monkeypatch.setattr("django.core.signing.time.time", later.timestamp)
    refused(click(desk, card.id, nonce=nonce), card)


@pytest.mark.parametrize("body", ["{}", '{"nonce": null}', '{"nonce": 7}', '{"nonce": ["x"]}', "[]", '"x"'])
def test_a_body_without_a_nonce_opens_nothing(desk: Client, clerk: User, body: str) -> None:
    card = screen(clerk)
    refused(desk.post(f"/agent/cards/{card.id}/open", body, "application/json", headers=OURS), card)


def test_a_nonce_does_not_show_the_session(desk: Client, clerk: User) -> None:
    nonce = nonce_in(desk, screen(clerk).id)
    assert str(desk.session.session_key) not in nonce


def test_csrf_is_checked(clerk: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(clerk, backend="django.contrib.auth.backends.ModelBackend")
    card = screen(clerk)
    nonce = nonce_in(client, card.id)
    token = client.cookies["csrftoken"].value
    for verb in ("open", "decide"):
        address, body = f"/agent/cards/{card.id}/{verb}", {"nonce": nonce, "decision": "dismiss"}
        for wrong in ({}, {"csrfmiddlewaretoken": "x" * 64}):
            refused(post(client, address, {**body, **wrong}, OURS), card, "read_targets.not_permitted")
    right = {"nonce": nonce, "csrfmiddlewaretoken": token}
    assert post(client, f"/agent/cards/{card.id}/open", right, OURS).status_code == 200


def test_a_browser_is_told_on_a_page_and_nothing_is_done(desk: Client, clerk: User, stories: Stories) -> None:
    card = workspace(clerk)
    response = click(desk, card.id, FORM, nonce="old")
    assert response.status_code == 403
    assert "Please click once more" in response.content.decode()
    assert card_of(card).verdict == Card.Verdict.WAITING
    assert stories.asked == [], "not even the door was asked for"


def test_somebody_who_signed_out_is_led_to_sign_in(desk: Client, clerk: User) -> None:
    card = screen(clerk)
    nonce = nonce_in(desk, card.id)
    desk.logout()
    response = click(desk, card.id, FORM, nonce=nonce)
    assert response.status_code == 302
    assert response["Location"] == "/accounts/login/?next=/desk/"
