"""What each attention head adds to the residual stream at the answer position.

Attention adds the sum of what its heads put through their parts of the output projection (Elhage
et al. 2021, "A Mathematical Framework for Transformer Circuits", section "Attention Heads are
Independent and Additive"). llama.cpp itself multiplies by the weights, whatever their precision:
filler tokens are decoded with all heads silenced, with none, and with all but each single one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.models.llama.chunks import CHUNK
from core.models.llama.graph import BlockNodes
from core.models.llama.inspection import Inspection, WantedRows, Watchers, merged, replacing
from core.models.llama.tap import Array
from core.text.errors import ModelError
from core.text.language import _

_DEVIATION = 0.05
"""Largest deviation of the sum of the heads from what attention adds, as a share of its length."""

_Wide = NDArray[np.float64]


class HeadOutputs:
    """Captures heads at the answer position, and puts each by itself through the projection."""

    def __init__(self, inspection: Inspection) -> None:
        """Raises `ModelError` where llama.cpp does not show single heads."""
        self._inspection = inspection
        blocks = inspection.graph.blocks
        self._heads = [_shown(block.heads) for block in blocks]
        self._combined = [_shown(block.combined) for block in blocks]
        self._attention = [_shown(block.attention) for block in blocks]
        if not all(block.head_count for block in blocks):
            _shown(None)
        self._kept = [WantedRows([node]) for node in (*self._heads, *self._attention)]

    def watchers(self) -> Watchers:
        """Watchers for the run of the prompt."""
        return merged(rows.watchers() for rows in self._kept)

    def outputs(self) -> _Wide:
        """What each head adds, after the prompt was run: (blocks x heads, width).

        Raises `ModelError` where heads and bias do not add up to what attention adds.
        """
        inspection = self._inspection
        blocks = inspection.graph.blocks
        rows = [kept.stacked()[-1, 0] for kept in self._kept]
        alone = [
            _alone(heads, block) for heads, block in zip(rows[: len(blocks)], blocks, strict=True)
        ]
        combined, added = self._put_through(alone)
        outputs = []
        for number, whole in enumerate(rows[len(blocks) :]):
            # The first row has no head, the second all of them.
            of_heads, bias = added[number][2:], added[number][0]
            if inspection.graph.normed_attention:
                # The norm scales each head to the same length; that of all heads is wanted.
                lengths = np.linalg.norm(combined[number], axis=1)
                of_heads, bias = of_heads * (lengths[2:] / lengths[1])[:, None], 0 * bias
            else:
                of_heads = of_heads - bias
            deviation = np.linalg.norm(of_heads.sum(0) + bias - whole)
            if not deviation <= _DEVIATION * np.linalg.norm(whole):
                raise ModelError(
                    _(
                        "What the heads of block {number} add does not sum to what its attention "
                        "adds, so it cannot be divided among them in this architecture.",
                        number=number,
                    )
                )
            outputs.append(of_heads)
        return np.concatenate(outputs)

    def _put_through(self, alone: Sequence[Array]) -> tuple[list[_Wide], list[_Wide]]:
        """The projection's output and what attention adds, of each block for each of its rows."""
        combined: list[list[Array]] = [[] for _ in alone]
        added: list[list[Array]] = [[] for _ in alone]
        for start in range(0, max(map(len, alone)), CHUNK):
            count = min(CHUNK, max(map(len, alone)) - start)
            written = {}
            for node, rows in zip(self._heads, alone, strict=True):
                part = np.zeros((count, rows.shape[1]), np.float32)
                present = rows[start : start + count]
                part[: len(present)] = present
                written[node] = [replacing(part)]
            kept = [WantedRows([node]) for node in (*self._combined, *self._attention)]
            watchers = merged([written, *(rows.watchers() for rows in kept)])
            with self._inspection.scratch(count, watchers):
                stacked = [rows.stacked()[:, 0] for rows in kept]
            for number in range(len(alone)):
                combined[number].extend(stacked[number])
                added[number].extend(stacked[len(alone) + number])
        # Blocks with fewer heads than others were filled up with silent ones.
        return _cut(combined, alone), _cut(added, alone)


def _cut(rows: Sequence[list[Array]], like: Sequence[Array]) -> list[_Wide]:
    pairs = zip(rows, like, strict=True)
    return [np.array(of_block[: len(wanted)], np.float64) for of_block, wanted in pairs]


def _shown(node: int | None) -> int:
    if node is None:
        raise ModelError(_("llama.cpp does not show single heads in this architecture."))
    return node


def _alone(heads: Array, block: BlockNodes) -> Array:
    """No head, all heads, and each head by itself: (2 + heads, heads x width of a head)."""
    rows = np.zeros((2 + block.head_count, len(heads)), np.float32)
    rows[1] = heads
    for head in range(block.head_count):
        part = slice(head * block.head_width, (head + 1) * block.head_width)
        rows[2 + head, part] = heads[part]
    return rows
