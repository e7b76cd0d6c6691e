"""Revealing a step: what the model is asked for it, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import ModelError
from core.layout.ladder import Phase
from core.lessons.checking import come_true
from core.lessons.evidence import Evidence
from core.lessons.lesson import Step
from core.question import Question, Verdict
from tui.desk import Desk
from tui.lesson_walk import Revealed


class Heard:
    """Shows on the ladder which layer is asked, and the answer to it."""

    def __init__(self, desk: Desk, refresh: Callable[[], None]) -> None:
        self._desk = desk
        self._key = desk.key
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
        layers = self._desk.benchmark.layers
        layer = next(one for one in layers if one.id == question.layer)
        self._desk.record(self._key, layer, question, phase, verdict=verdict, error=error)
        self._refresh()


async def came_to(step: Step, evidence: Evidence) -> Revealed:
    """What a step comes to; raises `ModelError` where the model cannot tell what comes true."""
    assert step.prediction is not None
    true = await come_true(step.prediction, evidence)
    otherwise = []
    for claim in step.checks:
        try:
            found = await claim.find(evidence)
        except ModelError:
            if not evidence.model.info.recorded:
                raise
            # A record may lack what only the lesson's own check asks.
            continue
        if not found.holds:
            otherwise.append(found.found)
    return Revealed(true, tuple(otherwise))
