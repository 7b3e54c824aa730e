"""A word in the ledger's texts: with the index over scanning on PostgreSQL, and over a bare LIKE on SQLite.

Every figure is of the list alone, without the tool around it: count and sum, and with them the first 20 rows. The
bare LIKE counts what it finds in the same columns, knows no capitals but ASCII's and no normal forms.
"""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from .company import CASES, ROWS, TABLE, TURNS, Case, build  # isort: skip  # sets Django up

from django.db import connection

from read_targets.lists import Question, ask, get_list
from read_targets.policies import Actor, access_of

from .by_hand import fetch
from .timing import interleaved, ms, say

RARE = (
    ("counterparty", "광진 상사", 1_000),
    ("counterparty", "Zimmermann Kältetechnik", 1_000),
    ("memo", "Qualitätsprüfung", 100),
)
"""What is written into one row of so many, beside the company's own few names."""

WORDS = ("광진", "kältetechnik", "광진 상사", "qualitätsprüfung", "월세", "invoice", "houston", "q", "nowhere")
SHOWN = ("all rows", "50 %", "mixed")


def main() -> None:
    """Build the company, write rare words into it, and print what was measured."""
    build()
    with connection.cursor() as cursor:
        for number, (column, text, every) in enumerate(RARE):
            changed = f"UPDATE {TABLE} SET {column} = %s WHERE id %% {every} = {number + 7}"  # noqa: S608  # constants
            cursor.execute(changed, [text])
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    print(f"\n{connection.vendor}, {ROWS:,} transactions, a word in counterparty, memo and the account's name")
    for case in (one for one in CASES if one.name in SHOWN):
        for word in WORDS:
            line(case, word)


def line(case: Case, word: str) -> None:
    """Print one word for one person."""
    found = ask(get_list("cashTransactions"), Question(text=word), access_of(Actor(case.person))).total or 0
    name = f"{case.name}, {word}: {found / ROWS:.1%}"
    if connection.vendor != "postgresql":
        figures, bare = interleaved(partial(asked, case, word), partial(like, word), turns=TURNS)
        say(name, f"{figures / bare:.2f} x", f"{ms(figures)}, a bare LIKE over all rows takes {ms(bare)}")
        return
    for limit, what in ((0, "figures"), (20, "and 20 rows")):
        with_index, scanning = interleaved(
            partial(asked, case, word, limit), partial(scanned, case, word, limit), turns=min(TURNS, 5)
        )
        say(f"{name}, {what}", f"{scanning / with_index:.1f} x", f"{ms(with_index)}, scanning takes {ms(scanning)}")


def asked(case: Case, word: str, limit: int = 0) -> None:
    """Ask the list for count, sum and the first rows, as the person."""
    question = Question(text=word, figures=("amount",), limit=limit)
    ask(get_list("cashTransactions"), question, access_of(Actor(case.person)))


def scanned(case: Case, word: str, limit: int) -> None:
    """Ask the same of a list whose model has no index."""
    with patch("read_targets.lists.search.index_of", lambda model, names: None):
        asked(case, word, limit)


def like(word: str) -> None:
    """Count by SQLite's own operator, a call of which costs a tenth of one of Python."""
    fitting = " OR ".join(f"{column} LIKE '%{word}%'" for column in ("counterparty", "memo"))
    fetch(f"SELECT COUNT(*) FROM {TABLE} WHERE {fitting}")  # noqa: S608  # words of ours


if __name__ == "__main__":
    main()
