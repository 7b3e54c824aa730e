"""What the guides say is held against the code: codes, settings, checks, commands, links and decisions."""

from __future__ import annotations

import ast
import inspect
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.management import get_commands
from django.test import RequestFactory
from rest_framework.exceptions import AuthenticationFailed

from page_commands.codes import Code as PageCode
from read_targets.agent import refusals
from read_targets.agent.codes import Code
from read_targets.agent.contract import HTTP_STATUS, Refused
from read_targets.agent.registry import Call
from read_targets.agent.views import http_refusal, status_of
from read_targets.cards.api import _refusal_of
from read_targets.cards.clicks import prove_click
from read_targets.cards.models import Card
from read_targets.cards.opening import open_card
from read_targets.conf import DEFAULTS
from read_targets.digest import MODEL_GROUPS, MODEL_ROWS, WORKSPACE_ROWS
from read_targets.lists import TooSlow
from read_targets.models import RESERVED, ReadTarget
from read_targets.policies import Actor
from read_targets.tools import run_screen

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
APPS = ("read_targets", "page_commands")

NOTHING = "–"
"""How the tables say that there is nothing to tell."""

UNANSWERED = "nothing answers it yet"
HTTP_ITSELF = {status for status in range(400, 600) if http_refusal(status).code != Code.INTERNAL}
"""The statuses of HTTP itself that have a refusal of their own."""

SAMPLES: dict[str, Any] = {
    "wrong": {"from": {"code": "not_a_date"}},
    "error": "What was wrong.",
    "reason": TooSlow(),
}
"""An argument for each parameter of the functions that make refusals."""


class Told(NamedTuple):
    """A row of the table of codes."""

    outcome: str
    statuses: frozenset[int]
    next_action: str
    when: str


def text_of(page: str | Path) -> str:
    """The text of a page, named from the folder of guides."""
    return (DOCS / page).read_text(encoding="utf-8")


def rows_of(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table whose head begins with `heading`, backticks taken off."""
    lines = iter(text.splitlines())
    next(line for line in lines if line.startswith(f"| {heading} "))
    next(lines)
    table = []
    for line in lines:
        if not line.startswith("|"):
            break
        table.append([cell.strip().strip("`*") for cell in line.strip("|").split("|")])
    return table


def modules() -> Iterator[ast.Module]:
    """Every module of both apps, parsed."""
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            yield ast.parse(path.read_text(encoding="utf-8"))


# Codes


def told_codes() -> dict[str, Told]:
    """The table of codes, by the code as it is sent."""
    found = {}
    for code, outcome, statuses, next_action, when in rows_of(text_of("codes.md"), "code"):
        numbers = frozenset(int(one) for one in re.findall(r"\d+", statuses))
        assert f"read_targets.{code}" not in found, f"{code} is there twice"
        found[f"read_targets.{code}"] = Told(outcome, numbers, next_action, when)
    return found


def refused(call: Any) -> Refused:
    """The refusal that `call` raises."""
    with pytest.raises(Refused) as caught:
        call()
    return caught.value


def shared_refusals() -> Iterator[Refused]:
    """What every function of `agent/refusals.py` makes."""
    for _name, make in inspect.getmembers(refusals, inspect.isfunction):
        if make.__module__ != refusals.__name__:
            continue
        given = [name for name, one in inspect.signature(make).parameters.items() if one.default is one.empty]
        yield make(*(SAMPLES[name] for name in given))
    yield refusals.refuse_arguments(SAMPLES["wrong"], unknown=True)


def card_refusals(user: Any) -> Iterator[Refused]:
    """What the doors of cards refuse a person with."""
    request = RequestFactory().post("/")
    request.user = AnonymousUser()
    yield refused(lambda: prove_click(request, "card", "nonce"))
    yield refused(lambda: open_card(user, uuid.uuid4(), lambda notice: None))
    for verdict in (Card.Verdict.EXPIRED, Card.Verdict.REFUSED):
        yield _refusal_of(Card(source="ledger.accounts", verdict=verdict))


def screen_refusals(user: Any) -> Iterator[Refused]:
    """What a screen tool refuses with: its screen is gone, or the address would be too long."""
    target = ReadTarget.objects.get(key="ledger.accounts")
    call = Call(Actor(user), "", target.screen_tool_name, {"text": "words " * 1_000})
    yield refused(lambda: run_screen(target, call))
    target.screen = "gone:away"
    yield refused(lambda: run_screen(target, call))


def answered(user: Any) -> Iterator[tuple[Refused, int]]:
    """Refusals as a person is answered, each with its status."""
    for refusal in (*shared_refusals(), *card_refusals(user), *screen_refusals(user)):
        yield refusal, status_of(refusal.outcome, refusal.code)
    for status in HTTP_ITSELF:
        yield http_refusal(status), status
    yield http_refusal(401, AuthenticationFailed()), 401


def test_every_code_is_told_in_the_order_of_the_enum() -> None:
    assert list(told_codes()) == [str(code) for code in Code]
    of_pages = rows_of(text_of("codes.md").partition("## Of page commands")[2], "code")
    assert [f"page_commands.{code}" for code, *_rest in of_pages] == [str(code) for code in PageCode]


def test_codes_are_told_as_they_are_answered(person: Callable[[str], User]) -> None:
    told = told_codes()
    statuses: dict[str, set[int]] = {}
    for refusal, status in answered(person("analyst")):
        row = told[str(refusal.code)]
        assert (row.outcome, row.next_action) == (refusal.outcome, refusal.next_action.type), refusal.code
        statuses.setdefault(str(refusal.code), set()).add(status)
    assert {code: set(told[code].statuses) for code in statuses} == statuses
    # What else there is, is no refusal: it comes with an answer that is not whole, or is not answered.
    left = [row for code, row in told.items() if code not in statuses]
    partial = [row for row in left if row.when != UNANSWERED]
    assert {row[:3] for row in partial} == {("PARTIAL", frozenset({HTTP_STATUS["PARTIAL"]}), NOTHING)}


def test_a_code_is_told_to_be_unanswered_exactly_where_nothing_names_it() -> None:
    named = {
        node.attr
        for module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Code"
    }
    unanswered = {code for code, row in told_codes().items() if row.when == UNANSWERED}
    assert unanswered == {str(code) for code in Code if code.name not in named}


def test_every_code_of_an_argument_is_told() -> None:
    _, _, text = text_of("codes.md").partition("## At one argument")
    told = {code for row in rows_of(text, "code") for code in re.findall(r"\w+", row[0])}
    assert told == {"argument_unknown", *codes_of_values()}


def codes_of_values() -> Iterator[str]:
    """Every code with which a value is found not to fit."""
    for node in ast.walk(ast.parse((ROOT / "read_targets/lists/values.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Unreadable":
            yield from (str(one.value) for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant))


# Settings, checks, commands


def test_every_setting_is_told_with_its_default() -> None:
    told = {name: default for name, default, _meaning in rows_of(text_of("developer.md"), "entry")}
    assert {name: ast.literal_eval(default) for name, default in told.items()} == DEFAULTS


def test_every_system_check_is_told() -> None:
    given = {
        str(node.value.value)
        for module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.keyword) and node.arg == "id" and isinstance(node.value, ast.Constant)
    }
    raised = {name for name in given if re.fullmatch(r"\w+\.[EW]\d{3}", name)}
    assert raised == {name for name, _says in rows_of(text_of("developer.md"), "id")}


def test_the_limits_are_those_of_the_code() -> None:
    told = [limit for limit, _of in rows_of(text_of("agent.md"), "limit")]
    assert told == [f"{limit:,}" for limit in (MODEL_ROWS, MODEL_GROUPS, WORKSPACE_ROWS)]


def test_reserved_names_are_told_to_admins() -> None:
    said = re.search(r"The names ([^.]*) are taken", text_of("admin.md"))
    assert said
    assert tuple(re.findall(r"`(\w+)`", said[1])) == RESERVED


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)(?:\w+=\S+ )?make ([a-z]+)", text, re.MULTILINE)) <= targets
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= set(get_commands())


# Links, decisions, words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors_of(linked.read_text(encoding="utf-8")), target


def without_code(text: str) -> str:
    """The text without what is code in it."""
    return re.sub(r"`[^`]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors_of(text: str) -> set[str]:
    """The anchors that a page's headings make."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_decisions_are_numbered_without_gaps() -> None:
    pages = sorted((DOCS / "decisions").glob("*.md"))
    assert [page.name[:5] for page in pages] == [f"{number:04}-" for number in range(1, len(pages) + 1)]
    for number, page in enumerate(pages, 1):
        assert page.read_text(encoding="utf-8").startswith(f"# {number}. ")


def test_the_glossary_says_each_word_once_and_in_order() -> None:
    words = [word for word, _meaning in rows_of(text_of("glossary.md"), "word")]
    assert words == sorted(set(words))
