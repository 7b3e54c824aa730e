"""While somebody writes throughout, every answer is of one moment: its groups add up to its total."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connections, transaction

from project.demo.ledger.models import CashTransaction
from read_targets.digest import Digest, Wish
from read_targets.doors import declared
from read_targets.policies import access_of
from read_targets.reading import read

pytestmark = pytest.mark.django_db

CALLS = int(os.environ.get("LEDGER_CALLS", "24"))
"""How many answers are looked at; `make soak` asks for a thousand."""

ASKED = ("date", "flow", "status", "account", "counterparty", None)


@contextmanager
def a_writer() -> Iterator[list[BaseException]]:
    """Somebody who inserts, changes and removes transactions in a thread of their own, as fast as they may."""
    stop, failed = threading.Event(), list[BaseException]()

    def write() -> None:
        connections["shared"].connect()
        try:
            for key in itertools.count(1_000_000):
                if stop.wait(0.002):
                    return
                with transaction.atomic(using="shared"):
                    CashTransaction.objects.create(
                        id=key,
                        date=date(2023, 1, 1) + timedelta(days=key * 37 % 1_400),
                        account_id=1 + key % 6,
                        counterparty=(None, "", f"new {key % 50}")[key % 3],
                        flow="INCOME",
                        amount=Decimal(key).scaleb(-2),
                        status=("DRAFT", "BOOKED")[key % 2],
                    )
                    CashTransaction.objects.filter(pk=key - 40).update(amount=Decimal("0.01"), status="CANCELLED")
                    CashTransaction.objects.filter(pk=key - 400).delete()
        except BaseException as error:  # it is raised again where the test looks for it
            failed.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield failed
    finally:
        stop.set()
        thread.join(30)
    if failed:
        raise failed[0]


def adds_up(digest: Digest) -> bool:
    """Whether the groups and the rest are the whole list, in number and in sum, and the rows are as many as it says."""
    total, figure = digest.total, digest.figures["amount"].total
    if len(digest.rows) != min(total or 0, 1_000):
        return False
    if digest.groups is None:
        return True
    parts = [*digest.groups, *([digest.rest] if digest.rest else [])]
    counted, summed = sum(one.count for one in parts), sum(one.figures["amount"].total for one in parts)
    return bool(counted == total and summed == figure)


@pytest.mark.parametrize("name", ["admin", "clerk"])
def test_groups_add_up_to_the_total_in_every_answer(shared: str, name: str) -> None:
    user = User.objects.get(username=name)
    target = declared().get(key="ledger.cash-transactions")
    totals = []
    with a_writer() as failed:
        for call in range(CALLS):
            text = {"text": "new"} if call % 4 == 3 else {}
            digest = read(target, text, access_of(user), UTC, Wish(group_by=ASKED[call % len(ASKED)], keep="always"))
            assert adds_up(digest), (call, digest.total)
            assert not failed
            if not text:
                totals.append(digest.total)
    assert len(set(totals)) > 1 or name == "clerk", "nothing was written meanwhile"
