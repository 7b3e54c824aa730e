"""Measure on SQLite and on PostgreSQL, each in a database of its own that is gone afterwards.

`BENCH_SIZES=10000,100000` says which sizes of the ledger are built; ten million take a while.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = os.environ.get("BENCH_SIZES", "10000,100000,1000000").split(",")
OF_EACH_SIZE = ("rights",)
OF_THE_LARGEST = ("searching", "exporting")
AT_ITS_OWN_SIZE = ("doors", "pages", "economy")
ITS_OWN_SIZE = "50000"


def main() -> int:
    """Run the measurements and return the worst exit code."""
    sizes = [[size, *OF_EACH_SIZE, *(OF_THE_LARGEST if size == SIZES[-1] else ())] for size in SIZES]
    return max(_measured(size, names) for size, *names in (*sizes, [ITS_OWN_SIZE, *AT_ITS_OWN_SIZE]))


def _measured(rows: str, names: list[str]) -> int:
    """Run the measurements of one size, each database being built once for all of them."""
    measures = " && ".join(f"{sys.executable} -m tests.bench.{name}" for name in names)
    run = ["sh", "-c", measures]
    environment = {**os.environ, "BENCH_ROWS": rows}
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        address = f"sqlite:///{Path(directory) / 'bench.sqlite3'}"
        code = subprocess.run(run, env={**environment, "DATABASE_URL": address}, check=False).returncode
    return max(
        code,
        subprocess.run([sys.executable, "-m", "tests.with_postgres", *run], env=environment, check=False).returncode,
    )


if __name__ == "__main__":
    sys.exit(main())
