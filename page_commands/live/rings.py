"""The doorbell's rings: that a tab has something to fetch, told from process to process."""

from __future__ import annotations

from dataclasses import dataclass

CHANNEL = "page_commands_rings"
"""The channel of PostgreSQL's LISTEN and NOTIFY."""


@dataclass(frozen=True)
class Ring:
    """That a session has an effect of this number now. `is_end`: its browser has signed out."""

    browser: str
    session: str
    seq: int
    is_end: bool = False

    def written(self) -> str:
        """Return the ring as the payload of a NOTIFY."""
        return f"{self.browser} {self.session} {self.seq} {'end' if self.is_end else 'ring'}"


def ring_in(payload: str) -> Ring | None:
    """Return the ring that a payload holds, None where somebody else wrote it."""
    parts = payload.split(" ")
    if len(parts) != 4 or not (parts[2].isascii() and parts[2].isdigit()):
        return None
    return Ring(parts[0], parts[1], int(parts[2]), parts[3] == "end")
