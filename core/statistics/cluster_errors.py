"""Standard errors of accuracies over questions that share a pairing."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable


def wald(share: float, n: int) -> float:
    """Wald standard error of a proportion of `n` independent trials; `n` must be positive.

    The paper gives it with `n` as the number of pairings (caption of Figure 6).
    """
    return math.sqrt(share * (1 - share) / n)


def clustered(outcomes: Iterable[tuple[str, float]]) -> float | None:
    """Standard error of the mean of outcomes that are alike within a cluster.

    Residuals are summed within each cluster before they are squared (Liang and Zeger, 1986), with
    the usual factor G / (G - 1) for G clusters. With one outcome a cluster it is the standard
    error of the mean.

    Args:
        outcomes: the cluster of each outcome, and the outcome.

    Returns:
        The standard error; None below two clusters, where it cannot be known.
    """
    pairs = list(outcomes)
    mean = math.fsum(value for _, value in pairs) / len(pairs) if pairs else 0.0
    sums: dict[str, list[float]] = defaultdict(list)
    for cluster, value in pairs:
        sums[cluster].append(value - mean)
    count = len(sums)
    if count < 2:
        return None
    squares = math.fsum(math.fsum(residuals) ** 2 for residuals in sums.values())
    return math.sqrt(squares * count / (count - 1)) / len(pairs)


def effective(outcomes: Iterable[tuple[str, float]]) -> float:
    """How many independent cases outcomes of 0 or 1 are worth that are alike within a cluster.

    The number of outcomes divided by the design effect (Kish, 1965): by how much clustering
    widens the variance of their share, without a factor for few clusters in either: outcomes that
    each stand alone are worth their number. Where all outcomes are equal nothing tells, and each
    cluster is worth one case.

    Args:
        outcomes: the cluster of each outcome, and the outcome; at least one.
    """
    pairs = list(outcomes)
    share = math.fsum(value for _, value in pairs) / len(pairs)
    clusters = len({cluster for cluster, _ in pairs})
    error = clustered(pairs)
    if not error or not 0 < share < 1:
        return float(clusters)
    variance = error**2 * (clusters - 1) / clusters
    return min(float(len(pairs)), share * (1 - share) / variance)
