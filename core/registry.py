"""Finds the benchmarks that are installed, ours and other people's."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from core.benchmark import Benchmark
from core.errors import CommonsenseError, NotFoundError
from core.nearest import one_of

GROUP = "commonsense_tui.benchmarks"
"""The entry-point group: a benchmark's name = the class that fulfils the contract."""


@cache
def _found() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP))}


def names() -> tuple[str, ...]:
    """Names of the installed benchmarks, GITA first because the program opens on it."""
    return tuple(sorted(_found(), key=lambda name: (name != "gita", name)))


class BrokenBenchmarkError(CommonsenseError):
    """The package of a benchmark is installed, and its code fails when it is loaded."""

    title = "This benchmark cannot be used"


@cache
def load(name: str) -> Benchmark:
    """Import and make the benchmark called `name`.

    Raises `NotFoundError` when none is called so, and `BrokenBenchmarkError` when its own code
    fails.
    """
    point = _found().get(name)
    if point is None:
        raise NotFoundError(
            f"There is no benchmark “{name}”.",
            hint=one_of("Installed", names(), name),
        )
    try:
        benchmark: Benchmark = point.load()()
    except (Exception, SystemExit) as error:
        # This is other people's code, run for the first time: it may fail in any way at all.
        package = point.dist.name if point.dist is not None else point.module
        said = " ".join(str(error).split())
        raise BrokenBenchmarkError(
            f"Benchmark “{name}” cannot be loaded: {type(error).__name__}: {said}",
            where=f"package {package}",
            hint=f"Update, reinstall or remove {package}.",
        ) from error
    return benchmark


def loaded() -> tuple[list[Benchmark], list[BrokenBenchmarkError]]:
    """The installed benchmarks that can be used, GITA first, and why the others cannot."""
    usable: list[Benchmark] = []
    broken = []
    for name in names():
        try:
            usable.append(load(name))
        except BrokenBenchmarkError as error:
            broken.append(error)
    return usable, broken
