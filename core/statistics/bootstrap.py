"""Percentile bootstrap intervals, for figures that are no means."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist

from core.statistics.student_t import t_quantile

RESAMPLES = 1000
"""Number of bootstrap resamples."""
SEED = 20240614
"""Seed of the resampling, so that equal data give equal intervals."""
FEWEST_CLUSTERS = 10
"""Fewest clusters, or independent cases, with which a bootstrap interval is given."""
_ROUNDING = 1e-9


def percentile_interval(
    values: Iterable[float | None], clusters: int
) -> tuple[float, float] | None:
    """The 95 % percentile interval of resampled values.

    Percentiles of a small sample are too close together, so those further out are taken that give
    a mean the interval of Student's t (the expanded percentile interval of Hesterberg, 2015).

    Resamples in which the figure is undefined (only one label was drawn) are left out. None if
    these are more than half, if all values are equal, or for fewer than `FEWEST_CLUSTERS`.

    Args:
        values: the figure in each resample.
        clusters: the number of clusters or cases that are drawn for a resample.
    """
    if clusters < FEWEST_CLUSTERS:
        return None
    resampled = list(values)
    defined = [value for value in resampled if value is not None]
    if not defined or 2 * len(defined) < len(resampled):
        return None
    import numpy as np

    tail = NormalDist().cdf(-math.sqrt(clusters / (clusters - 1)) * t_quantile(clusters - 1))
    low, high = (float(end) for end in np.quantile(defined, [tail, 1 - tail]))
    return (low, high) if high - low > _ROUNDING else None
