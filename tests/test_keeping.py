"""What was kept tells nothing that a right taken away since would hide, and hides nothing that is still permitted."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from guardian.shortcuts import assign_perm, remove_perm

from project.demo.ledger.models import Account
from read_targets.agent.models import AgentDoors
from read_targets.cards.models import WorkspaceVersion
from read_targets.cards.sources import review_of
from read_targets.doors import _Remembered, current
from read_targets.models import Column, ReadTarget
from read_targets.policies import QUERY, Actor
from tests.test_foreign import rig_target

TOOL = "queryLedgerCashTransactions"


@pytest.mark.parametrize("with_column", [True, False])
@pytest.mark.parametrize("asked", ["account", "text"])
def test_rows_found_by_a_value_close_with_the_right_to_it(
    agent: Any, person: Any, signed_in: Any, asked: str, with_column: bool
) -> None:
    clerk: User = person("clerk")
    rows = agent("clerk").answer(TOOL, show="answer")["sampleRows"]["items"]
    name = next(row["account"] for row in rows if row["account"])
    if not with_column:
        Column.objects.get(target__key="ledger.cash-transactions", name="account").delete()
    card = agent("clerk").answer(TOOL, **{asked: name}, show="workspace")["card"]
    version = WorkspaceVersion.objects.get()
    ids = {row["id"] for row in version.content["rows"]}
    assert ids
    review = review_of(clerk, version)
    assert review.figures_open
    assert set(review.permitted) == ids
    for account in Account.objects.filter(name=name):
        remove_perm("ledger.view_account", clerk, account)
        for group in clerk.groups.all():
            remove_perm("ledger.view_account", group, account)
    review = review_of(User.objects.get(pk=clerk.pk), version)
    assert not review.permitted
    assert not review.figures_open
    client: Client = signed_in("clerk")
    assert "is withheld" in (text := client.get(card["url"]).content.decode()) or "are withheld" in text


def test_a_path_that_the_list_shows_no_more_is_closed(agent: Any, person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from read_targets import keeping
    from read_targets.lists import get_list

    agent("analyst").answer(TOOL, show="workspace", rows=0)
    whole = get_list("cashTransactions")
    narrower = replace(whole, shown=tuple(path for path in whole.shown or () if path != "memo"))
    monkeypatch.setattr(keeping, "get_list", lambda name: narrower)
    assert review_of(person("analyst"), WorkspaceVersion.objects.get()).closed_columns == {"memo"}


def test_a_bounded_list_is_read_again_in_the_order_in_which_it_was_read(agent: Any, person: Any) -> None:
    target = rig_target()
    clerk: User = person("clerk")
    assign_perm(QUERY, clerk, target)
    answer = agent("clerk").answer(target.query_tool_name, orderBy="-minutes", rows=0)
    assert answer["coverage"]["requestedRows"] > answer["coverage"]["analysedRows"] == 1_000
    version = WorkspaceVersion.objects.get()
    review = review_of(clerk, version)
    assert set(review.permitted) == {row["id"] for row in version.content["rows"]}
    assert review.figures_open


def test_saving_the_switch_never_brings_an_older_mark_back(db: None) -> None:
    ReadTarget.objects.first().save()  # type: ignore[union-attr]  # the demo has targets
    loaded = AgentDoors.objects.get()
    stale = loaded.declared
    ReadTarget.objects.first().save()  # type: ignore[union-attr]  # another process declares in between
    before = AgentDoors.objects.get().declared
    loaded.save()
    assert AgentDoors.objects.get().declared not in (before, stale)


def test_targets_are_remembered_under_their_own_mark_alone(person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from read_targets import doors

    ReadTarget.objects.first().save()  # type: ignore[union-attr]  # the demo has targets
    monkeypatch.setattr(_Remembered, "known", (None, ()))
    really = doors.declared
    late = ReadTarget(key="late.thread")

    def slow() -> Any:
        # While these are read, another thread reads what has been declared since, and finishes first.
        monkeypatch.setattr(doors, "declared", really)
        ReadTarget.objects.first().save()  # type: ignore[union-attr]  # as above
        current(Actor(person("analyst")))
        return [late]

    monkeypatch.setattr(doors, "declared", slow)
    current(Actor(person("analyst")))
    assert late not in current(Actor(person("analyst")))
