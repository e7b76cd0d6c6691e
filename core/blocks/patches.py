"""What edits of blocks did to the options of a question."""

from __future__ import annotations

from dataclasses import dataclass

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.spans import PromptSpan
from core.blocks.trace import Pairing, compared_options
from core.contract.question import OptionScore, Question
from core.models.blocks import Edit, PatchResult, TraceBase, leader, margin


@dataclass(frozen=True, slots=True)
class Patched:
    """A question's options with edits, all of them together, and without."""

    question: Question
    contrast: ContrastPrompt | None
    """Where copies come from; None without."""
    spans: tuple[PromptSpan, ...]
    """Of the prompt, as edits count them."""
    pairing: Pairing | None
    """The spans beside the contrast prompt's; None without contrast prompt."""
    edits: tuple[Edit, ...]
    result: PatchResult
    contrast_scores: tuple[OptionScore, ...] | None = None
    """Of the contrast prompt's own run."""

    @property
    def touched(self) -> tuple[int, ...]:
        """The spans of which an edit changes a token."""
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
        """Of every span, whether it can be compared with the contrast prompt; none can without."""
        return (False,) * len(self.spans) if self.pairing is None else self.pairing.comparable

    @property
    def answers(self) -> tuple[int | None, int | None]:
        """The option that leads without and with the edits; None for a tie and without numbers."""
        return leader(self.result.plain), leader(self.result.patched)

    @property
    def restored(self) -> float | None:
        """Share of the difference to the margin of the contrast prompt that the edits bring: 1 all.

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
