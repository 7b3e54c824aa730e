"""Every text of the site and of its sample company is there in each language, and compiled."""

import gettext
import re

import pytest
from django.conf import settings

MESSAGE = re.compile(r'^msgid "(.+)"$', re.MULTILINE)


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE])
def test_every_text_is_translated_and_compiled(language: str) -> None:
    source = settings.BASE_DIR / "project" / "locale" / language / "LC_MESSAGES" / "django.po"
    texts = MESSAGE.findall(source.read_text(encoding="utf-8"))
    with source.with_suffix(".mo").open("rb") as compiled:
        catalogue = gettext.GNUTranslations(compiled)._catalog  # type: ignore[attr-defined]  # how else to look inside?
    assert texts
    assert not [text for text in texts if not (catalogue.get(text) or catalogue.get((text, 0)))]
