"""What the log holds of a call: the conditions that could be read, and nothing that was never let through."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from read_targets.agent.log import LONGEST_VALUE, MOST_CONDITIONS, asked
from read_targets.agent.registry import Tool
from read_targets.lists import Argument
from read_targets.models import AgentDoors, ToolCall
from read_targets.policies import Actor

from .doer import ready

TOOL = "queryLedgerCashTransactions"
SCREEN = "openLedgerCashTransactionsScreen"

pytestmark = pytest.mark.django_db


def logged(one: Any, tool: str, /, **arguments: Any) -> list[dict[str, Any]]:
    """Call the tool, and return what the log says was asked."""
    one.call(tool, **arguments)
    conditions: list[dict[str, Any]] = ToolCall.objects.latest("at").conditions
    return conditions


def keep_words(kept: bool = True) -> None:
    AgentDoors.objects.update_or_create(pk=1, defaults={"keeps_words": kept})


def test_conditions_are_kept_as_the_scope_of_the_answer_says_them(agent: Any) -> None:
    one = agent("analyst")
    answer = one.answer(TOOL, **{"from": "2026-10-01", "to": "2026-10-31", "flow": "EXPENSE", "minAmount": "10.50"})
    told = {entry["name"]: entry["value"] for entry in ToolCall.objects.get().conditions}
    assert told == answer["scope"]["filters"]
    assert told["minAmount"] == "10.50"


def test_a_record_is_asked_for_by_its_id(agent: Any) -> None:
    assert logged(agent("analyst"), TOOL, id="7") == [{"name": "id", "value": "7"}]


@pytest.mark.parametrize("arguments", [{}, {"groupBy": "date"}, {"title": "secret", "name": "secret", "rows": 1}])
def test_what_is_no_condition_is_not_kept(agent: Any, arguments: dict[str, Any]) -> None:
    assert logged(agent("analyst"), TOOL, **arguments) == []


def test_of_words_it_is_kept_that_they_were_searched_for(agent: Any) -> None:
    assert logged(agent("analyst"), TOOL, text="rent", flow="EXPENSE") == [
        {"name": "flow", "value": "EXPENSE"},
        {"name": "text"},
    ]
    assert "rent" not in str(list(ToolCall.objects.values()))


@pytest.mark.parametrize("tool", [TOOL, SCREEN])
def test_words_are_kept_where_an_admin_says_so(agent: Any, tool: str) -> None:
    keep_words()
    one = agent("analyst")
    assert logged(one, tool, text="rent") == [{"name": "text", "value": "rent"}]
    keep_words(False)
    assert logged(one, tool, text="rent") == [{"name": "text"}]


def test_a_screen_is_logged_as_a_query_is(agent: Any) -> None:
    assert logged(agent("analyst"), SCREEN, flow="INCOME") == [{"name": "flow", "value": "INCOME"}]


def test_of_a_refused_call_what_could_be_read_is_kept(agent: Any) -> None:
    one = agent("analyst")
    assert logged(one, TOOL, **{"flow": "EXPENSE", "from": "<b>yesterday</b>", "nothing": "made up"}) == [
        {"name": "flow", "value": "EXPENSE"}
    ]
    call = ToolCall.objects.get()
    assert (call.outcome, call.code) == ("INVALID_INPUT", "read_targets.argument_unknown")
    assert "yesterday" not in str(list(ToolCall.objects.values()))
    assert "made up" not in str(list(ToolCall.objects.values()))


@pytest.mark.parametrize("body", [[], [{"flow": "EXPENSE"}], "flow", 7])
def test_of_a_body_that_is_no_object_nothing_is_kept(agent: Any, body: Any) -> None:
    agent("analyst").post(TOOL, body)
    assert [call.conditions for call in ToolCall.objects.all()] in ([], [[]])


@pytest.mark.parametrize("tool", ["queryNothing", TOOL])
def test_of_a_tool_that_is_not_there_nothing_is_kept(agent: Any, tool: str) -> None:
    assert logged(agent("guest"), tool, flow="EXPENSE") == []
    assert ToolCall.objects.get().code == "read_targets.unknown_tool"


def test_while_the_doors_are_closed_nothing_is_kept(agent: Any) -> None:
    AgentDoors.objects.update_or_create(pk=1, defaults={"is_open": False})
    assert logged(agent("analyst"), TOOL, flow="EXPENSE") == []
    assert ToolCall.objects.get().code == "read_targets.doors_closed"


def test_a_long_value_is_cut_and_says_so(agent: Any) -> None:
    (entry,) = logged(agent("analyst"), TOOL, account="x" * (LONGEST_VALUE + 1))
    assert entry == {"name": "account", "value": "x" * LONGEST_VALUE, "cut": True}
    assert logged(agent("analyst"), TOOL, account="x" * LONGEST_VALUE) == [
        {"name": "account", "value": "x" * LONGEST_VALUE}
    ]


def test_too_many_conditions_are_counted(person: Any) -> None:
    names = tuple(f"c{place}" for place in range(MOST_CONDITIONS + 3))
    tool = Tool(
        key="t", name="t", title="", description="", short_description="", tool_class="BACKEND_QUERY",
        arguments=tuple(Argument(name, "string") for name in names), run=lambda call: pytest.fail("not run"),
        conditions=names,
    )  # fmt: skip
    told = asked(Actor(person("clerk")), tool, dict.fromkeys(names, "x"), ready("1"))
    assert len(told) == MOST_CONDITIONS + 1
    assert told[-1] == {"more": 3}


def test_of_a_command_its_name_and_object_are_kept(person: Any) -> None:
    result = ready("1", command="factory.open", input={"type": "factory.tenant", "id": "17"}, changed={"secret": 1})
    assert asked(Actor(person("clerk")), None, {"parameters": {"word": "secret"}}, result) == [
        {"name": "command", "value": "factory.open"},
        {"name": "input", "type": "factory.tenant", "value": "17"},
    ]


def test_an_object_that_is_no_key_is_kept_in_plain_characters_alone(person: Any) -> None:
    result = ready("1", command="factory.open", input={"type": "factory.tenant", "id": "<b>'; DROP" + "x" * 500})
    assert asked(Actor(person("clerk")), None, {}, result)[1]["value"] == "?b????DROP" + "x" * 50


def test_writing_it_is_one_statement(agent: Any) -> None:
    one = agent("analyst")
    one.call(TOOL, rows=0)
    with CaptureQueriesContext(connection) as sent:
        one.call(TOOL, rows=0, text="rent", flow="EXPENSE", **{"from": "2026-10-01"})
    of_the_log = [query["sql"] for query in sent.captured_queries if "read_targets_toolcall" in query["sql"]]
    of_the_doors = [query["sql"] for query in sent.captured_queries if "read_targets_agentdoors" in query["sql"]]
    assert [sql.split()[0] for sql in of_the_log] == ["INSERT"]
    assert len(of_the_doors) == 1
