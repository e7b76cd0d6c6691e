"""The tables of a run's blocks: where answers settle, and how failures came about, by each lens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.blocks.calibration import Withheld
from core.blocks.lens import COUNTED_FROM_0, PROJECTION
from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.models.blocks import Trajectory
from core.runs.blocks import BlockTable, DepthCounts, LensCounts
from core.runs.mean_centred import NotCentred
from core.text.language import N_, _

_CENTRED_NOTE = N_(
    "Mean-centred lens: what an option scores after a block, less the mean over the layer's "
    "questions in this run. That takes off the prior that all questions share, and with it the "
    "base rate of the answers. Left out are near ties, with less than 0.1 nat between options at "
    "the end, and answers that the prior decides: without it another option leads."
)
_RAW_NOTE = N_(
    "Settled: the block from which on the final answer leads. Early blocks favour some options "
    "after any prompt, so counts by the raw lens follow the prior too."
)
NOTES = (_CENTRED_NOTE, f"{_RAW_NOTE} {PROJECTION}", COUNTED_FROM_0)
_CENTRED, _RAW = N_("Mean-centred lens"), N_("Raw lens")
_UNSETTLED: Mapping[Trajectory | Withheld, str] = {
    Trajectory.TIE: N_("tie"),
    Withheld.NEAR_TIE: N_("near tie"),
    Withheld.PRIOR_DECIDES: N_("prior"),
}
_MOST_COLUMNS = 12
"""Blocks in one table; those of a larger model continue in the next."""


def with_blocks(summary: Summary, table: BlockTable, titles: Mapping[str, str]) -> Summary:
    """The summary with the tables of blocks after its own; `titles` names the layers."""
    named = [(titles.get(layer.layer, layer.layer), layer) for layer in table.layers]
    centred = [
        (name, layer.centred) for name, layer in named if not isinstance(layer.centred, NotCentred)
    ]
    grids = [
        *_grids(_(_CENTRED), centred, table.blocks),
        *_grids(_(_RAW), [(name, layer.raw) for name, layer in named], table.blocks),
    ]
    notes = [f"{_(_RAW_NOTE)} {_(PROJECTION)}", _(COUNTED_FROM_0)]
    if centred:
        notes.insert(0, _(_CENTRED_NOTE))
    for why in NotCentred:
        layers = [name for name, layer in named if layer.centred is why and _read(layer.raw)]
        if layers:
            notes.append(
                _(
                    "By the raw lens only, because {why}: {layers}.",
                    why=_(why),
                    layers=", ".join(layers),
                )
            )
    unread = [
        _("{answers} of {layer}", answers=layer.unread, layer=name)
        for name, layer in named
        if layer.unread
    ]
    if unread:
        notes.append(
            _(
                "Not counted, because these answers were written: {answers}.",
                answers=", ".join(unread),
            )
        )
    return replace(summary, tables=(*summary.tables, *grids), notes=(*summary.notes, *notes))


def _read(counts: LensCounts) -> int:
    """How many answers were read."""
    return counts.right.n + counts.wrong.n + counts.without_gold.n


def _grids(lens: str, layers: Sequence[tuple[str, LensCounts]], blocks: int) -> list[Grid]:
    """The tables of one lens; none without an answer."""
    depths = (
        (_("right answers by the block at which they settle"), [c.right for _name, c in layers]),
        (_("failures by the block at which they settle"), [c.wrong for _name, c in layers]),
        (
            _("answers without gold by the block at which they settle"),
            [c.without_gold for _name, c in layers],
        ),
    )
    names = [name for name, _counts in layers]
    grids = [
        grid
        for title, settled in depths
        for grid in _depth_grids(f"{lens}: {title}", list(zip(names, settled, strict=True)), blocks)
    ]
    failed = [(name, counts) for name, counts in layers if counts.wrong.n]
    if failed:
        title = _("failures by what the right answer did")
        classes = list(failed[0][1].classes)
        reasons = [why for why in failed[0][1].wrong.unsettled if why not in classes]
        columns = (*map(_, classes), *(_(_UNSETTLED[why]) for why in reasons))
        rows = tuple(_failures(name, counts, reasons) for name, counts in failed)
        grids.append(Grid(f"{lens}: {title}", (_("task layer"), "n", *columns), rows))
    return grids


def _failures(
    name: str, counts: LensCounts, reasons: Sequence[Trajectory | Withheld]
) -> tuple[Cell, ...]:
    """A row: ways of failing, by the failures of which they are told, and the others by reason."""
    told = sum(counts.classes.values())
    ways = [f"{n}/{told}" for n in counts.classes.values()]
    withheld = [f"{counts.wrong.unsettled[why]}/{counts.wrong.n}" for why in reasons]
    return _cells(name, counts.wrong.n, *ways, *withheld)


def _depth_grids(title: str, rows: Sequence[tuple[str, DepthCounts]], blocks: int) -> list[Grid]:
    """As many tables as the blocks need; none without an answer."""
    rows = [(name, settled) for name, settled in rows if settled.n]
    grids = []
    for first in range(0, blocks, _MOST_COLUMNS) if rows else ():
        shown = range(first, min(first + _MOST_COLUMNS, blocks))
        reasons = list(rows[0][1].unsettled) if shown.stop == blocks else []
        columns = (
            _("task layer"), "n", *map(str, shown), *(_(_UNSETTLED[why]) for why in reasons),
        )  # fmt: skip
        cells = tuple(
            _cells(
                name,
                settled.n,
                *settled.at[first : shown.stop],
                *(settled.unsettled[why] for why in reasons),
            )
            for name, settled in rows
        )
        grids.append(Grid(title, columns, cells))
    return grids


def _cells(*values: object) -> tuple[Cell, ...]:
    return tuple(Cell(str(value)) for value in values)
