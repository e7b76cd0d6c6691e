"""Runs of this program that are going on, as the list of recorded runs shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.contract.summary import Totals
from core.runs.listing import ListedRun, with_headline
from core.runs.records import RunState
from tui.runs.running import Running, RunPhase

_LIVE = {RunPhase.GOING: RunState.RUNNING, RunPhase.PAUSED: RunState.PAUSED}
"""How a list shows runs of this program that are not at their end."""

RunProgress = tuple[str, RunPhase, int]
"""The id of a run of this program, its phase, and how many questions are answered."""


def goes_on(running: Running) -> bool:
    """Whether a run of this program is asking, or paused."""
    return running.phase in _LIVE


def followed(listed: ListedRun, running: Running | None) -> ListedRun:
    """A run with the state and the figure that it has by now, where it is going on."""
    if running is None:
        return listed
    totals = {
        layer: Totals(progress.right, progress.scored) for layer, progress in running.layers.items()
    }
    run = replace(listed.run, state=_LIVE[running.phase])
    return with_headline(run, totals)


def live_by_id(runs: Iterable[Running]) -> Mapping[str, Running]:
    """Those of the runs that are going on, by id."""
    return {running.run_id: running for running in runs if running.run_id and goes_on(running)}


def progress_of(runs: Iterable[Running]) -> list[RunProgress]:
    """How far these runs are, those that have ended too."""
    return [
        (running.run_id, running.phase, sum(layer.done for layer in running.layers.values()))
        for running in runs
        if running.run_id
    ]


def is_outdated(
    listed: Sequence[ListedRun], runs: Sequence[Running], before: Sequence[RunProgress]
) -> bool:
    """Whether the list of recorded runs has to be read again.

    Args:
        listed: the runs as they were read.
        runs: the runs of this program as they are now.
        before: how far these were at the last look. A run may have begun and ended since then.
    """
    ended = {running.run_id for running in runs if not goes_on(running)}
    if any(progress[0] in ended and progress not in before for progress in progress_of(runs)):
        return True
    live = live_by_id(runs).keys()
    known = {each.run.id for each in listed}
    stored = {each.run.id for each in listed if each.run.state is RunState.RUNNING}
    return not (live <= known and stored <= live)
