"""Where in the blocks of a model the answers of a run settle, and how its failures come about.

A reading of a middle block is a projection (logit lens, nostalgebraist 2020), not a belief.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.blocks.heatmaps import FROM_NOUGHT, PROJECTION
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, Question, Status, Verdict
from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.models.blocks import BlockReading, Trajectory, prediction_depth, trajectory
from core.runs.agreement import Pick, picked
from core.text.language import N_, _

BlockAnswers = tuple[Pick, ...]
"""The options that each block's output would pick; none for a tie and without a number."""

FAILURES = (Trajectory.NEVER, Trajectory.LOST, Trajectory.TIE)
"""How an answer can have come to be wrong."""
_SETTLED = N_("Settled: the block from which on the final answer leads.")
NOTES = (f"{_SETTLED} {PROJECTION}", FROM_NOUGHT)
_MOST_COLUMNS = 12
"""Blocks of a table; those of a larger model go on in another."""


def block_answers(benchmark: Benchmark, question: Question, reading: BlockReading) -> BlockAnswers:
    """What the benchmark would judge each block's scores to answer.

    In multiple select that is a set of options, as it is for the final answer.
    """
    verdicts = (benchmark.score(question, Answer(row)) for row in reading.scores)
    return tuple(picked(one) if one.status is Status.OK else () for one in verdicts)


@dataclass(frozen=True, slots=True)
class Settling:
    """How one verdict came about, from block to block."""

    prediction_depth: int | None
    """The first block from which on the final answer is the answer; None for a tie at the end."""
    trajectory: Trajectory | None
    """How the right answer fared; None where nobody knows it."""
    last_led: int | None
    """The last block after which the right answer led; None where it never did."""


def settling(verdict: Verdict, answers: BlockAnswers) -> Settling:
    """How a verdict came about, given what each block would have answered."""
    leading = [one or None for one in answers]
    settled = prediction_depth(leading)
    if verdict.right is None:
        return Settling(settled, None, None)
    golds = verdict.golds if verdict.multiple else (verdict.gold,)
    return Settling(settled, *trajectory(leading, golds))


@dataclass(frozen=True, slots=True)
class Settled:
    """Answers counted by the block at which they settle."""

    at: tuple[int, ...]
    """One figure for each block."""
    ties: int
    """Ties at the end, which settle nowhere."""

    @property
    def n(self) -> int:
        """All of them."""
        return sum(self.at) + self.ties


@dataclass(frozen=True, slots=True)
class TaskLayerBlocks:
    """The answers of one task layer by block."""

    layer: str
    right: Settled
    wrong: Settled
    without_gold: Settled
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
    layers: dict[str, list[tuple[Verdict, Settling | None]]] = {}
    for verdict, answers in read:
        found = None if answers is None else settling(verdict, answers)
        layers.setdefault(verdict.layer, []).append((verdict, found))
    return BlockTable(blocks, tuple(_layer(blocks, *one) for one in layers.items()))


def _layer(
    blocks: int, layer: str, pairs: Sequence[tuple[Verdict, Settling | None]]
) -> TaskLayerBlocks:
    known = [(verdict.right, found) for verdict, found in pairs if found is not None]

    def settled(kind: bool | None) -> Settled:
        counts = Counter(found.prediction_depth for right, found in known if right is kind)
        return Settled(tuple(counts[block] for block in range(blocks)), counts[None])

    classes = Counter(found.trajectory for right, found in known if right is False)
    return TaskLayerBlocks(
        layer,
        settled(True),
        settled(False),
        settled(None),
        {kind: classes[kind] for kind in FAILURES},
        len(pairs) - len(known),
    )


def with_blocks(summary: Summary, table: BlockTable, titles: Mapping[str, str]) -> Summary:
    """The summary with the tables of blocks after its own; `titles` names layers in words."""
    named = [(titles.get(one.layer, one.layer), one) for one in table.layers]
    grids = [
        grid
        for title, rows in (
            (
                _("Right answers by the block at which they settle"),
                [(name, one.right) for name, one in named],
            ),
            (
                _("Failures by the block at which they settle"),
                [(name, one.wrong) for name, one in named],
            ),
            (
                _("Answers without gold by the block at which they settle"),
                [(name, one.without_gold) for name, one in named],
            ),
        )
        for grid in _settled_grids(title, [row for row in rows if row[1].n], table.blocks)
    ]
    failing = [(name, one) for name, one in named if one.wrong.n]
    if failing:
        grids.append(
            Grid(
                _("Failures by how they came about: the right answer"),
                (_("task layer"), "n", *map(_, FAILURES)),
                tuple(
                    _cells(name, one.wrong.n, *(f"{n}/{one.wrong.n}" for n in one.classes.values()))
                    for name, one in failing
                ),
            )
        )
    of = _("{answers} of {layer}")
    unread = [of.format(answers=one.unread, layer=name) for name, one in named if one.unread]
    notes = [*summary.notes, f"{_(_SETTLED)} {_(PROJECTION)}", _(FROM_NOUGHT)]
    if unread:
        written = _("Not read, for their answers were written: {answers}.")
        notes.append(written.format(answers=", ".join(unread)))
    return replace(summary, tables=(*summary.tables, *grids), notes=tuple(notes))


def _settled_grids(title: str, rows: Sequence[tuple[str, Settled]], blocks: int) -> list[Grid]:
    grids = []
    for first in range(0, blocks, _MOST_COLUMNS) if rows else ():
        shown = range(first, min(first + _MOST_COLUMNS, blocks))
        last = shown.stop == blocks
        grids.append(
            Grid(
                title,
                (_("task layer"), "n", *map(str, shown), *((_("tie"),) if last else ())),
                tuple(
                    _cells(
                        name,
                        one.n,
                        *one.at[shown.start : shown.stop],
                        *((one.ties,) if last else ()),
                    )
                    for name, one in rows
                ),
            )
        )
    return grids


def _cells(*values: object) -> tuple[Cell, ...]:
    return tuple(Cell(str(value)) for value in values)
