"""A list that says no total and has pages of its own size is never called whole."""

from __future__ import annotations

from typing import Any

import pytest

from read_targets.digest import Wish
from read_targets.foreign import read_foreign
from read_targets.policies import access_of
from tests.test_foreign import PAGED, UTC, Made, made_target


@pytest.mark.django_db
@pytest.mark.parametrize("most", [1, 50, 199])
def test_a_list_with_pages_of_its_own_size_that_says_no_total_is_not_whole(
    monkeypatch: pytest.MonkeyPatch, person: Any, most: int
) -> None:
    made = Made([{"id": at, "value": 1} for at in range(1_250)], monkeypatch, most=most)
    target = made_target(PAGED, "", value="number")
    told = read_foreign(target, {}, access_of(person("admin")), UTC, Wish())
    assert told.total is None
    assert not told.is_complete
    assert len(made.asked) == 2
