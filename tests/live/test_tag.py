"""The template tag: a live page for people who are signed in, and nothing at all where there is none."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.template import Context, Template
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from page_commands.models import Page
from project.demo.factory.models import Conversation
from read_targets.preferences import Preference

from .tabs import START

TAG = '{% load page_commands %}{% live_page "factory.start" %}'


def rendered(user: Any, tag: str = TAG, key: str | None = "a-session-key", **context: Any) -> str:
    request = RequestFactory().get("/some/where/?of=2026&x=<b>")
    request.user = user
    request.session = type("Session", (), {"session_key": key})()
    return Template(tag).render(Context({"request": request, **context})).strip()


def test_the_page_carries_all_that_its_tab_needs(browser_of_clerk: Client) -> None:
    page = browser_of_clerk.get(START).content.decode()
    for name in ("ticket", "token", "browser"):
        assert re.search(rf'data-{name}="[^"]{{16,}}"', page)
    assert 'data-sessions="/pages/sessions"' in page
    assert 'data-stream="/pages/stream"' in page
    assert '<script type="module" src="/static/page_commands/live.js"></script>' in page
    assert 'href="/static/page_commands/live.css"' in page
    assert '<p class="live-unseen" data-live="said" role="status"></p>' in page
    assert "need scripts" in page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert re.search(r'<div class="live-open" data-live="open" hidden>', page)


def test_it_has_no_inline_script_or_style(clerk: Any) -> None:
    page = rendered(clerk)
    assert page.count("<script") == 1
    assert "<style" not in page
    assert not re.search(r"\s(style|on[a-z]+)=", page)


def test_its_own_address_is_escaped(clerk: Any) -> None:
    assert '<a href="/some/where/?of=2026&amp;x=%3Cb%3E">' in rendered(clerk)


def test_it_speaks_the_persons_language(clerk: Any) -> None:
    Preference.objects.create(user=clerk, language="de")
    page = rendered(clerk)
    assert 'aria-label="Fabrik"' in page
    assert 'lang="de"' in page


def test_the_sign_in_itself_is_not_in_it(browser_of_clerk: Client) -> None:
    page = browser_of_clerk.get(START).content.decode()
    key = browser_of_clerk.session.session_key
    assert key
    assert key not in page


@pytest.mark.parametrize("who", ["nobody", "inactive", "without a session"])
def test_for_nobody_it_renders_nothing(person: Callable[[str], Any], who: str) -> None:
    user = AnonymousUser() if who == "nobody" else person("clerk")
    user.is_active = who != "inactive" and who != "nobody"
    assert rendered(user, key=None if who == "without a session" else "key") == ""


def test_a_page_that_is_not_declared_renders_nothing_and_is_logged(
    clerk: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert rendered(clerk, TAG.replace("start", "end")) == ""
    assert "factory.end" in caplog.text


def test_a_page_that_is_switched_off_renders_nothing(clerk: Any) -> None:
    assert rendered(clerk)
    Page.objects.update(enabled=False)
    assert rendered(clerk) == ""


def test_without_its_request_it_says_what_is_missing() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"context_processors\.request"):
        Template(TAG).render(Context({}))


BUTTON = (
    "{% load page_commands %}"
    "{% for one in objects %}{% live_button 'factory.start' 'show_conversation' one %}{% endfor %}"
)


def test_a_row_has_the_button_of_a_command_that_the_person_may_run(clerk: Any, person: Callable[[str], Any]) -> None:
    talks = list(Conversation.objects.order_by("pk")[:3])
    rendered(clerk, BUTTON, objects=talks)  # the process remembers the keys of permissions
    with CaptureQueriesContext(connection) as for_three:
        page = rendered(clerk, BUTTON, objects=talks)
    assert page.count("<button") == 3
    button = rf'data-live-command="show_conversation" data-live-object="{talks[0].pk}" data-live-nonce="[^"]+">Show con'
    assert re.search(button, page)
    with CaptureQueriesContext(connection) as for_one:
        assert rendered(clerk, BUTTON, objects=[talks[0].pk]).count("<button") == 1
    assert len(for_one) == len(for_three)
    assert "<button" not in rendered(person("analyst"), BUTTON, objects=talks)
    assert "<button" not in rendered(AnonymousUser(), BUTTON, objects=talks)


@pytest.mark.parametrize("name", ["show_conversation", "factory.show_conversation"])
def test_a_button_names_its_command_as_a_click_must(clerk: Any, name: str) -> None:
    assert 'data-live-command="show_conversation"' in rendered(
        clerk, BUTTON.replace("show_conversation", name), objects=[1]
    )


@pytest.mark.parametrize("nothing", [None, ""])
def test_without_an_object_there_is_no_button(clerk: Any, nothing: Any) -> None:
    assert "<button" not in rendered(clerk, BUTTON, objects=[nothing])


def test_a_key_with_markup_is_escaped(clerk: Any) -> None:
    assert "<img" not in rendered(clerk, BUTTON, objects=['"><img src=x>'])
