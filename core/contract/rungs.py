"""The rungs of a ladder, one for each task layer, as they are asked and answered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.question import Question, Verdict
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer


class Phase(StrEnum):
    """The progress of a rung."""

    IDLE = "idle"
    ASKING = "asking"
    ANSWERED = "answered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PatchedAnswer:
    """The answer to a layer while activations of the model are patched."""

    verdict: Verdict
    own: Verdict
    """The verdict without the patch, measured in the same way."""
    change: str
    """What is changed, in a few words ("span 3 at block 2 from the contrast prompt")."""


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """The answer of another run to the same question."""

    verdict: Verdict | None
    """None where that run did not ask it."""
    letters: tuple[str, str] = ("A", "B")
    """The letter of the other run, and of the run whose answer the rung has."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A task layer of a ladder, with its question and its answer as far as they are known."""

    layer: TaskLayer
    question: Question | None
    """None where the layer has nothing to ask under the setting."""
    verdict: Verdict | None = None
    phase: Phase = Phase.IDLE
    error: str = ""
    skip_reason: str = ""
    """Why there is nothing to ask, where that is not obvious."""
    remark: str = ""
    """A sentence on what the answer shows beyond right or wrong."""
    patched: PatchedAnswer | None = None
    """Shown instead of the verdict, which still counts."""
    compared: ComparedAnswer | None = None
    """Drawn on the rung beside its own answer."""

    @property
    def drawn(self) -> Verdict | None:
        """The verdict whose options are drawn."""
        return self.verdict if self.patched is None else self.patched.verdict


def build_rungs(benchmark: Benchmark, item: Item, setting: Setting) -> tuple[Rung, ...]:
    """The rungs of an item under a setting, each layer's question built and none asked yet.

    An optional layer is left out unless it has a question or a reason why it has none.
    """
    rungs = []
    for layer in benchmark.layers:
        question, skip_reason = benchmark.question(item, setting, layer.id), ""
        if question is None:
            skip_reason = benchmark.skip_reason(item, setting, layer.id)
        if question is not None or skip_reason or not layer.optional:
            rungs.append(Rung(layer, question, skip_reason=skip_reason))
    return tuple(rungs)


def with_verdict(benchmark: Benchmark, rung: Rung, verdict: Verdict) -> Rung:
    """The rung with a verdict, and the benchmark's remark on it."""
    remark = benchmark.remark(verdict)
    return replace(rung, verdict=verdict, phase=Phase.ANSWERED, remark=remark)
