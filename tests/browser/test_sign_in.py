"""A person lets an agent sign in, in Chromium under the strict policy: by keyboard, on a phone, and back to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.oauth.conftest import AUTHORIZE, Stranger, answered, register

Arrived = tuple[str, list[str]]


class Waiting(BaseHTTPRequestHandler):
    """A program on the person's machine that waits to be answered."""

    answers: list[str]

    def do_GET(self) -> None:
        self.answers.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<link rel=icon href=data:,><h1>Arrived</h1>")

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def program() -> Iterator[Arrived]:
    """A program that waits at a port of its own; gives its address, and what it was answered."""
    Waiting.answers = []
    server = HTTPServer(("127.0.0.1", 0), Waiting)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/callback", Waiting.answers
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def asked(sign_in: Callable[[str, str], Page], live_server: Any, program: Arrived) -> tuple[Page, Stranger]:
    """The page on which the clerk is asked, and who asks."""
    told = register(client_name="Helper", redirect_uris=["http://127.0.0.1/callback"]).json()
    stranger = Stranger(told["client_id"], program[0])
    page = sign_in("clerk", "/desk/settings")
    page.goto(f"{live_server.url}{AUTHORIZE}?{stranger.query(resource=live_server.url, state='s1')}")
    return page, stranger


def test_the_way_in_by_keyboard(asked: tuple[Page, Stranger], program: Arrived) -> None:
    page, stranger = asked
    expect(page.get_by_role("heading", level=1)).to_have_text("An agent asks to sign in")
    expect(page.get_by_label("It may act for me")).not_to_be_checked()
    page.get_by_label("It may act for me").focus()
    page.keyboard.press("Space")
    page.get_by_label("All that I may use").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Allow").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{stranger.redirect_uri}?**")
    expect(page.get_by_role("heading", level=1)).to_have_text("Arrived")
    (told,) = program[1]
    assert answered(told)["state"] == "s1"
    tokens = stranger.redeem(answered(told)["code"]).json()
    assert tokens["scope"] == "read act"


def test_declining_leads_back_and_says_so(asked: tuple[Page, Stranger], program: Arrived) -> None:
    page, stranger = asked
    page.get_by_role("button", name="Decline").click()
    page.wait_for_url(f"{stranger.redirect_uri}?**")
    (told,) = program[1]
    assert answered(told)["error"] == "access_denied"


def test_the_page_fits_a_phone(asked: tuple[Page, Stranger]) -> None:
    page, _stranger = asked
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
