"""Causal tracing: which span of which block carries the difference to the contrast prompt.

Meng et al. 2022 ("Locating and Editing Factual Associations in GPT"), section 2.1, with a contrast
prompt in place of noise, as in Wang et al. 2022 ("Interpretability in the Wild"), section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.models.blocks import Action, Edit, Part
from core.models.llama.block_memory import CAPTURED
from core.models.llama.captured import (
    Scores,
    SpanRows,
    capture,
    check_edits,
    shifts_of,
    source_of,
)
from core.models.llama.completion import EncodedOptions, common_prefix_length, score_options
from core.models.llama.inspection import Inspection
from core.models.llama.known_stream import KnownStream, scored_with_stream, stream_bytes
from core.models.llama.patcher import keep_before, score_edited
from core.text.errors import ModelError
from core.text.language import _

MOST_SPANS = 256
"""Most spans of one trace."""

Cell = tuple[int, Edit]
"""Index of a span, and the edit that copies it."""


def trace(
    inspection: Inspection,
    prompt: EncodedOptions,
    contrast: EncodedOptions,
    spans: Sequence[tuple[int, int]],
    part: Part,
    head: int | None = None,
    first: int = 0,
    shifts: Sequence[int] = (),
) -> Iterator[tuple[int, int, Scores]]:
    """Score options in the contrast run with a span of a block copied from the prompt's.

    `prompt` and `contrast` hold the options as in `score_options`. `spans` are positions in the
    prompt, in the contrast prompt each is by its one of `shifts` later (none: all are the same);
    `head` is the head of every block that `Part.HEAD` copies. Yields (-1, 0, the prompt's scores)
    and (-1, 1, the contrast prompt's), then (block, span, scores) for every block of every span,
    the last span of the prompt first; the first `first` of these cells are skipped. Raises
    `ModelError`, `Interrupted`.

    Every score equals, bit for bit, what `score_patched` gives for the same edit. So cells are
    evaluated one at a time: in one batch they would lie elsewhere in the KV cache and round
    differently. Tokens before a span are evaluated once, see `keep_before`, and blocks before the
    copied one, where that can be, not at all, see `KnownStream`. Cells that cannot
    change anything are not evaluated: nothing reads the last block before the answer position, and
    in the common prefix of two prompts of the same length both runs are the same.
    """
    if not 1 <= len(spans) <= MOST_SPANS:
        raise ModelError(
            _(
                "A trace takes 1 to {most_spans} spans, not {spans}.",
                most_spans=MOST_SPANS,
                spans=len(spans),
            )
        )
    last = inspection.blocks - 1
    targets = [
        (start + shift, stop + shift, shift)
        for (start, stop), shift in zip(spans, shifts_of(spans, shifts), strict=True)
    ]
    order = sorted(range(len(spans)), key=lambda span: targets[span], reverse=True)
    cells = [
        (span, Edit(Action.COPY, part, block, start, stop, head, shift=-shift))
        for span, (start, stop, shift) in ((span, targets[span]) for span in order)
        for block in range(inspection.blocks)
    ]
    check_edits(inspection, [source_of(edit) for _, edit in cells], prompt[1])
    check_edits(inspection, [edit for _, edit in cells], contrast[1])
    shared_prefix = _unchanged_prefix(prompt, contrast)

    def changes(edit: Edit) -> bool:
        unread = edit.block == last and edit.stop < contrast[0]
        return not unread and (edit.stop > shared_prefix or bool(edit.shift))

    changing = [edit for _, edit in cells[first:] if changes(edit)]
    from_token = min((edit.start for edit in changing), default=contrast[0])
    held = stream_bytes(inspection, contrast, from_token) if changing else 0
    known: KnownStream | None = None
    contrast_scores: Scores = []
    try:
        for group in _groups(cells[first:], inspection, CAPTURED - held):
            kept = SpanRows()
            inspection.forget(0)
            prompt_scores = capture(
                inspection, kept, *prompt, [source_of(edit) for _, edit in group]
            )
            inspection.forget(0)
            if not contrast_scores:
                yield -1, 0, prompt_scores
                inspection.cut_at(group[0][1].start if group else 0)
                if changing:
                    contrast_scores, known = scored_with_stream(inspection, contrast, from_token)
                else:
                    contrast_scores = score_options(inspection, *contrast)
                yield -1, 1, contrast_scores
            cut: int | None = None
            for span, edit in group:
                if not changes(edit):
                    scores = contrast_scores
                else:
                    if cut != edit.start:
                        cut = edit.start
                        keep_before(inspection, contrast, cut, contrast_scores)
                    sources = {Action.COPY: kept}
                    scores = score_edited(inspection, *contrast, [edit], sources, edit.start, known)
                yield edit.block, span, scores
    finally:
        inspection.cut_at(0)


def _groups(cells: Sequence[Cell], inspection: Inspection, most: int) -> Iterator[list[Cell]]:
    """Split cells into groups whose captured activations fit into `most` bytes; at least one."""
    room = most // (4 * inspection.width)
    group: list[Cell] = []
    rows = 0
    for cell in cells:
        length = cell[1].stop - cell[1].start
        if group and rows + length > room:
            yield group
            group, rows = [], 0
        group.append(cell)
        rows += length
    yield group


def _unchanged_prefix(prompt: EncodedOptions, contrast: EncodedOptions) -> int:
    """Length of the common prefix of two prompts; 0 where their batches differ in shape."""
    if [len(sequence) for sequence in prompt[1]] != [len(sequence) for sequence in contrast[1]]:
        return 0
    return common_prefix_length([prompt[1][0], contrast[1][0]])
