"""The form of a new token sent several times at once, over connections of their own: one token, told once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from read_targets.agent.tokens import NotMade, create_own_token, open_tokens
from tests.flows.test_kept_parallel import at_once, real_connections

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 8


@pytest.fixture
def user(transactional_db: None) -> User:
    return User.objects.get_or_create(username="clerk")[0]


def made_at_once(user: User, folder: Path, name: str) -> tuple[int, list[str]]:
    """Make tokens at once; return how many were made, and the names of those that are open."""

    def make(place: int) -> bool:
        try:
            create_own_token(user, name.format(place), days=1, toolsets=[], may_act=False)
        except NotMade:
            return False
        return True

    def count(_place: int) -> list[str]:
        return list(open_tokens(user).values_list("name", flat=True))

    with real_connections(folder):
        made = at_once(AT_ONCE, make)
        return sum(made), at_once(1, count)[0]


def test_of_the_same_form_sent_at_once_one_makes_a_token(user: User, tmp_path: Path) -> None:
    assert made_at_once(user, tmp_path, "mine") == (1, ["mine"])


def test_no_more_are_made_at_once_than_a_person_may_hold(user: User, tmp_path: Path, settings: Any) -> None:
    settings.READ_TARGETS = {"MOST_TOKENS": 3}
    made, names = made_at_once(user, tmp_path, "agent {}")
    assert made == 3
    assert len(set(names)) == 3
