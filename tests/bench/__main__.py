"""Measure on SQLite and on PostgreSQL, each in a database of its own that is gone afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

MEASURES = [[sys.executable, "-m", f"tests.bench.{name}"] for name in ("ledger", "pages")]


def main() -> int:
    """Run the measurements and return the worst exit code."""
    codes = []
    for measure in MEASURES:
        with tempfile.TemporaryDirectory(prefix="bench-") as directory:
            environment = {**os.environ, "DATABASE_URL": f"sqlite:///{Path(directory) / 'bench.sqlite3'}"}
            codes.append(subprocess.run(measure, env=environment, check=False).returncode)
        codes.append(subprocess.run([sys.executable, "-m", "tests.with_postgres", *measure], check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
