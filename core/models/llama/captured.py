"""Captures activations of single parts of blocks at some positions, and checks edits of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.models.blocks import Action, Edit, Part
from core.models.llama.block_memory import check_captured
from core.models.llama.completion import check_length, score_options, shared_length
from core.models.llama.inspection import Inspection, Position, Watcher, Watchers, merged
from core.models.llama.tap import Array, Computed
from core.text.errors import ModelError
from core.text.language import _

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


def source_of(edit: Edit) -> Edit:
    """An edit that copies, at the positions that it copies from."""
    return replace(edit, start=edit.start + edit.shift, stop=edit.stop + edit.shift, shift=0)


def shifts_of(ranges: Sequence[object], shifts: Sequence[int]) -> Sequence[int]:
    """A shift for each range: those that were given, or else 0. Raises `ModelError`."""
    if shifts and len(shifts) != len(ranges):
        raise ModelError(
            _(
                "There are {shifts} shifts for {ranges} ranges of tokens.",
                shifts=len(shifts),
                ranges=len(ranges),
            )
        )
    return shifts or [0] * len(ranges)


def check_edits(
    inspection: Inspection, edits: Sequence[Edit], sequences: Sequence[list[int]]
) -> None:
    """Raise `ModelError` for an edit that cannot be made in a prompt."""
    check_length(inspection, max(len(sequence) for sequence in sequences))
    shared = shared_length(sequences)
    for edit in edits:
        if not 0 <= edit.start < edit.stop <= shared:
            raise ModelError(
                _(
                    "There are no tokens from {start} up to {stop} to be changed.",
                    start=edit.start,
                    stop=edit.stop,
                ),
                hint=_(
                    "The tokens that all options share count from 0 to {shared}.", shared=shared - 1
                ),
            )
        targets = targets_of(inspection, edit)
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
        raise ModelError(
            _(
                "Block {block} has no {part} of its own in this architecture.",
                block=edit.block,
                part=edit.part,
            )
        )
    return Target(node)


def targets_of(inspection: Inspection, edit: Edit) -> list[Target]:
    """The activations that an edit changes. Raises `ModelError`."""
    if edit.action is not Action.SKIP:
        return [target_of(inspection, edit)]
    if edit.part is not Part.RESIDUAL:
        raise ModelError(_("Only a whole block can be skipped."), hint=_("Zero the part instead."))
    block = inspection.block(edit.block)
    if block.attention is None or block.feed_forward is None:
        raise ModelError(_("In this architecture a block cannot be skipped."))
    return [Target(block.attention), Target(block.feed_forward)]


def _head(inspection: Inspection, edit: Edit) -> Target:
    block = inspection.block(edit.block)
    if block.heads is None or not block.head_count:
        raise ModelError(_("llama.cpp does not show single heads in this architecture."))
    if edit.head is None or not 0 <= edit.head < block.head_count:
        raise ModelError(
            _("There is no head {head} in block {block}.", head=edit.head, block=edit.block),
            hint=_("Heads count from 0 to {head_count}.", head_count=block.head_count - 1),
        )
    width = block.head_width
    return Target(block.heads, edit.head * width, width)


def _check_vector(inspection: Inspection, edit: Edit, target: Target) -> None:
    width = inspection.width if target.width is None else target.width
    if len(edit.vector) != width:
        raise ModelError(
            _(
                "A vector of {edit} numbers cannot be added; it takes {width}.",
                edit=len(edit.vector),
                width=width,
            )
        )
    if not all(abs(number) <= _LARGEST for number in edit.vector):
        raise ModelError(_("A vector with numbers that are not finite cannot be added."))
