"""The residual stream of a prompt's own run, with which edited runs begin in the middle of a model.

An edit of a block changes nothing before it. Where the stream after the block before is known, at
every token that is evaluated, the blocks up to there are passed over: their nodes of the graph are
not computed, and what they would have given is written in their place. The rest is computed as it
always is, so every number stays the same to the bit; on average half of the work is saved.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.models.llama.block_memory import CAPTURED
from core.models.llama.captured import Scores, SpanRows, Target
from core.models.llama.completion import EncodedOptions, score_options, shared_length
from core.models.llama.inspection import Inspection, Position, Watchers
from core.models.llama.tap import Computed
from core.text.errors import ModelError


class KnownStream:
    """The residual stream of a prompt after every block, from a token on."""

    def __init__(self, inspection: Inspection, prompt: EncodedOptions, first: int) -> None:
        """Read it where a run that changes nothing before `first` evaluates tokens.

        Raises `Interrupted`.
        """
        self._inspection = inspection
        self._kept = SpanRows()
        self._idle: dict[int, frozenset[int]] = {}
        positions = _evaluated_tokens(inspection, prompt, first)
        wanted = {self._target(block): positions for block in range(inspection.blocks)}
        inspection.forget(first)
        with inspection.watching(self._kept.watchers(wanted)):
            self.scores: Scores = score_options(inspection, *prompt)
            """What the prompt's own run says of the options."""

    def idle(self, block: int) -> frozenset[int]:
        """The nodes that need not be computed where the stream after a block is put there."""
        if block not in self._idle:
            self._idle[block] = self._inspection.graph.idle(block)
        return self._idle[block]

    def watchers(self, block: int) -> Watchers:
        """Put the stream after a block in its place, at every token."""
        target = self._target(block)

        def put(tensor: Computed, positions: Sequence[Position]) -> None:
            for position in positions:
                row = self._kept.row(target, position.index)
                if row is None:
                    raise ModelError("A token is evaluated of which nothing is known.")
                tensor.write(position.row, row)

        return {target.node: [put]}

    def _target(self, block: int) -> Target:
        return Target(self._inspection.block(block).residual)


def scored_with_stream(
    inspection: Inspection, prompt: EncodedOptions, first: int
) -> tuple[Scores, KnownStream | None]:
    """Score options, and keep the stream for runs that change nothing before `first`.

    None where it cannot be used, or would hold too much. The first time it is proved that a run
    which passes over blocks gives the same scores to the bit. Raises `ModelError`, `Interrupted`.
    """
    if not stream_bytes(inspection, prompt, first):
        return score_options(inspection, *prompt), None
    known = KnownStream(inspection, prompt, first)
    if not inspection.passing_proved:
        block = max(0, inspection.blocks - 2)
        inspection.forget(first)
        with inspection.watching(known.watchers(block), idle=known.idle(block)):
            same = score_options(inspection, *prompt) == known.scores
        inspection.forget(first)
        inspection.passes_over = inspection.passing_proved = same
    return known.scores, known if inspection.passes_over else None


def stream_bytes(inspection: Inspection, prompt: EncodedOptions, first: int) -> int:
    """The bytes that a `KnownStream` holds; 0 where none can be used, or it would hold too much.

    Options of more than one token are evaluated in a batch of their own, which reads what every
    block has of every token before.
    """
    tokens = _evaluated_tokens(inspection, prompt, first)
    size = 4 * inspection.blocks * len(tokens) * inspection.width
    one_token = all(len(sequence) == tokens.stop + 1 for sequence in prompt[1])
    return size if inspection.passes_over and one_token and 2 * size <= CAPTURED else 0


def _evaluated_tokens(inspection: Inspection, prompt: EncodedOptions, first: int) -> range:
    """The tokens that may be evaluated again where nothing before `first` changes.

    Those whose logits are wanted always are.
    """
    start, sequences = prompt
    return range(inspection.evaluated_from(min(first, start - 1)), shared_length(sequences))
