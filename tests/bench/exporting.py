"""The whole ledger as a file against a bare cursor written by `csv`, and a page by its place against SQL by hand.

The bare cursor reads the same columns in the same order, through a cursor of the server where there is one, and
converts and checks nothing. The pages by hand are the fastest of every known shape of the person's rights.
"""

from __future__ import annotations

import csv
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .company import CASES, ROWS, TOOL, TURNS, Case, build  # isort: skip  # sets Django up

from django.db import connection

from read_targets.agent.dispatch import call_tool
from read_targets.cards.exports.heart import Heart
from read_targets.cards.exports.models import Export
from read_targets.cards.exports.running import write_list
from read_targets.lists import Question, ask, get_list, snapshot
from read_targets.lists.leafing import read_leaf
from read_targets.lists.paging import END, Cursor
from read_targets.models import WorkspaceVersion
from read_targets.policies import Actor, access_of

from .by_hand import COLUMNS, seconds_of, shapes
from .timing import interleaved, most_memory, ms, say

SIZE = 50
BARE = COLUMNS.replace("t.id, ", "", 1)
ORDER = "ORDER BY t.date DESC, t.id DESC"
PAGED = ("all rows", "10 %", "50 %", "mixed")


def main() -> None:
    """Build the company and print what was measured."""
    build()
    print(f"\n{connection.vendor}, {ROWS} transactions: pages by place, and the whole list as a file")
    for case in CASES:
        if case.name in PAGED:
            pages(case)
    with TemporaryDirectory(prefix="bench-") as folder:
        files(CASES[0], Path(folder))


def pages(case: Case) -> None:
    """Pages near the beginning, in the middle and at the end of what a person may view."""
    definition, access = get_list("cashTransactions"), access_of(case.person)
    total = ask(definition, Question(), access).total or 0
    for where, offset in (("first", 0), ("middle", total // 2), ("last", max(0, total - 3 * SIZE))):
        place = ask(definition, Question(offset=offset, limit=1, places=True, count=False), access).rows[0].place
        assert place is not None
        place = replace(place, total=total)
        turn, by_hand = partial(turned, case, place), best_page(case, place)
        assert len(turn()) == len(by_hand()) - 1
        one, two = interleaved(turn, by_hand, turns=TURNS * 5)
        say(f"page {where} of {total}, {case.name}", f"+ {ms(one - two)}", f"{ms(one)} against {ms(two)} by hand")
    (back,) = interleaved(partial(turned, case, replace(END, total=total), last=True), turns=TURNS)
    say(f"the last page, {case.name}", ms(back), "from the end of the order")


def turned(case: Case, place: Cursor, *, last: bool = False) -> list[Any]:
    """A page as a screen reads it, the person and their rights asked anew."""
    place = replace(place, counted_at=time.time())  # as one who leafs on within minutes
    question = Question(before=place) if last else Question(after=place)
    return read_leaf(get_list("cashTransactions"), question, access_of(case.person), number=2, size=SIZE).page.rows


def best_page(case: Case, place: Cursor) -> Callable[[], list[Any]]:
    """The same page in the fastest shape, in a transaction of its own."""
    behind = f"(t.date, t.id) < ('{place.values[0]}', {place.key}) {ORDER} LIMIT {SIZE + 1}"
    rights = [where.removeprefix("WHERE ") or "TRUE" for where in shapes(case, case.person)]
    statements = [f"{COLUMNS} WHERE ({held}) AND {behind}" for held in rights]
    best = min(statements, key=seconds_of)

    def run() -> list[Any]:
        with snapshot(), connection.cursor() as cursor:
            cursor.execute(best)
            return cursor.fetchall()

    return run


def files(case: Case, folder: Path) -> None:
    """The whole list as CSV and as XLSX."""
    answer: Any = call_tool(Actor(case.person), TOOL, {"show": "workspace"})
    assert answer.card, answer
    version = WorkspaceVersion.objects.filter(workspace__user=case.person).latest("pk")
    for form in ("csv", "xlsx"):
        before, began = most_memory(), time.perf_counter()
        export(version, folder, form)
        took = time.perf_counter() - began
        say(f"the whole list as {form}", f"{took:.1f} s", f"and {most_memory() - before:.1f} MB more memory")
    ours, by_hand = interleaved(partial(export, version, folder, "csv"), partial(bare, folder / "bare.csv"), turns=3)
    say("the whole list as csv", f"{ours / by_hand:.2f} x", f"{ours:.2f} s against {by_hand:.2f} s of a bare cursor")


class Unheard(Heart):
    """A beat that nobody hears: no export stands behind it."""

    def beat(self) -> None:
        """Renew nothing."""


def export(version: WorkspaceVersion, folder: Path, form: str) -> None:
    """Write the file as the worker does, without storing it."""
    one = Export(user=version.workspace.user, version=version, source=version.source, form=form, run=uuid.uuid4())
    kept = write_list(one, Unheard(one), folder / f"list.{form}")
    assert kept["rows_written"] == kept["rows_total"] == ROWS


def bare(path: Path) -> None:
    """The same columns and rows, as the driver gives them."""
    with path.open("w", encoding="utf-8-sig", newline="") as file, snapshot():
        named = {"name": "bare"} if connection.vendor == "postgresql" else {}
        cursor: Any = connection.connection.cursor(**named)
        if named:
            cursor.itersize = 2_000
        cursor.execute(f"{BARE} {ORDER}")
        csv.writer(file).writerows(cursor)
        cursor.close()


if __name__ == "__main__":
    main()
