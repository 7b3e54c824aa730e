"""What an agent may sign in for. A scope adds no right: it takes away what the token of the client would let it."""

from __future__ import annotations

READ = "read"
"""Any call at all takes it."""

ACT = "act"
"""Tools that act take it, and a token that may act."""

SCOPES = (READ, ACT)

SCOPE_OF_ALL = " ".join(SCOPES)
"""What a challenge asks for: the person agrees to less where they like."""
