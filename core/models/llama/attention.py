"""What the heads of a block attend to from the answer position, and between other tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.models.blocks import AttentionPath, AttentionReading
from core.models.llama.completion import check_length
from core.models.llama.inspection import Inspection, Position, check_captured
from core.models.llama.tap import Array, Computed
from core.text.errors import ModelError


def read_attention(
    inspection: Inspection, prompt: Sequence[int], block: int, paths: Sequence[AttentionPath] = ()
) -> AttentionReading:
    """The attention weights of every head of a block at the prompt's last token.

    Of each of the `paths`, what falls on its tokens at its own position. Raises `ModelError` for a
    block or a way that does not exist, and where the cache does not hold every token of the
    prompt in its place, as with attention to a window only; `Interrupted`.
    """
    node = inspection.block(block).weights
    if node is None:
        raise ModelError("llama.cpp does not show the attention weights in this architecture.")
    check_length(inspection, len(prompt))
    check_captured(inspection.block(block).head_count, len(prompt))
    last = len(prompt) - 1
    if not all(0 <= start < stop <= place + 1 <= len(prompt) for place, start, stop in paths):
        raise ModelError("No token looks at what comes after it, or outside the prompt.")
    found: list[Array] = []
    path_weights: dict[int, tuple[float, ...]] = {}

    def keep(tensor: Computed, positions: Sequence[Position]) -> None:
        for position in positions:
            wanted = [path for path in enumerate(paths) if path[1][0] == position.place]
            if not wanted and position.place != last:
                continue
            rows = [tensor.row(position.row, head) for head in range(tensor.shape[1])]
            if any(row[position.place + 1 :].any() for row in rows):
                raise ModelError(f"Block {block} attends to a part of the prompt only.")
            for number, (_, start, stop) in wanted:
                path_weights[number] = tuple(float(row[start:stop].sum()) for row in rows)
            if position.place == last:
                found.extend(rows)

    # In an empty cache every token gets the cell of its position.
    inspection.forget(0)
    with inspection.watching({node: [keep]}), inspection.request():
        inspection.read(prompt, last)
    weights = np.stack(found)
    if weights.shape[1] < len(prompt) or len(path_weights) < len(paths):
        raise ModelError(f"Block {block} attends to a part of the prompt only.")
    return AttentionReading(
        block,
        tuple(tuple(map(float, row)) for row in weights[:, : len(prompt)]),
        tuple(zip(*(path_weights[number] for number in range(len(paths))), strict=True)),
    )
