"""`manage.py agent_schema`: the contract as files, so that each change of it is seen."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from read_targets.agent.contract import RESULTS, result_schemas
from read_targets.agent.openapi import openapi


class Command(BaseCommand):
    """Writes the OpenAPI document and the schema of an answer, or checks that those written are current."""

    help = "Write the OpenAPI document and the schema of an answer into a folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the folder, and the check."""
        parser.add_argument("folder", type=Path, nargs="?", default=Path("docs/schema"))
        parser.add_argument("--check", action="store_true", help="write nothing; fail where a file is not current")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write or check both files."""
        files = {
            "openapi.json": openapi(),
            "tool-result.json": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "title": "The answer of a tool",
                "oneOf": [{"$ref": f"#/$defs/{result.__name__}"} for result in RESULTS],
                "$defs": result_schemas("#/$defs/{model}"),
            },
        }
        for name, document in files.items():
            path: Path = options["folder"] / name
            text = json.dumps(document, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
            if not options["check"]:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            elif not path.exists() or path.read_text(encoding="utf-8") != text:
                raise CommandError(f"{path} is not current; run manage.py agent_schema and look at what changed.")
