"""A call that waits for a person is asked for by its id, or waited for; its rights are asked again at every look."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from read_targets.agent import dispatch, kept
from read_targets.agent.contract import ToolResult
from read_targets.agent.kept import keep_answer
from read_targets.agent.registry import Call
from read_targets.agent.tokens import revoke
from read_targets.models import AgentDoors, AgentToken, KeptAnswer, Preference, ToolCall

from .doer import TOOL, Doer, act, ask, cut_off_now, declined, offered, poll, ready, refusal, runs, send

MISSING = ("REJECTED", "read_targets.not_found")


@pytest.fixture
def doer() -> Iterator[Doer]:
    with offered(Doer(ask, lambda call, kept: kept)) as one:
        yield one


@pytest.fixture
def one(agent: Any, doer: Doer) -> Any:
    return agent("analyst", may_act=True)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], list[float]]:
    """Let something happen at the first pause of whoever waits; no pause takes any time, the clock counts them."""
    clock = [0.0]

    class Time:
        monotonic = staticmethod(lambda: clock[0])
        perf_counter = staticmethod(lambda: clock[0])

    def during(happens: Callable[[], Any]) -> list[float]:
        paused: list[float] = []

        def pause(seconds: float) -> None:
            if not paused:
                happens()
            paused.append(seconds)
            clock[0] += seconds

        monkeypatch.setattr(kept, "pause", pause)
        monkeypatch.setattr(kept, "time", Time)
        monkeypatch.setattr(dispatch, "time", Time)
        return paused

    return during


def decide(answer: Callable[[str], ToolResult]) -> Callable[[], None]:
    """A person decides about the one call that there is."""

    def decided() -> None:
        call_id = str(KeptAnswer.objects.get().call)
        keep_answer(call_id, answer(call_id))

    return decided


def test_a_call_that_waits_says_so_and_is_asked_for_by_its_id(one: Any, signed_in: Any) -> None:
    first = send(one, "k-1")
    assert first.status_code == 202
    answer = first.json()
    assert (answer["success"], answer["outcome"], answer["isDataReady"]) == (True, "NOT_READY", False)
    for slash in ("", "/"):
        polled = poll(one, f"{answer['callId']}{slash}")
        assert (polled.status_code, polled.content) == (202, first.content)
        assert polled["Cache-Control"] == "private, no-store"
    decide(lambda call_id: ready(call_id, changed={"lamp": "on"}))()
    for response in (poll(one, answer["callId"]), send(one, "k-1")):
        assert (response.status_code, response.json()["changed"]) == (200, {"lamp": "on"})
        assert response.json()["callId"] == answer["callId"]
    browser = signed_in("analyst").get(f"/agent/calls/{answer['callId']}")
    assert browser.json()["outcome"] == "READY"


def test_what_was_declined_is_cancelled_and_no_failure(one: Any) -> None:
    call_id = send(one).json()["callId"]
    decide(declined)()
    response = poll(one, call_id)
    assert response.status_code == 200
    answer = response.json()
    assert (answer["success"], answer["outcome"], answer["executed"]) == (True, "CANCELLED", False)


def test_the_log_says_what_came_of_it(one: Any) -> None:
    call_id = send(one, "k-1").json()["callId"]
    send(one, "k-1")
    assert list(ToolCall.objects.values_list("outcome", "code")) == [("NOT_READY", "tests.asked")] * 2
    decide(declined)()
    assert list(ToolCall.objects.filter(pk=call_id).values_list("outcome", "code")) == [("CANCELLED", "tests.declined")]
    assert ToolCall.objects.filter(outcome="NOT_READY").count() == 1


def test_a_call_of_others_reads_as_one_that_is_not_there(agent: Any, one: Any, signed_in: Any) -> None:
    call_id = send(one).json()["callId"]
    others = [poll(agent("analyst", may_act=True), call_id), poll(agent("clerk", may_act=True), call_id)]
    others.append(signed_in("clerk").get(f"/agent/calls/{call_id}"))
    unknown = str(uuid.uuid4())
    nowhere = poll(one, unknown)
    for response in (*others, nowhere):
        assert response.status_code == 404
        assert (response.json()["outcome"], response.json()["code"]) == MISSING
    told = {response.content.replace(call_id.encode(), b"").replace(unknown.encode(), b"") for response in others}
    assert told == {nowhere.content.replace(unknown.encode(), b"")}
    assert nowhere.json()["toolName"] == "getCall"
    assert Client().get(f"/agent/calls/{call_id}").status_code == 401
    assert poll(one, call_id).status_code == 202


def test_a_persons_own_call_is_none_of_their_agents(one: Any, signed_in: Any) -> None:
    call_id = signed_in("analyst").post(f"/agent/tools/{TOOL}", {}, "application/json").json()["callId"]
    assert poll(one, call_id).status_code == 404
    assert signed_in("analyst").get(f"/agent/calls/{call_id}").status_code == 202


@pytest.mark.parametrize("call_id", ["x", "-" * 36, "0" * 36, "%00"])
def test_what_is_no_id_of_a_call_is_not_there(one: Any, call_id: str) -> None:
    response = poll(one, call_id)
    assert response.status_code == 404
    assert (response.json()["outcome"], response.json()["code"]) == MISSING


def test_an_answer_is_kept_for_thirty_days(one: Any) -> None:
    call_id = send(one).json()["callId"]
    left = KeptAnswer.objects.get().expires_at - timezone.now()
    assert timedelta(days=29, hours=23) < left < timedelta(days=30)
    KeptAnswer.objects.update(expires_at=timezone.now())
    assert poll(one, call_id).status_code == 404


def test_a_refused_call_leaves_nothing_to_ask_for(one: Any, doer: Doer) -> None:
    def refuse(call: Call) -> Any:
        raise refusal()

    doer.does = refuse
    assert poll(one, send(one).json()["callId"]).status_code == 404


def test_asking_for_a_call_asks_the_rights_again(one: Any, doer: Doer, person: Any) -> None:
    call_id = send(one, what="x").json()["callId"]

    def code() -> str:
        answer = poll(one, call_id).json()
        assert answer["callId"] == call_id
        return str(answer["code"])

    assert code() == "tests.asked"
    (call, _kept) = doer.revisited[-1]
    assert (call.id, call.arguments, call.tool_name) == (call_id, {}, TOOL)
    AgentDoors(is_open=False).save()
    assert code() == "read_targets.doors_closed"
    AgentDoors(is_open=True).save()
    Preference.objects.create(user=person("analyst"), agents_stopped=True)
    assert code() == "read_targets.agents_stopped"
    Preference.objects.update(agents_stopped=False)
    AgentToken.objects.update(may_act=False)
    assert code() == "read_targets.token_may_not_act"
    AgentToken.objects.update(may_act=True, all_toolsets=False)
    assert code() == "read_targets.unknown_tool"
    AgentToken.objects.update(all_toolsets=True)
    doer.allowed = set()
    assert code() == "read_targets.unknown_tool"
    doer.allowed = {"analyst"}

    def closed(call: Call, kept: Any) -> Any:
        raise refusal()

    doer.again = closed
    assert code() == "tests.refused"
    doer.again = None
    assert code() == "tests.asked"


def test_what_the_tool_finds_overdue_is_kept(one: Any, doer: Doer) -> None:
    call_id = send(one).json()["callId"]
    doer.again = lambda call, kept: declined(call.id)
    assert poll(one, call_id).json()["outcome"] == "CANCELLED"
    doer.again = lambda call, kept: kept
    assert poll(one, call_id).json()["outcome"] == "CANCELLED"
    assert ToolCall.objects.get().outcome == "CANCELLED"


def test_what_a_person_decided_meanwhile_is_not_overwritten(one: Any, doer: Doer) -> None:
    call_id = send(one).json()["callId"]

    def late(call: Call, kept: Any) -> Any:
        decide(ready)()
        return declined(call.id)

    doer.again = late
    poll(one, call_id)
    doer.again = lambda call, kept: kept
    assert poll(one, call_id).json()["outcome"] == "READY"


def test_a_call_that_was_cut_off_before_it_did_anything_is_told_to_be(one: Any) -> None:
    call_id = send(one).json()["callId"]
    cut_off_now(call_id)
    response = poll(one, call_id)
    answer = response.json()
    assert response.status_code == 500
    assert (answer["code"], answer["executed"]) == ("read_targets.internal", False)
    assert "Call the tool again" in answer["message"]


def test_a_call_that_was_told_to_be_cut_off_does_nothing_if_it_runs_after_all(
    one: Any, doer: Doer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "LEASE", timedelta(seconds=-1))
    told = []

    def late(call: Call) -> Any:
        told.append(poll(one, call.id).json()["code"])
        return act(call)

    doer.does = late
    assert send(one, "k-1").json()["code"] == "read_targets.key_in_use"
    assert told == ["read_targets.internal"]
    assert runs() == 0
    doer.does = act
    assert send(one, "k-1").json()["outcome"] == "READY"
    assert runs() == 1


def test_a_call_that_runs_still_is_in_use(one: Any, meanwhile: Any) -> None:
    call_id = send(one).json()["callId"]
    KeptAnswer.objects.update(answer="", lease_until=timezone.now() + timedelta(seconds=30))
    response = poll(one, call_id)
    assert (response.status_code, response.json()["code"]) == (409, "read_targets.key_in_use")
    meanwhile(decide(ready))
    assert poll(one, call_id, "wait=5").json()["outcome"] == "READY"


@pytest.mark.parametrize("how", ["call", "replay", "poll"])
def test_what_is_decided_within_the_wait_is_the_answer(one: Any, doer: Doer, meanwhile: Any, how: str) -> None:
    if how != "call":
        call_id = send(one, "k-1").json()["callId"]
    paused = meanwhile(decide(lambda call_id: ready(call_id, changed={"lamp": "on"})))
    response = poll(one, call_id, "wait=20") if how == "poll" else send(one, "k-1", wait="wait=20")
    assert response.status_code == 200
    assert response.json()["changed"] == {"lamp": "on"}
    assert len(paused) == 1
    assert send(one, "k-1").json() == response.json()


def test_a_replay_that_waited_is_logged_with_what_it_answered(one: Any, meanwhile: Any) -> None:
    send(one, "k-1")
    meanwhile(decide(ready))
    send(one, "k-1", wait="wait=20")
    assert list(ToolCall.objects.values_list("outcome", flat=True)) == ["READY", "READY"]


def test_without_a_wait_nobody_waits(one: Any, meanwhile: Any) -> None:
    paused = meanwhile(lambda: None)
    for wait in (None, "wait=0", "respond-async"):
        assert send(one, "k-1", wait=wait).status_code == 202
    assert not paused


@pytest.mark.parametrize(("asked", "waited"), [("wait=1", 1), ("wait=30", 30), ("wait=86400", 30)])
def test_a_wait_is_over_in_time(one: Any, meanwhile: Any, asked: str, waited: float) -> None:
    paused = meanwhile(lambda: None)
    assert send(one, wait=asked).json()["outcome"] == "NOT_READY"
    assert sum(paused) == pytest.approx(waited)
    assert max(paused) <= 0.2


def test_a_call_that_does_not_wait_for_a_person_is_answered_at_once(one: Any, doer: Doer, meanwhile: Any) -> None:
    doer.does = act
    paused = meanwhile(lambda: None)
    assert send(one, wait="wait=20").json()["outcome"] == "READY"
    assert not paused


def test_what_only_the_tool_can_tell_ends_the_wait_too(one: Any, doer: Doer, meanwhile: Any) -> None:
    paused = meanwhile(lambda: setattr(doer, "again", lambda call, kept: declined(call.id)))
    assert send(one, wait="wait=20").json()["outcome"] == "CANCELLED"
    assert sum(paused) <= 1.0 + 0.2


def stop(_doer: Doer) -> None:
    Preference.objects.update_or_create(user=AgentToken.objects.get().user, defaults={"agents_stopped": True})


@pytest.mark.parametrize(
    ("happens", "code"),
    [
        (lambda doer: doer.allowed.clear(), "read_targets.unknown_tool"),
        (lambda doer: AgentToken.objects.update(may_act=False), "read_targets.token_may_not_act"),
        (lambda doer: revoke(AgentToken.objects.get()), "read_targets.agents_stopped"),
        (stop, "read_targets.agents_stopped"),
        (lambda doer: AgentDoors(is_open=False).save(), "read_targets.doors_closed"),
    ],
)
def test_rights_that_go_while_it_is_waited_are_gone(
    one: Any, doer: Doer, meanwhile: Any, happens: Callable[[Doer], Any], code: str
) -> None:
    def both() -> None:
        happens(doer)
        decide(ready)()

    meanwhile(both)
    answer = send(one, wait="wait=20").json()
    assert (answer["outcome"], answer["code"]) == ("REJECTED", code)
    assert "changed" not in answer
    assert runs() == 0


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize(
    "path", ["/agent/", "/agent/nothing", "/agent/cards/x/open", "/agent/tools/a/b", "/agent/calls"]
)
def test_unknown_addresses_answer_in_the_shape_of_a_refusal(one: Any, method: str, path: str) -> None:
    response = getattr(one.client, method)(path, headers=one.headers)
    assert response.status_code == 404
    assert response["Content-Type"] == "application/json"
    assert (response.json()["outcome"], response.json()["code"]) == MISSING


def test_unknown_addresses_tell_nobody_that_they_are(db: None) -> None:
    assert Client().get("/agent/nothing").json()["code"] == "read_targets.no_credential"
