"""Work of many threads at once, to be done in a process of its own on a database that takes it; prints JSON."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from django.db import connection

WRITERS, EACH, OPENERS = 6, 12, 6


def write_at_once() -> str:
    """Let many write effects to one session while a tab fetches; return the numbers that the tab saw, in its order."""
    from django.contrib.auth.models import User

    from page_commands.live.effects import add_effect, effects_after
    from page_commands.live.models import Effect, PageSession
    from page_commands.live.sessions import open_session
    from page_commands.models import Page
    from read_targets.agent import writing

    user, page = User.objects.get(username="clerk"), Page.objects.get(key="factory.start")
    key = open_session(user, "w" * 64, page, "written-at-once", "/factory/start/", "").pk
    seen: list[int] = []
    is_over = threading.Event()

    def read() -> None:
        while True:
            is_last = is_over.is_set()
            session = PageSession.objects.get(pk=key)
            seen.extend(effect.seq for effect in effects_after(session, seen[-1] if seen else 0))
            if is_last:
                return
            time.sleep(0.002)

    def write() -> None:
        for _ in range(EACH):
            with writing():
                add_effect(PageSession.objects.select_for_update().get(pk=key), Effect.Kind.NAVIGATE)

    reader = _started([read])
    for writer in _started([write] * WRITERS):
        writer.join()
    is_over.set()
    reader[0].join()
    return json.dumps(seen)


def open_at_once() -> str:
    """Let one tab open its page many times at once; return the ids of the sessions that it was given."""
    from django.contrib.auth.models import User

    from page_commands.live.sessions import open_session
    from page_commands.models import Page

    user, page = User.objects.get(username="clerk"), Page.objects.get(key="factory.start")
    opened: list[Any] = []

    def begin() -> None:
        opened.append(str(open_session(user, "w" * 64, page, "opened-at-once", "/factory/start/", "").pk))

    for opener in _started([begin] * OPENERS):
        opener.join()
    return json.dumps(opened)


def _started(works: list[Callable[[], None]]) -> list[threading.Thread]:
    """Start a thread for each; what it raises stands in the process's log, and what it did not do is missed."""

    def closing(work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            connection.close()

    threads = [threading.Thread(target=closing, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    return threads
