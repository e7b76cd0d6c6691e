"""How runs were asked and about what, in English, as plots and tables of figures say it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from core.runs.records import Run
from core.runs.replay import conditions
from core.text.quantities import counted


def asked_as(run: Run) -> str:
    """How a run was asked, and how its answers were read."""
    words = [conditions(run.plan)]
    if run.plan.scoring is None and run.scorings:
        words.append(f"{' and '.join(run.scorings)} answers")
    return ", ".join(words)


def items_of(run: Run, *, collection: bool) -> str:
    """How many items a run was asked about, of which collection if wanted, and whether all."""
    items = counted(run.items, "item")
    words = [items if run.plan.limit is None else f"the first {items}"]
    if collection:
        words[0] += f" of {collection_of(run)}"
    if not run.ended:
        words.append(f"{run.state}, not all asked yet")
    return ", ".join(words)


def collection_of(run: Run) -> str:
    """A collection by its name and the beginning of its hash, or the log that was imported."""
    name = " ".join(PurePath(run.plan.collection).name.split())
    if run.imported:
        return f"the imported log {name}"
    return f"{name} ({run.plan.collection_hash[:8]})"


def of_several_collections(runs: Sequence[Run]) -> bool:
    """Whether runs are known to be over different collections.

    Of an imported run only its log is known, which says nothing of that.
    """
    return len({run.plan.collection_hash for run in runs if not run.imported}) > 1


def not_comparable(runs: Sequence[Run], *, paired: bool = False) -> str:
    """A sentence on why the figures of runs do not compare; empty where nothing is known.

    `paired` says that only the questions that all of them answered count.
    """
    reasons = []
    if len({run.plan.benchmark for run in runs}) > 1:
        reasons.append("runs of different benchmarks")
    if not paired and _of_different_items(runs):
        reasons.append("asked about different items")
    if not paired and len(runs) > 1 and not all(run.ended for run in runs):
        reasons.append("not all asked to the end")
    one_model = len({run.plan.fingerprint for run in runs}) == 1
    if not one_model and len(set(map(asked_as, runs))) > 1:
        reasons.append("asked in different ways, so the runs differ in more than the model")
    return f"Not comparable: {'; '.join(reasons)}." if reasons else ""


def _of_different_items(runs: Sequence[Run]) -> bool:
    chosen = {run.plan.chosen for run in runs}
    counts = {run.items for run in runs}
    return of_several_collections(runs) or len(chosen) > 1 or len(counts) > 1
