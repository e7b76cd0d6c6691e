"""The items that a recorded run asked about, where they are at hand."""

from __future__ import annotations

from pathlib import Path

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.runs.questions import QuestionSource, recorded_source
from core.runs.records import Run
from core.runs.replay import answers_on
from core.runs.store import Store
from core.text.errors import CommonsenseError, NotFoundError


def collection_of(run: Run, benchmark: Benchmark) -> Collection | None:
    """The collection with the content that the run asked about; None where it is not found.

    It is where it was when the run was begun, or ships with the benchmark.
    """
    paths = [benchmark.samples(), *benchmark.more_samples()]
    # The path of an imported run is that of a log.
    if run.plan.collection and not run.imported:
        paths.insert(0, Path(run.plan.collection))
    for path in paths:
        try:
            collection = registry.open_collection(benchmark, path)
            if collection.content_hash == run.plan.collection_hash:
                return collection
        except (CommonsenseError, OSError, ValueError):
            continue
    return None


def source_of(
    store: Store, run: Run, benchmark: Benchmark, data: Path | None = None
) -> QuestionSource | None:
    """The questions of a run about its items; None where the items are not found.

    They are in `data` where that is named, else where `collection_of` finds them. Those of an
    imported run are in a bundled collection that holds them all as they were asked. Raises
    `CommonsenseError` where `data` cannot be read or holds none of them.
    """
    if data is not None:
        collection = registry.open_collection(benchmark, data)
        if not _items_held(store, run, benchmark, collection):
            raise NotFoundError(
                f"No item of run {run.id} is here as it was asked.",
                where=data,
                hint="Name the file or folder that the run asked about.",
            )
        return recorded_source(run.plan, benchmark, collection)
    known = collection_of(run, benchmark)
    if known is None and run.imported:
        for path in (benchmark.samples(), *benchmark.more_samples()):
            bundled = registry.open_collection(benchmark, path)
            if _items_held(store, run, benchmark, bundled) == run.items:
                known = bundled
                break
    return None if known is None else recorded_source(run.plan, benchmark, known)


def _items_held(store: Store, run: Run, benchmark: Benchmark, collection: Collection) -> int:
    """How many of a run's items a collection holds as they were asked."""
    verdicts = answers_on(store.path, run.id, benchmark, collection).verdicts
    return len({verdict.item for verdict in verdicts})
