"""The parameters of a command: read by their kinds, exactly, and every one that does not fit is named."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pytest

from page_commands.codes import Code
from page_commands.models import CommandRun

from .acting import code
from .desk import Desk, step
from .tab import Agent, Tab

KINDS: tuple[dict[str, Any], ...] = (
    {"name": "text", "kind": "string"},
    {"name": "number", "kind": "number"},
    {"name": "whole", "kind": "integer"},
    {"name": "yes", "kind": "boolean"},
    {"name": "day", "kind": "date"},
    {"name": "chosen", "kind": "enum", "values": "red\ngreen"},
)
"""A parameter of each kind."""

BOUND = {facts["name"]: f"parameter {facts['name']}" for facts in KINDS}

LIMITED: tuple[dict[str, Any], ...] = (
    {"name": "text", "kind": "string", "pattern": "[A-Z]{3}"},
    {"name": "number", "kind": "number", "minimum": "0.5", "maximum": "9.5"},
    {"name": "whole", "kind": "integer", "minimum": "1"},
    {"name": "day", "kind": "date", "required": True},
)

FITS: list[tuple[str, Any, Any]] = [
    ("text", "한강 “x” <b>", "한강 “x” <b>"),
    ("text", " with blanks ", " with blanks "),
    ("text", "null", "null"),
    ("number", 1.5, Decimal("1.5")),
    ("number", "0.10", Decimal("0.10")),
    ("number", "1234567890123456789012345.678901", Decimal("1234567890123456789012345.678901")),
    ("number", -3, Decimal(-3)),
    ("whole", 7, 7),
    ("whole", "9007199254740993", 9007199254740993),
    ("whole", 9007199254740993, 9007199254740993),
    ("yes", True, True),
    ("yes", False, False),
    ("yes", "false", False),
    ("day", "2026-02-28", dt.date(2026, 2, 28)),
    ("chosen", "green", "green"),
]


@pytest.fixture
def take(desk: Desk) -> None:
    """A command with a parameter of each kind."""
    desk.command("take", step("handler acting.everything", **BOUND), takes="", parameters=KINDS)


@pytest.mark.parametrize("as_text", [True, False])
def test_a_value_of_each_kind_reaches_the_handler_exactly(take: None, tab: Tab, robot: Agent, as_text: bool) -> None:
    for name, sent, read in FITS:
        parameters: Any = {name: sent}
        if as_text:
            parameters = json.dumps(parameters)
        answer = robot.call("runPageCommand", {"command": "take", "parameters": parameters}).json()
        assert answer["outcome"] == "READY"
        taken = code.given.pop()
        assert taken == {name: read}
        assert type(taken[name]) is type(read)


def test_a_number_in_the_text_of_the_parameters_keeps_every_digit(take: None, tab: Tab, robot: Agent) -> None:
    parameters = '{"number": 12345678901234567890.123456789012345678901}'
    assert robot.call("runPageCommand", {"command": "take", "parameters": parameters}).json()["outcome"] == "READY"
    assert code.given == [{"number": Decimal("12345678901234567890.123456789012345678901")}]


def test_a_click_passes_the_same_values(take: None, tab: Tab) -> None:
    for name, sent, read in FITS:
        assert tab.click("take", **{name: sent}).status == 200
        assert code.given.pop() == {name: read}


@pytest.mark.parametrize("unset", [None, ""])
def test_what_is_not_set_is_left_out(take: None, tab: Tab, robot: Agent, unset: Any) -> None:
    nothing = {facts["name"]: unset for facts in KINDS}
    assert robot.call("runPageCommand", {"command": "take", "parameters": nothing}).json()["outcome"] == "READY"
    assert code.given == [{}]


UNFIT: list[tuple[str, Any, dict[str, Any]]] = [
    ("text", 5, {"code": "not_a_string", "type": "string"}),
    ("text", ["a"], {"code": "not_a_string", "type": "string"}),
    ("text", "a\0b", {"code": "not_text", "type": "string"}),
    ("text", "\ud800", {"code": "not_text", "type": "string"}),
    ("text", "x" * 1001, {"code": "too_long", "type": "string", "maximum": 1000}),
    ("number", "1,5", {"code": "not_a_number", "type": "number"}),
    ("number", "NaN", {"code": "not_a_number", "type": "number"}),
    ("number", True, {"code": "not_a_number", "type": "number"}),
    ("whole", 1.5, {"code": "not_an_integer", "type": "integer"}),
    ("whole", "many", {"code": "not_an_integer", "type": "integer"}),
    ("yes", "yes", {"code": "not_a_boolean", "type": "boolean"}),
    ("yes", 1, {"code": "not_a_boolean", "type": "boolean"}),
    ("day", "28.02.2026", {"code": "not_a_date", "type": "date", "format": "YYYY-MM-DD"}),
    ("day", "2026-02-30", {"code": "not_a_date", "type": "date", "format": "YYYY-MM-DD"}),
    ("chosen", "blue", {"code": "not_one_of", "type": "enum", "values": ["red", "green"]}),
    ("chosen", "RED", {"code": "not_one_of", "type": "enum", "values": ["red", "green"]}),
]


def test_what_does_not_fit_is_named_with_what_would(take: None, tab: Tab, robot: Agent) -> None:
    for name, sent, facts in UNFIT:
        reply = robot.call("runPageCommand", {"command": "take", "parameters": {name: sent}})
        answer = reply.json()
        assert (reply.status, answer["code"]) == (400, Code.PARAMETERS_UNREADABLE)
        assert answer["params"] == {name: facts}
        assert answer["nextAction"] == {"type": "FIX_ARGUMENTS", "fields": ["parameters"]}
    assert code.given == []
    assert not CommandRun.objects.exists()


def test_all_that_do_not_fit_are_named_at_once(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.command("take", step("handler acting.everything"), takes="", parameters=LIMITED)
    wrong = {"text": "abc", "number": "9.51", "whole": 0, "<b>stranger</b>": 1}
    answer = robot.call("runPageCommand", {"command": "take", "parameters": wrong}).json()
    known = ["text", "number", "whole", "day"]
    assert answer["params"] == {
        "?b?stranger??b?": {"code": "argument_unknown", "values": known},
        "text": {"code": "pattern_mismatch", "type": "string", "format": "[A-Z]{3}"},
        "number": {"code": "too_large", "type": "number", "minimum": 0.5, "maximum": 9.5},
        "whole": {"code": "too_small", "type": "integer", "minimum": 1},
        "day": {"code": "required", "type": "date"},
    }
    assert answer["command"] == "tests.take"
    assert code.times() == 0


def test_parameters_that_are_no_object_are_refused(take: None, tab: Tab, robot: Agent) -> None:
    for parameters in ("[]", "3", '"text"', "null", "{", "{'a': 1}", "[" * 90_000):
        answer = robot.call("runPageCommand", {"command": "take", "parameters": parameters}).json()
        assert answer["code"] == Code.PARAMETERS_UNREADABLE
        wrong = {"code": "not_an_object", "type": "string", "format": "JSON object"}
        assert answer["params"] == {"parameters": wrong}
    assert code.times() == 0


def test_no_parameters_are_none(take: None, tab: Tab, robot: Agent) -> None:
    nothing: tuple[Any, ...] = ("", None, "{}", {})
    for parameters in nothing:
        assert robot.call("runPageCommand", {"command": "take", "parameters": parameters}).json()["outcome"] == "READY"


def test_a_text_as_long_as_a_parameter_may_be_fits_into_the_text_of_the_parameters(
    take: None, tab: Tab, robot: Agent
) -> None:
    words = "“" * 1000
    answer = robot.call("runPageCommand", {"command": "take", "parameters": json.dumps({"text": words})}).json()
    assert answer["outcome"] == "READY"
    assert code.given == [{"text": words}]


def test_the_parameters_that_were_agreed_to_are_those_that_run(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.command(
        "take", step("handler acting.everything", **BOUND), takes="", parameters=KINDS, confirmation="REQUIRED"
    )
    values = {name: (sent, read) for name, sent, read in FITS}
    assert robot.run("take", **{name: sent for name, (sent, _read) in values.items()}).status == 202
    assert tab.approve().status == 200
    (taken,) = code.given
    assert taken == {name: read for name, (_sent, read) in values.items()}
    assert {name: type(value) for name, value in taken.items()} == {
        name: type(read) for name, (_sent, read) in values.items()
    }


def test_page_commands_tells_each_parameter_as_a_schema(desk: Desk, tab: Tab, robot: Agent) -> None:
    desk.command("take", step("handler acting.everything"), takes="", parameters=(*LIMITED, KINDS[3], KINDS[5]))
    told = robot.commands().json()["state"]["commands"][0]["parameters"]
    assert told["required"] == ["day"]
    assert told["type"] == "object"
    assert {name: facts["type"] for name, facts in told["properties"].items()} == {
        "text": "string",
        "number": "number",
        "whole": "integer",
        "day": "string",
        "yes": "boolean",
        "chosen": "string",
    }
    assert told["properties"]["chosen"]["enum"] == ["red", "green"]
