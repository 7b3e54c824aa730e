"""Every text of the site and of its sample company is there in each language, and compiled."""

from __future__ import annotations

import pytest

from tests.catalogues import LANGUAGES, Catalogue, check

SITE = Catalogue("project/locale", "project", ("demo", "project", "registration"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated_and_compiled(language: str) -> None:
    check(SITE, language)
