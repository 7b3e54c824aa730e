"""Running what asks the database outside of the event loop, and giving its connections back afterwards.

Django ends a connection's use when a request of its own finishes, which it never sees here.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import close_old_connections, connections

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 16
"""Calls that a process runs at once; more wait for their turn. Nobody holds one while a person is waited for."""

_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="mcp")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `function` returns, run in a thread of ours; raises what it raises."""
    run = partial(contextvars.copy_context().run, _tidily, partial(function, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(_pool, run)


def _tidily(function: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return function()
    finally:
        for connection in connections.all(initialized_only=True):
            if connection.settings_dict["OPTIONS"].get("pool"):
                connection.close()
            else:
                connection.close_if_unusable_or_obsolete()
