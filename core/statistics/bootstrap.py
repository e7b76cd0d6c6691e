"""Percentile bootstrap intervals, for figures other than proportions."""

from __future__ import annotations

from collections.abc import Iterable

RESAMPLES = 1000
"""Number of bootstrap resamples."""
SEED = 20240614
"""Seed of the resampling, so that equal data give equal intervals."""
_LEVEL = 0.95


def percentile_interval(values: Iterable[float | None]) -> tuple[float, float] | None:
    """The 95 % percentile interval of resampled values.

    Resamples in which the figure is undefined (only one label was drawn) are left out. None if
    these are more than half, or fewer than two values remain.
    """
    resampled = list(values)
    defined = [value for value in resampled if value is not None]
    if len(defined) < 2 or 2 * len(defined) < len(resampled):
        return None
    import numpy as np

    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)
