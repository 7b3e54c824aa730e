"""What a call says in its headers is read as the standards say."""

from __future__ import annotations

import pytest

from read_targets.agent.contract import Refused
from read_targets.agent.headers import key_in, wait_in


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        ("wait=20", 20),
        ("WAIT = 5", 5),
        ("respond-async, wait=7", 7),
        ('handling="lenient, wait=3"; x="a\\", wait=4", wait=8', 8),
        ("wait=6; foo=bar", 6),
        ("wait=2, wait=9", 2),
        ("wait=31", 30),
        ("wait=99999999999999999999999999", 30),
        ("wait=0", 0),
        # What cannot be read is no preference at all.
        ("", 0),
        ("wait", 0),
        ("wait, wait=9", 0),
        ("wait=", 0),
        ("wait=-1", 0),
        ("wait=1.5", 0),
        ('wait="5"', 0),
        ("wait=٥", 0),
        ("await=5", 0),
        ("wait5=5", 0),
        (";wait=5", 0),
        (",,=,;", 0),
    ],
)
def test_the_wait_that_is_preferred(prefer: str, seconds: float) -> None:
    assert wait_in({"Prefer": prefer}) == seconds


def test_without_headers_there_is_no_key_and_no_wait() -> None:
    assert key_in({}) == ""
    assert wait_in({}) == 0


def test_a_key_is_taken_as_it_is() -> None:
    assert key_in({"Idempotency-Key": '"a-1"'}) == '"a-1"'


@pytest.mark.parametrize("key", ["", "a b", "a\n", "ä", "k" * 201])
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(Refused, match="Idempotency-Key"):
        key_in({"Idempotency-Key": key})
