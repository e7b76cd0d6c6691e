"""Says so where a run mixes answers that different rules have read."""

from __future__ import annotations

from core.answers.scoring import READER
from core.runs.records import Run
from core.runs.store import Store


def read_by_present_rules(store: Store, run: Run) -> Run:
    """A run that is gone on with, with a note where other rules have read its answers so far.

    These are not read again: whether they were cut at a limit is not recorded, and a gated layer
    was asked after what they were read as.
    """
    before = store.made_with(run.id)["reader"]
    written = any(scoring.written for scoring in run.scorings)
    if before == READER or not written or not run.verdicts:
        return run
    rules = f"rules {before}" if before else "rules that are not recorded"
    store.mark_reader(
        run.id,
        f"The first {run.verdicts:,} answers were read by {rules}, those after them by rules "
        f"{READER}. Ask again for figures of one reading.",
    )
    return store.run(run.id)
