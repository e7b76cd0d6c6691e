"""P-values of many means at once, by one permutation test over all of them.

Cells of one map are not independent, so the largest of their statistics is compared with what it is
under permutations of the same data (Westfall and Young, 1993; as in Nichols and Holmes, 2002).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.statistics.bootstrap import SEED

DRAWS = 4_000
"""Random permutations, where there are more than `_MOST_CLUSTERS` clusters."""
_MOST_CLUSTERS = 11
"""With so many clusters every permutation is tried."""
FEWEST_CLUSTERS = 6
"""With fewer clusters no p-value is below .05, whatever the figures are."""
_ROUNDING = 1e-9

Floats = NDArray[np.float64]


def max_t_p_values(figures: Floats, clusters: Sequence[Hashable]) -> list[float | None]:
    """Adjusted p-values of the means of several figures, each two-sided.

    Under the null hypothesis a cluster's figures are as likely with the other sign, all of them at
    once. The statistic of a figure is the absolute sum of its cluster sums by the root of the sum
    of their squares, which no sign changes; a figure's p-value is the share of permutations in
    which any of the figures has a statistic as large, the observed one included.
    Declaring those below .05 errs anywhere with at most 5 %.

    Args:
        figures: shape (cases, figures); not a number where a case has none.
        clusters: the cluster of each case.

    Returns:
        One for each figure; None where no case has one, and where it is 0 in every case.
    """
    if not figures.size:
        return [None] * figures.shape[1]
    names = {cluster: index for index, cluster in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros((len(names), figures.shape[1]))
    np.add.at(sums, [names[cluster] for cluster in clusters], np.nan_to_num(figures))
    norms = np.sqrt((sums**2).sum(axis=0))
    known = norms > _ROUNDING
    if not known.any():
        return [None] * figures.shape[1]
    scaled = sums[:, known] / norms[known]
    observed = np.abs(scaled.sum(axis=0))
    signs = _signs(len(names))
    largest = np.abs(signs @ scaled).max(axis=1)
    exceeding = (largest[:, None] >= observed - _ROUNDING).mean(axis=0)
    p_values = iter(exceeding)
    return [float(next(p_values)) if is_known else None for is_known in known]


def _signs(clusters: int) -> Floats:
    """Permutations of signs, the observed one first; shape (permutations, clusters)."""
    if clusters <= _MOST_CLUSTERS:
        # The first sign is fixed: the opposite of all signs has the same statistics.
        bits = np.arange(2 ** (clusters - 1))[:, None] >> np.arange(clusters) & 1
        return np.asarray(1.0 - 2.0 * bits, dtype=np.float64)
    drawn = np.random.default_rng(SEED).choice([-1.0, 1.0], size=(DRAWS, clusters))
    return np.concatenate([np.ones((1, clusters)), drawn])
