"""Bodies that are nested without end are refused at every door, and are nobody's fault but the sender's."""

from __future__ import annotations

from typing import Any

import pytest

BODIES = {
    "lists": b"[" * 50_000,
    "objects": b'{"query":' * 20_000,
    "closed": b'{"query": "{me}", "variables": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001,
}


@pytest.mark.parametrize("kind", BODIES)
def test_graphql_refuses_a_body_without_end(signed_in: Any, kind: str) -> None:
    response = signed_in("analyst").post("/graphql", BODIES[kind], "application/json")
    assert response.status_code == 400
    assert response.json()["errors"]


@pytest.mark.parametrize("kind", BODIES)
def test_a_tool_refuses_a_body_without_end(agent: Any, kind: str) -> None:
    response = agent("analyst").post("queryLedgerAccounts", BODIES[kind])
    assert (response.status_code, response.json()["code"]) == (400, "read_targets.body_unreadable")
