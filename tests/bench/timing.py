"""Measuring in turns, and saying what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

WARMING = 2
"""Turns that are not measured."""


def interleaved(
    *runs: Callable[[], object], turns: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, ...]:
    """Return the median seconds of each run, measured in turns so that all meet the same machine."""
    times: list[list[float]] = [[] for _ in runs]
    for turn in range(turns + WARMING):
        for measured, run in zip(times, runs, strict=True):
            start = clock()
            run()
            if turn >= WARMING:
                measured.append(clock() - start)
    return tuple(map(median, times))


def ms(seconds: float) -> str:
    """Seconds as milliseconds."""
    return f"{seconds * 1000:.1f} ms"


def say(what: str, figure: str, because: str) -> None:
    """Print one line of a table."""
    print(f"  {what:<40} {figure:>12}   {because}", flush=True)


def most_memory() -> float:
    """The megabytes that this process has held at most."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024
