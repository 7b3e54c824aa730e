"""What the pages are made of: vendored as it was, and clean under a strict policy."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import get_template

import read_targets

STATIC = Path(read_targets.__file__).parent / "static" / "read_targets"
TEMPLATES = Path(settings.BASE_DIR) / "templates" / "read_targets"
EVERY = sorted(path for path in TEMPLATES.rglob("*.html") if "admin" not in path.parts)


def test_vendored_files_are_as_they_came() -> None:
    listed = {}
    for line in (STATIC / "vendor" / "CHECKSUMS").read_text().splitlines():
        digest, name = line.split()
        listed[name] = digest
    found = {path.name for path in (STATIC / "vendor").iterdir()} - {"CHECKSUMS"}
    assert set(listed) == found
    for name, digest in listed.items():
        assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == digest, name


@pytest.mark.parametrize("path", EVERY, ids=[path.name for path in EVERY])
def test_no_template_has_anything_inline_or_marked_safe(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=|javascript:|hx-on|hx-vals='js", text)
    assert not re.search(r"\|\s*safe\b|autoescape off|\|safeseq", text)
    for script in re.findall(r"<script[^>]*>", text):
        assert "src=" in script
    get_template(f"read_targets/{path.relative_to(TEMPLATES)}")


def test_every_static_file_that_a_template_names_is_there() -> None:
    named = {name for path in EVERY for name in re.findall(r"{% static '([^']+)' %}", path.read_text(encoding="utf-8"))}
    assert named
    assert not [name for name in named if finders.find(name) is None]


def test_no_sheet_or_script_leads_off_the_site() -> None:
    for path in (STATIC / "desk.css", STATIC / "desk.js"):
        assert not re.search(r"https?:|//[a-z]|@import|url\(", re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M))


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, two: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_words_stand_out_from_what_is_behind_them(theme: int) -> None:
    sheet = (STATIC / "desk.css").read_text()
    block = re.findall(r":root:not\(\[data-theme\]\) \{(.*?)\}", sheet, re.DOTALL)[theme]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))
    backgrounds = [colours[name] for name in ("paper", "sheet", "sunk")]
    for name in ("ink", "muted", "accent"):
        for behind in backgrounds:
            assert _contrast(colours[name], behind) >= 4.5, (name, behind)
    for name in ("good", "warn", "bad"):
        assert _contrast(colours[name], colours[f"{name}-soft"]) >= 4.5, name
    assert _contrast(colours["ink"], colours["accent-soft"]) >= 4.5
    assert _contrast(colours["on-accent"], colours["accent"]) >= 4.5
    for name in ("bar", "bar-negative"):
        assert _contrast(colours[name], colours["sheet"]) >= 3, name
