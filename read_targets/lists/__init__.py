"""A list of the application: conditions in, rows, count, sums and groups out.

Nothing here knows of agents, rights or GraphQL; who may see which rows comes in as an `Access`.
"""

from .access import Access
from .answer import Answer, Figure, Group, Rest, Row
from .conditions import OPERATORS, Condition
from .definition import ListDefinition, ListPath
from .engine import ask
from .question import Order, Question
from .registry import UnknownList, get_list, register_list, registered_lists
from .snapshot import snapshot, writing
from .values import KINDS, Argument, Unreadable, plain, read_value

__all__ = [
    "KINDS",
    "OPERATORS",
    "Access",
    "Answer",
    "Argument",
    "Condition",
    "Figure",
    "Group",
    "ListDefinition",
    "ListPath",
    "Order",
    "Question",
    "Rest",
    "Row",
    "UnknownList",
    "Unreadable",
    "ask",
    "get_list",
    "plain",
    "read_value",
    "register_list",
    "registered_lists",
    "snapshot",
    "writing",
]
