"""Activation patching: edits what blocks compute at chosen positions, and scores the options.

An activation of one run is replaced by the same activation of another run, here that of a contrast
prompt (Vig et al. 2020, "Investigating Gender Bias in Language Models Using Causal
Mediation Analysis"; Meng et al. 2022, "Locating and Editing Factual Associations in GPT", section
2.1). Zeroing a part or skipping a block replaces it by zeros.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Protocol

import numpy as np

from core.models.blocks import Action, Edit, Part
from core.models.llama.captured import (
    Scores,
    SpanRows,
    Target,
    capture,
    check_edits,
    shifts_of,
    source_of,
    targets_of,
)
from core.models.llama.chunks import boundary_at
from core.models.llama.completion import EncodedOptions, score_options
from core.models.llama.inspection import Inspection, Position, Watcher, Watchers, merged
from core.models.llama.known_stream import KnownStream, scored_with_stream
from core.models.llama.reference_rows import ReferenceRows
from core.models.llama.tap import Array, Computed
from core.text.errors import ModelError
from core.text.language import _


class SourceRows(Protocol):
    """Activations that replace those of the prompt."""

    def row(self, target: Target, position: int) -> Array | None:
        """What replaces a target's activation at a position; None to leave it as it is."""
        ...


def score_patched(
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    edits: Sequence[Edit],
    contrast: EncodedOptions | None,
    references: Sequence[EncodedOptions] = (),
) -> tuple[Scores, Scores, int]:
    """Score options, given as in `score_options`, without and with edits.

    Edits of the same activation are applied in the order given. `contrast` is the contrast prompt
    with the same options; `Action.COPY` copies from its run. `references` are the other prompts of
    `Action.MEAN` and `Action.RESAMPLE`; the number is that of the tokens at which these replaced
    something. Raises `ModelError` for an edit that cannot be made, `Interrupted`.
    """
    check_edits(inspection, edits, sequences)
    copies = [edit for edit in edits if edit.action is Action.COPY]
    kept = SpanRows()
    if copies:
        if contrast is None:
            raise ModelError(
                _("An edit copies from a contrast prompt, and no contrast prompt is given.")
            )
        copied = [source_of(edit) for edit in copies]
        check_edits(inspection, copied, contrast[1])
        capture(inspection, kept, *contrast, copied)
    sources: dict[Action, SourceRows] = {Action.COPY: kept}
    replaced: set[int] = set()
    for action, prompts in ((Action.MEAN, references), (Action.RESAMPLE, references[:1])):
        of_action = [edit for edit in edits if edit.action is action]
        if of_action:
            rows = _reference_rows(inspection, (start, sequences), prompts, of_action)
            sources[action] = rows
            replaced |= rows.positions
    first = min((edit.start for edit in edits), default=start)
    inspection.forget(0)
    plain = score_options(inspection, start, sequences)
    patched = score_edited(inspection, start, sequences, edits, sources, first)
    return plain, patched, len(replaced)


def _reference_rows(
    inspection: Inspection,
    prompt: EncodedOptions,
    references: Sequence[EncodedOptions],
    edits: Sequence[Edit],
) -> ReferenceRows:
    if not references:
        raise ModelError(_("An edit takes what is computed in other prompts, and none is given."))
    rows = ReferenceRows(prompt, references, edits)
    rows.read(inspection)
    if not rows.positions:
        raise ModelError(_("No other prompt has tokens of its own where this edit is to be made."))
    return rows


def score_each(
    inspection: Inspection, start: int, sequences: Sequence[list[int]], edits: Sequence[Edit]
) -> tuple[Scores, list[Scores]]:
    """Score options without edits, and with each edit alone. Raises as `score_patched` does."""
    if any(edit.action in (Action.COPY, Action.MEAN, Action.RESAMPLE) for edit in edits):
        raise ModelError(_("Edits that are made one by one take nothing from other prompts."))
    check_edits(inspection, edits, sequences)
    first = min((edit.start for edit in edits), default=0)
    inspection.forget(0)
    plain, known = scored_with_stream(inspection, (start, sequences), first)
    try:
        keep_before(inspection, (start, sequences), first, plain)
        return plain, [
            score_edited(inspection, start, sequences, [edit], {}, edit.start, known)
            for edit in edits
        ]
    finally:
        inspection.cut_at(0)


def keep_before(
    inspection: Inspection,
    encoded: EncodedOptions,
    position: int,
    scores: Scores,
) -> None:
    """Keep the KV cache before a position, so that only the rest is evaluated, if that is exact.

    Whether a part of a chunk rounds as the whole chunk does depends only on the kernels that
    llama.cpp uses for the two shapes, so the prompt's own run, which gave `scores`, decides.
    """
    inspection.cut_at(position)
    if inspection.kept < position:
        score_options(inspection, *encoded)
    inspection.forget(position)
    if boundary_at(position) != position and score_options(inspection, *encoded) != scores:
        inspection.cut_at(0)


def counted_edit(edit: Edit, answer: int) -> Edit:
    """The edit with positions counted from 0, where negative ones count back from the answer."""
    if edit.start >= 0:
        return edit
    return replace(edit, start=answer + 1 + edit.start, stop=answer + 1 + edit.stop)


def score_edited(
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    edits: Sequence[Edit],
    sources: Mapping[Action, SourceRows],
    first: int,
    known: KnownStream | None = None,
) -> Scores:
    """Score options with edits that were checked, none of which begins before `first`.

    Whole chunks before that may be reused from the KV cache; edited chunks never are. With
    `known`, the stream of the same prompt without edits, blocks before the first edit are passed
    over.
    """
    block = _last_unchanged(edits)
    writers = [_writers(inspection, edit, sources) for edit in edits]
    idle: Set[int] = frozenset()
    if known is not None and block >= 0:
        writers.insert(0, known.watchers(block))
        idle = known.idle(block)
    inspection.forget(first)
    try:
        with inspection.watching(merged(writers), idle=idle):
            return score_options(inspection, start, sequences)
    finally:
        inspection.forget(first)


def _last_unchanged(edits: Sequence[Edit]) -> int:
    """The last block whose output is known before any edit; -1 for none.

    Edits of a residual stream are made in what is known.
    """
    inside = [edit.part is not Part.RESIDUAL or edit.action is Action.SKIP for edit in edits]
    return min(
        (edit.block - within for edit, within in zip(edits, inside, strict=True)), default=-1
    )


def change_heads(
    inspection: Inspection,
    start: int,
    sequences: Sequence[list[int]],
    action: Action,
    ranges: Sequence[tuple[int, int]],
    contrast: tuple[int, Sequence[list[int]]] | None,
    first: int = 0,
    shifts: Sequence[int] = (),
) -> tuple[Scores, Iterator[tuple[tuple[int, int], Scores]]]:
    """Score options without edits, then with every head of every block changed, one at a time.

    A head is changed at all of `ranges`; `Action.COPY` copies it from the contrast run, where each
    range begins by its one of `shifts` later. The first `first` heads are skipped. Every score
    equals, bit for bit, that of `score_patched`. Raises `ModelError`, `Interrupted`.
    """
    places = list(zip(ranges, shifts_of(ranges, shifts), strict=True))
    by_block = [
        [
            [
                Edit(action, Part.HEAD, number, *positions, head, shift=shift)
                for positions, shift in places
            ]
            for head in range(max(1, block.head_count))
        ]
        for number, block in enumerate(inspection.graph.blocks)
    ]
    if action is Action.COPY and contrast is None:
        raise ModelError(_("Heads are copied from a contrast prompt, and none is given."))
    every = [edit for heads in by_block for edits in heads for edit in edits]
    check_edits(inspection, every, sequences)
    if contrast is not None and action is Action.COPY:
        check_edits(inspection, [source_of(edit) for edit in every], contrast[1])
    inspection.forget(0)
    # Capturing from the contrast run makes the first head of a block begin at the first token.
    plain, known = scored_with_stream(inspection, (start, sequences), 0)
    changed = min((positions[0] for positions in ranges), default=start)

    def cells() -> Iterator[tuple[tuple[int, int], Scores]]:
        skipped = first
        for block, heads in enumerate(by_block):
            wanted = heads[skipped:]
            skipped = max(0, skipped - len(heads))
            kept = SpanRows()
            if contrast is not None and action is Action.COPY and wanted:
                copied = [source_of(edit) for edits in wanted for edit in edits]
                capture(inspection, kept, *contrast, copied)
                inspection.forget(0)
            for edits in wanted:
                sources = {Action.COPY: kept}
                scores = score_edited(inspection, start, sequences, edits, sources, changed, known)
                yield (block, edits[0].head or 0), scores

    return plain, cells()


def _writers(inspection: Inspection, edit: Edit, sources: Mapping[Action, SourceRows]) -> Watchers:
    source = sources.get(edit.action)
    return {target.node: [_writer(edit, target, source)] for target in targets_of(inspection, edit)}


def _writer(edit: Edit, target: Target, source: SourceRows | None) -> Watcher:
    vector = np.array(edit.vector, np.float32)
    shift = edit.shift if edit.action is Action.COPY else 0

    def write(tensor: Computed, positions: Sequence[Position]) -> None:
        width = tensor.shape[3] if target.width is None else target.width
        for position in positions:
            if not edit.start <= position.index < edit.stop:
                continue
            if source is not None:
                row = source.row(target, position.index + shift)
                if row is None:
                    continue
                values = row
            elif edit.action is Action.ADD:
                row = tensor.row(position.row)
                values = row[target.first : target.first + width] + vector
            else:
                values = np.zeros(width, np.float32)
            tensor.write(position.row, values, target.first)

    return write
