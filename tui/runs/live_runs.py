"""Runs of this program that are going on, as the list of recorded runs shows them."""

from __future__ import annotations

from dataclasses import replace

from core.contract.summary import Totals
from core.runs.listing import ListedRun, with_headline
from core.runs.records import RunState
from tui.runs.running import Running, RunPhase

_LIVE = {RunPhase.GOING: RunState.RUNNING, RunPhase.PAUSED: RunState.PAUSED}
"""How a list shows runs of this program that are not at their end."""


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
