"""Asks the model what a step reveals, and shows its answers on the ladder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.contract.rungs import Phase, Rung
from core.runs.ladder import LadderEvent, LayerSkipped, QuestionAsked, TextWritten
from core.text.language import _
from tui.browse.asking import Asking
from tui.browse.state import BrowseState
from tui.shell.program import Program


class StepAsking(Asking):
    """Asks only what a step reveals, so that the ladder does not show later answers."""

    def hint(self) -> str:
        """Why nothing can be asked; the narration says which key to press."""
        return "" if self._screen.program.model_state.ready else super().hint()


def refusal(program: Program, hint: str) -> str:
    """Why nothing can be asked now: no model (`hint`), or a run that goes on; else empty."""
    if not hint and program.collection_runs.asking:
        return _("A run is asking this model; pause it first.")
    return hint


class LadderRecorder:
    """Records the events of a step's ladder in the browse state, and redraws."""

    def __init__(self, state: BrowseState, refresh: Callable[[], None]) -> None:
        self._state = state
        self._key = state.key
        self._refresh = refresh
        self._asking: Rung | None = None

    def record(self, event: LadderEvent) -> None:
        """Show the state of a layer."""
        match event:
            case TextWritten() | LayerSkipped(error=None):
                return
            case LayerSkipped(rung, error):
                rung = replace(rung, phase=Phase.FAILED, error=str(error))
            case _:
                rung = event.rung
        self._asking = rung if isinstance(event, QuestionAsked) else None
        self._show(rung)

    def cancel(self) -> None:
        """Show that the question in progress gets no answer."""
        if self._asking is not None:
            self._show(replace(self._asking, phase=Phase.IDLE))

    def _show(self, rung: Rung) -> None:
        self._state.record(self._key, rung)
        self._refresh()
