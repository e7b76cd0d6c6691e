"""The logit lens held against a content-free prompt: what a block says beyond its prior.

Early blocks favour some options after any prompt. Subtracting, block by block, what the options
score after the same wording without the item's content (Zhao et al. 2021, "Calibrate Before Use";
Holtzman et al. 2021, "Surface Form Competition") leaves what the item adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.models.blocks import BlockReading, Trajectory, prediction_depth, trajectory
from core.text.language import N_

NEAR_TIE = 0.1
"""A lead of less, in nats, is a near tie: it counts as no lead."""


class Withheld(StrEnum):
    """Why it is not said where an answer settles, nor how it came about."""

    NEAR_TIE = N_("a near tie, with less than 0.1 nat between options")
    PRIOR_DECIDES = N_("the prior decides: without it another option leads")


def clear_leader(scores: Sequence[float]) -> int | None:
    """The option that leads by `NEAR_TIE` or more; None for a near tie and without numbers."""
    if any(score != score for score in scores):
        return None
    ranked = sorted(range(len(scores)), key=lambda option: -scores[option])
    if len(ranked) < 2:
        return next(iter(ranked), None)
    first, second = (scores[option] for option in ranked[:2])
    # Two equal infinities differ by no number, and are a tie.
    return ranked[0] if first - second >= NEAR_TIE else None


@dataclass(frozen=True, slots=True)
class CalibratedLens:
    """Options by blocks beyond their prior, for a question with at most one right option."""

    raw: BlockReading
    content_free: BlockReading
    """The same options after the prompt without the item's content."""
    gold: int | None

    @property
    def scores(self) -> tuple[tuple[float, ...], ...]:
        """Log-likelihood less that after the content-free prompt, in nats, (blocks, options)."""
        return tuple(
            tuple(a.logprob - b.logprob for a, b in zip(row, prior, strict=True))
            for row, prior in zip(self.raw.scores, self.content_free.scores, strict=True)
        )

    @property
    def leading(self) -> tuple[int | None, ...]:
        """The option that clearly leads after each block; None for a near tie."""
        return tuple(map(clear_leader, self.scores))

    @property
    def withheld(self) -> Withheld | None:
        """Why nothing is said of how the answer came about; None where it is said."""
        end = self.leading[-1]
        answer = clear_leader([score.logprob for score in self.raw.scores[-1]])
        if end is None or answer is None:
            return Withheld.NEAR_TIE
        return None if end == answer else Withheld.PRIOR_DECIDES

    @property
    def prediction_depth(self) -> int | None:
        """The first block from which on the answer clearly leads; None where withheld."""
        return None if self.withheld else prediction_depth(self.leading)

    @property
    def trajectory(self) -> tuple[Trajectory, int | None] | None:
        """How the right option fared, and the last block after which it led.

        None where withheld and without gold.
        """
        if self.gold is None or self.withheld:
            return None
        return trajectory(self.leading, self.gold)
