"""The rungs of a ladder as far as they are known: what a layer asks, and what it was answered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.question import Question, Verdict
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer


class Phase(StrEnum):
    """How far a rung is."""

    IDLE = "idle"
    ASKING = "asking"
    ANSWERED = "answered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PatchedAnswer:
    """What a layer is answered while something inside the model is changed."""

    verdict: Verdict
    own: Verdict
    """Without the change, measured in the same way."""
    change: str
    """What is changed, in a few words ("span 3 at block 2 from the contrast prompt")."""


@dataclass(frozen=True, slots=True)
class RungState:
    """What is known of one layer on screen."""

    layer: TaskLayer
    question: Question | None
    """None where this layer has nothing to ask under the setting."""
    verdict: Verdict | None = None
    phase: Phase = Phase.IDLE
    error: str = ""
    skip_reason: str = ""
    """Why there is nothing to ask, where that does not go without saying."""
    remark: str = ""
    """What the answer shows beyond right or wrong."""
    patched: PatchedAnswer | None = None
    """Shown in the place of the verdict, which stays what counts."""

    @property
    def drawn(self) -> Verdict | None:
        """The verdict whose options are drawn."""
        return self.verdict if self.patched is None else self.patched.verdict


def unasked(benchmark: Benchmark, item: Item, setting: Setting) -> tuple[RungState, ...]:
    """The rungs of an item under a setting before anything was asked.

    A layer that may be left out is, unless it has a question or says why it has none.
    """
    rungs = []
    for layer in benchmark.layers:
        question, skip_reason = benchmark.question(item, setting, layer.id), ""
        if question is None:
            skip_reason = benchmark.skip_reason(item, setting, layer.id)
        if question is not None or skip_reason or not layer.optional:
            rungs.append(RungState(layer, question, skip_reason=skip_reason))
    return tuple(rungs)


def answered(benchmark: Benchmark, rung: RungState, verdict: Verdict) -> RungState:
    """A rung with its answer."""
    remark = benchmark.remark(verdict)
    return replace(rung, verdict=verdict, phase=Phase.ANSWERED, remark=remark)
