"""Copies a store while programs record into it, and checks everything that a store holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.contract import registry
from core.runs.records import Run
from core.runs.store import Store
from core.runs.summaries import summary_of
from core.text.errors import CommonsenseError


@dataclass(frozen=True, slots=True)
class Verified:
    """A run whose verdicts were all read again."""

    run: Run
    verdicts: int
    """How many verdicts could be read."""
    problem: str
    """What is wrong with it; empty if nothing is."""


def back_up(store: Store, to: Path) -> int:
    """Copy a store to `to`, an empty file that is there already; the number of its runs.

    The copy is that of one moment: programs may go on recording meanwhile. It is one file, and is
    read again before this returns. Raises `RunError`, also for a store that is damaged.
    """
    store.database.check()
    store.database.copy_to(to)
    with Store(to, create=False) as copy:
        copy.database.check()
        return len(copy.runs())


def damage(store: Store) -> list[str]:
    """What is wrong with the file of a store, and with which runs; empty if nothing is."""
    problems = [str(text) for (text,) in store.select("PRAGMA integrity_check(20)")]
    if store.database.has_lost_frames():
        problems.append("The file beside the store, with what was recorded last, is damaged.")
    lost = store.select("PRAGMA foreign_key_check(verdicts)")
    if lost:
        problems.append(f"verdicts that belong to no run: {len(lost):,}")
    unreadable = [error.what for error in store.damaged_runs()]
    return [text for text in problems if text != "ok"] + unreadable


def verified(store: Store) -> Iterator[Verified]:
    """Each run of a store, the oldest first, after all that is recorded of it was read again.

    Every verdict is decoded, and the figures of a benchmark that is installed are computed. A run
    whose own record cannot be read is left out: `damage` names it. Raises `RunError` where the runs
    cannot be listed.
    """
    for run in store.runs():
        verdicts, problem = 0, ""
        try:
            rows = store.recorded_verdicts(run)
            verdicts = len(rows)
            if run.plan.benchmark in registry.names():
                summary_of(run, [row.verdict for row in rows])
        except CommonsenseError as error:
            problem = error.what
        yield Verified(run, verdicts, problem)
