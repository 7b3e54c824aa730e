"""How often a caller may call: answered with when to come again, and nobody else is kept out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from read_targets.admin.agents import AgentTokenAdmin
from read_targets.agent import limits
from read_targets.agent.limits import MINUTE, SWEPT_EVERY
from read_targets.agent.models import mark_declared
from read_targets.agent.tokens import revoke
from read_targets.models import AgentDoors, AgentToken, Allowance, Preference, ToolCall, ToolLimit
from tests.flows.doer import Doer, act, ask, offered, poll, send

NOBODYS = "7d0f5f64-6a0e-4d5c-9b5e-0f3d6f3c2a11"
"""An id that nothing has."""

TOOL = "queryLedgerAccounts"


class Clock:
    """The moment at which calls come, in microseconds."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000_001

    def wait(self, milliseconds: float) -> None:
        self.now += int(milliseconds * 1_000)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(limits, "_now", lambda: clock.now)
    return clock


@pytest.fixture
def limited(settings: Any, clock: Clock) -> Callable[..., None]:
    """Set the limits; those that are not named are none."""

    def limit(**given: int | None) -> None:
        names = ("CALLS_A_MINUTE_OF_TOKEN", "CALLS_A_MINUTE_OF_PERSON", "POLLS_A_MINUTE", "BAD_TOKENS_A_MINUTE")
        settings.READ_TARGETS = {**dict.fromkeys(names), **given}

    return limit


def statuses(one: Any, times: int) -> list[int]:
    return [one.call(TOOL).status_code for _ in range(times)]


def test_one_call_too_many_is_told_when_to_come_again(agent: Any, limited: Any, clock: Clock) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=3)
    one = agent("analyst")
    assert statuses(one, 3) == [200] * 3
    response = one.call(TOOL)
    assert response.status_code == 429
    assert response["Retry-After"] == "20"
    assert response["Cache-Control"] == "private, no-store"
    answer = response.json()
    assert answer == {
        "success": False,
        "outcome": "REJECTED",
        "toolName": TOOL,
        "callId": "",
        "error": "Too many calls.",
        "message": "Too many calls.",
        "code": "read_targets.too_many",
        "nextAction": {"type": "WAIT", "delayMs": 20_000},
    }
    clock.wait(answer["nextAction"]["delayMs"] - 1)
    assert one.call(TOOL).json()["nextAction"]["delayMs"] == 1
    clock.wait(1)
    assert statuses(one, 2) == [200, 429]
    clock.wait(60_000)
    assert statuses(one, 4) == [200, 200, 200, 429]


def test_a_call_that_is_refused_uses_nothing_up_and_is_not_logged(agent: Any, limited: Any, clock: Clock) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=2)
    one = agent("analyst")
    assert statuses(one, 10) == [200] * 2 + [429] * 8
    assert ToolCall.objects.count() == 2
    clock.wait(30_000)
    assert statuses(one, 2) == [200, 429]


def test_every_token_has_its_own(agent: Any, limited: Any) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=1)
    one, other = agent("analyst"), agent("analyst")
    assert statuses(one, 2) == [200, 429]
    assert statuses(other, 2) == [200, 429]


def test_a_person_has_one_for_all_their_agents_and_themselves(
    agent: Any, signed_in: Any, limited: Any, clock: Clock
) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=100, CALLS_A_MINUTE_OF_PERSON=3)
    one, other, browser = agent("analyst"), agent("analyst"), signed_in("analyst")
    assert statuses(one, 1) + statuses(other, 1) == [200, 200]
    assert browser.post(f"/agent/tools/{TOOL}", "{}", "application/json").status_code == 200
    assert statuses(one, 1) + statuses(other, 1) == [429, 429]
    response = browser.get("/agent/tools")
    assert response.status_code == 429
    assert response.json()["nextAction"]["delayMs"] == 20_000
    assert agent("clerk").call(TOOL).status_code == 200
    clock.wait(20_000)
    assert statuses(one, 2) == [200, 429]


def test_what_the_person_is_refused_their_token_gets_back(agent: Any, limited: Any, clock: Clock) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=4, CALLS_A_MINUTE_OF_PERSON=2)
    one = agent("analyst")
    assert statuses(one, 8) == [200] * 2 + [429] * 6
    token = AgentToken.objects.get()
    assert Allowance.objects.get(key=f"token:{token.pk}").full_at == clock.now + 2 * MINUTE // 4


@pytest.mark.parametrize(("own", "expected"), [(1, [200, 429, 429]), (3, [200, 200, 200])])
def test_an_admin_gives_a_token_a_limit_of_its_own(agent: Any, limited: Any, own: int, expected: list[int]) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=2)
    one = agent("analyst")
    AgentToken.objects.update(calls_a_minute=own)
    assert statuses(one, 3) == expected


def test_the_admin_sets_that_limit_and_nothing_else_of_a_token(agent: Any, signed_in: Any) -> None:
    agent("analyst")
    token = AgentToken.objects.get()
    address = f"/admin/read_targets/agenttoken/{token.pk}/change/"
    admin = signed_in("admin")
    assert admin.post(address, {"calls_a_minute": "0"}).status_code == 200
    assert AgentToken.objects.get().calls_a_minute is None
    told = {"calls_a_minute": "7", "may_act": "on", "name": "other", "expires_at_0": "2099-01-01"}
    assert admin.post(address, told).status_code == 302
    changed = AgentToken.objects.get()
    assert changed.calls_a_minute == 7
    assert (changed.may_act, changed.name, changed.expires_at) == (token.may_act, token.name, token.expires_at)


def test_a_token_that_is_revoked_while_an_admin_limits_it_stays_revoked(
    agent: Any, signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent("analyst")
    token = AgentToken.objects.get()

    save_form = AgentTokenAdmin.save_form

    def revoked_meanwhile(self: Any, request: Any, form: Any, change: bool) -> Any:
        revoke(token)
        return save_form(self, request, form, change)

    monkeypatch.setattr(AgentTokenAdmin, "save_form", revoked_meanwhile)
    address = f"/admin/read_targets/agenttoken/{token.pk}/change/"
    assert signed_in("admin").post(address, {"calls_a_minute": "7"}).status_code == 302
    changed = AgentToken.objects.get()
    assert changed.calls_a_minute == 7
    assert changed.revoked_at is not None


def test_listing_tools_is_a_call_too(agent: Any, limited: Any) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=2)
    one = agent("analyst")
    assert one.tools().status_code == 200
    assert statuses(one, 2) == [200, 429]
    assert one.tools().status_code == 429


def test_counting_costs_one_statement_and_without_limits_none(agent: Any, limited: Any) -> None:
    one = agent("analyst")

    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert one.call(TOOL).status_code == 200
        return len(captured)

    limited()
    statements()
    without = statements()
    assert not Allowance.objects.exists()
    limited(CALLS_A_MINUTE_OF_TOKEN=100, CALLS_A_MINUTE_OF_PERSON=100)
    assert [statements(), statements()] == [without + 1] * 2
    assert Allowance.objects.count() == 2


def test_looking_how_a_call_stands_has_an_allowance_of_its_own(agent: Any, limited: Any) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=1, POLLS_A_MINUTE=3)
    one = agent("clerk", may_act=True)
    with offered(Doer(ask, lambda call, kept: kept)):
        waiting = send(one).json()["callId"]
        assert send(one).status_code == 429
        answers = [poll(one, waiting) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [202, 202, 202, 429]
    assert answers[-1].json()["toolName"] == "getCall"
    assert answers[-1].json()["nextAction"] == {"type": "WAIT", "delayMs": 20_000}


@pytest.mark.parametrize("address", ["/agent/cards", "/agent/schema", f"/agent/calls/{NOBODYS}"])
def test_what_else_is_asked_for_counts_as_looking(agent: Any, limited: Any, address: str) -> None:
    limited(POLLS_A_MINUTE=1)
    one = agent("analyst")
    assert one.client.get(address, headers=one.headers).status_code != 429
    assert one.client.get(address, headers=one.headers).status_code == 429
    assert one.call(TOOL).status_code == 200


def test_a_click_is_never_too_many(signed_in: Any, limited: Any) -> None:
    limited(CALLS_A_MINUTE_OF_PERSON=1, POLLS_A_MINUTE=1)
    browser = signed_in("clerk")
    codes = {
        browser.post("/agent/cards/7d0f5f64-6a0e-4d5c-9b5e-0f3d6f3c2a11/open", "{}", "application/json").status_code
        for _ in range(3)
    }
    assert codes == {403}
    assert not Allowance.objects.exists()


def test_a_call_that_came_too_soon_claims_no_key(agent: Any, limited: Any, clock: Clock) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=1)
    one = agent("clerk", may_act=True)
    with offered(Doer(act)):
        assert send(one, "k-1").status_code == 200
        assert send(one, "k-2").status_code == 429
        clock.wait(60_000)
        assert send(one, "k-2").json()["outcome"] == "READY"


def tried(client: Client, address: str = "192.0.2.7", guess: str = "rt_guessed") -> int:
    response = client.get("/agent/tools", headers={"Authorization": f"Bearer {guess}"}, REMOTE_ADDR=address)
    if response.status_code == 429:
        assert response.json()["code"] == "read_targets.too_many"
        assert "Retry-After" in response
    return int(response.status_code)


def test_guessed_tokens_are_slowed_down_by_address_and_good_ones_never(
    agent: Any, client: Client, limited: Any, clock: Clock
) -> None:
    limited(BAD_TOKENS_A_MINUTE=3)
    good = agent("analyst").headers["Authorization"].removeprefix("Bearer ")
    assert [tried(client, guess=f"rt_{place}") for place in range(5)] == [401, 401, 401, 429, 429]
    assert tried(client, guess=good) == 200
    assert tried(client, "192.0.2.8") == 401
    clock.wait(20_000)
    assert [tried(client), tried(client)] == [401, 429]


def test_whoever_has_one_address_of_ipv6_has_a_network_of_them(client: Client, db: None, limited: Any) -> None:
    limited(BAD_TOKENS_A_MINUTE=1)
    assert [tried(client, f"2001:db8::{place}") for place in (1, 2)] == [401, 429]
    assert tried(client, "2001:db8:0:1::1") == 401
    assert tried(client, "") == 401


def test_no_credential_is_no_guess(client: Client, db: None, limited: Any) -> None:
    limited(BAD_TOKENS_A_MINUTE=1)
    assert [client.get("/agent/tools").status_code for _ in range(3)] == [401] * 3
    assert not Allowance.objects.exists()


def test_rows_that_say_nothing_any_more_are_removed(client: Client, db: None, limited: Any, clock: Clock) -> None:
    limited(BAD_TOKENS_A_MINUTE=10)
    tried(client, "192.0.2.1")
    clock.wait(60_000)
    clock.now += SWEPT_EVERY - clock.now % SWEPT_EVERY
    tried(client, "192.0.2.2")
    assert [row.key for row in Allowance.objects.all()] == ["bad:192.0.2.2"]


def test_the_wait_for_a_writer_is_as_it_was_afterwards(agent: Any, limited: Any) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite waits so")
    limited(CALLS_A_MINUTE_OF_TOKEN=10)
    one = agent("analyst")
    before = connection.connection.execute("PRAGMA busy_timeout").fetchone()
    assert one.call(TOOL).status_code == 200
    assert Allowance.objects.exists()
    assert connection.connection.execute("PRAGMA busy_timeout").fetchone() == before


def test_the_defaults_let_an_agent_work(agent: Any, person: Callable[[str], User]) -> None:
    assert statuses(agent("analyst"), 20) == [200] * 20


OTHER = "queryLedgerCashTransactions"


def ruled(**fields: int | None) -> None:
    """Let an admin set limits for all."""
    AgentDoors.objects.update_or_create(pk=1, defaults=fields)
    mark_declared()


def limit_of_tool(tool: str, a_minute: int) -> ToolLimit:
    """Let an admin set a limit for one tool."""
    AgentDoors.objects.get_or_create(pk=1)
    return ToolLimit.objects.create(tool=tool, calls_a_minute=a_minute)


def test_an_admin_sets_a_limit_for_one_tool(agent: Any, limited: Any, clock: Clock) -> None:
    limited()
    limit_of_tool(TOOL, 2)
    one = agent("analyst")
    assert statuses(one, 3) == [200, 200, 429]
    refused = one.call(TOOL)
    assert refused["Retry-After"] == "30"
    answer = refused.json()
    assert (answer["error"], answer["code"]) == ("Too many calls of this tool.", "read_targets.too_many")
    assert answer["nextAction"] == {"type": "WAIT", "delayMs": 30_000}
    assert [one.call(OTHER, rows=0).status_code for _ in range(4)] == [200] * 4
    assert one.tools().status_code == 200
    clock.wait(30_000)
    assert statuses(one, 2) == [200, 429]


def test_it_is_of_one_person_by_all_their_agents_and_themselves(agent: Any, signed_in: Any, limited: Any) -> None:
    limited()
    limit_of_tool(TOOL, 2)
    one, other, browser = agent("analyst"), agent("analyst"), signed_in("analyst")
    assert statuses(one, 1) + statuses(other, 1) == [200, 200]
    assert statuses(one, 1) + statuses(other, 1) == [429, 429]
    assert browser.post(f"/agent/tools/{TOOL}", "{}", "application/json").status_code == 429
    assert statuses(agent("clerk"), 2) == [200, 200]


def test_the_limit_of_a_tool_holds_at_once_when_it_is_set_changed_or_taken_away(agent: Any, limited: Any) -> None:
    limited()
    one = agent("analyst")
    assert statuses(one, 3) == [200] * 3
    limit = limit_of_tool(TOOL, 1)
    assert statuses(one, 2) == [200, 429]
    limit.calls_a_minute = 1_000
    limit.save()
    Allowance.objects.all().delete()
    assert statuses(one, 3) == [200] * 3
    ToolLimit.objects.all().delete()
    assert statuses(one, 3) == [200] * 3


def test_a_tool_that_is_not_there_is_limited_no_differently(agent: Any, limited: Any) -> None:
    limited()
    limit_of_tool(TOOL, 1)
    one = agent("guest")
    assert [one.call("queryNothing").status_code for _ in range(3)] == [403] * 3
    assert not Allowance.objects.exists()
    assert statuses(one, 2) == [403, 429]


def test_what_the_tool_is_refused_token_and_person_get_back(agent: Any, limited: Any, clock: Clock) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=10, CALLS_A_MINUTE_OF_PERSON=20)
    limit_of_tool(TOOL, 1)
    assert statuses(agent("analyst"), 5) == [200] + [429] * 4
    used = {row.key.partition(":")[0]: row.full_at - clock.now for row in Allowance.objects.all()}
    assert used == {"token": MINUTE // 10, "tool": MINUTE, "person": MINUTE // 20}


@pytest.mark.parametrize(
    ("setting", "of_all", "own", "expected"),
    [(None, 2, None, 2), (5, 2, None, 2), (2, 5, None, 5), (5, 4, 1, 1), (1, 2, 4, 4), (3, None, None, 3)],
    ids=["rule", "rule below setting", "rule above setting", "own below", "own above", "setting"],
)
@pytest.mark.parametrize("whose", ["token", "person"])
def test_an_own_limit_goes_before_that_of_all_and_that_before_the_setting(
    agent: Any,
    person: Callable[[str], User],
    limited: Any,
    whose: str,
    setting: int | None,
    of_all: int | None,
    own: int | None,
    expected: int,
) -> None:
    limited(**{f"CALLS_A_MINUTE_OF_{whose.upper()}": setting})
    ruled(**{f"calls_a_minute_of_{whose}": of_all})
    one = agent("analyst")
    if whose == "token":
        AgentToken.objects.update(calls_a_minute=own)
    else:
        Preference.objects.update_or_create(user=person("analyst"), defaults={"calls_a_minute": own})
    assert statuses(one, expected + 1) == [200] * expected + [429]


def test_a_person_does_not_set_their_own_limit(signed_in: Any, person: Callable[[str], User]) -> None:
    Preference.objects.create(user=person("clerk"), calls_a_minute=3)
    browser = signed_in("clerk")
    browser.post("/desk/settings", {"time_zone": "Asia/Seoul", "language": "", "calls_a_minute": "1000000"})
    held = Preference.objects.get(user__username="clerk")
    assert (held.time_zone, held.calls_a_minute) == ("Asia/Seoul", 3)
    assert "calls_a_minute" not in browser.get("/desk/settings").content.decode()


def test_counting_is_one_statement_whatever_is_limited(agent: Any, limited: Any) -> None:
    limited(CALLS_A_MINUTE_OF_TOKEN=100, CALLS_A_MINUTE_OF_PERSON=100)
    limit_of_tool(TOOL, 100)
    one = agent("analyst")
    one.call(TOOL)
    with CaptureQueriesContext(connection) as sent:
        assert one.call(TOOL).status_code == 200
    tables = ("read_targets_allowance", "read_targets_agentdoors", "read_targets_toollimit", "read_targets_preference")
    asked = [[query["sql"] for query in sent.captured_queries if f'"{table}"' in query["sql"]] for table in tables]
    assert [len(sql) for sql in asked] == [1, 1, 0, 1], asked
    assert asked[0][0].startswith("INSERT")
