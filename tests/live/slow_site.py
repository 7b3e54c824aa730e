"""The site as it is served, with a list that takes for ever: what uvicorn serves in the tests of leaving."""

from project.asgi import application
from tests.slow import slow_list

__all__ = ["application"]

_slow = slow_list()
_slow.__enter__()
