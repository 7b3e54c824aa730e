"""The questions that people ask of the ledger, each one call, and the bytes of text that its answer may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LEDGER = "queryLedgerCashTransactions"


@dataclass(frozen=True)
class Question:
    """A question as a call, and the most bytes of text that answer it."""

    asked: str
    arguments: dict[str, Any]
    most: int


QUESTIONS = (
    Question("last October's total expenses", {"flow": "EXPENSE", "period": "2026-10", "rows": 0}, 700),
    Question("expenses by month of a year", {"flow": "EXPENSE", "year": 2026, "groupBy": "date", "rows": 0}, 2_000),
    Question("the five largest, with counterparty", {"flow": "EXPENSE", "orderBy": "amount", "rows": 5}, 1_200),
    Question("how many mention a word", {"text": "logistics", "rows": 0}, 600),
    Question(
        "a quarter of an account on a workspace",
        {"account": "Main", "from": "2026-07-01", "to": "2026-09-30", "show": "workspace"},
        4_000,
    ),
)
