"""What a conversation costs: bytes of the tools that are told, and of arguments and text of the questions people ask.

`pytest -s` prints them. The same questions on the ledger of 50,000 rows are measured by `make bench`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from read_targets.agent.mcp.guidance import MOST_BYTES, cut, instructions
from read_targets.agent.mcp.told import told_tool
from read_targets.agent.mcp.visits import Visit
from read_targets.agent.texts import text_twin
from read_targets.agent.toolsets import guidance_of
from read_targets.models import ReadTarget
from read_targets.policies import Actor
from read_targets.tools import tools_of_target

from .questions import LEDGER, QUESTIONS, Question

MOST = 1_600
"""Bytes of one target's two tools as a model is handed them: the names, the descriptions and the arguments."""

BESIDE = 250
"""Bytes of what else a host is told of a tool: its title, the hints, the schema of its answers, its page."""

FOR_THE_MODEL = ("name", "description", "inputSchema")
WHOLE = {"factory.tenants"}
"""The targets of the company that keep to the limit with all that the host is told as well."""

TARGETS = [
    "drilling.connection-runs", "drilling.wells", "factory.conversations", "factory.git-connections",
    "factory.projects", "factory.tenants", "ledger.accounts", "ledger.cash-transactions",
]  # fmt: skip


def size_of(value: Any) -> int:
    """The bytes of a value as compact JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.parametrize("key", TARGETS)
def test_the_tools_of_a_target_are_told_in_few_bytes(db: None, key: str) -> None:
    tools = tools_of_target(ReadTarget.objects.get(key=key))
    told = [told_tool(tool).model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]
    model = sum(size_of({name: one[name] for name in FOR_THE_MODEL}) for one in told)
    whole = sum(map(size_of, told))
    print(f"\n{key}: {model} bytes for the model, {whole} with what is for its host; at most {MOST}")
    assert len(told) == 2
    assert model <= MOST
    assert whole - model <= BESIDE * len(told)
    assert (whole <= MOST) == (key in WHOLE)


def test_these_are_all_targets_of_the_company(db: None) -> None:
    assert sorted(ReadTarget.objects.values_list("key", flat=True)) == TARGETS


def test_what_the_admin_says_of_a_condition_is_told_whole(db: None) -> None:
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    said = "the account " * 16
    target.criteria.filter(name="account").update(description=said.strip())
    target.search_hint = "h" * 200
    target.description = "d" * 600
    query = told_tool(tools_of_target(target)[0])
    properties = query.input_schema["properties"]
    assert properties["account"]["description"] == said.strip()
    assert properties["text"]["description"].endswith("h" * 200)
    assert "d" * 600 in (query.description or "")


def test_the_screens_tool_names_the_one_that_describes_its_conditions(db: None) -> None:
    query, screen = map(told_tool, tools_of_target(ReadTarget.objects.get(key="ledger.cash-transactions")))
    assert f"conditions as in {query.name} but period." in (screen.description or "")
    described, bare = query.input_schema["properties"], screen.input_schema["properties"]
    assert bare == {name: {"type": described[name]["type"]} for name in bare}
    assert described.keys() - bare.keys() == {"id", "groupBy", "orderBy", "rows", "show", "title", "name"}


def test_the_rules_of_all_targets_are_told_once_and_fit_into_the_instructions(person: Any) -> None:
    visit = Visit(Actor(person("admin")), "", "https://site.example", {})
    text = instructions(visit)
    tools = [tool for target in ReadTarget.objects.all() for tool in tools_of_target(target)]
    assert all(line in text for line in guidance_of(tools).splitlines())
    assert text.count("isComplete") == 1
    assert len(text.encode()) <= MOST_BYTES


@pytest.mark.parametrize("question", QUESTIONS, ids=[one.asked for one in QUESTIONS])
def test_a_question_is_one_call_of_few_bytes(agent: Any, question: Question) -> None:
    answer = agent("analyst").answer(LEDGER, **question.arguments)
    assert answer["outcome"] == "READY"
    text = len(text_twin(answer, "https://localhost:8000").encode())
    asked, structured = size_of(question.arguments), size_of(answer)
    print(f"\n{question.asked}: arguments {asked}, text {text}, structured {structured} bytes; at most {question.most}")
    assert asked + text <= question.most
    assert text < structured


@pytest.mark.parametrize(
    ("most", "kept"),
    [(100, "One. Two.\n- three\n- four"), (18, "One. Two.\n- three"), (9, "One. Two."), (8, "One."), (3, "")],
)
def test_instructions_are_cut_at_a_sentence_or_a_line(most: int, kept: str) -> None:
    assert cut("One. Two.\n- three\n- four", most) == kept
