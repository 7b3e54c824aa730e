"""The addresses that a command may open: the application's own pages, by what their paths take."""

from __future__ import annotations

import pytest
from django.test import override_settings

from page_commands.declaration.routes import page_names, routes_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _routes() -> object:
    with override_settings(ROOT_URLCONF="tests.page_commands.declaration.routes_of_tests"):
        yield


def test_only_pages_of_the_application_that_a_browser_reads() -> None:
    assert page_names() == ["fixed", "generic", "here:thing", "old", "plain", "two"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("plain", [set()]),
        ("two", [{"slug", "pk"}, {"slug"}]),
        ("fixed", [set()]),
        ("old", [{"year"}]),
        ("here:thing", [{"site", "pk"}]),
        ("inner:thing", []),
        ("post", []),
        ("admin:index", []),
        ("login", []),
        ("", []),
    ],
)
def test_what_their_paths_take(name: str, arguments: list[set[str]]) -> None:
    assert [set(route.arguments) for route in routes_of(name)] == arguments
