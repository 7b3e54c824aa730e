"""What was answered once can be read back, and says the same."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from read_targets.agent.contract import RESULTS, DataResult, NextAction, Refused, result_from

CARD = {"id": "c", "kind": "confirmation", "icon": "help", "label": "Lamp", "url": "/factory/start/"}
WAIT = {"type": "WAIT", "delayMs": 2000}
ABOUT = {"toolName": "do", "callId": "1", "message": "m"}
ASKED = {"command": "turn_on", "input": {"type": "factory.lamp", "id": "7"}}

ANSWERS: list[dict[str, Any]] = [
    {"success": True, "outcome": "READY", **ABOUT},
    {
        "success": True, "outcome": "READY", **ABOUT, **ASKED, "state": {"page": None}, "changed": {"lamp": ["on"]},
        "resultingState": {"lamp": {"isOn": True}}, "delivery": "SHOWN", "card": CARD,
    },
    {
        "success": True, "outcome": "NOT_READY", "isDataReady": False, **ABOUT, "code": "a.b", "nextAction": WAIT,
        **ASKED, "card": CARD,
    },
    {"success": True, "outcome": "NOT_READY", "isDataReady": False, **ABOUT, "code": "a.b", "nextAction": WAIT},
    {
        "success": True, "outcome": "CANCELLED", "executed": False, **ABOUT, "code": "a.b",
        "nextAction": {"type": "NONE"}, **ASKED,
    },
    {
        "success": False, "outcome": "REJECTED", "error": "e", **ABOUT, "code": "a.b", "params": {"x": {"code": "y"}},
        **ASKED, "reasons": ["Nein."], "language": "de", "pages": [{"id": "p"}], "executed": False,
        "nextAction": {"type": "ASK_USER"},
    },
    {"success": False, "outcome": "INTERNAL", "error": "e", **ABOUT, "code": "a.b", "nextAction": {"type": "NONE"}},
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_read_back_as_it_was(answer: dict[str, Any]) -> None:
    result = result_from(answer)
    assert result.to_json() == answer
    assert result.outcome == answer["outcome"]
    assert result_from(orjson.loads(orjson.dumps(result.to_json()))) == result


@pytest.mark.parametrize(
    "arguments", [{"groupBy": "account", "show": "workspace"}, {"id": "1"}, {"text": "nothing at all"}]
)
def test_an_answer_of_data_is_read_back_as_it_was(agent: Any, arguments: dict[str, str]) -> None:
    answer = agent("clerk").answer("queryLedgerCashTransactions", **arguments)
    assert answer["outcome"] == "READY"
    assert result_from(answer).to_json() == answer


@pytest.mark.parametrize(("requested", "is_complete"), [(3, True), (3, False), (4, False), (None, False)])
def test_completeness_is_derived_anew_from_what_was_written(
    agent: Any, requested: int | None, is_complete: bool
) -> None:
    answer = agent("clerk").answer("queryLedgerCashTransactions", rows=0)
    answer["coverage"] |= {"requestedRows": requested, "analysedRows": 3, "isComplete": is_complete}
    assert result_from(answer).to_json() == answer


@pytest.mark.parametrize("answer", [{}, {"success": True}, {**ANSWERS[0], "more": 1}, {**ANSWERS[4], "executed": True}])
def test_what_is_no_answer_is_none(answer: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        result_from(answer)


def test_a_refusal_tells_what_it_is_of() -> None:
    facts = {"command": "turn_on", "reasons": ["Nein."], "language": "de"}
    refused = Refused("REJECTED", "a.b", "e", next_action=NextAction(type="ASK_USER"), facts=facts)
    told = refused.result("do", "1").to_json()
    assert {name: told[name] for name in facts} == facts
    assert not {"input", "pages", "executed", "params"} & set(told)


def test_every_shape_is_tried_here() -> None:
    assert {type(result_from(answer)) for answer in ANSWERS} == set(RESULTS) - {DataResult}


def test_what_agents_share_can_be_imported_before_the_site_is_set_up() -> None:
    code = "from read_targets.agent import Argument, Unreadable, plain, snapshot, writing"
    subprocess.run([sys.executable, "-c", code], check=True, env={})
