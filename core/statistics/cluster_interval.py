"""The interval of a mean of scores from 0 to 1, of cases that may be alike within clusters."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from core.statistics.cluster_errors import (
    FEWEST_CLUSTERS,
    ROUNDING,
    ClusterTotals,
    cluster_totals,
    clustered_error,
    mean_of_totals,
)
from core.statistics.proportion import Z, proportion_interval, wilson
from core.statistics.student_t import t_quantile

_RARE_CLUSTERS = 8
"""Fewer clusters than this are a few, if they are less than half."""


def mean_interval(outcomes: Iterable[tuple[Hashable, float]]) -> tuple[float, float] | None:
    """The 95 % interval of a mean, by `interval_of_totals`.

    Args:
        outcomes: pairs of cluster and score, from 0 to 1.
    """
    return interval_of_totals(cluster_totals(outcomes))


def interval_of_totals(totals: ClusterTotals) -> tuple[float, float] | None:
    """The 95 % interval of a mean of scores from 0 to 1.

    It is Wilson's, for as many independent cases as have the variance of the mean: the variance
    of one right or wrong case with this mean by the clustered variance, times the squared ratio of
    the quantiles of the normal and of Student's t with one degree of freedom less than there are
    clusters (Korn and Graubard, 1998, for design-based samples). Clustered cases are never worth
    more than their number. Scores of independent cases, which vary less than right or wrong ones,
    are never worth less.

    None without two cases, and for fewer than `FEWEST_CLUSTERS` clusters of several cases.
    Independent cases that are right or wrong have `proportion_interval`.
    """
    if not totals:
        return None
    (mean, n), clusters = mean_of_totals(totals), sum(totals.values())
    if clusters == n and all(score in {0.0, 1.0} for score, _ in totals):
        return proportion_interval(round(mean * n), n)
    if n < 2:
        return None
    worth = _effective_cases(totals)
    return None if worth is None else wilson(mean * worth, worth)


def effective_cases(outcomes: Iterable[tuple[Hashable, float]]) -> float | None:
    """As many independent right or wrong cases as the interval of a mean is for.

    Where all scores are equal the variance is unknown, and each cluster counts as one case; where
    only a few clusters hold any score above 0, or below 1, the variance rests on these, and each
    cluster counts as one case at most. None for fewer than `FEWEST_CLUSTERS` clusters of several
    cases.

    Args:
        outcomes: pairs of cluster and score, from 0 to 1, at least one.
    """
    return _effective_cases(cluster_totals(outcomes))


def _effective_cases(totals: ClusterTotals) -> float | None:
    (mean, n), clusters = mean_of_totals(totals), sum(totals.values())
    # A single case may stand for itself, so two are enough where all are independent.
    if clusters < min(n, FEWEST_CLUSTERS):
        return None
    error = clustered_error(totals)
    worth = float(clusters)
    if error and error > ROUNDING and 0 < mean < 1:
        worth = mean * (1 - mean) / error**2 * (Z / t_quantile(clusters - 1)) ** 2
    above = sum(alike for (total, _), alike in totals.items() if total > 0)
    below = sum(alike for (total, count), alike in totals.items() if total < count)
    holding = min(above, below)
    rare = holding < _RARE_CLUSTERS and 2 * holding < clusters
    if clusters == n:
        return n if rare else max(worth, n)
    return min(worth, clusters if rare else n)
