"""Causal tracing: which span of which block carries the difference to the contrast prompt.

Meng et al. 2022 ("Locating and Editing Factual Associations in GPT"), section 2.1, with a contrast
prompt in place of noise, as in Wang et al. 2022 ("Interpretability in the Wild"), section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.models.blocks import Action, Edit, Part
from core.models.llama.completion import common_length, score_options
from core.models.llama.decoder import CHUNK
from core.models.llama.inspection import CAPTURED, Inspection
from core.models.llama.patcher import Scores, SpanRows, capture, check_edits, score_edited
from core.text.errors import ModelError

MOST_SPANS = 256
"""Most spans of one trace."""

Pairs = tuple[int, Sequence[list[int]]]
Cell = tuple[int, Edit]
"""Which of the spans that were asked for, and what is copied."""


def trace(
    inspection: Inspection,
    prompt: Pairs,
    contrast: Pairs,
    spans: Sequence[tuple[int, int]],
    part: Part,
    head: int | None = None,
    first: int = 0,
) -> Iterator[tuple[int, int, Scores]]:
    """Score options in the contrast run with a span of a block copied from the prompt's.

    `prompt` and `contrast prompt` are options as in `score_options`, `spans` are positions in both;
    `head` says which head of every block `Part.HEAD` means. Yields (-1, 0, the prompt's scores) and
    (-1, 1, the contrast prompt's), then (block, span, scores) for every span, the last in the
    prompt first, in every block; of these cells the `first` are left out. Raises `ModelError`,
    `Interrupted`.

    Every score is to the bit what `score_patched` gives for the same edit. So cells are evaluated
    one at a time: side by side, each would lie elsewhere in the cache and be rounded differently.
    What stands before a span is evaluated once, see `_cut`. Cells that cannot change anything are
    not evaluated: nothing reads the last block before the answer position, and up to where two
    prompts of the same length differ, both runs are the same.
    """
    if not 1 <= len(spans) <= MOST_SPANS:
        raise ModelError(f"A trace takes 1 to {MOST_SPANS} spans, not {len(spans)}.")
    last = inspection.blocks - 1
    order = sorted(range(len(spans)), key=lambda place: spans[place], reverse=True)
    cells = [
        (place, Edit(Action.COPY, part, block, *spans[place], head))
        for place in order
        for block in range(inspection.blocks)
    ]
    check_edits(inspection, [edit for _, edit in cells], *prompt)
    check_edits(inspection, [edit for _, edit in cells], *contrast)
    same = _same(prompt, contrast)
    without: Scores = []
    try:
        for group in _groups(cells[first:], inspection):
            kept = SpanRows()
            inspection.forget(0)
            own = capture(inspection, kept, *prompt, [edit for _, edit in group])
            inspection.forget(0)
            if not without:
                yield -1, 0, own
                inspection.cut_at(group[0][1].start if group else 0)
                without = score_options(inspection, *contrast)
                yield -1, 1, without
            cut: int | None = None
            for place, edit in group:
                unread = edit.block == last and edit.stop < contrast[0]
                if unread or edit.stop <= same:
                    scores = without
                else:
                    if cut != edit.start:
                        cut = edit.start
                        _cut(inspection, contrast, cut, without)
                    scores = score_edited(inspection, *contrast, [edit], kept, edit.start)
                yield edit.block, place, scores
    finally:
        inspection.cut_at(0)


def _groups(cells: Sequence[Cell], inspection: Inspection) -> Iterator[list[Cell]]:
    """The cells in turn, so many that what is captured for them may be held; at least one group."""
    room = CAPTURED // (4 * inspection.width)
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


def _cut(inspection: Inspection, contrast: Pairs, place: int, scores: Scores) -> None:
    """Have only what stands from a position on evaluated again, if that changes no bit.

    What stands before it stays in the cache as the whole run left it. Whether a part of a chunk
    is rounded as in the whole chunk depends on which kernels llama.cpp takes for the two shapes,
    and on nothing else: so the contrast prompt's own run tells.
    """
    inspection.cut_at(place)
    if inspection.kept < place:
        score_options(inspection, *contrast)
    inspection.forget(place)
    if place % CHUNK and score_options(inspection, *contrast) != scores:
        inspection.cut_at(0)


def _same(prompt: Pairs, contrast: Pairs) -> int:
    """How many tokens two prompts begin with alike; 0 where their batches differ in shape."""
    if [len(whole) for whole in prompt[1]] != [len(whole) for whole in contrast[1]]:
        return 0
    return common_length([prompt[1][0], contrast[1][0]])
