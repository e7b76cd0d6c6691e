"""At which block of a model the answers of a run settle, and how its failures come about.

A reading of a middle block is a projection (logit lens, nostalgebraist 2020), not a belief. Answers
are counted by the raw lens, and beside it by the lens less its mean over the run's questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.blocks.calibration import CalibratedLens, Withheld
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, Question, Status, Verdict
from core.models.blocks import BlockReading, Trajectory, prediction_depth, trajectory
from core.runs.mean_centred import NotCentred, mean_centred
from core.runs.records import BlockAnswers, RecordedBlocks

FAILURES = (Trajectory.NEVER, Trajectory.LOST, Trajectory.TIE)
"""The trajectories of wrong answers, by the raw lens."""
CENTRED_FAILURES = (Trajectory.NEVER, Trajectory.LOST)
"""The same by the mean-centred lens, which withholds those of near ties."""
_DECIMALS = 4
"""Of recorded scores, in nats: a thousandth of the least lead, so that large runs stay small."""


def recorded_blocks(
    benchmark: Benchmark, question: Question, reading: BlockReading
) -> RecordedBlocks:
    """What is recorded of a reading.

    A block answers with the options that the benchmark picks by its scores: in multiple select
    there may be several, as for the final answer.
    """
    verdicts = (benchmark.score(question, Answer(row)) for row in reading.scores)
    return RecordedBlocks(
        tuple(v.picked_options if v.status is Status.OK else () for v in verdicts),
        tuple(tuple(round(score, _DECIMALS) for score in row) for row in reading.logprobs),
    )


@dataclass(frozen=True, slots=True)
class VerdictDepth:
    """How one verdict came about, from block to block."""

    prediction_depth: int | None
    """The first block from which on the final answer is the answer; None for a tie at the end, and
    where it is withheld."""
    trajectory: Trajectory | None
    """How the right answer fared; None where it is not known or not told."""
    withheld: Withheld | None = None
    """Why a calibrated lens does not tell it."""


def verdict_depth(verdict: Verdict, answers: BlockAnswers) -> VerdictDepth:
    """How a verdict came about by the raw lens, given what each block would have answered."""
    leading = [pick or None for pick in answers]
    settled = prediction_depth(leading)
    if verdict.right is None:
        return VerdictDepth(settled, None)
    return VerdictDepth(settled, trajectory(leading, verdict.right_options)[0])


def _calibrated_depth(lens: CalibratedLens) -> VerdictDepth:
    """How a verdict came about beyond the prior."""
    course = lens.trajectory
    return VerdictDepth(lens.prediction_depth, None if course is None else course[0], lens.withheld)


@dataclass(frozen=True, slots=True)
class DepthCounts:
    """Answers counted by the block at which they settle."""

    at: tuple[int, ...]
    """One count for each block."""
    unsettled: Mapping[Trajectory | Withheld, int]
    """Answers for which no block is named: `Trajectory.TIE` at the last one by the raw lens, and
    the reasons of a calibrated lens."""

    @property
    def n(self) -> int:
        """The number of answers."""
        return sum(self.at) + sum(self.unsettled.values())


@dataclass(frozen=True, slots=True)
class LensCounts:
    """The answers of one task layer by block, by one lens."""

    right: DepthCounts
    wrong: DepthCounts
    without_gold: DepthCounts
    classes: Mapping[Trajectory, int]
    """How many of the wrong answers came about in each way: `FAILURES` or `CENTRED_FAILURES`."""


@dataclass(frozen=True, slots=True)
class TaskLayerBlocks:
    """The answers of one task layer by block."""

    layer: str
    raw: LensCounts
    centred: LensCounts | NotCentred
    """By the lens less its mean over the layer's questions, or why there is none."""
    unread: int
    """Answers that have no log-likelihoods, so no block was read."""


@dataclass(frozen=True, slots=True)
class BlockTable:
    """Task layers by the blocks of the model, blocks counted from 0."""

    blocks: int
    layers: tuple[TaskLayerBlocks, ...]
    """In run order."""


def block_table(blocks: int, read: Iterable[tuple[Verdict, RecordedBlocks | None]]) -> BlockTable:
    """Count the verdicts of a run, in run order, each with what its blocks said."""
    layers: dict[str, list[tuple[Verdict, RecordedBlocks | None]]] = {}
    for verdict, recorded in read:
        layers.setdefault(verdict.layer, []).append((verdict, recorded))
    return BlockTable(blocks, tuple(_layer(blocks, *pairs) for pairs in layers.items()))


def _layer(
    blocks: int, layer: str, pairs: Sequence[tuple[Verdict, RecordedBlocks | None]]
) -> TaskLayerBlocks:
    read = [(verdict, recorded) for verdict, recorded in pairs if recorded is not None]
    rights = [verdict.right for verdict, _ in read]
    raw = [verdict_depth(verdict, recorded.answers) for verdict, recorded in read]
    lenses = mean_centred(read)
    return TaskLayerBlocks(
        layer,
        _counts(blocks, rights, raw, FAILURES, (Trajectory.TIE,)),
        lenses
        if isinstance(lenses, NotCentred)
        else _counts(
            blocks, rights, list(map(_calibrated_depth, lenses)), CENTRED_FAILURES, tuple(Withheld)
        ),
        len(pairs) - len(read),
    )


def _counts(
    blocks: int,
    rights: Sequence[bool | None],
    depths: Sequence[VerdictDepth],
    failures: Sequence[Trajectory],
    reasons: Sequence[Trajectory | Withheld],
) -> LensCounts:
    """Count answers by one lens; `reasons` are those for which it names no block."""
    found = list(zip(rights, depths, strict=True))

    def settled(kind: bool | None) -> DepthCounts:
        at = Counter(
            how.withheld or Trajectory.TIE if how.prediction_depth is None else how.prediction_depth
            for right, how in found
            if right is kind
        )
        return DepthCounts(
            tuple(at[block] for block in range(blocks)), {why: at[why] for why in reasons}
        )

    classes = Counter(how.trajectory for right, how in found if right is False)
    return LensCounts(
        settled(True), settled(False), settled(None), {kind: classes[kind] for kind in failures}
    )
