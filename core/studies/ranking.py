"""How well scores rank one label above the other, with intervals over clusters.

The area under the ROC curve (AUC) counts pairs of one case of each label. Scores of different folds
come from different fits and aren't on one scale, so only pairs of the same fold are counted. Where
cases are the options of questions, only pairs of one question are: which of its options a question
is about is asked, and not which question is the easier one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.statistics.bootstrap import FEWEST_CLUSTERS, RESAMPLES, SEED, percentile_interval

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
DECIMALS = 6
"""Of the figures of single cases: as many as are kept."""
LEFT_OUT = -1
"""In the place of the number of a fold: a case that is neither fitted nor ranked."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its 95 % interval; ends that are not a number where there is none.

    Both ends are the figure where it is the same in every draw, as an AUC of 1 is.
    """

    value: float
    low: float = float("nan")
    high: float = float("nan")

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends; None where there are none, or where no draw differs, which shows no width."""
        return (self.low, self.high) if self.low < self.high else None

    def named(self, name: str) -> dict[str, Any]:
        """The figure and its interval as they stand in a result, under `name`."""
        return {name: self.value, f"{name}_interval": self.interval}


@dataclass(frozen=True, slots=True)
class Ranked:
    """What was ranked above what, by cluster: (clusters,) where only cases of one cluster are
    compared, else (clusters, clusters), positives by negatives.

    In the first, a cluster that is drawn twice has its comparisons twice, and none between the two.
    """

    won: Floats
    compared: Floats
    """How many comparisons there were."""

    def __add__(self, other: Ranked) -> Ranked:
        """What both compared, as for several labellings of the same cases."""
        return Ranked(self.won + other.won, self.compared + other.compared)

    @property
    def whole(self) -> float:
        """The AUC over all clusters; NaN without a comparison."""
        return float(self.area(np.ones((1, len(self.won))))[0])

    def area(self, weights: Floats) -> Floats:
        """The AUC for each row of `weights` (draws, clusters); NaN where nothing is left."""
        won, compared = weights @ self.won, weights @ self.compared
        if self.won.ndim > 1:
            won, compared = (np.einsum("dc,dc->d", each, weights) for each in (won, compared))
        areas = np.full(len(won), np.nan)
        np.divide(won, compared, out=areas, where=compared > 0)
        return areas


def fold_numbers(folds: Integers) -> Integers:
    """The folds that cases are in."""
    numbers: Integers = np.unique(folds[folds != LEFT_OUT])
    return numbers


def ranked(scores: Floats, labels: Integers, clusters: Integers, folds: Integers) -> Ranked:
    """Pairs of `scores` (n,) within folds, summed by cluster; ties count one half."""
    count = int(clusters.max()) + 1
    won, compared = np.zeros((count, count)), np.zeros((count, count))
    for fold in fold_numbers(folds):
        ones = np.flatnonzero((folds == fold) & (labels == 1))
        zeros = np.flatnonzero((folds == fold) & (labels == 0))
        high, low = scores[ones][:, None], scores[zeros][None, :]
        pairs = clusters[ones][:, None], clusters[zeros][None, :]
        np.add.at(won, pairs, (high > low) + 0.5 * (high == low))
        np.add.at(compared, pairs, 1.0)
    return Ranked(won, compared)


def ranked_options(
    scores: Floats, labels: Integers, questions: Integers, clusters: Integers, folds: Integers
) -> Ranked:
    """The options (n,) of `questions` (n,), each with one of label 1; ties count one half.

    Each question has won the share of its wrong options that stand below the right one, so all
    count alike however many options they have.
    """
    right = np.flatnonzero((labels == 1) & (folds != LEFT_OUT))
    # The score of the right option, beside each option of its question.
    beside = np.zeros(int(questions.max()) + 1)
    beside[questions[right]] = scores[right]
    above = (beside[questions] > scores) + 0.5 * (beside[questions] == scores)
    wrong = labels != 1
    count = int(questions.max()) + 1
    won = np.bincount(questions[wrong], above[wrong], count)[questions[right]]
    shares = won / np.bincount(questions[wrong], minlength=count)[questions[right]]
    of = int(clusters.max()) + 1
    return Ranked(
        np.bincount(clusters[right], shares, of).astype(np.float64),
        np.bincount(clusters[right], minlength=of).astype(np.float64),
    )


def draws(clusters: int) -> Floats:
    """How often each cluster is in each bootstrap draw: (resamples, clusters)."""
    generator = np.random.default_rng(SEED)
    chances = np.full(clusters, 1 / clusters)
    return generator.multinomial(clusters, chances, size=RESAMPLES).astype(np.float64)


def area(pairs: Ranked, weights: Floats) -> Estimate:
    """The AUC with its percentile interval over the draws `weights`."""
    return estimate(pairs.whole, pairs.area(weights), len(pairs.won))


def difference(first: Ranked, second: Ranked, weights: Floats) -> Estimate:
    """AUC of `first` minus that of `second`, both on the same draws of clusters."""
    drawn = first.area(weights) - second.area(weights)
    return estimate(first.whole - second.whole, drawn, len(first.won))


def mean(values: Floats, clusters: Integers, weights: Floats) -> Estimate:
    """The mean of `values` (n,) with its percentile interval over the draws `weights`."""
    count = int(clusters.max()) + 1
    totals = np.bincount(clusters, values, count)
    drawn = weights @ totals / (weights @ np.bincount(clusters, minlength=count))
    return estimate(float(values.mean()), drawn, count)


def estimate(value: float, drawn: Floats, clusters: int) -> Estimate:
    """A figure with the percentile interval of its draws, if they give one."""
    if clusters >= FEWEST_CLUSTERS and np.ptp(drawn) < _ROUNDING:
        return Estimate(value, value, value)
    defined = (None if np.isnan(figure) else float(figure) for figure in drawn)
    interval = percentile_interval(defined, clusters)
    return Estimate(value) if interval is None else Estimate(value, *interval)
