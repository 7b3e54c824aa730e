"""What stands in the database of real servers: the page of the tests with its commands, people, and conversations."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command

from read_targets.agent.tokens import create_token

from .desk import RIGHTS, Desk, conversation, declare_desk, hire, step

CROWD = tuple(f"guest-{number}" for number in range(4))
"""People who only have pages open; nobody has more than fifty."""


def prepare() -> dict[str, Any]:
    """Make the tables, the page with its commands, people with two agents each, and what they talk about."""
    call_command("migrate", verbosity=0)
    _declare(declare_desk())
    people = {name: hire(name, *RIGHTS) for name in ("mina", "other", *CROWD)}
    return {
        "people": {name: user.pk for name, user in people.items()},
        "tokens": {
            name: [create_token(user, f"Robot {n}", may_act=True)[1] for n in (1, 2)] for name, user in people.items()
        },
        "talks": [str(conversation(title).pk) for title in ("One", "Two", "Three")],
    }


def _declare(desk: Desk) -> None:
    counting, word = step("handler acting.count"), ({"name": "word", "kind": "string"},)
    desk.command("count", counting, takes="")
    desk.command("count_and_show", counting, step("show_view plain"), takes="")
    desk.command("send", step("handler acting.sends", word="parameter word"), takes="", parameters=word)
    desk.command("ask", counting, takes="", confirmation="REQUIRED", rules=("stands_still",))
    desk.command("ask_and_show", counting, step("show_view plain"), takes="", confirmation="REQUIRED")
    sending = step("handler acting.sends")
    desk.command("ask_to_send", sending, takes="", confirmation="REQUIRED", rules=("stands_still",))
    number = ({"name": "n", "kind": "integer", "required": True},)
    desk.command("go", step("open_page factory:start", n="parameter n"), takes="", parameters=number)
    desk.command(
        "retitle",
        step("handler acting.retitle", conversation="input", title="parameter word"),
        parameters=({"name": "word", "kind": "string", "required": True},),
    )
    desk.show()
