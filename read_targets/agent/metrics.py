"""How many calls there are, what comes of them and how long they take, counted by each process for Prometheus.

The extra `metrics`; nothing counts before `watch` is called. With `PROMETHEUS_MULTIPROC_DIR` set, the library keeps the
numbers in files of that folder, so that those of every process which shares it add up. The log could not tell them: it
forgets, and a counter must not go back. A call that waits for a person counts as `NOT_READY`, whatever they decide.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram

from .limits import call_limited
from .log import call_logged
from .models import ToolCall

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0)
"""Seconds; a reading may take 20 and a call may wait for a person another 20 and more."""

REGISTRY = CollectorRegistry()
"""What this process counted, where it counts alone."""

_UID = "read_targets.metrics"


class Counted(NamedTuple):
    """What is counted: calls by tool, outcome and code; their seconds by tool; what came too often, by limit."""

    calls: Counter
    seconds: Histogram
    limited: Counter


@cache
def counted() -> Counted:
    """Return the counters, which are made once in a process."""
    labels = ("tool", "outcome", "code")
    return Counted(
        Counter("read_targets_calls", "Calls of tools that were answered.", labels, registry=REGISTRY),
        Histogram("read_targets_call_seconds", "How long they took.", ("tool",), registry=REGISTRY, buckets=BUCKETS),
        Counter("read_targets_limited", "What was refused because it came too often.", ("limit",), registry=REGISTRY),
    )


def watch() -> None:
    """Count from now on; as often as it is called, each call counts once."""
    counted()
    call_logged.connect(_count_call, dispatch_uid=_UID)
    call_limited.connect(_count_limited, dispatch_uid=_UID)


def unwatch() -> None:
    """Count no more."""
    call_logged.disconnect(dispatch_uid=_UID)
    call_limited.disconnect(dispatch_uid=_UID)


def _count_call(sender: Any, call: ToolCall, is_known: bool, **kwargs: Any) -> None:
    # A name that no tool has is the caller's own, and there is no end of those.
    tool = call.tool if is_known else ""
    counted().calls.labels(tool, call.outcome, str(call.code)).inc()
    counted().seconds.labels(tool).observe(call.milliseconds / 1_000)


def _count_limited(sender: Any, limit: str, **kwargs: Any) -> None:
    counted().limited.labels(limit).inc()
