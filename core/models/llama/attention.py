"""Reads a block's attention weights from the answer position and along chosen paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.models.blocks import AttentionPath, AttentionReading
from core.models.llama.block_memory import check_captured
from core.models.llama.completion import check_length
from core.models.llama.inspection import Inspection, Position
from core.models.llama.tap import Array, Computed
from core.text.errors import ModelError
from core.text.language import _


def read_attention(
    inspection: Inspection, prompt: Sequence[int], block: int, paths: Sequence[AttentionPath] = ()
) -> AttentionReading:
    """The attention weights of every head of a block at the prompt's last token.

    For each of the `paths`, also the weight that every head gives to the path's tokens from its
    position. Raises `ModelError` for a block or path that does not exist, and where a block does
    not attend to the whole prompt (sliding-window attention); `Interrupted`.
    """
    node = inspection.block(block).weights
    if node is None:
        raise ModelError(_("llama.cpp does not show the attention weights in this architecture."))
    check_length(inspection, len(prompt))
    check_captured(inspection.block(block).head_count, len(prompt))
    last = len(prompt) - 1
    if not all(0 <= start < stop <= position + 1 <= len(prompt) for position, start, stop in paths):
        raise ModelError(_("No token looks at what comes after it, or outside the prompt."))
    head_rows: list[Array] = []
    path_weights: dict[int, tuple[float, ...]] = {}

    def keep(tensor: Computed, positions: Sequence[Position]) -> None:
        for position in positions:
            wanted = [path for path in enumerate(paths) if path[1][0] == position.index]
            if not wanted and position.index != last:
                continue
            rows = [tensor.row(position.row, head) for head in range(tensor.shape[1])]
            if any(row[position.index + 1 :].any() for row in rows):
                raise ModelError(
                    _("Block {block} attends to a part of the prompt only.", block=block)
                )
            for number, (_path, start, stop) in wanted:
                path_weights[number] = tuple(float(row[start:stop].sum()) for row in rows)
            if position.index == last:
                head_rows.extend(rows)

    # In an empty cache every token gets the cell of its position.
    inspection.forget(0)
    with inspection.watching({node: [keep]}), inspection.request():
        inspection.read(prompt, last)
    weights = np.stack(head_rows)
    if weights.shape[1] < len(prompt) or len(path_weights) < len(paths):
        raise ModelError(_("Block {block} attends to a part of the prompt only.", block=block))
    return AttentionReading(
        block,
        tuple(tuple(map(float, row)) for row in weights[:, : len(prompt)]),
        tuple(zip(*(path_weights[number] for number in range(len(paths))), strict=True)),
    )
