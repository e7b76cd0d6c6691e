"""Scores options after every block: llama.cpp's own projection of each residual stream."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.contract.question import OptionScore
from core.models.blocks import BlockReading, Guess, PositionReading
from core.models.llama.completion import (
    beginning,
    check_length,
    common_length,
    log_normaliser,
    score_options,
)
from core.models.llama.decoder import Row
from core.models.llama.engine import Engine
from core.models.llama.inspection import Inspection, WantedRows, check_captured
from core.text.errors import ModelError

GUESSES = 5
"""Likeliest tokens that are named."""


def read_blocks(
    engine: Engine,
    inspection: Inspection,
    start: int,
    wholes: Sequence[list[int]],
    lengths: Sequence[int],
) -> BlockReading:
    """Score options, given as in `score_options`, after every block (logit lens).

    An option's score after a block is the sum over its tokens of what the projection of that
    block's residual stream, at the position before, gives them. `lengths` are the options' in
    bytes. Raises `ModelError` when more would be held than may be, `Interrupted`.
    """
    kept = WantedRows(inspection.residuals())
    asked = _rows_of(start, wholes)
    check_captured(len(asked) * inspection.blocks, inspection.width)
    inspection.forget(0)
    with inspection.watching(kept.watchers()):
        own = score_options(inspection, start, wholes)
    residuals = kept.stacked()  # (rows, blocks, width)
    before = beginning(engine, start, wholes) - 1
    answer = next(row for row, (place, _) in enumerate(asked) if place == before)
    sums = np.zeros((inspection.blocks, len(wholes)))
    guesses: list[tuple[Guess, ...]] = []
    flat = residuals.reshape(-1, inspection.width)
    for number, logits in enumerate(inspection.project(flat)):
        row, block = divmod(number, inspection.blocks)
        normaliser = log_normaliser(logits)
        for option, token in asked[row][1]:
            sums[block, option] += float(logits[token]) - normaliser
        if row == answer:
            guesses.append(_guesses(engine, logits, normaliser))
    counts = [tokens for _, tokens in own]
    last = np.array([logprob for logprob, _ in own])
    rounding = float(np.abs(sums[-1] - last).max())
    sums[-1] = last
    scores = tuple(
        tuple(
            OptionScore(float(logprob), tokens, length)
            for logprob, tokens, length in zip(row_, counts, lengths, strict=True)
        )
        for row_ in sums
    )
    return BlockReading(scores, tuple(guesses), rounding)


def read_position(
    engine: Engine,
    inspection: Inspection,
    start: int,
    wholes: Sequence[list[int]],
    position: int,
) -> PositionReading:
    """Read every block at a position up to the answer position.

    Raises `ModelError` for a position that is not in the prompt, and when more would be held
    than may be; `Interrupted`.
    """
    begin = beginning(engine, start, wholes)
    if not 0 <= position < begin:
        raise ModelError(
            f"There is no token {position} in the prompt.",
            hint=f"Its tokens count from 0 to {begin - 1}.",
        )
    check_length(inspection, begin)
    check_captured((begin - position) * inspection.blocks, inspection.width)
    targets = [whole[begin] for whole in wholes]
    kept = WantedRows(inspection.residuals())
    inspection.forget(0)
    with inspection.watching(kept.watchers()), inspection.request():
        inspection.read(wholes[0][:begin], position)
    logprobs, guesses = [], []
    for logits in inspection.project(kept.stacked()[0]):
        normaliser = log_normaliser(logits)
        logprobs.append(tuple(float(logits[token]) - normaliser for token in targets))
        guesses.append(_guesses(engine, logits, normaliser))
    return PositionReading(position, tuple(logprobs), tuple(guesses))


def _rows_of(start: int, wholes: Sequence[list[int]]) -> list[tuple[int, list[tuple[int, int]]]]:
    """The rows of logits that `score_options` asks for, in its order.

    Each with its position and the (option, token) pairs that it is asked about.
    """
    shared = min(common_length(wholes), min(len(whole) for whole in wholes) - 1)
    everyone = [
        (place, [(number, whole[place + 1]) for number, whole in enumerate(wholes)])
        for place in range(start - 1, shared)
    ]
    own = [
        (place, [(number, whole[place + 1])])
        for number, whole in enumerate(wholes)
        for place in range(max(shared, start - 1), len(whole) - 1)
    ]
    return everyone + own


def _guesses(engine: Engine, logits: Row, normaliser: float) -> tuple[Guess, ...]:
    count = min(GUESSES, len(logits))
    best = np.argpartition(-logits, count - 1)[:count]
    return tuple(
        Guess(engine.spelled(int(token)), float(logits[token]) - normaliser)
        for token in sorted(best, key=lambda token: -logits[token])
    )
