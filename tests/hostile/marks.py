"""Marks in the company's texts that say who may read them, so that whatever leaks is known by its bytes.

Who may is worked out from the tables of grants by the oracle, and not by our code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.db.models import Model

from project.demo.drilling.models import ConnectionRun, Well
from project.demo.factory.models import Conversation, GitConnection, Project, Tenant
from project.demo.ledger.models import Account, CashTransaction
from tests.oracle import Rights

TEXTS: dict[type[Model], tuple[str, ...]] = {
    Account: ("name",),
    CashTransaction: ("counterparty", "memo"),
    Well: ("name", "field"),
    ConnectionRun: ("crew",),
    Tenant: ("name",),
    Project: ("name",),
    GitConnection: ("url",),
    Conversation: ("title",),
}

_MARK = re.compile(rb"zqk([a-z]*)kqz", re.IGNORECASE)


def mark_of(names: Iterable[str]) -> str:
    """The mark of what these people may read, each with their initial."""
    return f"zqk{''.join(sorted(name[0] for name in names))}kqz"


def plant(people: dict[str, Any]) -> None:
    """Put a mark into every text of the company."""
    rights = {name: Rights(user).remembered() for name, user in people.items()}
    for model, fields in TEXTS.items():
        rows = list(model._base_manager.all())
        for row in rows:
            mark = mark_of(name for name, may_view in rights.items() if may_view(row))
            for field in fields:
                setattr(row, field, f"{mark} {row.pk}")
        model._base_manager.bulk_update(rows, fields, batch_size=500)


def leaked(answer: bytes, name: str) -> set[bytes]:
    """The marks in an answer that this person (empty: nobody) may not read."""
    initial = name[:1].encode()
    return {found[0] for found in _MARK.finditer(answer) if not initial or initial not in found[1].lower()}
