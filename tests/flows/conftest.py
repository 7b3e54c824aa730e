"""What the stories of open pages share with the tests of page commands."""

from __future__ import annotations

from tests.page_commands.conftest import (
    acting,
    desk,
    german,
    korean,
    mina,
    office,
    other,
    robot,
    tab,
    talk,
    two_offices,
)

__all__ = [
    "acting",
    "desk",
    "german",
    "korean",
    "mina",
    "office",
    "other",
    "robot",
    "tab",
    "talk",
    "two_offices",
]
