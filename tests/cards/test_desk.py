"""The desk: the person's cards as they arrive, in their words, and nothing that they may no longer see."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from read_targets.agent.tokens import create_token
from read_targets.cards.desk import CARDS_A_PAGE
from read_targets.cards.models import Card
from read_targets.cards.sources import Required
from read_targets.models import Preference

from .conftest import OURS, Stories, click, content, screen, workspace

pytestmark = pytest.mark.usefixtures("stories")


def page(client: Client, query: str = "") -> str:
    text: str = client.get(f"/desk/{query}").content.decode()
    return text


def state_in(text: str) -> str:
    found = re.search(r'name="state" value="([^"]+)"', text)
    assert found
    return found.group(1)


def shown(text: str) -> list[str]:
    return re.findall(r'id="card-([0-9a-f-]{36})"', text)


def test_an_empty_desk_explains_itself(desk: Client) -> None:
    text = page(desk)
    assert "Nothing lies here yet." in text
    assert shown(text) == []


def test_cards_lie_newest_first_with_what_they_are(desk: Client, clerk: User) -> None:
    token, _ = create_token(clerk, "Helper")
    first, second = workspace(clerk, token), screen(clerk)
    text = page(desk)
    assert shown(text) == [second.id, first.id]
    assert "Helper calls it <bdi>“Was im Oktober geschah”</bdi>" in text
    assert "<span>From</span> <b><bdi>2026-10-01</bdi></b>" in text
    assert "The screen does not take: From" in text


def test_the_words_of_an_agent_are_text(desk: Client, clerk: User) -> None:
    token, _ = create_token(clerk, "<i>Helper</i>")
    workspace(clerk, token, title="<script>alert(1)</script>\u202e", label={"en": "<b>x</b>"})
    text = page(desk)
    for markup in ("<script>alert", "<i>Helper", "<b>x</b>", "\u202e"):
        assert markup not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_the_desk_speaks_the_persons_language_and_zone(desk: Client, clerk: User) -> None:
    Preference.objects.create(user=clerk, language="ko", time_zone="Asia/Seoul")
    workspace(clerk)
    Card.objects.update(created_at=datetime(2026, 3, 1, 20, 0, tzinfo=UTC))
    response = desk.get("/desk/")
    text = response.content.decode()
    assert '<html lang="ko"' in text
    assert "입출금" in text
    assert "2026년 3월 2일" in text


def test_of_a_card_behind_a_closed_door_only_the_label_is_told(desk: Client, clerk: User, stories: Stories) -> None:
    card = workspace(clerk, title="Paid to Hanbit: 120,000")
    stories.required = Required("ledger.view_cashtransaction", "it")
    text = page(desk)
    assert shown(text) == [card.id]
    assert "Hanbit" not in text
    assert "2026-10-01" not in text
    assert f"/agent/cards/{card.id}/open" in text, "a click still says why"


def test_a_refused_card_says_why_on_the_desk(desk: Client, clerk: User, stories: Stories) -> None:
    card = screen(clerk)
    stories.required = Required("ledger.view_cashtransaction", "Zahlungen")
    click(desk, card.id)
    text = page(desk)
    assert "Not opened" in text
    assert text.count("that needs the permission ledger.view_cashtransaction on “Zahlungen”") == 2, "notice and card"
    assert page(desk).count("that needs the permission") == 1, "the card alone"


def test_no_row_value_and_no_figure_is_on_the_desk(desk: Client, clerk: User) -> None:
    workspace(clerk, title="")
    text = page(desk)
    assert "person 1" not in text
    assert "12345678901234567" not in text


def test_the_desk_pages_and_says_so(desk: Client, clerk: User) -> None:
    for _ in range(CARDS_A_PAGE + 1):
        screen(clerk)
    first, second = page(desk), page(desk, "?page=2")
    assert len(shown(first)) == CARDS_A_PAGE
    assert len(shown(second)) == 1
    assert not set(shown(first)) & set(shown(second))
    assert "hx-get" in first
    assert "hx-get" not in second, "an older page does not change under the reader"
    for wrong in ("?page=0", "?page=3", "?page=x"):
        assert desk.get(f"/desk/{wrong}").status_code == 404


def news(client: Client, state: str) -> Any:
    return client.get(f"/desk/news?state={state}", headers={"HX-Request": "true", **OURS})


def test_nothing_new_costs_no_body(desk: Client, clerk: User) -> None:
    workspace(clerk)
    response = news(desk, state_in(page(desk)))
    assert (response.status_code, response.content) == (204, b"")
    assert "no-store" in response["Cache-Control"]


def test_a_new_card_arrives_and_is_said(desk: Client, clerk: User) -> None:
    old = workspace(clerk)
    state = state_in(page(desk))
    new = screen(clerk)
    text = news(desk, state).content.decode()
    assert shown(text) == [new.id, old.id]
    assert text.count("is-new") == 1
    assert "1 new card<" in text
    assert news(desk, state_in(text)).status_code == 204


def test_what_happens_elsewhere_arrives_too(desk: Client, clerk: User, stories: Stories) -> None:
    first, second = workspace(clerk), screen(clerk)
    state = state_in(page(desk))
    click(desk, first.id)
    text = news(desk, state).content.decode()
    assert "Opened" in text
    assert "is-new" not in text
    state = state_in(text)
    Card.objects.filter(pk=second.id).update(dismissed_at=timezone.now())
    text = news(desk, state).content.decode()
    assert shown(text) == [first.id]
    state = state_in(text)
    Card.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "Out of date" in news(desk, state).content.decode()


@pytest.mark.parametrize("state", ["", "x", "-", "9" * 40, "99999999999999999-x", "1e400-x", "%00"])
def test_a_state_that_is_not_ours_gives_the_whole_list(desk: Client, clerk: User, state: str) -> None:
    card = workspace(clerk)
    assert shown(news(desk, state).content.decode()) == [card.id]


def test_the_first_card_on_an_empty_desk_is_new(desk: Client, clerk: User) -> None:
    state = state_in(page(desk))
    workspace(clerk)
    assert "1 new card<" in news(desk, state).content.decode()


def test_news_costs_a_fixed_number_of_statements(desk: Client, clerk: User, django_assert_max_num_queries: Any) -> None:
    for _ in range(CARDS_A_PAGE):
        workspace(clerk, content=content())
    state = state_in(page(desk))
    with django_assert_max_num_queries(4):
        assert news(desk, state).status_code == 204
    with django_assert_max_num_queries(4):
        assert news(desk, "").status_code == 200


def test_a_desk_whose_person_signed_out_goes_to_sign_in_as_a_whole(client: Client, db: None) -> None:
    response = news(client, "")
    assert response.status_code == 401
    assert response["HX-Redirect"] == "/accounts/login/?next=/desk/"


def test_the_person_stops_their_agents_and_lets_them_again(desk: Client, clerk: User, agent: Any) -> None:
    one = agent("clerk")
    assert one.tools().status_code == 200
    assert desk.post("/desk/agents", {"stopped": "yes"})["Location"] == "/desk/"
    assert one.tools().json()["code"] == "read_targets.agents_stopped"
    text = page(desk)
    assert "Your agents are stopped: whatever they ask" in text
    assert "Let my agents again" in text
    desk.post("/desk/agents/", {"stopped": "no"})
    assert one.tools().status_code == 200
    assert "Stop my agents" in page(desk)


def test_stopping_keeps_zone_and_language(desk: Client, clerk: User) -> None:
    Preference.objects.create(user=clerk, language="ko", time_zone="Asia/Seoul")
    desk.post("/desk/agents", {"stopped": "yes"})
    held = Preference.objects.get(user=clerk)
    assert (held.language, held.time_zone, held.agents_stopped) == ("ko", "Asia/Seoul", True)


def test_a_switch_that_is_neither_is_refused(desk: Client, clerk: User) -> None:
    assert desk.post("/desk/agents", {"stopped": "maybe"}).status_code == 400
    assert not Preference.objects.exists()


@pytest.mark.parametrize(
    "path", ["/desk/", "/desk/settings", "/desk/calls", "/desk/workspaces/x/1", "/desk/workspaces/x", "/desk/news"]
)
def test_pages_are_private_signed_in_and_never_framed(client: Client, desk: Client, path: str) -> None:
    for slash in ("", "/") if path != "/desk/" else ("",):
        anonymous = client.get(path + slash)
        assert anonymous.status_code in (302, 401)
        mine = desk.get(path + slash)
        assert mine.status_code in (200, 404)
        assert {"private", "no-store"} <= set(mine["Cache-Control"].split(", "))
        assert mine["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in mine["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/desk/agents", "/desk/settings", "/desk/workspaces/x/1/read-again"])
def test_changes_are_posts_with_csrf_and_never_redirected_for_a_slash(clerk: User, path: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(clerk, backend="django.contrib.auth.backends.ModelBackend")
    for slash in ("", "/"):
        assert client.post(path + slash, {"stopped": "yes"}).status_code == 403
    assert not Preference.objects.exists()
