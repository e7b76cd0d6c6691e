"""The interval of a mean of scores from 0 to 1, of cases that may be alike within clusters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

from core.statistics.cluster_errors import clustered
from core.statistics.proportion import Z, proportion_interval, wilson
from core.statistics.student_t import t_quantile

FEWEST_CLUSTERS = 3
"""Fewest clusters of several cases with which an interval is given."""
_RARE_CLUSTERS = 8
"""Fewer clusters than this are a few, if they are less than half."""


def mean_interval(outcomes: Iterable[tuple[Hashable, float]]) -> tuple[float, float] | None:
    """The 95 % interval of a mean.

    It is Wilson's, for as many independent cases as have the variance of the mean: the variance
    of one right or wrong case with this mean by the clustered variance, times the squared ratio of
    the quantiles of the normal and of Student's t with one degree of freedom less than there are
    clusters (Korn and Graubard, 1998, for design-based samples). Clustered cases are never worth
    more than their number. Scores of independent cases, which vary less than right or wrong ones,
    are never worth less.

    Args:
        outcomes: pairs of cluster and score, from 0 to 1.

    Returns:
        None without two cases, and for fewer than `FEWEST_CLUSTERS` clusters of several cases.
        Independent cases that are right or wrong have `proportion_interval`.
    """
    pairs = [(cluster, float(score)) for cluster, score in outcomes]
    n, clusters = len(pairs), len({cluster for cluster, _ in pairs})
    total = math.fsum(score for _, score in pairs)
    if clusters == n and n and all(score in {0.0, 1.0} for _, score in pairs):
        return proportion_interval(round(total), n)
    if n < 2:
        return None
    worth = effective_cases(pairs)
    return None if worth is None else wilson(total / n * worth, worth)


def effective_cases(outcomes: Iterable[tuple[Hashable, float]]) -> float | None:
    """As many independent right or wrong cases as the interval of a mean is for.

    Where all scores are equal the variance is unknown, and each cluster counts as one case; where
    only a few clusters hold any score above 0, or below 1, the variance rests on these, and each
    cluster counts as one case at most. None for fewer than `FEWEST_CLUSTERS` clusters of several
    cases; at least one outcome.
    """
    pairs = list(outcomes)
    n, clusters = len(pairs), len({cluster for cluster, _ in pairs})
    if clusters < min(n, FEWEST_CLUSTERS):
        return None
    mean = math.fsum(score for _, score in pairs) / n
    error = clustered(pairs)
    worth = float(clusters)
    if error and 0 < mean < 1:
        worth = mean * (1 - mean) / error**2 * (Z / t_quantile(clusters - 1)) ** 2
    above = {cluster for cluster, score in pairs if score > 0}
    below = {cluster for cluster, score in pairs if score < 1}
    holding = min(len(above), len(below))
    rare = holding < _RARE_CLUSTERS and 2 * holding < clusters
    if clusters == n:
        return n if rare else max(worth, n)
    return min(worth, clusters if rare else n)
