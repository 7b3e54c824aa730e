"""What the tests need of Node: packages that are not of Python, and so are there only where somebody installed them.

With the Node that the development requirements bring, and the versions and checksums of the lock that is kept there:

    .venv/bin/npm install --prefix .conformance

`MCP_CONFORMANCE` names another folder than `.conformance`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.live.servers import ROOT


def script_of(package: str, version: str) -> list[str]:
    """The command that runs what the package installs; leaves the test out, and says why, where it is not there."""
    folder = Path(os.environ.get("MCP_CONFORMANCE") or ROOT / ".conformance") / "node_modules" / package
    beside = Path(sys.executable).parent / "node"
    node = str(beside) if beside.exists() else shutil.which("node")
    if node is None:
        pytest.skip("there is no Node: install the development requirements")
    if not folder.is_dir():
        pytest.skip(f"{package}@{version} is not installed: tests/mcp/node.py says how")
    facts = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    assert facts["version"] == version, f"{package} is there as {facts['version']}"
    scripts = facts["bin"]
    return [node, str(folder / (scripts if isinstance(scripts, str) else next(iter(scripts.values()))))]
