"""Run a thousand commands while the stream is cut at random, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys

COMMANDS = "1000"
TEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/flows/test_page_effects.py"]


def main() -> int:
    """Run it and return the worse exit code."""
    environment = {**os.environ, "PAGE_COMMANDS": COMMANDS}
    on_sqlite = subprocess.run(TEST, env=environment, check=False).returncode
    with_postgres = [sys.executable, "-m", "tests.with_postgres", *TEST]
    on_postgres = subprocess.run(with_postgres, env=environment, check=False).returncode
    return max(on_sqlite, on_postgres)


if __name__ == "__main__":
    sys.exit(main())
