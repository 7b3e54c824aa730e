"""What schemathesis makes of our OpenAPI document: calls of every kind, and what in their answers breaks the document.

Its engine calls from threads of its own. In process all that is handed over to the thread of the test, in whose
transaction the company stands.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Queue
from typing import Any

from schemathesis import openapi
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from schemathesis.schemas import BaseSchema

Wsgi = Callable[..., Iterable[bytes]]


@dataclass
class Findings:
    """What was sent, and what was wrong with the answers."""

    seed: int = 0
    calls: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    """What is wrong, by where and what, each with the first call that shows it."""

    def take(self, event: events.EngineEvent) -> None:
        """Take over what an event tells."""
        if isinstance(event, (events.NonFatalError, events.FatalError)):
            where = getattr(event, "label", "engine")
            self.problems.setdefault(
                f"{where}: error", f"{getattr(event, 'info', '')}{getattr(event, 'exception', '')}"
            )
        if not isinstance(event, events.ScenarioFinished):
            return
        for interaction in event.recorder.interactions.values():
            if interaction.response is not None:
                self.calls += 1
                status = interaction.response.status_code
                self.statuses[status] = self.statuses.get(status, 0) + 1
        for checks in event.recorder.checks.values():
            for check in checks:
                if check.failure_info is not None:
                    failure = check.failure_info.failure
                    where = f"{event.phase.value} {failure.operation}: {failure.title}"
                    self.problems.setdefault(f"{where}\n{failure.message}", check.failure_info.code_sample)


def with_tools(document: dict[str, Any], tools: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the document with an address for each tool, which takes the arguments that the tool says it takes."""
    document = copy.deepcopy(document)
    call = document["paths"]["/tools/{name}"]["post"]
    for tool in tools:
        own = copy.deepcopy(call)
        own["operationId"] = tool["name"]
        own["parameters"] = [one for one in own["parameters"] if one["in"] != "path"]
        own["requestBody"] = {"content": {"application/json": {"schema": _as_read(tool["parameters"])}}}
        document["paths"][f"/tools/{tool['name']}"] = {"post": own}
    return document


def _as_read(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a tool's arguments, widened by what is read as well: null is not set, a number may be a text."""
    schema = copy.deepcopy(schema)
    for name, told in schema["properties"].items():
        kinds = [told["type"], "string"] if told["type"] in ("number", "integer", "boolean") else [told["type"]]
        told["type"] = kinds if name in schema.get("required", ()) else [*kinds, "null"]
        if "enum" in told and name not in schema.get("required", ()):
            told["enum"] = [*told["enum"], "", None]
    return schema


def explore(document: dict[str, Any], config: dict[str, Any], site: Wsgi | None = None) -> Findings:
    """Call whatever the document tells of, in process or at the config's base-url, and return what was found."""
    told = SchemathesisConfig.from_dict({"cache": {"enabled": False}, **config})
    schema = openapi.from_dict(document, config=told)
    findings = Findings(told.seed)
    if site is None:
        _run(schema, findings)
        return findings
    here = Here(site)
    schema.app = here
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(_run, schema, findings)
        done.add_done_callback(lambda _: here.close())
        here.serve()
    done.result()
    return findings


def _run(schema: BaseSchema, findings: Findings) -> None:
    for event in from_schema(schema).execute():
        findings.take(event)


class Here:
    """A site whose requests are all answered in the thread that serves, whatever thread they come from."""

    def __init__(self, site: Wsgi) -> None:
        self.site = site
        self.asked: Queue[Callable[[], None] | None] = Queue()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        """Answer a request, in the thread that serves."""
        future: Future[list[bytes]] = Future()

        def answer() -> None:
            try:
                chunks = self.site(environ, start_response)
                body = list(chunks)
                getattr(chunks, "close", lambda: None)()
                future.set_result(body)
            except BaseException as raised:  # which is the asking thread's to raise
                future.set_exception(raised)

        self.asked.put(answer)
        return future.result()

    def serve(self) -> None:
        """Answer requests until `close`."""
        while (answer := self.asked.get()) is not None:
            answer()

    def close(self) -> None:
        """Let `serve` return."""
        self.asked.put(None)
