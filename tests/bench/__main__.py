"""Measure on SQLite and on PostgreSQL, each in a database of its own that is gone afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

MEASURE = [sys.executable, "-m", "tests.bench.ledger"]


def main() -> int:
    """Run the measurements and return the worse exit code."""
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        environment = {**os.environ, "DATABASE_URL": f"sqlite:///{Path(directory) / 'bench.sqlite3'}"}
        on_sqlite = subprocess.run(MEASURE, env=environment, check=False).returncode
    on_postgres = subprocess.run([sys.executable, "-m", "tests.with_postgres", *MEASURE], check=False).returncode
    return max(on_sqlite, on_postgres)


if __name__ == "__main__":
    sys.exit(main())
