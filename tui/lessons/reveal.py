"""Revealing a step on screen: what the model is asked for it shows on the ladder."""

from __future__ import annotations

from collections.abc import Callable

from core.contract.question import Question, Verdict
from core.contract.rungs import Phase
from tui.browse.state import BrowseState


class Heard:
    """Shows on the ladder which layer is asked, and the answer to it."""

    def __init__(self, state: BrowseState, refresh: Callable[[], None]) -> None:
        self._state = state
        self._key = state.key
        self._refresh = refresh
        self._open: Question | None = None
        """What was asked and not answered yet."""

    def hear(self, question: Question, verdict: Verdict | None) -> None:
        """A layer is asked; with a verdict, it was answered."""
        self._open = question if verdict is None else None
        self._record(question, Phase.ASKING if verdict is None else Phase.ANSWERED, verdict)

    def end(self, phase: Phase, error: str = "") -> None:
        """No answer comes any more."""
        if self._open is not None:
            self._record(self._open, phase, error=error)

    def _record(
        self, question: Question, phase: Phase, verdict: Verdict | None = None, error: str = ""
    ) -> None:
        layers = self._state.benchmark.layers
        layer = next(one for one in layers if one.id == question.layer)
        self._state.record(self._key, layer, question, phase, verdict=verdict, error=error)
        self._refresh()
