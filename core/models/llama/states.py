"""Captures the residual stream at chosen positions while the options are scored."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np

from core.models.blocks import EMBEDDING
from core.models.llama.captured import Scores, SpanRows, Target
from core.models.llama.completion import check_length, option_text_start, score_options
from core.models.llama.engine import Engine
from core.models.llama.inspection import Inspection
from core.models.llama.tap import Array
from core.text.errors import ModelError
from core.text.language import _
from core.text.sizes import human_bytes

MOST_BYTES = 16 * 2**20
"""Most bytes of states in one reply: 32 positions of 32 blocks of width 4,096."""


def capture_states(
    engine: Engine,
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    positions: Sequence[int],
    blocks: Sequence[int],
) -> tuple[Scores, tuple[int, ...], Array]:
    """Score options, given as in `score_options`, and capture the residual stream.

    `positions` and `blocks` are as in `core.models.block_requests.Capture`. Returns the scores,
    the positions counted from 0, and the states, (positions, blocks, width). Raises `ModelError`
    for positions and blocks that do not exist, and for more than `MOST_BYTES`; `Interrupted`.
    """
    answer = option_text_start(engine, start, sequences) - 1
    check_length(inspection, max(map(len, sequences)))
    counted = tuple(_counted(position, answer) for position in positions)
    targets = [Target(_node(inspection, block)) for block in blocks]
    size = 4 * len(counted) * len(targets) * inspection.width
    if not size:
        raise ModelError(_("No states were asked for."), hint=_("Name a position and a block."))
    if size > MOST_BYTES:
        raise ModelError(
            _(
                "These states take {size}; one reply has at most {most_bytes}.",
                size=human_bytes(size),
                most_bytes=human_bytes(MOST_BYTES),
            ),
            hint=_("Ask for fewer positions or blocks at once."),
        )
    first, wanted = min(counted), frozenset(counted)
    last_block = inspection.blocks - 1 in blocks
    kept = SpanRows()
    inspection.forget(first)
    reusing = inspection.reusing_prefixes() if first >= start - 1 else nullcontext()
    try:
        with (
            reusing,
            inspection.watching(
                kept.watchers(dict.fromkeys(targets, wanted)),
                wanted,
                wanted if last_block else frozenset(),
            ),
        ):
            scores = score_options(inspection, start, sequences)
    finally:
        inspection.forget(first)
    states = np.empty((len(counted), len(targets), inspection.width), np.float32)
    for row, position in enumerate(counted):
        for column, target in enumerate(targets):
            captured = kept.row(target, position)
            if captured is None:
                raise ModelError(
                    _("llama.cpp did not compute block {column} there.", column=blocks[column])
                )
            states[row, column] = captured
    return scores, counted, states


def _counted(position: int, answer: int) -> int:
    """A position counted from 0; raises `ModelError`."""
    counted = position if position >= 0 else answer + 1 + position
    if not 0 <= counted <= answer:
        raise ModelError(
            _("There is no token {position} in the prompt.", position=position),
            hint=_("Its tokens count from 0 to {answer}.", answer=answer),
        )
    return counted


def _node(inspection: Inspection, block: int) -> int:
    if block != EMBEDDING:
        return inspection.block(block).residual
    if inspection.graph.embedding is None:
        raise ModelError(_("llama.cpp does not show the embeddings in this architecture."))
    return inspection.graph.embedding
