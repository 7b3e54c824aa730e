"""A list of the application: conditions in, rows, count, sums and groups out.

Nothing here knows of agents, rights or GraphQL; who may see which rows comes in as an `Access`.
"""

from .access import Access
from .answer import Answer, Group, Rest, Row
from .bounds import CallerLeft, Stopped, TooManyReads, TooSlow
from .conditions import OPERATORS, Condition
from .definition import ListDefinition, ListPath
from .engine import ask
from .figure import Figure, Quotient, Total
from .order import Order, order_of
from .question import Measure, Question
from .registry import UnknownList, get_list, readable_models, register_list, registered_lists
from .search_index import SearchIndex
from .snapshot import snapshot, writing
from .values import KINDS, Argument, Unreadable, plain, read_value

__all__ = [
    "KINDS",
    "OPERATORS",
    "Access",
    "Answer",
    "Argument",
    "CallerLeft",
    "Condition",
    "Figure",
    "Group",
    "ListDefinition",
    "ListPath",
    "Measure",
    "Order",
    "Question",
    "Quotient",
    "Rest",
    "Row",
    "SearchIndex",
    "Stopped",
    "TooManyReads",
    "TooSlow",
    "Total",
    "UnknownList",
    "Unreadable",
    "ask",
    "get_list",
    "order_of",
    "plain",
    "read_value",
    "readable_models",
    "register_list",
    "registered_lists",
    "snapshot",
    "writing",
]
