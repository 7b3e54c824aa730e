"""The Chromium of this machine, and people signed in with it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def pytest_report_header() -> str:
    """Say whether the pages are tried in a browser at all."""
    return f"chromium: {CHROMIUM}" if CHROMIUM else "chromium: none is here, so the tests in a browser are left out"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder, and leave it out where there is no Chromium."""
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="there is no Chromium here"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Start the Chromium of this machine; as root it has no sandbox."""
    arguments = ["--disable-gpu", "--disable-background-networking", "--no-first-run"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": arguments}


@pytest.fixture(scope="session", autouse=True)
def _orm_beside_the_browser() -> None:
    """Let tests use the database while playwright's loop runs in their thread."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


def _complains(said: ConsoleMessage) -> bool:
    """Whether the browser complains of the page, and not of an icon that the admin does not have."""
    return said.type == "error" and not said.location["url"].endswith("/favicon.ico")


@pytest.fixture
def sign_in(company: None, live_server: Any, browser: Browser) -> Iterator[Callable[[str, str], Page]]:
    """Sign a person in, in a browser of their own, and return the page; nothing may complain on it."""
    complaints: list[str] = []
    contexts = []

    def person_at(name: str, path: str) -> Page:
        contexts.append(browser.new_context())
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if _complains(said) else None)
        page.goto(f"{live_server.url}/accounts/login/?next={path}")
        page.fill("input[name=username]", name)
        page.fill("input[name=password]", name)
        page.click("main button[type=submit]")
        page.wait_for_url(f"{live_server.url}{path}")
        return page

    yield person_at
    for context in contexts:
        context.close()
    assert not complaints
