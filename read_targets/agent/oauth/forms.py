"""What a person says when they let an agent sign in."""

from __future__ import annotations

from typing import Any

from ...cards.forms import TokenForm


class ConsentForm(TokenForm):
    """As for a token made by hand, but the client has a name; whether it may act is asked where it asked for that."""

    name = None  # type: ignore[assignment]  # so a field is taken out

    def __init__(self, person: Any, *args: Any, asks_to_act: bool, **kwargs: Any) -> None:
        super().__init__(person, *args, **kwargs)
        if not asks_to_act:
            del self.fields["may_act"]
