"""Finds the benchmarks that are installed, ours and other people's."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from core.benchmark import Benchmark
from core.errors import NotFoundError
from core.nearest import one_of

GROUP = "commonsense_tui.benchmarks"
"""The entry-point group: a benchmark's name = the class that fulfils the contract."""


@cache
def _found() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP))}


def names() -> tuple[str, ...]:
    """Names of the installed benchmarks, GITA first because the program opens on it."""
    return tuple(sorted(_found(), key=lambda name: (name != "gita", name)))


@cache
def load(name: str) -> Benchmark:
    """Import and make the benchmark called `name`; raises `NotFoundError`."""
    point = _found().get(name)
    if point is None:
        raise NotFoundError(
            f"There is no benchmark “{name}”.",
            hint=one_of("Installed", names(), name),
        )
    benchmark: Benchmark = point.load()()
    return benchmark
