"""Percentile bootstrap intervals: how figures that are no proportions would vary in other draws."""

from __future__ import annotations

from collections.abc import Iterable

RESAMPLES = 1000
"""How often the cases are drawn."""
SEED = 20240614
"""What the draws begin with, so that the same data give the same interval."""
_LEVEL = 0.95


def percentile_interval(values: Iterable[float | None]) -> tuple[float, float] | None:
    """The 95 % percentile interval of resampled values.

    Draws in which the figure is undefined (only one label was drawn) are left out; None where
    that happened in more than half of them, or where there are fewer than two.
    """
    drawn = list(values)
    found = [value for value in drawn if value is not None]
    if len(found) < 2 or 2 * len(found) < len(drawn):
        return None
    import numpy as np

    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)
