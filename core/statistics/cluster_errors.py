"""Standard errors of accuracies over clustered outcomes, such as questions that share a pairing."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable


def wald(share: float, n: int) -> float:
    """Wald standard error of a proportion of `n` independent trials; `n` must be positive.

    ACCORD reports it with `n` as the number of pairings (caption of Figure 6).
    """
    return math.sqrt(share * (1 - share) / n)


def clustered(outcomes: Iterable[tuple[Hashable, float]]) -> float | None:
    """Cluster-robust standard error of a mean.

    Residuals are summed within each cluster before squaring (Liang and Zeger, 1986), with the usual
    factor G / (G - 1) for G clusters. With one outcome per cluster, it is the ordinary standard
    error of the mean.

    Args:
        outcomes: pairs of cluster and outcome.

    Returns:
        The standard error; None with fewer than two clusters.
    """
    pairs = list(outcomes)
    mean = math.fsum(value for _, value in pairs) / len(pairs) if pairs else 0.0
    sums: dict[Hashable, list[float]] = defaultdict(list)
    for cluster, value in pairs:
        sums[cluster].append(value - mean)
    count = len(sums)
    if count < 2:
        return None
    squares = math.fsum(math.fsum(residuals) ** 2 for residuals in sums.values())
    return math.sqrt(squares * count / (count - 1)) / len(pairs)
