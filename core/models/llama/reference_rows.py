"""What parts of blocks compute in other prompts, for mean and resample ablation.

Wang et al. 2022 ("Interpretability in the Wild") replace activations by their means over other
prompts; Chan et al. 2022 ("Causal Scrubbing") by those of another prompt. Here prompts have
different lengths, so their tokens are counted from the end: the last is the answer position of all.
What all prompts begin with is left as it is, because there the activations are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.models.blocks import Edit
from core.models.llama.captured import SpanRows, Target, capture, target_of
from core.models.llama.completion import EncodedOptions, check_length, common_prefix_length
from core.models.llama.inspection import Inspection
from core.models.llama.tap import Array


class ReferenceRows:
    """Means of activations over prompts, by the position in the prompt that is changed."""

    def __init__(
        self, prompt: EncodedOptions, references: Sequence[EncodedOptions], edits: Sequence[Edit]
    ) -> None:
        """The rows that `edits` need, once every one of `references` was added."""
        start, sequences = prompt
        self._start = start
        heads = [sequence[:at] for at, (first, *_) in references for sequence in (first,)]
        self._prefix = common_prefix_length([sequences[0][:start], *heads])
        self._references = references
        self._edits = edits
        self._sums: dict[Target, dict[int, NDArray[np.float64]]] = {}
        self._counts: dict[Target, dict[int, int]] = {}

    def read(self, inspection: Inspection) -> None:
        """Run every reference prompt. Raises `ModelError`, `Interrupted`."""
        for reference in self._references:
            self._add(inspection, reference)

    def row(self, target: Target, position: int) -> Array | None:
        """The mean at a position; None where no other prompt is as long, or all are the same."""
        total = self._sums.get(target, {}).get(position)
        if total is None:
            return None
        return (total / self._counts[target][position]).astype(np.float32)

    @property
    def positions(self) -> frozenset[int]:
        """The positions that have a mean."""
        return frozenset(position for rows in self._sums.values() for position in rows)

    def _add(self, inspection: Inspection, reference: EncodedOptions) -> None:
        start, sequences = reference
        check_length(inspection, max(map(len, sequences)))
        shift = start - self._start
        wanted = [
            _shifted(edit, first, edit.stop, shift)
            for edit in self._edits
            if (first := max(edit.start, self._prefix, self._prefix - shift)) < edit.stop
        ]
        if not wanted:
            return
        kept = SpanRows()
        capture(inspection, kept, start, sequences, wanted)
        for edit in wanted:
            target = target_of(inspection, edit)
            sums = self._sums.setdefault(target, {})
            counts = self._counts.setdefault(target, {})
            for position in range(edit.start - shift, edit.stop - shift):
                row = kept.row(target, position + shift)
                if row is not None:
                    sums[position] = sums.get(position, 0) + row.astype(np.float64)
                    counts[position] = counts.get(position, 0) + 1


def _shifted(edit: Edit, start: int, stop: int, shift: int) -> Edit:
    return Edit(edit.action, edit.part, edit.block, start + shift, stop + shift, edit.head)
