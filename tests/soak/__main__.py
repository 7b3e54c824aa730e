"""What takes too long for every run of the tests, by name: `python -m tests.soak [NAME …]`, all of it without a name.

docs/soak.md tells what each of them shows, with its figures.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Soak:
    """A test that is run for long: where it stands, on which databases, and what says how long."""

    path: str
    environment: dict[str, str] = field(default_factory=dict)
    on_sqlite: bool = True
    on_postgres: bool = True


SOAKS = {
    "commands": Soak("tests/flows/test_page_effects.py", {"PAGE_COMMANDS": "1000"}),
    "writer": Soak("tests/lists/test_writer.py", {"LEDGER_CALLS": "1000"}),
    "schemathesis": Soak("tests/soak/test_schemathesis.py", {"SCHEMATHESIS_SECONDS": "600"}, on_postgres=False),
    "hostile": Soak("tests/hostile/test_hostile.py", {"HOSTILE_CALLS": "100000"}, on_postgres=False),
    # It brings its own two servers.
    "replicas": Soak("tests/soak/test_replicas.py", on_postgres=False),
}


def main(names: list[str]) -> int:
    """Run those of that name, or all, and return the worst exit code."""
    unknown = [name for name in names if name not in SOAKS]
    if unknown:
        print(f"There is no {', '.join(unknown)}; there are {', '.join(SOAKS)}.")
        return 2
    return max(_run(SOAKS[name]) for name in names or SOAKS)


def _run(soak: Soak) -> int:
    environment = {**os.environ, "SOAK": "1", **soak.environment, **os.environ}
    test = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rP", "--show-capture=stdout", soak.path]
    commands = [test] * soak.on_sqlite + [[sys.executable, "-m", "tests.with_postgres", *test]] * soak.on_postgres
    return max(subprocess.run(command, env=environment, check=False).returncode for command in commands)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
