"""A thousand commands while the stream is cut at random, and a thousand answers while somebody writes throughout.

Both on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import os
import subprocess
import sys

MANY = {"PAGE_COMMANDS": "1000", "LEDGER_CALLS": "1000"}
TEST = [
    *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
    *("tests/flows/test_page_effects.py", "tests/lists/test_writer.py"),
]


def main() -> int:
    """Run it and return the worse exit code."""
    environment = {**os.environ, **MANY}
    on_sqlite = subprocess.run(TEST, env=environment, check=False).returncode
    with_postgres = [sys.executable, "-m", "tests.with_postgres", *TEST]
    on_postgres = subprocess.run(with_postgres, env=environment, check=False).returncode
    return max(on_sqlite, on_postgres)


if __name__ == "__main__":
    sys.exit(main())
