"""The answers of calls that act, kept so that the same call runs once and can be asked for again (design, section 8).

A call is claimed before anything is done, in a transaction of its own: of all that come with the same key, one runs.
The tool keeps its answer in the transaction in which it acts, so that both are there or neither is. What comes with the
key later is told the answer as it stands then, its rights asked again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.utils import timezone

from ..lists import writing
from ..policies import Actor
from .codes import Code
from .contract import Refused, ToolResult, result_from
from .models import KeptAnswer, ToolCall
from .refusals import key_in_use, key_reused
from .registry import Call, Tool

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
"""How long a call may run before another of the same key may ask what became of it."""

PATIENCE = 15.0
"""Seconds that a call waits for the answer of one with the same key that runs already."""

POLL = 0.05
"""Seconds between two looks at whether the holder of a key is done."""

STEP = 0.2
"""Seconds between two looks at whether a person has decided."""


@dataclass(frozen=True)
class Claim:
    """Who answers a call: with `answer` None whoever claimed it, under the id of `call`; else the answer stands.

    `lease` tells this claim from a later one, by somebody who took the call over: until when it was given.
    """

    call: Call
    answer: ToolResult | None = None
    lease: datetime | None = None


_held: ContextVar[Claim | None] = ContextVar("held", default=None)


@contextmanager
def holding(claim: Claim) -> Iterator[None]:
    """Run everything inside as the one who claimed the call: only as long as the claim stands, an answer is kept."""
    before = _held.set(claim)
    try:
        yield
    finally:
        _held.reset(before)


def begin(tool: Tool, call: Call, arguments: Any) -> Claim:
    """Claim the call of a tool that acts. `arguments` are those that were sent, as JSON values.

    Where another call holds its key, that one's answer is waited for and told as it stands now. Raises Refused where
    the key came with other arguments, where its holder is not done in time, and as the tool does at a replay.
    """
    digest = digest_of(arguments)
    patient_until = time.monotonic() + PATIENCE
    while True:
        holder = _holder_of(tool, call, digest)
        if holder is None:
            continue
        if str(holder.call) == call.id:
            return Claim(call, lease=holder.lease_until)
        if holder.digest != digest:
            raise key_reused()
        if holder.is_held:
            if time.monotonic() > patient_until:
                raise key_in_use()
            pause(POLL)
            continue
        first = replace(call, id=str(holder.call))
        answer = stands_now(tool, first, holder)
        if answer is not None:
            return Claim(first, answer)
        lease = _take_over(holder)
        if lease is not None:
            return Claim(first, lease=lease)


def stands_now(tool: Tool, call: Call, row: KeptAnswer) -> ToolResult | None:
    """Return the answer of a kept call as it stands now, None where nothing was done and none is to come.

    Asks the tool, and with it the person's rights, again; raises Refused as the tool does. What has changed is kept.
    """
    kept = answer_in(row)
    if tool.revisit is None:
        return kept
    answer = tool.revisit(call, kept)
    if answer is not None and answer != kept:
        with writing():
            # Only where nobody kept another one meanwhile: theirs is newer.
            _keep(_unchanged(row), row.pk, answer)
    return answer


def keep_answer(call_id: Any, result: ToolResult) -> None:
    """Keep `result` as the answer of the call.

    For a tool, inside of the transaction in which it acts; and again when a person has decided. A run that no call of
    a tool began, a person's click say, keeps nothing. Raises Refused where the caller ran for so long that another took
    the call over: then nothing of it may be done.
    """
    claim = _held.get()
    if claim is None or claim.call.id != str(call_id):
        _keep(KeptAnswer.objects.filter(pk=call_id), call_id, result)
    elif not _keep(_claimed(claim), call_id, result):
        raise key_in_use()


def finish(claim: Claim, result: ToolResult) -> ToolResult:
    """Keep what the call came to and say that nobody is at it any more; return the answer that stands.

    That is `result`, unless the tool kept one of another outcome: then a person has decided since. Needs an open
    transaction.
    """
    row = _claimed(claim).select_for_update().first()
    if row is None:
        return result
    kept = answer_in(row)
    if kept is not None and kept.outcome != result.outcome:
        result = kept
    row.answer, row.lease_until = _text_of(result), None
    row.save(update_fields=["answer", "lease_until"])
    return result


def free(claim: Claim) -> ToolResult | None:
    """Give the key of a refused call free, unless the tool kept an answer for it: then that is returned, and stands."""
    with writing():
        _claimed(claim).filter(answer="").delete()
        return _released(claim)


def let_go(claim: Claim) -> ToolResult | None:
    """Say that the call was cut off: what became of it is for the tool to find out when it is asked for again.

    Returns the answer that the tool kept before that, if it did.
    """
    try:
        with writing():
            return _released(claim)
    except DatabaseError:  # which may be what cut it off; the lease runs out by itself
        logger.warning("call %s: its lease could not be ended", claim.call.id)
        return None


def give_up(row: KeptAnswer) -> bool:
    """Say for good that a call was cut off: were it running after all, it could keep nothing, and so do nothing.

    Returns False where it has an answer, or an heir, since it was read.
    """
    return bool(_unchanged(row).update(lease_until=None))


def access_answer(actor: Actor, call_id: Any) -> KeptAnswer:
    """Return the kept call: the person's own, or with a token one that it made.

    Raises Refused, alike for a call that is not there, is not kept any more, or is somebody else's.
    """
    rows = KeptAnswer.objects.filter(pk=call_id, user=actor.user, expires_at__gt=timezone.now())
    row = (rows if actor.token is None else rows.filter(token=actor.token)).first()
    if row is None:
        raise Refused("REJECTED", Code.NOT_FOUND, "There is no such call for you.")
    return row


def wait_for_change(row: KeptAnswer, until: float) -> None:
    """Return when the kept call is no longer as it was read, or `until` has come (of `time.monotonic`)."""
    while _unchanged(row).exists() and (left := until - time.monotonic()) > 0:
        pause(min(STEP, left))


def answer_in(row: KeptAnswer) -> ToolResult | None:
    """Return the answer that is kept, None where there is none yet."""
    return result_from(orjson.loads(row.answer)) if row.answer else None


def digest_of(arguments: Any) -> str:
    """Return what tells one set of arguments from another: their order within an object does not."""
    # A decimal is no JSON; its repr differs from every text that is likely to be sent in its place.
    return _sha256(json.dumps(arguments, sort_keys=True, separators=(",", ":"), default=repr))


def pause(seconds: float) -> None:
    """Sleep, holding no connection of a pool meanwhile: others need it, and many may wait at once."""
    if connection.settings_dict["OPTIONS"].get("pool") and not connection.in_atomic_block:
        connection.close()
    time.sleep(seconds)


def _holder_of(tool: Tool, call: Call, digest: str) -> KeptAnswer | None:
    """Return the call that holds the key of `call`: itself where it has none, or was the first.

    None where the holder went just now, being refused: then the key can be had.
    """
    slot = _slot_of(tool, call)
    row = KeptAnswer(
        call=call.id,
        user=call.actor.user,
        token=call.actor.token,
        tool=tool.name,
        slot=slot,
        digest=digest,
        lease_until=timezone.now() + LEASE,
    )
    holder = None if slot is None else KeptAnswer.objects.filter(slot=slot).first()
    if holder is not None and holder.expires_at > timezone.now():
        return holder
    if tool.before is not None:
        tool.before(call)
    if slot is None:
        row.save(force_insert=True)
        return row
    with writing():
        if holder is not None:
            KeptAnswer.objects.filter(pk=holder.pk).delete()
        # Of several at once the database lets one in, and the others read who that is.
        KeptAnswer.objects.bulk_create([row], ignore_conflicts=True)
        return KeptAnswer.objects.filter(slot=slot).first()


def _slot_of(tool: Tool, call: Call) -> str | None:
    if not call.key:
        return None
    token = call.actor.token
    return _sha256(json.dumps([str(call.actor.user.pk), str(token.pk) if token else "", tool.name, call.key]))


def _take_over(holder: KeptAnswer) -> datetime | None:
    """Take a call over that was cut off, and return the lease; None where another did, or it was answered after all."""
    lease = timezone.now() + LEASE
    with writing():
        return lease if _unchanged(holder).update(answer="", lease_until=lease) else None


def _unchanged(row: KeptAnswer) -> QuerySet[KeptAnswer]:
    """The row of the call, where it is still as it was read."""
    return KeptAnswer.objects.filter(pk=row.pk, answer=row.answer, lease_until=row.lease_until)


def settle_log(log_id: Any, result: ToolResult) -> None:
    """Let the log of a call that waited for a person say what came of it."""
    waiting = ToolCall.objects.filter(pk=log_id, outcome="NOT_READY")
    waiting.update(outcome=result.outcome, code=getattr(result, "code", ""))


def _keep(rows: QuerySet[KeptAnswer], call_id: Any, result: ToolResult) -> bool:
    """Keep `result` in the row of the call, and in its log where that was waiting for it; whether there was a row."""
    is_kept = bool(rows.update(answer=_text_of(result)))
    if is_kept:
        settle_log(call_id, result)
    return is_kept


def _claimed(claim: Claim) -> QuerySet[KeptAnswer]:
    """The row of a claimed call, as long as nobody took it over."""
    return KeptAnswer.objects.filter(pk=claim.call.id, lease_until=claim.lease)


def _released(claim: Claim) -> ToolResult | None:
    """End the lease of a claimed call and return the answer that is kept for it."""
    row = _claimed(claim).first()
    if row is None:
        return None
    _claimed(claim).update(lease_until=None)
    return answer_in(row)


def _text_of(result: ToolResult) -> str:
    return orjson.dumps(result.to_json(), default=str).decode()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
