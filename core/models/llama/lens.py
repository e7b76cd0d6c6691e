"""Logit lens: scores options after every block, with llama.cpp's own unembedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.contract.question import option_scores
from core.models.blocks import BlockReading, Guess, PositionReading
from core.models.llama.block_memory import check_captured
from core.models.llama.completion import (
    check_length,
    log_normaliser,
    option_text_start,
    score_options,
    shared_length,
)
from core.models.llama.decoder import Row
from core.models.llama.engine import Engine
from core.models.llama.inspection import Inspection, WantedRows
from core.text.errors import ModelError
from core.text.language import _

GUESSES = 5
"""How many of the likeliest tokens are returned."""


def read_blocks(
    engine: Engine,
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    options: Sequence[str],
) -> BlockReading:
    """Score options, given as in `score_options`, after every block (logit lens).

    An option's score after a block is the sum of its tokens' log-probabilities in the projection
    of that block's residual stream at the position before each token. Raises `ModelError` when
    too much would be captured, `Interrupted`.
    """
    kept = WantedRows(inspection.residuals())
    wanted_rows = _wanted_rows(start, sequences)
    check_captured(len(wanted_rows) * inspection.blocks, inspection.width)
    inspection.forget(0)
    with inspection.watching(kept.watchers()):
        own = score_options(inspection, start, sequences)
    residuals = kept.stacked()  # (rows, blocks, width)
    before = option_text_start(engine, start, sequences) - 1
    answer = next(row for row, (position, _) in enumerate(wanted_rows) if position == before)
    sums = np.zeros((inspection.blocks, len(sequences)))
    guesses: list[tuple[Guess, ...]] = []
    flat = residuals.reshape(-1, inspection.width)
    for number, logits in enumerate(inspection.project(flat)):
        row, block = divmod(number, inspection.blocks)
        normaliser = log_normaliser(logits)
        for option, token in wanted_rows[row][1]:
            sums[block, option] += float(logits[token]) - normaliser
        if row == answer:
            guesses.append(_guesses(engine, logits, normaliser))
    counts = [tokens for _, tokens in own]
    last = np.array([logprob for logprob, _ in own])
    rounding = float(np.abs(sums[-1] - last).max())
    sums[-1] = last
    scores = tuple(
        option_scores(zip(map(float, block_sums), counts, strict=True), options)
        for block_sums in sums
    )
    return BlockReading(scores, tuple(guesses), rounding)


def read_position(
    engine: Engine,
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    position: int,
) -> PositionReading:
    """Read every block at a position up to the answer position.

    Raises `ModelError` for a position that is not in the prompt, and when too much would be
    captured; `Interrupted`.
    """
    begin = option_text_start(engine, start, sequences)
    if not 0 <= position < begin:
        raise ModelError(
            _("There is no token {position} in the prompt.", position=position),
            hint=_("Its tokens count from 0 to {begin}.", begin=begin - 1),
        )
    check_length(inspection, begin)
    check_captured((begin - position) * inspection.blocks, inspection.width)
    targets = [sequence[begin] for sequence in sequences]
    kept = WantedRows(inspection.residuals())
    inspection.forget(0)
    with inspection.watching(kept.watchers()), inspection.request():
        inspection.read(sequences[0][:begin], position)
    logprobs, guesses = [], []
    for logits in inspection.project(kept.stacked()[0]):
        normaliser = log_normaliser(logits)
        logprobs.append(tuple(float(logits[token]) - normaliser for token in targets))
        guesses.append(_guesses(engine, logits, normaliser))
    return PositionReading(position, tuple(logprobs), tuple(guesses))


def _wanted_rows(
    start: int, sequences: Sequence[list[int]]
) -> list[tuple[int, list[tuple[int, int]]]]:
    """The rows of logits that `score_options` needs, in its order.

    Each is a position with the (option, token) pairs that are scored there.
    """
    shared = shared_length(sequences)
    shared_rows = [
        (position, [(option, sequence[position + 1]) for option, sequence in enumerate(sequences)])
        for position in range(start - 1, shared)
    ]
    option_rows = [
        (position, [(option, sequence[position + 1])])
        for option, sequence in enumerate(sequences)
        for position in range(max(shared, start - 1), len(sequence) - 1)
    ]
    return shared_rows + option_rows


def _guesses(engine: Engine, logits: Row, normaliser: float) -> tuple[Guess, ...]:
    count = min(GUESSES, len(logits))
    best = np.argpartition(-logits, count - 1)[:count]
    return tuple(
        Guess(engine.spelled(int(token)), float(logits[token]) - normaliser)
        for token in sorted(best, key=lambda token: -logits[token])
    )
