"""Direct logit attribution: what each part of each block adds to a margin between two options.

The last residual stream is a sum, and once the scale of the final norm is fixed, logits are linear
in it (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", sections "Path
Expansion of Logits" and "Handling Layer Normalization").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.models.blocks import Attribution, HeadAttribution
from core.models.llama.completion import check_length, common_prefix_length
from core.models.llama.decoder import Row
from core.models.llama.engine import Engine
from core.models.llama.graph import Graph
from core.models.llama.head_outputs import HeadOutputs
from core.models.llama.inspection import Inspection, Position, WantedRows, Watchers, merged
from core.models.llama.tap import Array, Computed
from core.text.errors import ModelError
from core.text.language import _

ABSOLUTE, RELATIVE = 0.05, 0.05
"""Largest deviation of the sum of the parts from the margin: in logits, and as a share of the
largest part."""

_Wide = NDArray[np.float64]


def attribute(
    engine: Engine,
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    *,
    heads: bool = False,
) -> HeadAttribution:
    """Attribute the logit difference between the first and the second option to the parts.

    Options are given as in `score_options`; the first tokens in which they differ are compared,
    after the shared prefix. Each part is scaled to the norm of the whole residual stream before it
    is projected, so that the final norm and quantisation treat it the same, and scaled back.
    What a head adds to the residual stream is its part of the output projection; see
    `HeadOutputs`. Single heads are told only where `heads`.

    Raises `ModelError` where an architecture has no such parts, where one option begins
    with the other, and where the parts do not add up to the margin; with `heads` also where single
    heads cannot be read, and where what they add does not sum to what attention adds;
    `Interrupted`.
    """
    outputs_of = HeadOutputs(inspection) if heads else None
    nodes = _residual_nodes(inspection.graph)
    shared = common_prefix_length(sequences)
    if shared == min(len(sequence) for sequence in sequences):
        raise ModelError(_("One option begins with the other, so no token tells them apart."))
    if shared < start:
        raise ModelError(_("The options change how the prompt's last word is cut into tokens."))
    check_length(inspection, shared)
    first, second = (sequence[shared] for sequence in sequences)
    kept = WantedRows(nodes)
    inspection.forget(0)
    logits = _Logits(inspection)
    watched = [kept.watchers(), logits.watchers(), *([outputs_of.watchers()] if outputs_of else [])]
    with inspection.watching(merged(watched)), inspection.request():
        own = inspection.read(sequences[0][:shared], shared - 1)[shared - 1]
        margin = logits.margin(own, first, second)
    stream = kept.stacked()[0].astype(np.float64)  # (1 + 2 x blocks, width)
    parts = _parts(inspection.graph, stream)
    outputs = outputs_of.outputs() if outputs_of else np.zeros((0, inspection.width))
    every = np.concatenate([parts, outputs])
    margins, constant = _contributions(inspection, every, stream[-1:], logits, first, second)
    contributions, of_heads = margins[: len(parts)], margins[len(parts) :]
    attribution = Attribution(
        margin,
        float(contributions[0]),
        tuple(map(float, contributions[1::2])),
        tuple(map(float, contributions[2::2])),
        constant,
        (engine.spelled(first), engine.spelled(second)),
        capped=inspection.graph.uncapped is not None,
    )
    if not abs(attribution.deviation) <= ABSOLUTE + RELATIVE * float(np.abs(contributions).max()):
        raise ModelError(
            _(
                "The parts add up to {deviation:.3f}, not to the margin of {margin:.3f}: "
                "what follows the last block is not linear in this architecture.",
                deviation=margin + attribution.deviation,
                margin=margin,
            )
        )
    by_block = of_heads.reshape(inspection.blocks, -1) if heads else ()
    return HeadAttribution(attribution, tuple(tuple(map(float, row)) for row in by_block))


def _residual_nodes(graph: Graph) -> list[int]:
    """The embedding, then of every block the stream after attention, and after the block.

    Where attention and feed-forward are beside each other, what attention adds is in the place of
    the stream after it. Raises `ModelError` where the two cannot be told apart.
    """
    nodes = [graph.embedding]
    for block in graph.blocks:
        nodes += [block.attention if block.middle is None else block.middle, block.residual]
    present = [node for node in nodes if node is not None]
    if len(present) < len(nodes):
        raise ModelError(
            _(
                "In this architecture what attention adds and what feed-forward adds cannot "
                "be told apart."
            )
        )
    return present


def _parts(graph: Graph, rows: _Wide) -> _Wide:
    """What the embedding, and attention and feed-forward of every block add, (parts, width)."""
    parts = [rows[0]]
    before = rows[0]
    for block, (first, after) in zip(
        graph.blocks, rows[1:].reshape(-1, 2, rows.shape[1]), strict=True
    ):
        attention = first if block.middle is None else first - before
        parts += [attention, after - before - attention]
        before = after
    return np.array(parts)


def _contributions(
    inspection: Inspection, parts: _Wide, last: _Wide, logits: _Logits, first: int, second: int
) -> tuple[_Wide, float]:
    """What each part of the last residual stream adds to the margin, and that of the biases.

    `parts` is (parts, width), `last` the whole stream (1, width); the contributions are logits,
    (parts,).
    """
    centred = inspection.graph.centred
    norms = _norms(parts, centred)
    last_norm = _norms(last, centred)[0]
    scaled = parts * (last_norm / np.where(norms > 0, norms, 1.0))[:, None]
    rows = np.concatenate([scaled, np.zeros((1, inspection.width))]).astype(np.float32)
    projected = inspection.project(rows, watchers=logits.watchers())
    margins = np.array([logits.margin(row, first, second) for row in projected])
    constant = float(margins[-1])
    return (margins[:-1] - constant) * norms / last_norm, constant


class _Logits:
    """Logit differences, before the softcap where there is one: only those are linear."""

    def __init__(self, inspection: Inspection) -> None:
        self._node = inspection.graph.uncapped
        self._waiting: deque[Array] = deque()

    def watchers(self) -> Watchers:
        """Watchers to pass to every call that computes logits."""
        return {} if self._node is None else {self._node: [self._keep]}

    def margin(self, row: Row, first: int, second: int) -> float:
        """The logit difference in the next row, in the order in which rows are computed."""
        if self._node is not None:
            row = self._waiting.popleft()
        return float(row[first]) - float(row[second])

    def _keep(self, tensor: Computed, positions: Sequence[Position]) -> None:
        # An unrequested row would be mistaken for the next requested one.
        self._waiting.extend(tensor.row(position.row) for position in positions if position.wanted)


def _norms(rows: _Wide, centred: bool) -> _Wide:
    """The scale of the final norm for each row, (rows,)."""
    if centred:
        rows = rows - rows.mean(axis=1, keepdims=True)
    norms: _Wide = np.sqrt(np.square(rows).mean(axis=1))
    return norms
