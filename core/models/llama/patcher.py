"""Activation patching: edits what blocks compute at chosen positions, and scores the options.

An activation of one run is replaced by the same activation of another run, here that of a contrast
prompt (Vig et al. 2020, "Investigating Gender Bias in Language Models Using Causal
Mediation Analysis"; Meng et al. 2022, "Locating and Editing Factual Associations in GPT", section
2.1). Zeroing a part or skipping a block replaces it by zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.models.blocks import Action, Edit, Part
from core.models.llama.completion import check_length, common_prefix_length, score_options
from core.models.llama.inspection import (
    Inspection,
    Position,
    Watcher,
    Watchers,
    check_captured,
    merged,
)
from core.models.llama.tap import Array, Computed
from core.text.errors import ModelError

Scores = list[tuple[float, int]]

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class Target:
    """The activations that an edit changes."""

    node: int
    first: int = 0
    """Index of the first number in a row."""
    width: int | None = None
    """How many numbers; None for whole rows."""


class SpanRows:
    """Captured activations at some positions: what `Action.COPY` copies."""

    def __init__(self) -> None:
        self._rows: dict[Target, dict[int, Array]] = {}

    def watchers(self, wanted: Mapping[Target, Iterable[int]]) -> Watchers:
        """Watchers that capture each target at the positions wanted of it."""
        return merged(
            {target.node: [self._keeper(target, frozenset(positions))]}
            for target, positions in wanted.items()
        )

    def row(self, target: Target, position: int) -> Array | None:
        """A target's activation at a position; None where the last block does not compute it."""
        return self._rows[target].get(position)

    def _keeper(self, target: Target, kept_positions: frozenset[int]) -> Watcher:
        rows = self._rows.setdefault(target, {})

        def keep(tensor: Computed, positions: Sequence[Position]) -> None:
            for position in positions:
                if position.index in kept_positions:
                    row = tensor.row(position.row)
                    width = tensor.shape[3] if target.width is None else target.width
                    rows[position.index] = row[target.first : target.first + width].copy()

        return keep


def score_patched(
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    edits: Sequence[Edit],
    contrast: tuple[int, Sequence[list[int]]] | None,
) -> tuple[Scores, Scores]:
    """Score options, given as in `score_options`, without and with edits.

    Edits of the same activation are applied in the order given. `contrast` is the contrast prompt
    with the same options; `Action.COPY` copies from its run. Raises `ModelError` for an edit that
    cannot be made, `Interrupted`.
    """
    check_edits(inspection, edits, start, sequences)
    copies = [edit for edit in edits if edit.action is Action.COPY]
    kept = SpanRows()
    if copies:
        if contrast is None:
            raise ModelError(
                "An edit copies from a contrast prompt, and no contrast prompt is given."
            )
        check_edits(inspection, copies, *contrast)
        capture(inspection, kept, *contrast, copies)
    first = min((edit.start for edit in edits), default=start)
    inspection.forget(0)
    plain = score_options(inspection, start, sequences)
    return plain, score_edited(inspection, start, sequences, edits, kept, first)


def score_edited(
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    edits: Sequence[Edit],
    kept: SpanRows,
    first: int,
) -> Scores:
    """Score options with edits that were checked, none of which begins before `first`.

    Whole chunks before that may be reused from the KV cache; edited chunks never are.
    """
    inspection.forget(first)
    try:
        with inspection.watching(merged(_writers(inspection, edit, kept) for edit in edits)):
            return score_options(inspection, start, sequences)
    finally:
        inspection.forget(first)


def capture(
    inspection: Inspection,
    kept: SpanRows,
    start: int,
    sequences: Sequence[list[int]],
    edits: Sequence[Edit],
) -> Scores:
    """Score options, and capture what the edits will copy. Raises `ModelError`, `Interrupted`."""
    wanted: dict[Target, set[int]] = {}
    for edit in edits:
        wanted.setdefault(target_of(inspection, edit), set()).update(range(edit.start, edit.stop))
    numbers = sum(
        len(positions) * (target.width or inspection.width) for target, positions in wanted.items()
    )
    check_captured(numbers, 1)
    inspection.forget(min((edit.start for edit in edits), default=start))
    with inspection.watching(kept.watchers(wanted)):
        return score_options(inspection, start, sequences)


def change_heads(
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    action: Action,
    ranges: Sequence[tuple[int, int]],
    contrast: tuple[int, Sequence[list[int]]] | None,
    first: int = 0,
) -> tuple[Scores, Iterator[tuple[tuple[int, int], Scores]]]:
    """Score options without edits, then with every head of every block changed, one at a time.

    A head is changed at all of `ranges`; `Action.COPY` copies it from the contrast run. The first
    `first` heads are skipped. Every score equals, bit for bit, that of `score_patched`. Raises
    `ModelError`, `Interrupted`.
    """
    by_block = [
        [
            [Edit(action, Part.HEAD, number, *positions, head) for positions in ranges]
            for head in range(max(1, block.head_count))
        ]
        for number, block in enumerate(inspection.graph.blocks)
    ]
    if action is Action.COPY and contrast is None:
        raise ModelError("Heads are copied from a contrast prompt, and none is given.")
    every = [edit for heads in by_block for edits in heads for edit in edits]
    check_edits(inspection, every, start, sequences)
    if contrast is not None and action is Action.COPY:
        check_edits(inspection, every, *contrast)
    inspection.forget(0)
    plain = score_options(inspection, start, sequences)
    changed = min((positions[0] for positions in ranges), default=start)

    def cells() -> Iterator[tuple[tuple[int, int], Scores]]:
        skipped = first
        for block, heads in enumerate(by_block):
            wanted = heads[skipped:]
            skipped = max(0, skipped - len(heads))
            kept = SpanRows()
            if contrast is not None and action is Action.COPY and wanted:
                capture(inspection, kept, *contrast, [edit for edits in wanted for edit in edits])
                inspection.forget(0)
            for edits in wanted:
                scores = score_edited(inspection, start, sequences, edits, kept, changed)
                yield (block, edits[0].head or 0), scores

    return plain, cells()


def check_edits(
    inspection: Inspection, edits: Sequence[Edit], start: int, sequences: Sequence[list[int]]
) -> None:
    """Raise `ModelError` for an edit that cannot be made in a prompt."""
    check_length(inspection, max(len(sequence) for sequence in sequences))
    shared = min(common_prefix_length(sequences), min(len(sequence) for sequence in sequences) - 1)
    for edit in edits:
        if not 0 <= edit.start < edit.stop <= shared:
            raise ModelError(
                f"There are no tokens from {edit.start} up to {edit.stop} to be changed.",
                hint=f"The tokens that all options share count from 0 to {shared - 1}.",
            )
        targets = _targets(inspection, edit)
        if edit.action is Action.ADD:
            _check_vector(inspection, edit, targets[0])


def target_of(inspection: Inspection, edit: Edit) -> Target:
    """The activations that an edit other than `Action.SKIP` changes. Raises `ModelError`."""
    block = inspection.block(edit.block)
    if edit.part is Part.HEAD:
        return _head(inspection, edit)
    nodes = {
        Part.RESIDUAL: block.residual,
        Part.ATTENTION: block.attention,
        Part.FEED_FORWARD: block.feed_forward,
    }
    node = nodes[edit.part]
    if node is None:
        raise ModelError(f"Block {edit.block} has no {edit.part} of its own in this architecture.")
    return Target(node)


def _targets(inspection: Inspection, edit: Edit) -> list[Target]:
    if edit.action is not Action.SKIP:
        return [target_of(inspection, edit)]
    if edit.part is not Part.RESIDUAL:
        raise ModelError("Only a whole block can be skipped.", hint="Zero the part instead.")
    block = inspection.block(edit.block)
    if block.attention is None or block.feed_forward is None:
        raise ModelError("In this architecture a block cannot be skipped.")
    return [Target(block.attention), Target(block.feed_forward)]


def _head(inspection: Inspection, edit: Edit) -> Target:
    block = inspection.block(edit.block)
    if block.heads is None or not block.head_count:
        raise ModelError("llama.cpp does not show single heads in this architecture.")
    if edit.head is None or not 0 <= edit.head < block.head_count:
        raise ModelError(
            f"There is no head {edit.head} in block {edit.block}.",
            hint=f"Heads count from 0 to {block.head_count - 1}.",
        )
    width = block.head_width
    return Target(block.heads, edit.head * width, width)


def _check_vector(inspection: Inspection, edit: Edit, target: Target) -> None:
    width = inspection.width if target.width is None else target.width
    if len(edit.vector) != width:
        raise ModelError(
            f"A vector of {len(edit.vector)} numbers cannot be added; it takes {width}."
        )
    if not all(abs(number) <= _LARGEST for number in edit.vector):
        raise ModelError("A vector with numbers that are not finite cannot be added.")


def _writers(inspection: Inspection, edit: Edit, kept: SpanRows) -> Watchers:
    return {target.node: [_writer(edit, target, kept)] for target in _targets(inspection, edit)}


def _writer(edit: Edit, target: Target, kept: SpanRows) -> Watcher:
    vector = np.array(edit.vector, np.float32)

    def write(tensor: Computed, positions: Sequence[Position]) -> None:
        width = tensor.shape[3] if target.width is None else target.width
        for position in positions:
            if not edit.start <= position.index < edit.stop:
                continue
            if edit.action is Action.COPY:
                values = kept.row(target, position.index)
                if values is None:
                    continue
            elif edit.action is Action.ADD:
                row = tensor.row(position.row)
                values = row[target.first : target.first + width] + vector
            else:
                values = np.zeros(width, np.float32)
            tensor.write(position.row, values, target.first)

    return write
