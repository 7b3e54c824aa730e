"""Python reads this first where it is on the path: a process then speaks to this machine alone."""

from __future__ import annotations

import os
import sys

HERE = ("127.0.0.1", "localhost", "::1")


def stay_here(event: str, args: tuple[object, ...]) -> None:
    """End the process, whatever its thread, where it looks up or connects to anything but this machine."""
    if event == "socket.getaddrinfo":
        host = args[0]
    elif event == "socket.connect" and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host not in (*HERE, None):
        os.write(2, f"It went to {host}.".encode())
        os._exit(3)


sys.addaudithook(stay_here)
