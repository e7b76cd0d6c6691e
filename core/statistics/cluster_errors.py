"""Standard errors of accuracies over clustered outcomes, such as questions that share a pairing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence

ClusterTotals = Sequence[tuple[float, int]]
"""The sum and the number of the outcomes of each cluster."""


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
    """The sum and the number of the outcomes of each cluster, from pairs of cluster and outcome."""
    totals: dict[Hashable, tuple[float, int]] = {}
    for cluster, value in outcomes:
        total, count = totals.get(cluster, (0.0, 0))
        totals[cluster] = total + value, count + 1
    return list(totals.values())


def clustered_error(totals: ClusterTotals) -> float | None:
    """Cluster-robust standard error of a mean.

    Residuals are summed within each cluster before squaring (Liang and Zeger, 1986), with the usual
    factor G / (G - 1) for G clusters. With one outcome per cluster, it is the ordinary standard
    error of the mean. None with fewer than two clusters.
    """
    clusters = len(totals)
    if clusters < 2:
        return None
    n = sum(count for _, count in totals)
    mean = math.fsum(total for total, _ in totals) / n
    squares = math.fsum((total - count * mean) ** 2 for total, count in totals)
    return math.sqrt(squares * clusters / (clusters - 1)) / n
