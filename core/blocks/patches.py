"""How edits of blocks change the scores of a question's options."""

from __future__ import annotations

from dataclasses import dataclass

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.pairing import Pairing
from core.blocks.spans import PromptSpan
from core.blocks.trace import compared_options
from core.contract.question import OptionScore, Question
from core.models.blocks import Edit, PatchResult, TraceBase, leader, margin


@dataclass(frozen=True, slots=True)
class Patched:
    """A question's options, scored without and with all of the edits."""

    question: Question
    contrast: ContrastPrompt | None
    """The prompt to copy from; None if nothing is copied."""
    spans: tuple[PromptSpan, ...]
    """The spans of the prompt."""
    pairing: Pairing | None
    """The spans paired with those of the contrast prompt; None without one."""
    edits: tuple[Edit, ...]
    result: PatchResult
    contrast_scores: tuple[OptionScore, ...] | None = None
    """The options' scores in the contrast run."""
    references: int = 0
    """How many other prompts mean and resample took activations from."""

    @property
    def touched(self) -> tuple[int, ...]:
        """Indices of the spans of which an edit changes a token."""
        return tuple(
            index
            for index, span in enumerate(self.spans)
            if span.tokens is not None
            and any(
                edit.start < span.tokens[1] and span.tokens[0] < edit.stop for edit in self.edits
            )
        )

    @property
    def comparable(self) -> tuple[bool, ...]:
        """For each span, whether it can be compared with the contrast prompt."""
        return (False,) * len(self.spans) if self.pairing is None else self.pairing.comparable

    @property
    def answers(self) -> tuple[int | None, int | None]:
        """The options that lead without and with the edits; None for a tie and for no number."""
        return leader(self.result.plain), leader(self.result.patched)

    @property
    def restored(self) -> float | None:
        """Share of the difference between the prompts' margins that the edits make up.

        None without a contrast prompt and where the margins hardly differ.
        """
        if self.contrast is None or self.contrast_scores is None:
            return None
        base = TraceBase(self.result.plain, self.contrast_scores)
        options = compared_options(self.question, self.contrast.question, base)
        if options is None or not base.margins_differ(*options):
            return None
        here, there = base.margins(*options)
        return (margin(self.result.patched, *options) - here) / (there - here)
