"""The watch: a thread of each process that looks, every few hundredths of a second, at what is being read just now.

So that a quick reading costs nothing but standing in a set, and only what turned out long is weighed. It sleeps while
nothing is read, and begins with the first reading, so also in a process that was forked.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Protocol

logger = logging.getLogger(__name__)

TICK = 0.05
"""Seconds between two looks."""


class Watched(Protocol):
    """What is being read."""

    def weigh(self) -> None:
        """Called at every look."""


_now: set[Watched] = set()
_later: deque[Callable[[], None]] = deque()
_any = Event()
_starting = Lock()
_thread: Thread | None = None


def add(watched: Watched) -> None:
    """Look at a reading from now on."""
    _now.add(watched)
    _rouse()


def remove(watched: Watched) -> None:
    """Look at it no more."""
    _now.discard(watched)


def later(action: Callable[[], None]) -> None:
    """Do something at the next look, so that nobody waits for it."""
    _later.append(action)
    _rouse()


def _rouse() -> None:
    global _thread
    if _thread is None or not _thread.is_alive():
        with _starting:
            if _thread is None or not _thread.is_alive():
                _thread = Thread(target=_look_for_ever, name="read-targets-watch", daemon=True)
                _thread.start()
    if not _any.is_set():
        _any.set()


def _look_for_ever() -> None:
    while True:
        _any.wait()
        time.sleep(TICK)
        _any.clear()
        while _later:
            _carefully(_later.popleft())
        for watched in tuple(_now):
            _carefully(watched.weigh)
        if _now:
            _any.set()


def _carefully(action: Callable[[], None]) -> None:
    try:
        action()
    except Exception:  # the watch goes on whatever happens: without it nothing would be weighed any more
        logger.exception("the watch over what is read failed")
