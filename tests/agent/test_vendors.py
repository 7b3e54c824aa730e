"""Every tool in the form of every vendor: as that vendor takes it, and as it is sent back."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from jsonschema import Draft202012Validator

from read_targets.agent.registry import Answered, Call, Tool, tools_of
from read_targets.agent.vendors import (
    FORMATS,
    LONGEST_NAME,
    LONGEST_VALUES,
    MANY_VALUES,
    MOST_ENUM_VALUES,
    MOST_TOOLS,
    problems_in,
    problems_in_list,
    tools_in,
)
from read_targets.lists import Argument
from read_targets.lists.values import KINDS
from read_targets.models import Column, Criterion, CriterionFilter, ReadTarget
from read_targets.policies import Actor
from read_targets.tools import query_tool

TOOL = "queryLedgerCashTransactions"
STRICT = ("openai-strict", "openai-responses-strict")


def never(call: Call) -> Answered:
    raise NotImplementedError


def tool_of(*arguments: Argument, name: str = "queryStories", description: str = "Read the stories.") -> Tool:
    return Tool("stories", name, "Stories", description, "Read stories.", "BACKEND_QUERY", arguments, never)


def function_of(form: str, tool: Tool) -> dict[str, Any]:
    told = FORMATS[form](tool)
    function: dict[str, Any] = told.get("function", told)
    return function


def schema_of(form: str, tool: Tool) -> dict[str, Any]:
    function = function_of(form, tool)
    schema: dict[str, Any] = function.get("input_schema") or function["parameters"]
    return schema


def of_every_kind(**more: Any) -> tuple[Argument, ...]:
    """An argument of each kind, once to be left out and once required."""
    given: dict[str, dict[str, Any]] = {
        "number": {"minimum": Decimal("-0.5"), "maximum": Decimal("9999999999999999.9999")},
        "integer": {"minimum": Decimal(1), "maximum": Decimal(12)},
        "enum": {"values": ("INCOME", "EXPENSE")},
        "string": {"pattern": "[a-z]+"},
    }
    return tuple(
        Argument(f"{kind}{'Needed' if required else ''}", kind, required=required, **{**given.get(kind, {}), **more})
        for kind in KINDS
        for required in (False, True)
    )


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["admin", "analyst", "clerk"])
def test_every_tool_of_the_demo_is_taken_by_every_vendor(person: Any, form: str, name: str) -> None:
    tools = tools_of(Actor(person(name)))
    assert len(tools) >= 4
    assert problems_in_list(form, tools_in(form, tools)) == []


def test_page_tools_are_among_them(person: Any) -> None:
    assert {"openPages", "pageCommands", "runPageCommand", "present"} <= {
        tool.name for tool in tools_of(Actor(person("admin")))
    }


def test_names_stay_apart_where_a_host_shortens_them(person: Any) -> None:
    names = [tool.name for tool in tools_of(Actor(person("admin")))]
    assert max(map(len, names)) <= LONGEST_NAME
    assert len({name[:LONGEST_NAME].lower() for name in names}) == len(names)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("more", [{}, {"description": "x" * 5_000}], ids=["plain", "long"])
def test_every_kind_of_argument_is_taken(form: str, more: dict[str, Any]) -> None:
    tool = tool_of(*of_every_kind(**more))
    assert problems_in(form, FORMATS[form](tool)) == []
    Draft202012Validator.check_schema(schema_of(form, tool))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (Argument("flow", "enum"),),
        (Argument("flow", "enum", values=("A", "B", "A")),),
        (Argument("day", "date", minimum=Decimal(1)),),
        (Argument("flow", "enum", values=tuple(f"value {place}" for place in range(MOST_ENUM_VALUES))),),
        (Argument("flow", "enum", values=tuple(f"{place:061}" for place in range(MANY_VALUES))),),
        (Argument("flow", "enum", values=tuple(f"{place:01000}" for place in range(MANY_VALUES - 1))),),
        tuple(Argument(f"flow{place}", "enum", values=tuple("abcdefghij")) for place in range(100)),
    ],
    ids=["none", "no values", "twice", "limited day", "many values", "long values", "very long values", "many enums"],
)
def test_whatever_is_declared_is_taken(form: str, arguments: tuple[Argument, ...]) -> None:
    assert problems_in(form, FORMATS[form](tool_of(*arguments))) == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("columns", [0, 1, 400])
def test_a_target_of_many_conditions_and_columns_is_taken(db: None, form: str, columns: int) -> None:
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    target.description = "d" * 600
    target.search_hint = "s" * 200
    Column.objects.filter(target=target).delete()
    Criterion.objects.filter(target=target).delete()
    ReadTarget.objects.filter(pk=target.pk).update(document="query { things }")
    target.document = "query { things }"  # a list of another shape groups and sorts by every column
    Column.objects.bulk_create(
        Column(target=target, name=f"c{place}".ljust(40, "x"), kind="string") for place in range(columns)
    )
    for kind in KINDS:
        one = Criterion.objects.create(
            target=target,
            name=f"{kind}Condition".ljust(40, "x"),
            kind=kind,
            description="c" * 200,
            values="\n".join(f"value {place}" for place in range(40)) if kind == "enum" else "",
            pattern="[a-z]{3}" if kind == "string" else "",
            minimum=Decimal("-1.5") if kind == "number" else None,
        )
        CriterionFilter.objects.create(criterion=one, field="c0", operator="eq")
    target = ReadTarget.objects.get(pk=target.pk)
    told = query_tool(target)
    assert len(told.arguments) == 1 + len(KINDS) + 1 + 2 * bool(columns) + 4
    assert problems_in(form, FORMATS[form](told)) == []


def test_the_envelope_of_each_vendor() -> None:
    tool = tool_of(Argument("flow", "enum", values=("IN",)), Argument("page", "string", required=True))
    closed = {
        "type": "object",
        "properties": {"flow": {"type": "string", "enum": ["IN"]}, "page": {"type": "string"}},
        "additionalProperties": False,
        "required": ["page"],
    }
    strict = {
        "type": "object",
        "properties": {"flow": {"type": ["string", "null"], "enum": ["IN", None]}, "page": {"type": "string"}},
        "required": ["flow", "page"],
        "additionalProperties": False,
    }
    said = {"name": "queryStories", "description": "Read the stories."}
    assert tools_in("openai", [tool]) == [{"type": "function", "function": {**said, "parameters": closed}}]
    assert tools_in("openai-strict", [tool]) == [
        {"type": "function", "function": {**said, "strict": True, "parameters": strict}}
    ]
    assert tools_in("openai-responses", [tool]) == [{"type": "function", **said, "strict": False, "parameters": closed}]
    assert tools_in("openai-responses-strict", [tool]) == [
        {"type": "function", **said, "strict": True, "parameters": strict}
    ]
    assert tools_in("anthropic", [tool]) == [{**said, "input_schema": closed}]
    opened = {name: value for name, value in closed.items() if name != "additionalProperties"}
    assert tools_in("gemini", [tool, tool_of()]) == [{"functionDeclarations": [{**said, "parameters": opened}, said]}]
    assert tools_in("gemini", []) == []


@pytest.mark.parametrize("form", STRICT)
def test_strict_says_how_many_values_it_has_no_room_for(form: str) -> None:
    many = tuple(str(place) for place in range(999))
    schema = schema_of(form, tool_of(Argument("a", "enum", "the a", many), Argument("b", "enum", values=("x", "y"))))
    assert schema["properties"]["b"]["enum"] == ["x", "y", None]
    assert schema["properties"]["a"]["type"] == ["string", "null"]
    assert "enum" not in schema["properties"]["a"]
    assert schema["properties"]["a"]["description"].startswith("the a; one of 999 values")


BAD: list[tuple[str, str, Callable[[dict[str, Any]], Any]]] = [
    ("openai", "the name", lambda one: one.update(name="a.b")),
    ("openai", "the name", lambda one: one.update(name="a" * (LONGEST_NAME + 1))),
    ("openai", "over 1024 characters", lambda one: one.update(description="x" * 1_025)),
    ("anthropic", "the description is empty", lambda one: one.update(description=" ")),
    ("anthropic", "title is not taken", lambda one: one.update(title="A")),
    ("anthropic", "the name 'a b'", lambda one: one["input_schema"]["properties"].update({"a b": {"type": "string"}})),
    ("gemini", "the name '1st'", lambda one: one["parameters"]["properties"].update({"1st": {"type": "string"}})),
    ("gemini", "additionalProperties", lambda one: one["parameters"].update(additionalProperties=False)),
    ("gemini", "without properties", lambda one: one["parameters"].update(properties={}, required=[])),
    ("gemini", "other values than texts", lambda one: one["parameters"]["properties"]["flow"].update(enum=[1, 2])),
    ("gemini", "other values than texts", lambda one: one["parameters"]["properties"]["flow"].update(enum=["A", ""])),
    ("gemini", "one twice", lambda one: one["parameters"]["properties"]["flow"].update(enum=["A", "A"])),
    (
        "gemini",
        "more than one type",
        lambda one: one["parameters"]["properties"]["flow"].update(type=["string", "null"]),
    ),
    ("openai", "array without items", lambda one: one["parameters"]["properties"].update(a={"type": "array"})),
    ("openai", "anyOf is not taken", lambda one: one["parameters"]["properties"]["flow"].update(anyOf=[])),
    ("openai", "what is no number", lambda one: one["parameters"]["properties"]["flow"].update(minimum=1)),
    ("openai", "the type None", lambda one: one["parameters"]["properties"]["flow"].pop("type")),
    ("openai", "required names", lambda one: one["parameters"].update(required=["nothing"])),
    ("openai", "strict", lambda one: one.update(strict=True)),
    ("openai-strict", "strict", lambda one: one.pop("strict")),
    ("openai-strict", "not every property", lambda one: one["parameters"].update(required=[])),
    ("openai-strict", "not every property", lambda one: one["parameters"].pop("additionalProperties")),
    ("openai-strict", "other values", lambda one: one["parameters"]["properties"]["flow"].update(enum=["A"])),
    (
        "openai-strict",
        f"over {MOST_ENUM_VALUES} values",
        lambda one: one["parameters"]["properties"]["flow"].update(enum=[*map(str, range(1_000)), None]),
    ),
    (
        "openai-strict",
        f"and {LONGEST_VALUES} characters",
        lambda one: one["parameters"]["properties"]["flow"].update(enum=[*(f"{n:061}" for n in range(250)), None]),
    ),
    (
        "openai-strict",
        "characters of names",
        lambda one: one["parameters"]["properties"]["flow"].update(enum=["x" * 120_000, None]),
    ),
    ("openai-strict", "within each other", lambda one: one["parameters"]["properties"].update(flow=nested(11))),
]


def nested(depth: int) -> dict[str, Any]:
    inner = nested(depth - 1) if depth > 1 else {"type": "string"}
    return {"type": "object", "properties": {"a": inner}, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize(("form", "said", "spoil"), BAD)
def test_what_a_vendor_refuses_is_found(form: str, said: str, spoil: Callable[[dict[str, Any]], Any]) -> None:
    told = FORMATS[form](tool_of(Argument("flow", "enum", values=("A", "B"))))
    assert problems_in(form, told) == []
    spoil(told.get("function", told))
    assert said in " / ".join(problems_in(form, told))


def test_a_list_that_a_vendor_refuses_is_found() -> None:
    twice = tools_in("anthropic", [tool_of(), tool_of()])
    assert problems_in_list("anthropic", twice) == ["queryStories is there twice"]
    many = tools_in("openai", [tool_of(name=f"query{place}") for place in range(MOST_TOOLS + 1)])
    assert problems_in_list("openai", many) == [f"there are over {MOST_TOOLS} tools: ask for a toolset"]


def test_the_list_is_told_as_it_was_asked_for(agent: Any) -> None:
    one = agent("clerk")
    native = one.tools().json()
    for form in FORMATS:
        listing = one.tools(f"?format={form}").json()
        assert set(listing) == {"tools", "guidance"}
        assert listing["guidance"] == native["guidance"]
        assert problems_in_list(form, listing["tools"]) == []
        told = listing["tools"][0]["functionDeclarations"] if form == "gemini" else listing["tools"]
        assert [tool.get("function", tool)["name"] for tool in told] == [tool["name"] for tool in native["tools"]]


def sent_back(form: str, schema: dict[str, Any]) -> Any:
    """The body that a client of that vendor posts: what its model was made to say."""
    wanted: dict[str, Any] = {"flow": "EXPENSE", "rows": 2}
    if form in STRICT:
        wanted = {name: wanted.get(name) for name in schema["properties"]}
    if form.startswith("openai"):
        return json.dumps(wanted)  # which is how arguments come: as the text of an object
    if form == "gemini":
        return {name: float(value) if isinstance(value, int) else value for name, value in wanted.items()}
    return wanted


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_vendor_sends_back_is_read(agent: Any, person: Callable[[str], User], form: str) -> None:
    tool = next(tool for tool in tools_of(Actor(person("clerk"))) if tool.name == TOOL)
    schema = schema_of(form, tool)
    body = sent_back(form, schema)
    sent = json.loads(body) if isinstance(body, str) else body
    assert [*Draft202012Validator(schema).iter_errors(sent)] == []
    answer = agent("clerk").post(TOOL, body).json()
    assert answer["outcome"] == "READY"
    assert answer["scope"]["filters"] == {"flow": "EXPENSE"}
    assert answer["sampleRows"]["returned"] == 2


def test_a_tool_without_arguments_may_be_sent_nothing(agent: Any) -> None:
    one = agent("admin")
    assert one.post("openPages", "").json()["outcome"] == "READY"
    assert one.post("openPages", "{}").json()["outcome"] == "READY"
