"""The import law of the house: which part may know of which (docs/decisions/0001)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
APPS = ("read_targets", "page_commands")

DEEP = ("lists", "agent", "cards")
"""Packages within read_targets that the law names; any other module of it is named by itself."""

AGENT_SHARES = {"lists", "policies", "preferences", "conf", "heavy", "agent", "cards"}
LIST_READERS = {
    "lists",
    "policies",
    "models",
    "preferences",
    "conf",
    "criteria",
    "digest",
    "documents",
    "foreign",
    "heavy",
    "foreign_figures",
    "reading",
    "replicas",
    "screens",
    "graphql",
}
ALLOWED: dict[str, set[str]] = {
    "lists": {"lists"},
    "policies": {"lists", "policies", "agent"},
    "criteria": LIST_READERS,
    "reading": LIST_READERS,
    "screens": LIST_READERS,
    "graphql": LIST_READERS,
    "foreign": LIST_READERS,
    "documents": set(),
    "heavy": {"lists", "conf", "agent"},
    "agent": AGENT_SHARES,
    "cards": AGENT_SHARES,
}
SHARED_WITH_PAGE_COMMANDS = {"agent", "cards", "conf", "policies", "preferences"}


def modules(app: str) -> Iterator[tuple[str, Path]]:
    """Every module of an app by its dotted name, migrations left out."""
    for path in sorted((ROOT / app).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "migrations" not in parts:
            yield ".".join(parts).removesuffix(".__init__"), path


def imports_of(name: str, path: Path) -> Iterator[str]:
    """The dotted names that a module imports, at whatever depth; relative ones resolved."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def part_of(dotted: str) -> str:
    """The part of read_targets that a dotted name belongs to."""
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else ""


EVERY = [(name, path) for app in APPS for name, path in modules(app)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=[name for name, _ in EVERY])
def test_a_module_imports_only_what_the_law_lets_it(name: str, path: Path) -> None:
    ours = [one for one in imports_of(name, path) if one.split(".")[0] in (*APPS, "project")]
    assert not [one for one in ours if one.startswith("project")], "an app knows nothing of the site"
    if name.startswith("page_commands"):
        known = {part_of(one) for one in ours if one.startswith("read_targets")}
        assert known <= SHARED_WITH_PAGE_COMMANDS
    else:
        assert not [one for one in ours if one.startswith("page_commands")]
        allowed = ALLOWED.get(part_of(name))
        if allowed is not None:
            assert {part_of(one) for one in ours} <= allowed


def test_the_law_is_tested_on_real_modules() -> None:
    parts = {part_of(name) for name, _ in EVERY if name.startswith("read_targets")}
    assert set(ALLOWED) <= parts
