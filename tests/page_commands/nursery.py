"""`python -m tests.page_commands.nursery`: a process that has the site loaded, and lets servers grow out of itself.

Each is a process of its own, which can be killed; a new one answers at once, since nothing has to be loaded for it.
Reads commands from its standard input: `serve PORT LOG`, `prepare`; answers each with one line.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any

import django


def main() -> None:
    """Load the site, and do what is asked until the input ends."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.page_commands.site")
    django.setup()
    from django.urls import get_resolver

    from project.asgi import application

    get_resolver().url_patterns  # noqa: B018  # reading them loads them, with all views
    # Whoever is killed goes, and nobody has to ask for them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "serve":
            print(_serve(application, int(arguments[0]), arguments[1]), flush=True)
        else:
            _prepare()


def _serve(application: Any, port: int, log: str) -> int:
    """Begin to serve on the port, in a new process whose output goes to `log`; return its id."""
    nursery = os.getpid()
    process = os.fork()
    if process:
        return process
    import uvicorn

    threading.Thread(target=_outlive_not, args=(nursery,), daemon=True).start()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, to in ((0, nothing), (1, file), (2, file)):
        os.dup2(to, number)
    uvicorn.run(application, host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=2)
    os._exit(0)


def _outlive_not(nursery: int) -> None:
    """End this server once its nursery is gone, however the tests came to their end."""
    while os.getppid() == nursery:
        time.sleep(0.5)
    os._exit(0)


def _prepare() -> None:
    """Fill the database, in a process of its own: connections must not be shared with the servers."""
    if os.fork():
        return
    from .prepare import prepare

    print(json.dumps(prepare()), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
