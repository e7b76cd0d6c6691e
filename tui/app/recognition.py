"""Which benchmark can read a file that was named without one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.text.errors import DataError
from tui.app.other_kinds import other_kind


def recognised(path: Path) -> Benchmark | None:
    """The first installed benchmark that knows the data by their beginning, which takes no time."""
    for benchmark in registry.loaded()[0]:
        if benchmark.recognises(path):
            return benchmark
    return None


def recognise(
    path: Path, warn: Callable[[str], object], first: Benchmark | None = None
) -> tuple[Benchmark, Collection]:
    """The first installed benchmark that can open `path`, and the opened collection.

    A benchmark that recognises the data, else `first`, is tried before the others. `warn` is called
    with a message for each benchmark whose package is broken. Raises `DataError` if no benchmark
    can open it.
    """
    if (other := other_kind(path)) is not None:
        raise other
    warn_of_broken_benchmarks(warn)
    first_error: DataError | None = None
    known = recognised(path) or first
    for benchmark in sorted(registry.loaded()[0], key=lambda each: each is not known):
        try:
            return benchmark, registry.open_collection(benchmark, path)
        except DataError as error:
            first_error = first_error or error
        except registry.BrokenBenchmarkError as error:
            warn(str(error))
    raise first_error or DataError(
        "No benchmark is installed that could read this.", where=str(path)
    )


def warn_of_broken_benchmarks(warn: Callable[[str], object]) -> None:
    """Call `warn` with a message for each installed benchmark that cannot be used."""
    for error in registry.loaded()[1]:
        warn(str(error))
