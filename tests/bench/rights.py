"""The query tool for people whose rights are made up in different ways, against the best statements by hand.

guardian's own way is the same engine, its rows narrowed down by `get_objects_for_user`; the seed's way reads the list
in pages of 200 and adds up in Python.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .company import CASES, ROWS, TABLE, TOOL, TURNS, VIEW, Case, build, call, secret_of  # isort: skip  # sets Django up

from django.db import connection
from guardian.shortcuts import get_objects_for_user

from read_targets.agent.tokens import token_of
from read_targets.digest import Wish
from read_targets.doors import current
from read_targets.lists import Measure, Question, ask, get_list
from read_targets.policies import Actor, RowAccess, access_of
from read_targets.preferences import zone_of
from read_targets.reading import read

from .by_hand import best_by_hand, fetch
from .timing import interleaved, most_memory, ms, say

MONTHS = Question(figures=(Measure("amount"),), group_by="date")
FIRST_ROWS = Question(limit=20, count=False)
PAGES_UP_TO = 100_000
"""Rows up to which the seed's way is waited for."""

HEADS = ("rights", "tool", "by hand", "ratio", "over it", "guardian: months", "20 rows", "pages of 200")


def main() -> None:
    """Build the company with its people and print what was measured."""
    build()
    print(f"\n{connection.vendor}, {ROWS:,} transactions, medians of {TURNS} interleaved runs")
    print("  {:<15}{:>11}{:>11}{:>9}{:>11}{:>18}{:>10}{:>14}".format(*HEADS))
    for case in CASES:
        line(case)
    everything = CASES[0]
    count, months = interleaved(
        lambda: fetch(f"SELECT COUNT(*) FROM {TABLE}"),  # noqa: S608  # a constant
        lambda: asked(everything, MONTHS),
        turns=TURNS,
    )
    say("month groups over all rows", f"{months / count:.2f} x", f"a bare COUNT(*), which takes {ms(count)}")
    secret = secret_of(everything.person)
    kept, not_kept = interleaved(partial(call, secret, show="workspace"), partial(call, secret), turns=TURNS)
    say("storing a workspace of 1,000 rows", ms(kept - not_kept), "on top of the query")
    dispatch(everything)
    say("memory, at most", f"{most_memory():.0f} MB", "of this process")


def line(case: Case) -> None:
    """Print one line of the table."""
    tool, by_hand = interleaved(
        partial(call, secret_of(case.person), groupBy="date", show="answer"), best_by_hand(case), turns=TURNS
    )
    others = [
        interleaved(partial(asked, case, question), partial(asked, case, question, Guardian), turns=3)
        for question in (MONTHS, FIRST_ROWS)
    ]
    months, rows = (f"{theirs / ours:.1f} x" for ours, theirs in others)
    pages = f"{seeds_way(case) / tool:.0f} x" if ROWS <= PAGES_UP_TO else "-"
    ratio, over = f"{tool / by_hand:.2f} x", ms(tool - by_hand)
    print(
        f"  {case.name:<15}{ms(tool):>11}{ms(by_hand):>11}{ratio:>9}{over:>11}{months:>18}{rows:>10}{pages:>14}",
        flush=True,
    )


@dataclass
class Guardian(RowAccess):
    """The rows as guardian's shortcut gives them."""

    def rows(self, queryset: Any, first: int = 0) -> Any:
        """Narrow a list's rows down."""
        return get_objects_for_user(self.actor.user, VIEW, klass=queryset)


def asked(case: Case, question: Question, access: Callable[[Actor], RowAccess] = RowAccess) -> None:
    """Ask the list as a fresh person, whose rights are looked up anew."""
    ask(get_list("cashTransactions"), question, access(Actor(case.person)))


def seeds_way(case: Case) -> float:
    """Return the seconds that it takes once to read the list in pages of 200 and to add up in Python."""
    began, offset = time.perf_counter(), 0
    sums: dict[str, Any] = {}
    access = access_of(case.person)
    while rows := ask(get_list("cashTransactions"), Question(limit=200, offset=offset, count=False), access).rows:
        for row in rows:
            month = str(row.values["date"])[:7]
            sums[month] = sums.get(month, 0) + row.values["amount"]
        offset += 200
    return time.perf_counter() - began


def dispatch(case: Case) -> None:
    """Say what a call costs besides reading the list: the processor's time for one record, less that of reading it."""
    secret = secret_of(case.person)
    token = token_of(secret)
    assert token is not None
    actor = Actor(token.user, token)
    target = next(one for one in current(actor) if one.query_tool_name == TOOL)

    def read_one() -> None:
        read(target, {"id": "1"}, access_of(actor), zone_of(actor.user), Wish())

    whole, reading = interleaved(partial(call, secret, id="1"), read_one, turns=100, clock=time.process_time)
    told = f"a call of {ms(whole)} CPU, its reading {ms(reading)}"
    say("dispatch: all but reading the list", f"{ms(whole - reading)} CPU", told)


if __name__ == "__main__":
    main()
