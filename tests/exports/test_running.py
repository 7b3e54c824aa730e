"""Writing an export: as the person now, whole or not at all, and never for ever on its way."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection
from django.utils import timezone

from project.demo.ledger.models import CashTransaction
from read_targets.cards.exports import heart, running
from read_targets.cards.exports.forgetting import forget_exports
from read_targets.cards.exports.running import run_export
from read_targets.cards.exports.starting import AlreadyRunning, TooMany, end_export, lapse_exports, start_export
from read_targets.models import Criterion, Export, ReadTarget, WorkspaceVersion

from .conftest import Exported, version_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def analyst() -> User:
    return User.objects.get(username="analyst")


@pytest.fixture
def version(analyst: User) -> WorkspaceVersion:
    return version_of(analyst, flow="EXPENSE")


def files_in(folder: Path) -> list[str]:
    """The files that lie in the storage."""
    return sorted(os.listdir(folder)) if folder.exists() else []


def lose_target(user: User) -> None:
    ReadTarget.objects.update(enabled=False)


def lose_account(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def lose_door(user: User) -> None:
    user.user_permissions.clear()
    user.groups.clear()


def lose_condition(user: User) -> None:
    Criterion.objects.filter(name="flow").delete()


@pytest.mark.parametrize(
    ("lose", "reason"),
    [(lose_target, "closed"), (lose_account, "inactive"), (lose_door, "closed"), (lose_condition, "gone")],
)
def test_rights_are_those_of_when_it_is_written(
    analyst: User, version: WorkspaceVersion, folder: Path, lose: Any, reason: str
) -> None:
    export = start_export(analyst, version, "csv")
    lose(analyst)
    run_export(str(export.pk))
    export.refresh_from_db()
    assert (export.state, export.reason, export.file) == ("failed", reason, "")
    assert files_in(folder) == []


def test_one_of_a_list_is_written_at_a_time(analyst: User, version: WorkspaceVersion) -> None:
    first = start_export(analyst, version, "csv")
    with pytest.raises(AlreadyRunning):
        start_export(analyst, version_of(analyst), "xlsx")
    run_export(str(first.pk))
    start_export(analyst, version, "csv")


def test_a_person_holds_so_many(analyst: User, version: WorkspaceVersion, exported: Exported, settings: Any) -> None:
    settings.READ_TARGETS = {**settings.READ_TARGETS, "MOST_EXPORTS": 2}
    held = [exported(analyst, version=version) for _ in range(2)]
    with pytest.raises(TooMany):
        start_export(analyst, version, "csv")
    end_export(held[0])
    start_export(analyst, version, "csv")


def test_a_worker_that_is_gone_is_found_out_by_its_lease(
    analyst: User, version: WorkspaceVersion, folder: Path, exported: Exported
) -> None:
    export = exported(analyst, version=version)
    assert files_in(folder) == [export.file]
    # As a worker leaves it that is killed when the file was stored and nobody was told.
    Export.objects.update(state="running", lease_until=timezone.now() - timedelta(seconds=1))
    assert lapse_exports() == 1
    export.refresh_from_db()
    assert (export.state, export.reason) == ("failed", "interrupted")
    assert files_in(folder) == []
    assert lapse_exports() == 0


def test_an_export_that_nobody_takes_up_says_so_and_is_not_taken_up_later(
    analyst: User, version: WorkspaceVersion, folder: Path
) -> None:
    export = start_export(analyst, version, "csv")
    Export.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run_export(str(export.pk))
    assert Export.objects.get().state == "waiting"
    lapse_exports()
    run_export(str(export.pk))
    export.refresh_from_db()
    assert (export.state, export.reason) == ("failed", "no-worker")
    assert files_in(folder) == []


@pytest.mark.parametrize(
    ("raised", "reason", "is_told"),
    [
        (DatabaseError("gone"), "unread", False),
        (SystemExit(1), "interrupted", True),
        (KeyError("x"), "interrupted", True),
    ],
    ids=str,
)
def test_what_breaks_off_leaves_no_file(
    analyst: User,
    version: WorkspaceVersion,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    raised: BaseException,
    reason: str,
    is_told: bool,
) -> None:
    def broken(*args: Any) -> None:
        raise raised

    export = start_export(analyst, version, "csv")
    monkeypatch.setattr(running, "stream", broken)
    if is_told:
        with pytest.raises(type(raised)):
            run_export(str(export.pk))
    else:
        run_export(str(export.pk))
    export.refresh_from_db()
    assert (export.state, export.reason) == ("failed", reason)
    assert files_in(folder) == []


def test_a_storage_that_is_full_is_said(
    analyst: User, version: WorkspaceVersion, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    class Full:
        def save(self, name: str, file: Any) -> str:
            raise OSError("no space left")

        def delete(self, name: str) -> None:
            pass

    export = start_export(analyst, version, "csv")
    monkeypatch.setattr(running, "storage", Full)
    run_export(str(export.pk))
    export.refresh_from_db()
    assert (export.state, export.reason) == ("failed", "unstored")


def test_one_that_is_cancelled_while_it_is_written_stops(
    analyst: User, version: WorkspaceVersion, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = start_export(analyst, version, "csv")
    monkeypatch.setattr(heart, "EVERY", 0.0)
    stream = running.stream

    def cancelled(*args: Any) -> Any:
        found = stream(*args)
        end_export(export)
        return found

    monkeypatch.setattr(running, "stream", cancelled)
    run_export(str(export.pk))
    export.refresh_from_db()
    assert (export.state, export.rows_written, export.file) == ("cancelled", 0, "")
    assert files_in(folder) == []


def test_a_run_tells_how_far_it_is(analyst: User, version: WorkspaceVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    export = start_export(analyst, version, "csv")
    monkeypatch.setattr(heart, "EVERY", 0.0)
    seen = []
    beat = heart.Heart.beat

    def watched(self: heart.Heart) -> None:
        beat(self)
        one = Export.objects.get()
        seen.append((one.rows_written, one.rows_total))
        assert one.lease_until > timezone.now() + timedelta(minutes=1)

    monkeypatch.setattr(heart.Heart, "beat", watched)
    run_export(str(export.pk))
    total = CashTransaction.objects.filter(flow="EXPENSE").count()
    assert seen[-1] == (total, total)


def test_what_is_past_its_time_goes_with_its_file(
    analyst: User, version: WorkspaceVersion, exported: Exported, folder: Path
) -> None:
    kept, past = exported(analyst, version=version), exported(analyst, "xlsx", version=version)
    Export.objects.filter(pk=past.pk).update(expires_at=timezone.now())
    assert forget_exports() == 1
    assert files_in(folder) == [kept.file]
    WorkspaceVersion.objects.all().delete()
    assert files_in(folder) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite's test database is one connection's")
def test_it_beats_beside_the_snapshot_in_which_it_reads(company: None, monkeypatch: pytest.MonkeyPatch) -> None:
    analyst = User.objects.get(username="analyst")
    export = start_export(analyst, version_of(analyst), "csv")
    monkeypatch.setattr(heart, "EVERY", 0.01)
    beats: list[None] = []
    beat = heart.Heart.beat
    monkeypatch.setattr(heart.Heart, "beat", lambda self: beats.append(beat(self)))
    run_export(str(export.pk))
    export.refresh_from_db()
    assert export.state == "done"
    assert beats
