"""The items that a recorded run asked about, where they are at hand."""

from __future__ import annotations

from pathlib import Path

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.runs.records import Run, RunState
from core.text.errors import CommonsenseError


def collection_of(run: Run, benchmark: Benchmark) -> Collection | None:
    """The collection with the content that the run asked about; None where it is not found.

    It is where it was when the run was begun, or ships with the benchmark.
    """
    paths = [benchmark.samples(), *benchmark.more_samples()]
    # The path of an imported run is that of a log.
    if run.plan.collection and run.state is not RunState.IMPORTED:
        paths.insert(0, Path(run.plan.collection))
    for path in paths:
        try:
            collection = registry.open_collection(benchmark, path)
            if collection.content_hash == run.plan.collection_hash:
                return collection
        except (CommonsenseError, OSError, ValueError):
            continue
    return None
