"""Standard errors of accuracies over clustered outcomes, such as questions that share a pairing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from core.statistics.student_t import t_quantile

FEWEST_CLUSTERS = 3
"""Fewest clusters of several cases with which an interval is given."""
ROUNDING = 1e-9
"""A standard error of no more than this is 0."""
ClusterTotals = Mapping[tuple[float, int], int]
"""How many clusters have each sum and number of outcomes; of right or wrong ones there are few."""


def wald(share: float, n: int) -> float:
    """Wald standard error of a proportion of `n` independent trials; `n` must be positive.

    ACCORD reports it with `n` as the number of pairings (caption of Figure 6).
    """
    return math.sqrt(share * (1 - share) / n)


def clustered(outcomes: Iterable[tuple[Hashable, float]]) -> float | None:
    """Cluster-robust standard error of a mean, by `clustered_error`.

    Args:
        outcomes: pairs of cluster and outcome.
    """
    return clustered_error(cluster_totals(outcomes))


def cluster_totals(outcomes: Iterable[tuple[Hashable, float]]) -> ClusterTotals:
    """The totals of clusters, from pairs of cluster and outcome."""
    totals: dict[Hashable, tuple[float, int]] = {}
    for cluster, value in outcomes:
        total, count = totals.get(cluster, (0.0, 0))
        totals[cluster] = total + value, count + 1
    return Counter(totals.values())


def clustered_error(totals: ClusterTotals) -> float | None:
    """Cluster-robust standard error of a mean.

    Residuals are summed within each cluster before squaring (Liang and Zeger, 1986), with the usual
    factor G / (G - 1) for G clusters. With one outcome per cluster, it is the ordinary standard
    error of the mean. None with fewer than two clusters.
    """
    clusters = sum(totals.values())
    if clusters < 2:
        return None
    mean, n = mean_of_totals(totals)
    squares = math.fsum(
        (total - count * mean) ** 2 * alike for (total, count), alike in totals.items()
    )
    return math.sqrt(squares * clusters / (clusters - 1)) / n


def mean_of_totals(totals: ClusterTotals) -> tuple[float, int]:
    """The mean of the outcomes, of which there is at least one, and their number."""
    n = sum(count * alike for (_, count), alike in totals.items())
    return math.fsum(total * alike for (total, _), alike in totals.items()) / n, n


def unbounded_mean_interval(
    outcomes: Iterable[tuple[Hashable, float]],
) -> tuple[float, float] | None:
    """The 95 % interval of a mean of figures without bounds, such as margins in nats.

    The mean plus and minus its clustered error times the quantile of Student's t with one degree of
    freedom less than there are clusters. None with fewer than `FEWEST_CLUSTERS` clusters, and where
    the error is 0, which leaves the variance unknown.

    Args:
        outcomes: pairs of cluster and figure.
    """
    totals = cluster_totals(outcomes)
    error = clustered_error(totals)
    clusters = sum(totals.values())
    if error is None or error <= ROUNDING or clusters < FEWEST_CLUSTERS:
        return None
    mean, _ = mean_of_totals(totals)
    spread = t_quantile(clusters - 1) * error
    return mean - spread, mean + spread
