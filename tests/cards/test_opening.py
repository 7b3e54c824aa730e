"""The verdict on a click, and the one notice of a refused one."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.utils import timezone

from read_targets.agent.contract import Refused
from read_targets.cards import notices
from read_targets.cards.models import Card, WorkspaceVersion
from read_targets.cards.opening import open_card
from read_targets.cards.sources import Required
from read_targets.models import Preference

from .conftest import FORM, Stories, card_of, click, dismiss, nonce_in, screen, workspace

CLOSED = Required("ledger.view_cashtransaction", "Cash transactions")


def told(client: Client) -> list[str]:
    """The notices that the person's next page shows."""
    page = client.get("/desk/settings")
    return [str(message) for message in get_messages(page.wsgi_request)]


@pytest.fixture
def delivered(monkeypatch: Any) -> list[notices.Notice]:
    """What is delivered, in place of messages."""
    kept: list[notices.Notice] = []
    monkeypatch.setattr(notices, "_delivery", lambda request, notice: kept.append(notice))
    return kept


def test_an_open_door_accepts_and_says_nothing(desk: Client, clerk: User, stories: Stories) -> None:
    card = workspace(clerk)
    answer = click(desk, card.id).json()
    assert answer["outcome"] == "READY"
    assert answer["card"]["url"] == "/desk/workspaces/stories/1"
    stored = card_of(card)
    assert (stored.verdict, stored.code, stored.required) == ("accepted", "", {})
    assert told(desk) == []


def test_a_browser_is_led_on(desk: Client, clerk: User, stories: Stories) -> None:
    for card in (workspace(clerk), screen(clerk)):
        response = click(desk, card.id, FORM)
        assert response.status_code == 303
        assert response["Location"] == card.url
        assert "no-store" in response["Cache-Control"]


def test_a_closed_door_is_refused_with_one_notice_in_the_persons_words(
    desk: Client, clerk: User, stories: Stories
) -> None:
    Preference.objects.create(user=clerk, language="de")
    card = screen(clerk)
    stories.required = CLOSED
    response = click(desk, card.id, FORM)
    assert (response.status_code, response["Location"]) == (303, "/desk/")
    stored = card_of(card)
    assert (stored.verdict, stored.code) == ("refused", "door-closed")
    assert stored.required == {"permission": CLOSED.permission, "on": CLOSED.on}
    said = told(desk)
    assert len(said) == 1
    assert "Zahlungen" in said[0]
    assert CLOSED.permission in said[0]
    assert told(desk) == []


def test_a_script_is_told_why_in_the_shape_of_the_contract(desk: Client, clerk: User, stories: Stories) -> None:
    card = screen(clerk)
    stories.required = CLOSED
    response = click(desk, card.id)
    assert response.status_code == 403
    answer = response.json()
    assert (answer["outcome"], answer["code"]) == ("REJECTED", "read_targets.card_refused")
    assert answer["params"] == {
        "verdict": "refused",
        "code": "door-closed",
        "permission": CLOSED.permission,
        "on": CLOSED.on,
    }
    assert "card" not in answer
    assert len(told(desk)) == 1


def test_every_refused_click_has_its_own_notice(
    desk: Client, clerk: User, stories: Stories, delivered: list[notices.Notice]
) -> None:
    card = screen(clerk)
    stories.required = CLOSED
    for count in (1, 2):
        click(desk, card.id)
        assert len(delivered) == count
    stories.required = None
    click(desk, card.id)
    assert len(delivered) == 2
    assert card_of(card).verdict == "accepted"
    assert card_of(card).required == {}


def test_a_source_that_is_gone_is_a_closed_door(desk: Client, clerk: User) -> None:
    card = screen(clerk, source="gone")
    assert click(desk, card.id).json()["params"] == {
        "verdict": "refused", "code": "door-closed", "permission": "", "on": "gone",
    }  # fmt: skip
    assert "switched off" in told(desk)[0]


def test_a_card_that_is_out_of_date_says_so_and_gives_no_notice(
    desk: Client, clerk: User, stories: Stories, delivered: list[notices.Notice]
) -> None:
    card = workspace(clerk)
    nonce = nonce_in(desk, card.id)
    Card.objects.update(expires_at=timezone.now())
    stories.required = CLOSED
    response = click(desk, card.id, nonce=nonce)
    assert response.status_code == 409
    assert (response.json()["outcome"], response.json()["code"]) == ("CONFLICT", "read_targets.card_stale")
    assert (card_of(card).verdict, card_of(card).code) == ("expired", "review-stale")
    assert not delivered
    page = desk.get("/desk/").content.decode()
    assert "Out of date" in page
    assert "is out of date" in page
    assert f"/agent/cards/{card.id}/open" not in page


@pytest.mark.parametrize(
    "href", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/gone/", "/\\evil.example"]
)
def test_an_address_that_became_foreign_is_refused(
    desk: Client, clerk: User, stories: Stories, delivered: list[notices.Notice], href: str
) -> None:
    card = screen(clerk)
    Card.objects.update(href=href)
    response = click(desk, card.id, FORM)
    assert response["Location"] == "/desk/"
    assert (card_of(card).verdict, card_of(card).code) == ("refused", "address-refused")
    assert len(delivered) == 1
    assert "evil" not in delivered[0].text


def test_a_notice_that_cannot_be_delivered_changes_no_verdict(
    desk: Client, clerk: User, stories: Stories, monkeypatch: Any, caplog: Any
) -> None:
    def fail(request: Any, notice: Any) -> None:
        raise RuntimeError("no toast today")

    monkeypatch.setattr(notices, "_delivery", fail)
    card = screen(clerk)
    stories.required = CLOSED
    assert click(desk, card.id).status_code == 403
    assert (card_of(card).verdict, card_of(card).code) == ("refused", "door-closed")
    assert "could not be delivered" in caplog.text


def test_the_host_may_deliver_otherwise(monkeypatch: Any) -> None:
    monkeypatch.setattr(notices, "_delivery", notices.by_message)
    seen: list[Any] = []
    notices.deliver_by(lambda request, notice: seen.append(notice))
    notices.deliver(None, "a notice")  # type: ignore[arg-type]
    assert seen == ["a notice"]


def test_the_verdict_is_written_before_the_notice_is_told(company: None, stories: Stories) -> None:
    clerk = User.objects.get(username="clerk")
    card = screen(clerk)
    stories.required = CLOSED
    seen: list[Any] = []

    def deliver(notice: notices.Notice) -> None:
        seen.append((connection.in_atomic_block, card_of(card).verdict))

    open_card(clerk, card.id, deliver)
    assert seen == [(False, "refused")]


@pytest.mark.parametrize("card_id", ["00000000-0000-4000-8000-000000000000", "f" * 36, "-" * 36])
def test_a_card_that_is_not_there_and_anothers_read_the_same(
    desk: Client, stories: Stories, person: Any, signed_in: Any, card_id: str
) -> None:
    theirs = screen(person("analyst"))
    nonce = nonce_in(signed_in("analyst"), theirs.id)
    for answered in (click(desk, card_id, nonce=nonce), dismiss(desk, card_id, nonce=nonce)):
        assert answered.status_code in (403, 404)
        assert answered.json()["success"] is False
    for missing in (theirs.id, uuid4()):
        with pytest.raises(Refused) as refusal:
            open_card(answered.wsgi_request.user, missing, lambda notice: None)
        assert refusal.value.code == "read_targets.card_unavailable"
    assert card_of(theirs).verdict == "waiting"


def test_a_card_is_put_away_and_can_still_be_opened(desk: Client, clerk: User, stories: Stories) -> None:
    card = workspace(clerk)
    assert dismiss(desk, card.id).json()["outcome"] == "READY"
    at = card_of(card).dismissed_at
    assert at is not None
    assert card.id not in desk.get("/desk/").content.decode()
    assert card.id in desk.get("/desk/?show=put-away").content.decode()
    dismiss(desk, card.id)
    assert card_of(card).dismissed_at == at
    assert click(desk, card.id).status_code == 200


def test_a_decision_that_is_not_known_is_refused(desk: Client, clerk: User, stories: Stories) -> None:
    card = workspace(clerk)
    answer = dismiss(desk, card.id, decision="accept").json()
    assert (answer["outcome"], answer["params"]["decision"]["values"]) == ("INVALID_INPUT", ["dismiss"])
    assert card_of(card).dismissed_at is None


def test_after_putting_away_a_browser_is_back_at_the_desk(desk: Client, clerk: User, stories: Stories) -> None:
    response = dismiss(desk, workspace(clerk).id, FORM)
    assert (response.status_code, response["Location"]) == (303, "/desk/")


def test_opening_reads_no_rows(desk: Client, clerk: User, stories: Stories, django_assert_num_queries: Any) -> None:
    card = workspace(clerk)
    WorkspaceVersion.objects.update(content={"rows": "unreadable"})
    assert click(desk, card.id).status_code == 200
