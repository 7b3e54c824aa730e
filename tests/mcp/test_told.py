"""Tools and answers as MCP tells them: schemas in the plain subset, all hints, and an answer that fits its schema."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from mcp import types

from read_targets.agent.codes import Code
from read_targets.agent.contract import Refused, result_from
from read_targets.agent.mcp.polling import CALL_ANSWER_TOOL
from read_targets.agent.mcp.told import (
    SERVER_ERROR,
    annotations_of,
    output_schema,
    told_answer,
    told_refusal,
    told_tool,
)
from read_targets.agent.refusals import doors_closed, refuse_arguments, unknown_toolset
from read_targets.agent.registry import tools_of
from read_targets.agent.vendors import problems_in
from read_targets.policies import Actor
from tests.agent.test_contract import ANSWERS

from .test_texts import READ


@pytest.mark.parametrize("answer", [READ, *ANSWERS])
def test_every_kind_of_answer_fits_the_one_schema_of_answers(answer: dict[str, Any]) -> None:
    told = told_answer(result_from(answer), "https://site.example")
    jsonschema.validate(told.structured_content, output_schema())
    assert told.structured_content == answer
    assert told.is_error is not answer["success"]
    assert [block.type for block in told.content] == ["text"]


@pytest.mark.parametrize("missing", ["success", "outcome", "message"])
def test_the_schema_of_answers_refuses_what_is_none(missing: str) -> None:
    answer = {name: value for name, value in ANSWERS[0].items() if name != missing}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(answer, output_schema())


def test_the_schema_of_answers_says_no_more_than_what_each_must_have() -> None:
    assert output_schema() == {"type": "object", "required": ["success", "outcome", "message"]}


@pytest.mark.parametrize("acts", [True, False])
def test_every_hint_is_set(acts: bool) -> None:
    hints = annotations_of(acts=acts).model_dump(by_alias=True, exclude_none=True)
    assert hints == {
        "readOnlyHint": not acts, "destructiveHint": acts, "idempotentHint": not acts, "openWorldHint": False
    }  # fmt: skip


@pytest.mark.parametrize("form", ["anthropic", "gemini"])
def test_what_a_host_hands_on_is_taken_by_its_models_vendor(person: Any, form: str) -> None:
    arguments = "input_schema" if form == "anthropic" else "parameters"
    for tool in [*map(told_tool, tools_of(Actor(person("admin")))), CALL_ANSWER_TOOL]:
        told: dict[str, Any] = {"name": tool.name, "description": tool.description}
        if form == "anthropic" or tool.input_schema["properties"]:
            told[arguments] = tool.input_schema
        assert problems_in(form, told) == []


def test_the_tool_that_asks_again_reads_only() -> None:
    assert CALL_ANSWER_TOOL.annotations.read_only_hint is True
    assert CALL_ANSWER_TOOL.input_schema["required"] == ["callId"]


@pytest.mark.parametrize(
    ("refused", "code"),
    [
        (unknown_toolset(), types.INVALID_PARAMS),
        (refuse_arguments({"x": {"code": "y"}}), types.INVALID_PARAMS),
        (Refused("REJECTED", Code.NOT_FOUND, "e"), types.INVALID_PARAMS),
        (doors_closed(), SERVER_ERROR),
        (Refused("REJECTED", "elsewhere.code", "e"), SERVER_ERROR),
    ],
)
def test_a_refusal_outside_of_a_tool_is_an_error_with_the_contracts_body(refused: Refused, code: int) -> None:
    error = told_refusal(refused)
    assert (error.code, error.message) == (code, refused.error)
    assert (error.data["success"], error.data["code"]) == (False, str(refused.code))
