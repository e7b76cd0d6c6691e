"""How well scores rank right above wrong, with intervals over clusters.

The area under the ROC curve (AUC) counts pairs of one case of each label. Scores of different folds
come from different fits and aren't on one scale, so only pairs of the same fold are counted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.statistics.bootstrap import RESAMPLES, SEED, percentile_interval

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Ranked:
    """Pairs of clusters: `won` and `compared` are (clusters, clusters), positives by negatives."""

    won: Floats
    compared: Floats

    def area(self, weights: Floats) -> Floats:
        """The AUC for each row of `weights` (draws, clusters); NaN where no pair is left."""
        won = np.einsum("dc,ce,de->d", weights, self.won, weights, optimize=True)
        compared = np.einsum("dc,ce,de->d", weights, self.compared, weights, optimize=True)
        areas = np.full(len(won), np.nan)
        np.divide(won, compared, out=areas, where=compared > 0)
        return areas


def ranked(scores: Floats, labels: Integers, clusters: Integers, folds: Integers) -> Ranked:
    """Pairs of `scores` (n,) within folds, summed by cluster; ties count one half."""
    member = np.eye(int(clusters.max()) + 1)[clusters]
    right, wrong = labels == 1, labels == 0
    high, low = scores[right][:, None], scores[wrong][None, :]
    same = (folds[right][:, None] == folds[wrong][None, :]).astype(np.float64)
    won = ((high > low) + 0.5 * (high == low)) * same
    return Ranked(member[right].T @ won @ member[wrong], member[right].T @ same @ member[wrong])


def draws(clusters: int) -> Floats:
    """How often each cluster is in each bootstrap draw: (resamples, clusters)."""
    generator = np.random.default_rng(SEED)
    chances = np.full(clusters, 1 / clusters)
    return generator.multinomial(clusters, chances, size=RESAMPLES).astype(np.float64)


def area(pairs: Ranked, weights: Floats) -> Estimate:
    """The AUC with its percentile interval over the draws `weights`."""
    return _estimate(_whole(pairs), pairs.area(weights), len(pairs.won))


def difference(first: Ranked, second: Ranked, weights: Floats) -> Estimate:
    """AUC of `first` minus that of `second`, both on the same draws of clusters."""
    drawn = first.area(weights) - second.area(weights)
    return _estimate(_whole(first) - _whole(second), drawn, len(first.won))


def _whole(pairs: Ranked) -> float:
    return float(pairs.area(np.ones((1, len(pairs.won))))[0])


def _estimate(value: float, drawn: Floats, clusters: int) -> Estimate:
    defined = (None if np.isnan(one) else float(one) for one in drawn)
    # NaN compares as false, so a missing interval makes no finding.
    low, high = percentile_interval(defined, clusters) or (float("nan"), float("nan"))
    return Estimate(value, low, high)
