"""Cursors in GraphQL: rows after one another are the list, and a cursor fits what it was told for alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from .test_graphql import cash, error

SignedIn = Callable[[str], Client]
SELECTED = "rows startCursor endCursor"
ORDER = [{"name": "account.name", "desc": True}, {"name": "amount"}]

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["analyst", "clerk"])
def test_rows_after_each_other_are_the_list_and_back_again(signed_in: SignedIn, name: str) -> None:
    client = signed_in(name)
    asked: dict[str, Any] = {"sortings": ORDER, "filters": [{"name": "flow", "operator": "eq", "value": "INCOME"}]}
    whole = cash(client, "rows", pagination={"limit": 1_000}, **asked)["rows"]
    size = max(2, len(whole) // 4)
    pages, pagination = [], {"limit": size}
    while (page := cash(client, SELECTED, pagination=pagination, **asked))["rows"]:
        pages.append(page)
        pagination = {"limit": size, "after": page["endCursor"]}
    assert (page["startCursor"], page["endCursor"]) == (None, None)
    assert [row for one in pages for row in one["rows"]] == whole
    assert len(pages) >= 4
    for before, one in itertools.pairwise(pages):
        back = cash(client, SELECTED, pagination={"limit": size, "before": one["startCursor"]}, **asked)
        assert back["rows"] == before["rows"]


def test_what_is_not_asked_for_costs_no_place(signed_in: SignedIn) -> None:
    found = cash(signed_in("analyst"), "endCursor", pagination={"limit": 2})
    rows = cash(signed_in("analyst"), "rows", pagination={"limit": 1, "after": found["endCursor"]})["rows"]
    assert rows == cash(signed_in("analyst"), "rows", pagination={"limit": 3})["rows"][2:]


@pytest.mark.parametrize("side", ["after", "before"])
def test_a_cursor_fits_what_it_was_told_for(signed_in: SignedIn, side: str) -> None:
    cursor = cash(signed_in("analyst"), "endCursor", pagination={"limit": 2})["endCursor"]
    page = f'pagination: {{{side}: "{cursor}"}}'
    others = [
        ("analyst", "cashTransactions", page + ', search: "b"'),
        ("analyst", "cashTransactions", page + ', sortings: [{name: "amount"}]'),
        ("analyst", "cashTransactions", page + ', filters: [{name: "flow", operator: "eq", value: "INCOME"}]'),
        ("analyst", "accounts", page),
        ("clerk", "cashTransactions", page),
        ("analyst", "cashTransactions", f'pagination: {{{side}: "{cursor}x"}}'),
        ("analyst", "cashTransactions", f'pagination: {{{side}: ""}}'),
    ]
    for name, field, arguments in others:
        said = error(signed_in(name), f"{{ {field}({arguments}) {{ rows }} }}")
        assert said.startswith(f"{side}: no cursor that you were given for this list")


def test_rows_begin_at_one_place(signed_in: SignedIn) -> None:
    for pagination in ('{page: 2, after: "x"}', '{after: "x", before: "x"}', '{page: 3, before: "x"}'):
        query = f"{{ cashTransactions(pagination: {pagination}) {{ rows }} }}"
        assert "a page, or after, or before" in error(signed_in("analyst"), query)
