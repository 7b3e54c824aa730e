"""What was said in a conversation. The company keeps no messages, so they are drawn from the conversation's own id."""

import random
from dataclasses import dataclass

from .models import Conversation

LAST = 6
"""Messages that are shown of a conversation: its last ones."""

ASKED = (
    "Where does this stand?",
    "Bitte nur die Rundung ändern, sonst nichts.",
    "세금 계산도 같이 확인해 주세요.",
    "The search box says <b>undefined</b> since yesterday.",
    "Can it go out before Friday?",
)
ANSWERED = (
    "The tests pass; two of them are new.",
    "Ich habe die Übersetzung angepasst & die Seite geprüft.",
    "수정했습니다. 검토 부탁드립니다.",
    "I changed if (a < b) to if (a <= b), that was all.",
    "It is ready; I hand it over to you.",
)


@dataclass(frozen=True)
class Message:
    """One message: its number within the conversation, whether a person wrote it, and its text."""

    number: int
    is_persons: bool
    text: str


def last_messages(conversation: Conversation) -> list[Message]:
    """Return the last messages of a conversation, the newest at the end; always the same for the same conversation."""
    draw = random.Random(str(conversation.pk))  # noqa: S311  # what they say guards nothing
    first = max(1, conversation.messages - LAST + 1)
    return [
        Message(number, number % 2 == 1, draw.choice(ASKED if number % 2 else ANSWERED))
        for number in range(first, conversation.messages + 1)
    ]
