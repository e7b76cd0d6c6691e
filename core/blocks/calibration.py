"""The logit lens beyond the prior: what a block says of an item, and not after any prompt.

Early blocks favour some options after any prompt. Subtracting, block by block, what the options
score after the same wording without the item's content (Zhao et al. 2021, "Calibrate Before Use";
Holtzman et al. 2021, "Surface Form Competition") leaves what the item adds. Where many items are
asked the same, their mean can stand in the place of that prompt (`mean_rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import fsum, isfinite

from core.models.blocks import OptionRows, Trajectory, prediction_depth, trajectory
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


def mean_rows(readings: Sequence[OptionRows], least: int) -> OptionRows | None:
    """The mean score of each option after each block, over questions with the same options.

    Questions with a score that is no finite number are left out; None where fewer than `least` are
    left.
    """
    finite = [rows for rows in readings if all(isfinite(score) for row in rows for score in row)]
    if len(finite) < least:
        return None
    return tuple(
        tuple(fsum(scores) / len(finite) for scores in zip(*rows, strict=True))
        for rows in zip(*finite, strict=True)
    )


@dataclass(frozen=True)
class CalibratedLens:
    """Options by blocks beyond their prior, for a question with at most one right option."""

    raw: OptionRows
    """Log-likelihoods after the question."""
    prior: OptionRows
    """The same after the prompt without the item's content, or the mean over many items."""
    gold: int | None

    @property
    def scores(self) -> OptionRows:
        """Log-likelihood less the prior."""
        return tuple(
            tuple(score - prior for score, prior in zip(row, priors, strict=True))
            for row, priors in zip(self.raw, self.prior, strict=True)
        )

    @cached_property
    def leading(self) -> tuple[int | None, ...]:
        """The option that clearly leads after each block; None for a near tie."""
        return tuple(map(clear_leader, self.scores))

    @property
    def withheld(self) -> Withheld | None:
        """Why nothing is said of how the answer came about; None where it is said."""
        end = self.leading[-1]
        answer = clear_leader(self.raw[-1])
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
