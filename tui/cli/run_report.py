"""Gathers what the page of `runs export` shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.contract import registry
from core.exchange.exporters.run_page import ReportedRun, run_page
from core.runs.adjusted_tests import adjusted
from core.runs.comparison import compare
from core.runs.records import Run
from core.runs.source import source_of
from core.runs.store import Store
from core.runs.summaries import summarise


def report(store: Store, runs: Sequence[Run], data: Path | None) -> str:
    """The page of some runs; the others are compared with the first."""
    reported = [ReportedRun(run, summarise(store, run), store.verdicts(run.id)) for run in runs]
    comparisons = adjusted([compare(store, runs[0].id, run.id) for run in runs[1:]])
    benchmark = registry.installed(runs[0].plan.benchmark)
    sources = (source_of(store, run, benchmark, data) for run in runs) if benchmark else ()
    return run_page(reported, comparisons, next(filter(None, sources), None))
