"""The same Idempotency-Key gives the same answer and runs once; a refusal frees it, a crash does not run it twice."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from read_targets.agent import kept, writing
from read_targets.agent.kept import keep_answer
from read_targets.agent.registry import Call
from read_targets.models import AgentToken, KeptAnswer, ToolCall

from .doer import OTHER, TOOL, Doer, act, ask, cut_off_now, do_it, offered, ready, refusal, runs, send, waiting

QUERY = "queryLedgerCashTransactions"


@pytest.fixture
def doer() -> Iterator[Doer]:
    with offered(Doer()) as one:
        yield one


@pytest.fixture
def one(agent: Any, doer: Doer) -> Any:
    return agent("analyst", may_act=True)


def test_the_same_key_runs_once_and_answers_the_same(one: Any) -> None:
    first = send(one, "k-1", what="lamp", how=1.5)
    again = send(one, "k-1", how=1.5, what="lamp")
    assert first.status_code == again.status_code == 200
    assert first.content == again.content
    assert first.json()["changed"] == {"what": "lamp"}
    assert runs() == 1
    call_id = first.json()["callId"]
    assert list(KeptAnswer.objects.values_list("call", flat=True)) == [uuid.UUID(call_id)]


def test_every_sending_is_logged_under_an_id_of_its_own(one: Any) -> None:
    call_id = send(one, "k-1").json()["callId"]
    send(one, "k-1")
    assert list(ToolCall.objects.values_list("tool", "outcome")) == [(TOOL, "READY")] * 2
    assert ToolCall.objects.filter(pk=call_id).count() == 1


@pytest.mark.parametrize(
    ("before", "after"), [({}, {"what": "x"}), ({"how": 1}, {"how": "1"}), ({"how": 1.5}, {"how": 1})]
)
def test_the_same_key_with_other_arguments_is_refused(one: Any, before: Any, after: Any) -> None:
    first = send(one, "k-1", **before)
    response = send(one, "k-1", **after)
    assert response.status_code == 409
    answer = response.json()
    assert (answer["outcome"], answer["code"]) == ("CONFLICT", "read_targets.key_reused")
    assert answer["nextAction"] == {"type": "FIX_ARGUMENTS"}
    assert runs() == 1
    assert send(one, "k-1", **before).content == first.content


def test_a_key_is_of_one_person_token_and_tool(agent: Any, one: Any, signed_in: Any) -> None:
    second, clerk = agent("analyst", may_act=True), agent("clerk", may_act=True)
    answers = [send(caller, "k-1").json() for caller in (one, second, clerk)]
    answers.append(send(one, "k-1", OTHER).json())
    session = signed_in("analyst").post(
        f"/agent/tools/{TOOL}", {}, "application/json", headers={"Idempotency-Key": "k-1"}
    )
    answers.append(session.json())
    assert [answer["outcome"] for answer in answers] == ["READY"] * 5
    assert len({answer["callId"] for answer in answers}) == runs() == 5


def test_without_a_key_each_call_runs(one: Any) -> None:
    assert send(one).json()["callId"] != send(one).json()["callId"]
    assert runs() == KeptAnswer.objects.filter(slot=None).count() == 2


def test_a_read_is_never_replayed(one: Any) -> None:
    first, again = send(one, "k-1", QUERY, rows=1), send(one, "k-1", QUERY, rows=2)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["callId"] != again.json()["callId"]
    assert len(again.json()["sampleRows"]["items"]) == 2
    assert not KeptAnswer.objects.exists()


def test_an_answer_that_the_tool_did_not_keep_is_kept(one: Any, doer: Doer) -> None:
    def unkept(call: Call) -> Any:
        do_it()
        return ready(call.id, state={"lamps": [{"on": None, "name": "\u0000 \u202e <b>"}]})

    doer.does = unkept
    first = send(one, "k-1")
    assert send(one, "k-1").content == first.content
    assert runs() == 1


def test_what_the_tool_learns_after_it_acted_is_kept_too(one: Any, doer: Doer) -> None:
    doer.does = lambda call: act(call).model_copy(update={"delivery": "SHOWN"})
    assert send(one, "k-1").json()["delivery"] == "SHOWN"
    assert send(one, "k-1").json()["delivery"] == "SHOWN"


def test_a_refused_call_frees_its_key(one: Any, doer: Doer) -> None:
    def refuse(call: Call) -> Any:
        with writing():
            do_it()
            keep_answer(call.id, ready(call.id))
            raise refusal()

    doer.does = refuse
    refused = send(one, "k-1").json()
    assert (refused["outcome"], refused["code"]) == ("REJECTED", "tests.refused")
    assert not KeptAnswer.objects.exists()
    assert runs() == 0
    doer.does = act
    assert send(one, "k-1", what="x").json()["outcome"] == "READY"
    assert runs() == 1


def test_a_refusal_that_the_tool_kept_stands(one: Any, doer: Doer) -> None:
    def refuse(call: Call) -> Any:
        keep_answer(call.id, refusal().result(TOOL, call.id))
        raise refusal()

    doer.does = refuse
    refused = send(one, "k-1")
    doer.does = act
    assert send(one, "k-1").content == refused.content
    assert refused.status_code == 403
    assert runs() == 0


def test_arguments_that_do_not_fit_take_no_key(one: Any) -> None:
    assert send(one, "k-1", how="far").status_code == 400
    assert send(one, "k-1", how=1).status_code == 200


def test_a_token_that_may_not_act_takes_no_key(agent: Any, doer: Doer) -> None:
    reader = agent("analyst")
    assert send(reader, "k-1").json()["code"] == "read_targets.token_may_not_act"
    assert not KeptAnswer.objects.exists()


@pytest.mark.parametrize(("raised", "status"), [(RuntimeError("secret"), 500), (DatabaseError("secret"), 503)])
def test_what_breaks_keeps_its_key_until_the_tool_says_what_became_of_it(
    one: Any, doer: Doer, raised: Exception, status: int
) -> None:
    def fail(call: Call) -> Any:
        raise raised

    doer.does, doer.again = fail, lambda call, kept: kept or refusal().result(TOOL, call.id)
    broken = send(one, "k-1", what="x")
    assert broken.status_code == status
    assert b"secret" not in broken.content
    doer.does = act
    told = send(one, "k-1", what="x").json()
    assert (told["code"], told["callId"]) == ("tests.refused", broken.json()["callId"])
    assert runs() == 0
    assert send(one, "k-1", what="x").json() == told
    (call, first), (_call, second) = doer.revisited
    assert (call.arguments, call.key, call.id) == ({"what": "x"}, "k-1", told["callId"])
    assert first is None
    assert second is not None


def test_what_broke_after_it_was_done_is_told_to_be_done(one: Any, doer: Doer) -> None:
    def fail(call: Call) -> Any:
        act(call)
        raise RuntimeError

    doer.does = fail
    assert send(one, "k-1").json()["outcome"] == send(one, "k-1").json()["outcome"] == "READY"
    assert runs() == 1


@pytest.mark.parametrize("has_revisit", [True, False])
def test_a_call_that_was_cut_off_before_it_did_anything_runs_anew_under_its_id(
    one: Any, doer: Doer, has_revisit: bool
) -> None:
    call_id = send(one, "k-1").json()["callId"]
    cut_off_now(call_id)
    doer.again = (lambda call, kept: kept) if has_revisit else None
    anew = send(one, "k-1").json()
    assert (anew["outcome"], anew["callId"]) == ("READY", call_id)
    assert runs() == 2
    assert send(one, "k-1").json() == anew
    assert runs() == 2


def test_of_a_call_that_was_cut_off_the_tool_tells_what_it_knows(one: Any, doer: Doer) -> None:
    call_id = send(one, "k-1").json()["callId"]
    cut_off_now(call_id)
    doer.again = lambda call, kept: kept or ready(call.id, changed={"known": True})
    assert send(one, "k-1").json()["changed"] == {"known": True}
    assert '"known"' in KeptAnswer.objects.get().answer
    assert runs() == 1


def test_a_key_whose_call_runs_still_is_waited_for_and_then_in_use(one: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    call_id = send(one, "k-1").json()["callId"]
    soon = timezone.now() + timedelta(seconds=30)
    KeptAnswer.objects.update(answer="", lease_until=soon)
    monkeypatch.setattr(kept, "PATIENCE", 0.1)
    response = send(one, "k-1")
    assert response.status_code == 409
    assert response.json()["code"] == "read_targets.key_in_use"
    assert response.json()["nextAction"] == {"type": "WAIT", "delayMs": 2000}
    assert runs() == 1

    def answer(seconds: float) -> None:
        KeptAnswer.objects.filter(pk=call_id).update(lease_until=None)
        keep_answer(call_id, ready(call_id))

    monkeypatch.setattr(kept, "pause", answer)
    assert send(one, "k-1").json()["callId"] == call_id
    assert runs() == 1


def test_a_run_that_lost_its_lease_does_nothing_and_takes_nothing_from_its_heir(one: Any, doer: Doer) -> None:
    heirs = timezone.now() + timedelta(hours=1)

    def late(call: Call) -> Any:
        KeptAnswer.objects.filter(pk=call.id).update(lease_until=heirs)
        return act(call)

    doer.does = late
    answer = send(one, "k-1").json()
    assert (answer["outcome"], answer["code"]) == ("CONFLICT", "read_targets.key_in_use")
    assert runs() == 0
    row = KeptAnswer.objects.get()
    assert (row.answer, row.lease_until) == ("", heirs)


def test_what_a_person_decides_while_the_call_is_answered_is_the_answer(one: Any, doer: Doer) -> None:
    def overtaken(call: Call) -> Any:
        ask(call)
        keep_answer(call.id, ready(call.id))
        return waiting(call.id)

    doer.does = overtaken
    response = send(one, "k-1")
    assert (response.status_code, response.json()["outcome"]) == (200, "READY")
    assert ToolCall.objects.get().outcome == "READY"


def test_a_key_that_is_kept_no_longer_is_free(one: Any) -> None:
    first = send(one, "k-1").json()
    KeptAnswer.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert send(one, "k-1", what="x").json()["callId"] != first["callId"]
    assert runs() == 2
    assert KeptAnswer.objects.count() == 1


def test_a_replay_asks_the_rights_again(one: Any, doer: Doer) -> None:
    send(one, "k-1")
    doer.again = lambda call, kept: kept
    AgentToken.objects.update(may_act=False)
    assert send(one, "k-1").json()["code"] == "read_targets.token_may_not_act"
    AgentToken.objects.update(may_act=True)

    def closed(call: Call, kept: Any) -> Any:
        raise refusal()

    doer.again = closed
    assert send(one, "k-1").json()["code"] == "tests.refused"
    doer.allowed = {"clerk"}
    assert send(one, "k-1").json()["code"] == "read_targets.unknown_tool"
    assert runs() == 1
    # The refusal of a replay takes nothing from the call itself.
    doer.allowed, doer.again = {"analyst"}, None
    assert send(one, "k-1").json()["outcome"] == "READY"
    assert runs() == 1


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "a\tb", "x" * 201, "\x7f"])
def test_a_key_that_is_none_is_refused_by_name(one: Any, key: str) -> None:
    for tool in (TOOL, QUERY):
        response = send(one, key, tool)
        answer = response.json()
        assert response.status_code == 400
        assert (answer["code"], answer["toolName"]) == ("read_targets.condition_unreadable", tool)
        assert answer["params"]["Idempotency-Key"]["code"] == "pattern_mismatch"
        assert answer["nextAction"] == {"type": "FIX_ARGUMENTS", "fields": ["Idempotency-Key"]}
    assert runs() == 0


@pytest.mark.parametrize("key", ["x" * 200, '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "~!@"])
def test_every_visible_character_makes_a_key(one: Any, key: str) -> None:
    assert send(one, key).content == send(one, key).content
    assert runs() == 1


def test_a_person_who_is_gone_takes_their_answers_along(one: Any, person: Any) -> None:
    send(one, "k-1")
    person("analyst").delete()
    assert not KeptAnswer.objects.exists()
