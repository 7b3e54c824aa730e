"""When a replica serves a reading, how far it is said to be behind, and what is read there."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import OperationalError, connections, router
from django.db.models.signals import post_delete, post_save
from guardian.shortcuts import assign_perm, remove_perm

from project.demo.ledger.models import Account, CashTransaction
from read_targets import replicas
from read_targets.agent.texts import text_twin
from read_targets.models import GrantsStamp
from read_targets.replicas import Primary, Replica, ReplicaRouter, behind, from_replica
from read_targets.stamps import grant_changed, grant_went, set_stamp, watch_grants

VIEW = "ledger.view_account"
STAMP, OTHER = uuid.UUID(int=1), uuid.UUID(int=2)
PRIMARY = Primary(STAMP, "0/1", 1_000.0)


@pytest.fixture
def mirror(db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A replica that is the database itself, never behind; whoever asks is in no transaction."""
    settings.READ_TARGETS = {**settings.READ_TARGETS, "REPLICA": "replica"}
    settings.DATABASE_ROUTERS = ["read_targets.replicas.ReplicaRouter"]
    monkeypatch.setattr(replicas, "behind_now", lambda: 0)
    monkeypatch.setattr(replicas, "in_transaction", lambda: False)
    monkeypatch.setattr(replicas, "_away_until", 0.0)
    connections["replica"] = connections["default"]
    try:
        yield
    finally:
        del connections["replica"]


def read_of(model: Any) -> str:
    return router.db_for_read(model)


@pytest.mark.parametrize(
    ("replica", "milliseconds"),
    [
        (Replica(STAMP, True, 999.0), 0),
        # Nothing was written for an hour: what it has is all there is.
        (Replica(STAMP, True, 1_000.0 - 3_600), 0),
        (Replica(STAMP, True, None), 0),
        (Replica(STAMP, False, 997.5), 2_500),
        (Replica(STAMP, False, 990.0), 10_000),
        (Replica(STAMP, False, 989.9), None),
        (Replica(STAMP, False, None), None),
        # Its clock is ahead: it is not said to be ahead of time.
        (Replica(STAMP, False, 1_001.0), 0),
        # A grant was taken back that it still has.
        (Replica(OTHER, True, 999.0), None),
        (Replica(None, True, 999.0), None),
    ],
)
def test_how_far_it_is_behind(replica: Replica, milliseconds: int | None) -> None:
    assert behind(PRIMARY, replica) == milliseconds


def test_where_no_grant_was_ever_taken_back_both_have_no_stamp() -> None:
    assert behind(Primary(None, "0/1", 1_000.0), Replica(None, True, None)) == 0


def test_the_reading_and_nothing_else_goes_to_the_replica(mirror: None) -> None:
    assert read_of(CashTransaction) == "default"
    assert from_replica(CashTransaction, lambda: read_of(CashTransaction)) == ("replica", 0)
    assert from_replica(CashTransaction, lambda: router.db_for_write(CashTransaction)) == ("default", 0)
    assert read_of(CashTransaction) == "default"


def test_rows_are_read_there(mirror: None) -> None:
    rows, milliseconds = from_replica(Account, lambda: list(Account.objects.all()))
    assert milliseconds == 0
    assert {row._state.db for row in rows} == {"replica"}


def test_without_a_replica_the_database_itself_is_read(db: None) -> None:
    assert from_replica(CashTransaction, lambda: read_of(CashTransaction)) == ("default", None)


def test_in_a_transaction_the_database_itself_is_read(mirror: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What that wrote is nowhere else yet."""
    monkeypatch.undo()
    assert from_replica(CashTransaction, lambda: read_of(CashTransaction)) == ("default", None)


def test_one_that_does_not_serve_is_not_read(mirror: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replicas, "behind_now", lambda: None)
    assert from_replica(CashTransaction, lambda: read_of(CashTransaction)) == ("default", None)


def test_one_that_fails_is_done_without_for_a_while(mirror: None) -> None:
    tried: list[str] = []

    def read() -> str:
        tried.append(read_of(CashTransaction))
        if tried[-1] == "replica":
            raise OperationalError("canceling statement due to conflict with recovery")
        return "read"

    assert from_replica(CashTransaction, read) == ("read", None)
    assert tried == ["replica", "default"]
    assert replicas._away_until > 0


class Elsewhere:
    """A host's own router: accounts are in a database of their own."""

    def db_for_read(self, model: Any, **hints: Any) -> str | None:
        return "elsewhere" if model is Account else None


def test_what_is_in_another_database_is_read_there(mirror: None, settings: Any) -> None:
    settings.DATABASE_ROUTERS = [*settings.DATABASE_ROUTERS, "tests.test_replicas.Elsewhere"]
    assert from_replica(CashTransaction, lambda: read_of(Account)) == ("elsewhere", 0)
    assert from_replica(Account, lambda: read_of(CashTransaction)) == ("default", None)


def test_a_replica_is_not_migrated_and_its_rows_are_the_databases(mirror: None) -> None:
    routes = ReplicaRouter()
    assert routes.allow_migrate("replica", "ledger") is False
    assert routes.allow_migrate("default", "ledger") is None
    one, other = Account(), Account()
    one._state.db, other._state.db = "replica", "default"
    assert routes.allow_relation(one, other) is True
    other._state.db = "elsewhere"
    assert routes.allow_relation(one, other) is None


@pytest.fixture
def watched(db: None) -> Iterator[None]:
    """As a site with a replica watches its grants."""
    watch_grants()
    yield
    for model in apps.get_models():
        uid = f"read_targets.stamps.{model._meta.label}"
        post_delete.disconnect(grant_went, sender=model, dispatch_uid=uid)
        post_save.disconnect(grant_changed, sender=model, dispatch_uid=uid)


def test_a_grant_that_is_taken_back_sets_a_new_stamp(
    watched: None, person: Any, django_capture_on_commit_callbacks: Any
) -> None:
    guest, account = person("guest"), Account.objects.all()[0]
    with django_capture_on_commit_callbacks(execute=True) as given:
        assign_perm(VIEW, guest, account)
    assert not given
    assert not GrantsStamp.objects.exists()
    with django_capture_on_commit_callbacks(execute=True) as taken:
        remove_perm(VIEW, guest, account)
    assert len(taken) == 1
    first = GrantsStamp.objects.get().stamp
    set_stamp()
    assert GrantsStamp.objects.get().stamp != first


def test_a_grant_that_becomes_another_persons_sets_a_new_stamp(
    watched: None, person: Any, django_capture_on_commit_callbacks: Any
) -> None:
    grant = assign_perm(VIEW, person("guest"), Account.objects.all()[0])
    with django_capture_on_commit_callbacks() as taken:
        grant.user = person("analyst")
        grant.save()
    assert len(taken) == 1


def test_many_at_once_set_one(watched: None, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks() as taken:
        User.objects.get(username="clerk").delete()
    assert len(taken) == 1


TOOL = "queryLedgerCashTransactions"


def test_the_answer_says_how_old_it_is(mirror: None, agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    one = agent("clerk")
    for milliseconds in (0, 1_234):
        monkeypatch.setattr(replicas, "behind_now", lambda told=milliseconds: told)
        assert one.answer(TOOL, rows=0)["provenance"]["behindMs"] == milliseconds
    monkeypatch.setattr(replicas, "behind_now", lambda: None)
    assert "behindMs" not in one.answer(TOOL, rows=0)["provenance"]


def test_a_model_that_reads_text_is_told_too(mirror: None, agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    one = agent("clerk")
    for milliseconds, told in ((0, False), (1_234, True)):
        monkeypatch.setattr(replicas, "behind_now", lambda behind=milliseconds: behind)
        assert ("; up to 1.2 s old" in text_twin(one.answer(TOOL, rows=0))) is told


def test_what_is_held_everywhere_is_asked_of_the_database_itself(
    mirror: None, agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, str] = {}
    own = User.has_perm

    def has_perm(user: User, permission: str, obj: Any = None) -> bool:
        asked[permission] = read_of(User)
        return own(user, permission, obj)

    monkeypatch.setattr(User, "has_perm", has_perm)
    assert agent("clerk").answer(TOOL, rows=1)["provenance"]["behindMs"] == 0
    assert {"ledger.view_cashtransaction", "ledger.view_account"} <= set(asked)
    assert set(asked.values()) == {"default"}


def test_without_a_replica_the_answer_says_nothing_of_one(agent: Any) -> None:
    assert "behindMs" not in agent("clerk").answer(TOOL, rows=0)["provenance"]


def test_a_workspace_is_read_there_too(mirror: None, agent: Any) -> None:
    answer = agent("clerk").answer(TOOL, show="workspace")
    assert (answer["outcome"], answer["provenance"]["behindMs"]) == ("READY", 0)
