"""At which block of a model the answers of a run settle, and how its failures come about.

A reading of a middle block is a projection (logit lens, nostalgebraist 2020), not a belief.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.blocks.heatmaps import COUNTED_FROM_0, PROJECTION
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, Question, Status, Verdict
from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.models.blocks import BlockReading, Trajectory, prediction_depth, trajectory
from core.runs.records import BlockAnswers
from core.text.language import N_, _

FAILURES = (Trajectory.NEVER, Trajectory.LOST, Trajectory.TIE)
"""The trajectories of wrong answers."""
_DEPTH_NOTE = N_(
    "Settled: the block from which on the final answer leads, by the raw lens. Early blocks favour "
    "some options after any prompt, so these counts follow the prior too."
)
NOTES = (f"{_DEPTH_NOTE} {PROJECTION}", COUNTED_FROM_0)
_MOST_COLUMNS = 12
"""Blocks in one table; those of a larger model continue in the next."""


def block_answers(benchmark: Benchmark, question: Question, reading: BlockReading) -> BlockAnswers:
    """What each block would answer: the options that the benchmark picks by its scores.

    In multiple select there may be several, as for the final answer.
    """
    verdicts = (benchmark.score(question, Answer(row)) for row in reading.scores)
    return tuple(v.picked_options if v.status is Status.OK else () for v in verdicts)


@dataclass(frozen=True, slots=True)
class VerdictDepth:
    """How one verdict came about, from block to block."""

    prediction_depth: int | None
    """The first block from which on the final answer is the answer; None for a tie at the end."""
    trajectory: Trajectory | None
    """How the right answer fared; None where it is not known."""


def verdict_depth(verdict: Verdict, answers: BlockAnswers) -> VerdictDepth:
    """How a verdict came about, given what each block would have answered."""
    leading = [pick or None for pick in answers]
    settled = prediction_depth(leading)
    if verdict.right is None:
        return VerdictDepth(settled, None)
    return VerdictDepth(settled, trajectory(leading, verdict.right_options)[0])


@dataclass(frozen=True, slots=True)
class DepthCounts:
    """Answers counted by the block at which they settle."""

    at: tuple[int, ...]
    """One count for each block."""
    ties: int
    """Ties at the last block, which settle nowhere."""

    @property
    def n(self) -> int:
        """The number of answers."""
        return sum(self.at) + self.ties


@dataclass(frozen=True, slots=True)
class TaskLayerBlocks:
    """The answers of one task layer by block."""

    layer: str
    right: DepthCounts
    wrong: DepthCounts
    without_gold: DepthCounts
    classes: Mapping[Trajectory, int]
    """How many of the wrong answers came about in each way: `FAILURES`."""
    unread: int
    """Answers that have no log-likelihoods, so no block was read."""


@dataclass(frozen=True, slots=True)
class BlockTable:
    """Task layers by the blocks of the model, blocks counted from 0."""

    blocks: int
    layers: tuple[TaskLayerBlocks, ...]
    """In run order."""


def block_table(blocks: int, read: Iterable[tuple[Verdict, BlockAnswers | None]]) -> BlockTable:
    """Count the verdicts of a run, in run order, each with what its blocks would have answered."""
    layers: dict[str, list[tuple[Verdict, VerdictDepth | None]]] = {}
    for verdict, answers in read:
        how = None if answers is None else verdict_depth(verdict, answers)
        layers.setdefault(verdict.layer, []).append((verdict, how))
    return BlockTable(blocks, tuple(_layer(blocks, *pairs) for pairs in layers.items()))


def _layer(
    blocks: int, layer: str, pairs: Sequence[tuple[Verdict, VerdictDepth | None]]
) -> TaskLayerBlocks:
    known = [(verdict.right, how) for verdict, how in pairs if how is not None]

    def settled(kind: bool | None) -> DepthCounts:
        counts = Counter(how.prediction_depth for right, how in known if right is kind)
        return DepthCounts(tuple(counts[block] for block in range(blocks)), counts[None])

    classes = Counter(how.trajectory for right, how in known if right is False)
    return TaskLayerBlocks(
        layer,
        settled(True),
        settled(False),
        settled(None),
        {kind: classes[kind] for kind in FAILURES},
        len(pairs) - len(known),
    )


def with_blocks(summary: Summary, table: BlockTable, titles: Mapping[str, str]) -> Summary:
    """The summary with the tables of blocks after its own; `titles` names the layers."""
    named = [(titles.get(layer.layer, layer.layer), layer) for layer in table.layers]
    right = [(name, layer.right) for name, layer in named]
    wrong = [(name, layer.wrong) for name, layer in named]
    without_gold = [(name, layer.without_gold) for name, layer in named]
    grids = [
        *_depth_grids(_("Right answers by the block at which they settle"), right, table.blocks),
        *_depth_grids(_("Failures by the block at which they settle"), wrong, table.blocks),
        *_depth_grids(
            _("Answers without gold by the block at which they settle"), without_gold, table.blocks
        ),
    ]
    failures = tuple(
        _cells(name, layer.wrong.n, *(f"{n}/{layer.wrong.n}" for n in layer.classes.values()))
        for name, layer in named
        if layer.wrong.n
    )
    if failures:
        columns = (_("task layer"), "n", *map(_, FAILURES))
        grids.append(
            Grid(_("Failures by how they came about: the right answer"), columns, failures)
        )
    unread = [
        _("{answers} of {layer}", answers=layer.unread, layer=name)
        for name, layer in named
        if layer.unread
    ]
    notes = [*summary.notes, f"{_(_DEPTH_NOTE)} {_(PROJECTION)}", _(COUNTED_FROM_0)]
    if unread:
        notes.append(
            _(
                "Not counted, because these answers were written: {answers}.",
                answers=", ".join(unread),
            )
        )
    return replace(summary, tables=(*summary.tables, *grids), notes=tuple(notes))


def _depth_grids(title: str, rows: Sequence[tuple[str, DepthCounts]], blocks: int) -> list[Grid]:
    """As many tables as the blocks need; none without an answer."""
    rows = [(name, settled) for name, settled in rows if settled.n]
    grids = []
    for first in range(0, blocks, _MOST_COLUMNS) if rows else ():
        shown = range(first, min(first + _MOST_COLUMNS, blocks))
        tie = (_("tie"),) if shown.stop == blocks else ()
        columns = (_("task layer"), "n", *map(str, shown), *tie)
        cells = tuple(
            _cells(name, settled.n, *settled.at[first : shown.stop], *[settled.ties] * len(tie))
            for name, settled in rows
        )
        grids.append(Grid(title, columns, cells))
    return grids


def _cells(*values: object) -> tuple[Cell, ...]:
    return tuple(Cell(str(value)) for value in values)
