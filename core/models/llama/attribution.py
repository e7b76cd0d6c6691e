"""What each part of each block adds to the margin between two options.

Direct logit attribution: the last residual stream is a sum, and once the scale of the last
normalisation is fixed, logits are linear in it (Elhage et al. 2021, "A Mathematical Framework
for Transformer Circuits", sections "Path Expansion of Logits" and "Handling Layer Normalization").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.models.blocks import Attribution
from core.models.llama.completion import check_length, common_length
from core.models.llama.decoder import Row
from core.models.llama.engine import Engine
from core.models.llama.graph import Graph
from core.models.llama.inspection import Inspection, Position, WantedRows, Watchers, merged
from core.models.llama.tap import Array, Computed
from core.text.errors import ModelError

ABSOLUTE, RELATIVE = 0.05, 0.05
"""How far the parts may add up from the margin: logits, and a share of the largest part."""

_Wide = NDArray[np.float64]


def attribute(
    engine: Engine, inspection: Inspection, start: int, wholes: Sequence[list[int]]
) -> Attribution:
    """What parts add to the logit of the first of two options over that of the second.

    Options are given as in `score_options`; where both begin alike, the first tokens in which
    they differ are compared, after what they share. A part is projected at the length of the
    whole residual stream, so that normalisation and quantisation treat it alike, and scaled
    back. Raises `ModelError` where an architecture has no such parts, where one option begins
    with the other, and where the parts do not add up to the margin; `Interrupted`.
    """
    nodes = _stages(inspection.graph)
    shared = common_length(wholes)
    if shared == min(len(whole) for whole in wholes):
        raise ModelError("One option begins with the other, so no token tells them apart.")
    if shared < start:
        raise ModelError("The options change how the prompt's last word is cut into tokens.")
    check_length(inspection, shared)
    first, second = (whole[shared] for whole in wholes)
    kept = WantedRows(nodes)
    inspection.forget(0)
    logits = _Logits(inspection)
    watchers = merged([kept.watchers(), logits.watchers()])
    with inspection.watching(watchers), inspection.request():
        own = inspection.read(wholes[0][:shared], shared - 1)[shared - 1]
        margin = logits.margin(own, first, second)
    stream = kept.stacked()[0].astype(np.float64)  # (1 + 2 x blocks, width)
    shares, constant = _shares(inspection, stream, logits, first, second)
    found = Attribution(
        margin,
        float(shares[0]),
        tuple(map(float, shares[1::2])),
        tuple(map(float, shares[2::2])),
        constant,
        (engine.spelled(first), engine.spelled(second)),
        capped=inspection.graph.uncapped is not None,
    )
    if not abs(found.deviation) <= ABSOLUTE + RELATIVE * float(np.abs(shares).max()):
        raise ModelError(
            f"The parts add up to {margin + found.deviation:.3f}, not to the margin of "
            f"{margin:.3f}: what follows the last block is not linear in this architecture."
        )
    return found


def _stages(graph: Graph) -> list[int]:
    """The nodes of the residual stream: at first, then twice in every block.

    Raises `ModelError` where attention and feed-forward are not added one after the other.
    """
    stages = [graph.embedding]
    for block in graph.blocks:
        stages += [block.middle, block.residual]
    found = [node for node in stages if node is not None]
    if len(found) < len(stages):
        raise ModelError(
            "In this architecture attention and feed-forward are not added one after the other, "
            "so their shares cannot be told apart."
        )
    return found


def _shares(
    inspection: Inspection, stream: _Wide, logits: _Logits, first: int, second: int
) -> tuple[_Wide, float]:
    """What every stage of a stream, (stages, width), adds to the margin between two tokens.

    With it what is added whatever the stream is. In logits, (stages,).
    """
    centred = inspection.graph.centred
    parts = np.diff(stream, axis=0, prepend=0.0)
    sizes = _sizes(parts, centred)
    whole = _sizes(stream[-1:], centred)[0]
    scaled = parts * (whole / np.where(sizes > 0, sizes, 1.0))[:, None]
    rows = np.concatenate([scaled, np.zeros((1, inspection.width))]).astype(np.float32)
    projected = inspection.project(rows, watchers=logits.watchers())
    margins = np.array([logits.margin(row, first, second) for row in projected])
    constant = float(margins[-1])
    return (margins[:-1] - constant) * sizes / whole, constant


class _Logits:
    """Margins between logits, before the cap where there is one: only those are linear."""

    def __init__(self, inspection: Inspection) -> None:
        self._node = inspection.graph.uncapped
        self._waiting: deque[Array] = deque()

    def watchers(self) -> Watchers:
        """To be seen by whatever computes logits."""
        return {} if self._node is None else {self._node: [self._keep]}

    def margin(self, row: Row, first: int, second: int) -> float:
        """Of the next row of logits, in the order in which they are computed."""
        if self._node is not None:
            row = self._waiting.popleft()
        return float(row[first]) - float(row[second])

    def _keep(self, tensor: Computed, positions: Sequence[Position]) -> None:
        # A row that nobody asked for would be taken for the next one's.
        self._waiting.extend(tensor.row(one.row) for one in positions if one.wanted)


def _sizes(rows: _Wide, centred: bool) -> _Wide:
    """What the last normalisation divides by, (rows,)."""
    if centred:
        rows = rows - rows.mean(axis=1, keepdims=True)
    found: _Wide = np.sqrt(np.square(rows).mean(axis=1))
    return found
