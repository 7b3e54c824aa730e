"""What an answer costs: bytes of arguments and of text for the questions that people ask, within what was promised.

`pytest -s` prints them. The same questions on the ledger of 50,000 rows are measured by `make bench`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from read_targets.agent.texts import text_twin

LEDGER = "queryLedgerCashTransactions"

QUESTIONS: list[tuple[str, dict[str, Any], int]] = [
    ("last October's total expenses", {"flow": "EXPENSE", "period": "2026-10", "rows": 0}, 700),
    ("expenses by month of a year", {"flow": "EXPENSE", "year": 2026, "groupBy": "date", "rows": 0}, 2_000),
    ("the five largest", {"flow": "EXPENSE", "orderBy": "amount", "rows": 5}, 1_200),
    ("how many mention a word", {"text": "logistics", "rows": 0}, 600),
    (
        "a quarter's rows of an account on a workspace",
        {"account": "Main", "from": "2026-07-01", "to": "2026-09-30", "show": "workspace"},
        4_000,
    ),
]


@pytest.mark.parametrize(("question", "arguments", "most"), QUESTIONS, ids=[one[0] for one in QUESTIONS])
def test_a_question_is_one_call_of_few_bytes(agent: Any, question: str, arguments: dict[str, Any], most: int) -> None:
    answer = agent("analyst").answer(LEDGER, **arguments)
    assert answer["outcome"] == "READY"
    text = text_twin(answer, "https://localhost:8000")
    asked = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    structured = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    sizes = [len(one.encode()) for one in (asked, text, structured)]
    print(f"\n{question}: arguments {sizes[0]}, text {sizes[1]}, structured {sizes[2]} bytes; at most {most}")
    assert sizes[0] + sizes[1] <= most
    assert sizes[1] < sizes[2]
