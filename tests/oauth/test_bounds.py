"""What anybody may send, and an agent that was let in, has bounds; and what was narrowed down does not widen again."""

from __future__ import annotations

import base64
import json
import socket
from typing import Any

import pytest
from django.test import Client

from read_targets.agent.oauth import fetching, views
from read_targets.agent.oauth.registering import LONGEST_ADDRESSES

from .conftest import REGISTER, TOKEN, Stranger, register

pytestmark = pytest.mark.django_db


def test_an_agent_comes_back_so_often_a_minute(
    stranger: Stranger, clerk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "REFRESHES_A_MINUTE", 3)
    stranger.signed_in(clerk)
    statuses = []
    for _ in range(4):
        answer = stranger.refresh()
        statuses.append(answer.status_code)
        stranger.tokens = answer.json() if answer.status_code == 200 else stranger.tokens
    assert statuses == [200, 200, 200, 429]
    assert answer["Retry-After"]
    assert stranger.get("/agent/tools").status_code == 200


def test_what_signed_in_to_act_is_out_when_the_person_says_no_more(stranger: Stranger, clerk: Client) -> None:
    stranger.signed_in(clerk, agreed={"may_act": "on"})
    elsewhere = Stranger(stranger.client_id).signed_in(clerk)
    assert stranger.get("/agent/tools").status_code == 401
    assert stranger.refresh().status_code == 400
    assert elsewhere.get("/agent/tools").status_code == 200


def test_what_signed_in_to_read_stays_in_when_the_person_lets_it_act(stranger: Stranger, clerk: Client) -> None:
    stranger.signed_in(clerk)
    Stranger(stranger.client_id).signed_in(clerk, agreed={"may_act": "on"})
    assert stranger.get("/agent/tools").status_code == 200


def test_addresses_are_so_long_all_together() -> None:
    many = [f"https://agent.example/{number}{'a' * (LONGEST_ADDRESSES // 9)}" for number in range(9)]
    assert register(client_name="x", redirect_uris=many[:5]).status_code == 201
    answer = register(client_name="x", redirect_uris=many)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")


def test_a_body_that_says_no_length_is_as_long_as_it_is() -> None:
    body = json.dumps({"redirect_uris": ["https://agent.example/"], "x": "x" * views.LARGEST_BODY}).encode()
    answer = Client().generic("POST", REGISTER, body, "application/json", CONTENT_LENGTH="")
    assert answer.status_code == 400


@pytest.mark.parametrize("client_id", ["\0", "a\0b", "a\nb", "\x7f"])
def test_a_client_that_no_database_could_hold_is_nobody(client_id: str) -> None:
    secret = base64.b64encode(f"{client_id}:x".encode()).decode()
    form = {"grant_type": "refresh_token", "refresh_token": "rtr_x"}
    answer = Client().post(TOKEN, form, headers={"authorization": f"Basic {secret}"})
    assert answer.status_code in (400, 401)


def test_time_that_ran_out_before_there_was_a_connection_is_out(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = socket.socketpair()
    connection = fetching._Pinned("agent.example", "203.0.113.1", 5)
    monkeypatch.setattr(fetching.socket, "create_connection", lambda *_, **__: here)

    def late(*_: Any, **__: Any) -> Any:
        raise AssertionError("it went on")

    connection.give_up()
    with there, monkeypatch.context() as patched:
        patched.setattr(fetching.ssl.SSLSocket, "do_handshake", late)
        with pytest.raises(TimeoutError):
            connection.connect()
    connection.close()
